/* How far a class's initialisation is, and who runs it: HotSpot's InstanceKlass, read with probe.h
 * at offsets of vmstructs.h; and whether a thread may wait for one. What this VM does not tell is
 * not guessed: then no class is ever being initialised. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Once. */
void pm_class_state_prepare(void);

/* HotSpot's side of a class, 0: not known. `signature`: the class's, "La/B;", of which it must have
 * the name. */
uintptr_t pm_class_state_of(jclass class, const char *signature);
/* Is it being initialised now, and on which JavaThread? Any thread; the class may be gone. */
bool pm_class_state_is_initialising(uintptr_t klass, uintptr_t *ret_thread);
/* Is the platform thread with this Thread.tid blocked inside the VM, that is, not in
 * native code, as Java code called it? Its JavaThread. Any thread. */
bool pm_class_state_may_wait(int64_t tid, uintptr_t *ret_thread);

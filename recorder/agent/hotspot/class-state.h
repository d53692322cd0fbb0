/* The state of a class's initialisation and the thread that runs it, from HotSpot's InstanceKlass,
 * read with probe.h at offsets from vmstructs.h; and whether a thread may be waiting for one. What
 * this VM does not expose is not guessed: no class is then reported as being initialised. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Once. */
void pm_class_state_prepare(void);

/* HotSpot's Klass of a class, 0: unknown. `signature`: the class's, "La/B;", whose name it must
 * have. */
uintptr_t pm_class_state_of(jclass class, const char *signature);
/* Whether it is being initialised, and on which JavaThread. Any thread; the class may have been
 * unloaded. */
bool pm_class_state_is_initialising(uintptr_t klass, uintptr_t *ret_thread);
/* Whether this JavaThread is blocked inside the VM, called from Java code and not in native code.
 * Any thread; that one may have ended. */
bool pm_class_state_may_wait(uintptr_t thread);

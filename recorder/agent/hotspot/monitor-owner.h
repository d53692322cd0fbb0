/* Who owns a monitor, and who stands at which, from HotSpot's own fields and without stopping
 * anybody: an ObjectMonitor names its owner, by Thread.tid (JDK 24 on), by its JavaThread, or,
 * where the lock was taken before it had a monitor, by an address on the owner's stack (up to JDK
 * 23, and with LockingMode=1). With light locks (JDK 21 on where LockingMode=2, the default from
 * 23) it is "anonymous" then: the object lies in the lock stack of its owner, which is searched
 * for, within a bound of time in all.
 *
 * The owner may change as it is read; then it is one of the two. 0 is always "not known". */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Learns the offsets; after pm_vm_thread_prepare. Without them owners are never known, which is
 * told. */
void pm_monitor_owner_prepare(void);

/* Thread.tid of the owner of the monitor that the calling thread is about to enter, `own` being its
 * JavaThread. `object`: the monitor's. */
int64_t pm_monitor_owner_of_pending(const char *own, jobject object);

/* Where a thread stands. */
struct pm_monitor_place {
    uintptr_t monitor;
    bool enters; /* it waits to enter, else in Object.wait */
    bool again;  /* to enter it again after Object.wait */
};

/* Of another thread, `tid`, whose JavaThread is `vm_thread` (vm-thread.h; NULL: it has none).
 * False: at no monitor, or it cannot be looked at. For a thread of our own. */
bool pm_monitor_place_of(const char *vm_thread, int64_t tid, struct pm_monitor_place *ret_place);

/* The monitor's object, a local reference; NULL: not known. Some thread must stand there, which
 * keeps the monitor. Never known where JNI's calls are checked (-Xcheck:jni): there is no reference
 * to begin with. */
jobject pm_monitor_object(JNIEnv *env, uintptr_t monitor);
bool pm_monitor_objects_known(void);

/* Somebody owns it, and was not found in the time there was. */
#define PM_MONITOR_OWNED (-1)

/* Thread.tid of the owner of the monitor that another thread, `tid`, waits to enter now. False: it
 * does not, or cannot be looked at. Slow: it is searched for among all threads; `patient`: for a
 * while also beyond the bound of time. */
bool pm_monitor_owner_of_waiter(int64_t tid, jobject object, bool patient, int64_t *ret_owner);

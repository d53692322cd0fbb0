/* Who owns a monitor, and which monitor a thread waits for, from HotSpot's own fields and without
 * stopping any thread. An ObjectMonitor identifies its owner by Thread.tid (JDK 24 and later), by
 * its JavaThread, or, if the lock was taken before it was inflated, by an address on the owner's
 * stack (up to JDK 23, and with LockingMode=1). With lightweight locking (JDK 21 and later if
 * LockingMode=2, the default from 23) the owner is then "anonymous": the object is in the lock
 * stack of its owner, which is searched for within a total time limit.
 *
 * The owner may change while it is read; the result is then one of the two. 0 always means unknown.
 */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Looks up the offsets; after pm_vm_thread_prepare. Without them owners are never known, which is
 * reported. */
void pm_monitor_owner_prepare(void);

/* Thread.tid of the owner of the monitor that the calling thread is about to enter; `own` is its
 * JavaThread, `object` the monitor's object. */
int64_t pm_monitor_owner_of_pending(const char *own, jobject object);

/* Where a thread stands. */
struct pm_monitor_place {
    uintptr_t monitor;
    bool enters; /* it waits to enter, else in Object.wait */
    bool again;  /* to enter it again after Object.wait */
};

/* For another thread, `tid`, whose JavaThread is `vm_thread` (vm-thread.h; NULL: it has none).
 * False: it waits for no monitor, or cannot be examined. Called on one of our threads. */
bool pm_monitor_place_of(const char *vm_thread, int64_t tid, struct pm_monitor_place *ret_place);

/* The monitor's object, a local reference; NULL: unknown. Some thread must be waiting for the
 * monitor, which keeps it alive. Always unknown with checked JNI calls (-Xcheck:jni), because there
 * is no reference to start from. */
jobject pm_monitor_object(JNIEnv *env, uintptr_t monitor);
bool pm_monitor_objects_known(void);

/* It has an owner that was not found within the time limit. */
#define PM_MONITOR_OWNED (-1)

/* Thread.tid of the owner of the monitor that another thread, `tid`, waits to enter now. False: it
 * does not, or cannot be examined. Slow: searches all threads; `patient`: for a while beyond the
 * time limit. */
bool pm_monitor_owner_of_waiter(int64_t tid, jobject object, bool patient, int64_t *ret_owner);
/* The same of the monitor of an object that a virtual thread waits to enter. False: it has none
 * now. Where the VM finds monitors by a table, only an owner that has not met a contender yet is
 * found. */
bool pm_monitor_owner_of_object(jobject object, int64_t *ret_owner);

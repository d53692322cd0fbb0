/* Who owns a monitor, from HotSpot's own fields and without stopping anybody: an ObjectMonitor
 * names its owner, by Thread.tid (JDK 24 on), by its JavaThread, or, where the lock was taken
 * before it had a monitor, by an address on the owner's stack (up to JDK 23, and with
 * LockingMode=1). With light locks (JDK 21 on where LockingMode=2, the default from 23) it is
 * "anonymous" then: the object lies in the lock stack of its owner, which is searched for, within a
 * bound of time in all.
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

/* The same of the monitor that another thread, `tid`, waits to enter now. False: it does not, or
 * cannot be looked at. Slow: for a thread of our own. */
bool pm_monitor_owner_of_waiter(int64_t tid, jobject object, int64_t *ret_owner);

/* The live virtual threads, from the lists that the JDK keeps for its own thread dumps: those that
 * Thread itself started, and those of executors; not those of a StructuredTaskScope, and none with
 * -Djdk.trackAllThreads=false. The lists are read field by field: no Java method is called, no lock
 * is taken and no thread is stopped; threads that start or end meanwhile may be missed. JDK 21 and
 * later. On an attached thread. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

/* Visits each of them, as a local reference that is valid until the visitor returns; `each` returns
 * false to stop. False: this JDK keeps no such list. A thread may be visited twice. About 0.1 µs
 * per thread. */
bool pm_vthread_list_visit(JNIEnv *env, bool (*each)(void *context, JNIEnv *env, jthread thread),
                           void *context);

/* Visits those of StructuredTaskScopes, found by the threads that opened one: platform threads,
 * those that the lists have, and forks themselves. JDK 25 and later. About 0.1 µs per live thread;
 * before each that may have opened one, `goes_on` is asked, and ends the visit with false. */
bool pm_vthread_list_visit_forks(JNIEnv *env,
                                 bool (*each)(void *context, JNIEnv *env, jthread thread),
                                 bool (*goes_on)(void *context), void *context);

/* Whether it is parked, unmounted or pinned. `*ret_timed`: with a timeout, which includes sleeping.
 */
bool pm_vthread_list_is_parked(JNIEnv *env, jthread thread, bool *ret_timed);
/* Whether it waits, unmounted, to enter a monitor or in Object.wait; JDK 24 and later. */
bool pm_vthread_list_is_at_monitor(JNIEnv *env, jthread thread, enum pm_kind *ret_kind,
                                   bool *ret_timed);
/* Whether it waits anywhere, unmounted. */
bool pm_vthread_list_waits_unmounted(JNIEnv *env, jthread thread);
/* Whether it has ever been mounted. */
bool pm_vthread_list_has_begun(JNIEnv *env, jthread thread);

/* The virtual threads that live, from the lists that the JDK keeps for its own thread dumps: of
 * threads that Thread itself started, and of executors; not of a StructuredTaskScope, and none with
 * -Djdk.trackAllThreads=false. The lists are read as they are, field by field: no method of Java is
 * called, no lock is taken and nobody is stopped; who begins or ends meanwhile may be left out.
 * From JDK 21 on. On an attached thread. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* Each of them, as a local reference of the visitor's until it returns; `each` false: enough.
 * False: this JDK keeps no such list. One may come twice. About 0.1 µs a thread. */
bool pm_vthread_list_visit(JNIEnv *env, bool (*each)(void *context, JNIEnv *env, jthread thread),
                           void *context);

/* Does it park now, unmounted or pinned? `*ret_timed`: with a timeout, as it does asleep, too. */
bool pm_vthread_list_is_parked(JNIEnv *env, jthread thread, bool *ret_timed);

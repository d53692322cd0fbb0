/* The JVM's allocation reports (JVMTI's SampledObjectAlloc): enabling and disabling them, receiving
 * them on the allocating thread, and, on the sweep, checking which objects are still alive. The
 * capability is held only while reports are wanted, because only one tool in a JVM can have it. */
#pragma once

#include <stdint.h>

#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/hotspot/host.h"

/* When the library is loaded: `interval_bytes` as for pm_thinning_want. Requests the capability;
 * reports begin with pm_reporting_start. */
void pm_reporting_load(int64_t interval_bytes);
/* The JVM is up and the recorder's tables exist. An interval of 0 since load makes counts exact
 * from here on; for that, the JVM collects its garbage once. */
void pm_reporting_start(bool attached, int64_t interval_bytes);
/* The JVM ends: checks liveness a last time, and ends reporting. */
void pm_reporting_stop(JNIEnv *env);

/* Handles requests (wish.h), checks liveness after a collection, and adjusts to the rate of
 * reports. On the sweep, about once a second or when it is woken. True: call again soon. */
bool pm_reporting_work(JNIEnv *env);
bool pm_reporting_is_on(void);
/* As pm_followed_visit_oldest; visits none if another thread is checking. On the sweep. */
void pm_reporting_visit_oldest(bool (*wanted)(void *context, const struct pm_followed *followed),
                               void *wanted_context, uint32_t max,
                               void (*visit)(void *context, void *reference), void *visit_context);

void JNICALL pm_reporting_on_sample(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                    jclass class, jlong size);

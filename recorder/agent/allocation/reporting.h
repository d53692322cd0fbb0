/* The JVM's reports of allocations (JVMTI's SampledObjectAlloc): switched on and off, taken on the
 * thread that allocates, and, on the sweep, what becomes of the objects. The capability is held
 * only while reports are wanted: one tool in a JVM can have it. */
#pragma once

#include <stdint.h>

#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/hotspot/host.h"

/* As the library is loaded: `interval_bytes` as pm_thinning_want takes it. Asks for the capability;
 * reports begin with pm_reporting_start. */
void pm_reporting_load(int64_t interval_bytes);
/* The JVM is up and the recorder's tables are there. An interval of 0 from the load on makes counts
 * exact from here on, for which the JVM collects its garbage once. */
void pm_reporting_start(bool attached, int64_t interval_bytes);
/* The JVM ends: what lives is looked at a last time, and nothing is reported any more. */
void pm_reporting_stop(JNIEnv *env);

/* Grants wishes (wish.h), looks at what lives after a collection, and whether the rate of reports
 * is bearable. The sweep, about once a second or when it is hurried. True: come again soon. */
bool pm_reporting_work(JNIEnv *env);
bool pm_reporting_is_on(void);
/* As pm_followed_visit_oldest; nobody, where another thread looks meanwhile. The sweep. */
void pm_reporting_visit_oldest(bool (*wanted)(void *context, const struct pm_followed *followed),
                               void *wanted_context, uint32_t max,
                               void (*visit)(void *context, void *reference), void *visit_context);

void JNICALL pm_reporting_on_sample(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                    jclass class, jlong size);

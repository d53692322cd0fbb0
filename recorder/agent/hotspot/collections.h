/* How many garbage collections there were: those that JVMTI tells, and of collections that look at
 * old objects what HotSpot's own counters tell (sun.gc.collector.N.invocations, as jstat prints
 * them), which no event does: an old object that nobody refers to is there until such a one, and
 * looks like one that is kept. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Finds the counters; they are not known with -XX:-UsePerfData. Once, when the JVM is up. */
void pm_collections_learn(void);
/* The same of counters that lie elsewhere, of `size` bytes (tests). */
void pm_collections_learn_from(const void *perf_data, uint64_t size);

/* JVMTI told of one that stopped the program for so long; in the VM thread, at a safepoint. */
void pm_collections_note(int64_t pause_ns);
uint32_t pm_collections_count(void);

/* Pauses of collections that look at old objects; false when that is not known. A microsecond. */
bool pm_collections_old(int64_t *ret_pauses);

/* So many collections after an object was born, at most, one has looked at it: 1, and more where
 * JVMTI tells of several pauses of one that runs beside the program (ZGC, Shenandoah). */
uint32_t pm_collections_lag(void);

/* How long a collection of young objects stops the program: the median of the last PM_YOUNG_PAUSES.
 * 0: there were not as many, or the collector looks at references beside the program. Any thread.
 */
#define PM_YOUNG_PAUSES 16
int64_t pm_collections_young_pause(void);

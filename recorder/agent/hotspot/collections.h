/* Counts garbage collections: those that JVMTI reports, and collections of the old generation from
 * HotSpot's own counters (sun.gc.collector.N.invocations, as printed by jstat), because no event
 * distinguishes them: an unreachable old object remains until such a collection and looks as if it
 * were in use. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Finds the counters; unavailable with -XX:-UsePerfData. Once, when the JVM is up. */
void pm_collections_learn(void);
/* The same for counters at another address, of `size` bytes (tests). */
void pm_collections_learn_from(const void *perf_data, uint64_t size);

/* JVMTI reported one that stopped the program for that long; in the VM thread, at a safepoint. */
void pm_collections_note(int64_t pause_ns);
uint32_t pm_collections_count(void);

/* Pauses of collections that examine the old generation; false if unknown. Takes a microsecond. */
bool pm_collections_old(int64_t *ret_pauses);

/* After at most this many collections, a new object has been examined by one: 1, and more if JVMTI
 * reports several pauses of one concurrent collection (ZGC, Shenandoah). */
uint32_t pm_collections_lag(void);

/* How long a collection of young objects stops the program: the median of the last PM_YOUNG_PAUSES.
 * 0: there were not as many, or the collector looks at references beside the program. Any thread.
 */
#define PM_YOUNG_PAUSES 16
int64_t pm_collections_young_pause(void);

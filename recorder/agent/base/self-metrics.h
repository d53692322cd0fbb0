/* Self-metrics: what the recorder costs its host and how effective its caches are, counted where it
 * happens, read by `status`. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct pm_self_metrics {
    _Atomic uint64_t chain_hits, chain_misses, chain_mismatches;
    /* Walks of other threads' stacks, each of which may stop its thread for that long. */
    _Atomic uint64_t stops, stopped_ns, longest_stop_ns;
    _Atomic uint64_t thread_bytes;  /* of memory that threads of the program keep for themselves */
    _Atomic uint32_t hooks_rebound; /* how often another agent registered a native of ours */
    _Atomic int monitor_events;     /* of JVMTI's, enabled: with those of Object.wait 4 */
    _Atomic uint32_t parks_undone;  /* how often, once a second, another agent was found to have
                                     * redefined LockSupport */
    _Atomic(const char *) virtual_parks; /* how they are recorded: "rewrite", "events"; NULL: not
                                          * recorded */
    _Atomic uint64_t parks_unseen;       /* observations of parked threads that did not call our
                                          * hook */
} pm_self_metrics;

/* The cached stacks, as each wait asks. */
extern struct pm_chain_cache {
    _Atomic uint32_t epochs; /* changes when they are dropped */
    _Atomic bool is_on;
    bool compares; /* each hit with a walk */
} pm_chain_cache;

/* One more, of at most so long. */
void pm_self_metrics_note_stop(int64_t ns);

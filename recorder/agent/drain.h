/* The drain thread: each tick it reads all slots and buffers, sweeps begin and end edges in time
 * order up to the watermark into the ledger, hands waits to the writer and flushes. Started by
 * agent.c after VMInit, stopped at VMDeath. */
#pragma once

#include "format/record.h"
#include "recorder/agent/options.h"

/* Opens the recording's file (options->file, with its rules: O_EXCL, renamed .1, /tmp as a
 * fall-back) and starts the drain. The thread is a native one, all signals blocked, never attached
 * to the JVM. The recording begins here, as the gate opens (but for `paused`): the begin in `facts`
 * is not read. On failure: nothing runs, `ret_info` says why (one line for stderr). */
int pm_drain_start(const struct pm_options *options, const struct pm_facts *facts,
                   struct pm_error_info *ret_info);

/* Flushes all waits that ended before now, writes the last footer, closes. At most `deadline_ns`.
 */
void pm_drain_stop(int64_t deadline_ns);

/* Makes everything up to now readable in the file; returns when done or after `deadline_ns`. */
int pm_drain_flush(int64_t deadline_ns);

/* A read-only descriptor of the rolling file, opened anew. */
int pm_drain_open_fd(void);
const char *pm_drain_path(void);

/* What is being recorded; borrowed, unchanged from start to stop. NULL when nothing runs. */
const struct pm_facts *pm_drain_facts(void);
/* The options as they are now. */
void pm_drain_get_options(struct pm_options *ret_options);

/* Samples the owners of all waits in progress (200 at most) into the recording, then flushes. */
int pm_drain_sample_owners(int64_t deadline_ns);

/* Events from JVMTI callbacks: a clock read and a ring entry each, lock-free. */
void pm_drain_gc(int64_t begin_ns, int64_t end_ns);
void pm_drain_thread_span(pm_thread_id thread, int64_t begin_ns, int64_t end_ns);

/* Prints the table of `report=` now, and forgets what was printed with `freeonprint`. */
int pm_drain_print(int64_t deadline_ns);

/* start / stop of recording: opens and closes the gate (gate.h); waits in progress are cut at
 * `stop`'s instant. */
int pm_drain_set_recording(bool on);
/* Changes an option that can change at run time; the message names the rest. */
int pm_drain_set(const struct pm_options *changed, struct pm_error_info *ret_info);

struct pm_drain_status {
    bool recording;
    uint64_t file_size, max_size;
    int64_t begin_ns, oldest_ns;
    uint64_t waits;      /* ended */
    uint64_t wait_bytes; /* stored of them */
    uint64_t dropped;    /* counted or not, but not stored for want of room */
    uint64_t in_progress;
    int64_t longest_in_progress_ns;
    uint32_t deadlocks;
    uint64_t blockers; /* alive in the ledger */
    int64_t cpu_ns;    /* of the drain thread */
    uint64_t memory_bytes;
    char error[200]; /* last failure of the file; empty when well */
};
void pm_drain_get_status(struct pm_drain_status *ret_status);

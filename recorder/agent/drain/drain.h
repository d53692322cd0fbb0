/* The drain thread: ticks and flushes the recording (journal.h) on time, and between ticks handles
 * requests of other threads (mailbox.h). Started by agent.c after VMInit, stopped at VMDeath. All
 * functions may wait, except those described as for callbacks. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"
#include "recorder/agent/storage/status.h"

/* Opens the recording's file (options->file, with its rules: O_EXCL, renamed .1, /tmp as a
 * fallback) and starts the drain, a native thread with all signals blocked, never attached to the
 * JVM. The recording begins here, when the gate opens (unless `paused`): the begin in `facts` is
 * not read. On failure: nothing runs, `ret_info` says why (one line for stderr). At
 * most ten seconds: if the disk has not answered by then, that is a failure too. */
int pm_drain_start(const struct pm_options *options, const struct pm_facts *facts,
                   struct pm_error_info *ret_info);

/* Sets the function that reports, in one line for the user, that the file was lost (volume.h):
 * called on the drain thread, at most once an hour; it must not wait. Before pm_drain_start. */
void pm_drain_on_loss(void (*say)(const char *text));

/* Flushes all waits that ended before now, writes the last footer. At most `deadline_ns`; false:
 * that was not enough. */
bool pm_drain_stop(int64_t deadline_ns);
/* If it was not, waits for that again, at most `deadline_ns`, and only as long as the drain's
 * thread computes: not for a disk that hangs. */
bool pm_drain_await_end(int64_t deadline_ns);

/* Makes everything up to now readable in the file; returns when done or after `deadline_ns`. */
int pm_drain_flush(int64_t deadline_ns);

/* A read descriptor of the current rolling file, newly opened if possible. -1 and errno if there is
 * no file. */
int pm_drain_open_fd(void);

/* What is being recorded; borrowed, unchanged from start to stop. NULL if nothing runs. */
const struct pm_facts *pm_drain_facts(void);
/* The options as they are now. */
void pm_drain_get_options(struct pm_options *ret_options);

/* Samples the owners of all waits in progress (at most 200) into the recording, then flushes. */
int pm_drain_sample_owners(int64_t deadline_ns);

/* Events from JVMTI callbacks: a clock read and a ring entry each, lock-free. */
void pm_drain_gc(int64_t begin_ns, int64_t end_ns);
void pm_drain_thread_span(pm_thread_id thread, int64_t begin_ns, int64_t end_ns);

/* Prints the table of `report=` now, and forgets what was printed with `freeonprint`. */
int pm_drain_print(int64_t deadline_ns);

/* start / stop of recording: opens and closes the gate (gate.h); waits in progress are cut at
 * `stop`'s instant. */
int pm_drain_set_recording(bool on);
/* Sets the function called before `start` and after `stop`, when this takes effect. It returns
 * false if recording cannot begin. Set once, before the control thread starts; NULL: none. */
void pm_drain_on_switch(bool (*ready)(bool on));
/* Changes an option that can change at run time; otherwise the message names those that can. */
int pm_drain_set(const struct pm_options *changed, struct pm_error_info *ret_info);

void pm_drain_get_status(struct pm_status *ret_status);

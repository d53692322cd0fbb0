/* The recording as it is written. Each tick follows all slots and buffers (follow.h), sweeps begin
 * and end transitions in time order up to the watermark into the ledger and hands ended waits to
 * the writer; each flush makes readable what was gathered, with the waits in progress, the gaps
 * and, where not all waits are stored, the counters, after a look whether the file is still there
 * (volume.h). The drain thread's own. */
#pragma once

#include "recorder/agent/drain/sampler.h"
#include "recorder/agent/storage/file.h"
#include "recorder/agent/storage/status.h"
#include "recorder/agent/waits/ring.h"

struct pm_journal;

/* Opens the recording's file (options->file, with its rules: file.h), in the first place that takes
 * a whole recording. The recording begins here, as the gate opens (but for `paused`): the begin in
 * `facts` is not read. Borrowed until pm_journal_free: the texts of `facts`; `spans`, which each
 * tick empties. `on_many` is called, on an application's thread, when buffers fill: a tick is due.
 * `say` (may be NULL): as volume.h has it. On failure: the gate is shut, `ret_info` says why. */
int pm_journal_open(const struct pm_options *options, const struct pm_facts *facts,
                    struct pm_ring *spans, void (*on_many)(void), void (*say)(const char *text),
                    struct pm_journal **ret_journal, struct pm_error_info *ret_info);
/* Shuts the gate, writes all waits that ended before now and the last footer, prints `report=`. */
void pm_journal_close(struct pm_journal *journal);
/* Instead of closing: shuts the gate and removes the file. */
void pm_journal_abandon(struct pm_journal *journal);
/* Closed or abandoned; NULL is fine. */
void pm_journal_free(struct pm_journal *journal);

/* The present one, which a tick or flush may change (volume.h); borrowed. */
const struct pm_file *pm_journal_file(const struct pm_journal *journal);
/* With the begin of the recording. Borrowed. */
const struct pm_facts *pm_journal_facts(const struct pm_journal *journal);

/* Until when the caller may rest; the more waits ended in the last tick the sooner it is. */
int64_t pm_journal_next_ns(const struct pm_journal *journal);
void pm_journal_tick(struct pm_journal *journal);
/* Since the last tick. */
bool pm_journal_is_flush_due(const struct pm_journal *journal);
void pm_journal_flush(struct pm_journal *journal);

/* Opens and shuts the gate (gate.h), ticks and flushes. */
void pm_journal_set_recording(struct pm_journal *journal, bool on);
/* `changed` was checked (pm_options_check_live). On failure nothing changed. */
int pm_journal_set_options(struct pm_journal *journal, const struct pm_options *changed,
                           struct pm_error_info *ret_info);
/* Prints the table of `report=` now, and forgets what was printed with `freeonprint`. */
void pm_journal_print(struct pm_journal *journal);

/* Every wait in progress as a wish (owner.h). Returns how many, PM_SAMPLER_MAX_WISHES at most. */
size_t pm_journal_wishes(const struct pm_journal *journal, struct pm_sample_wish *ret_wishes);
/* All but `cpu_ns`; `deadlocks` only if they are asked for, for they cost a look at all waits. */
void pm_journal_get_status(const struct pm_journal *journal, bool with_deadlocks,
                           struct pm_status *status);

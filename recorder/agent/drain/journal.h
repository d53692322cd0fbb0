/* Writes the recording. Each tick follows all slots and buffers (follow.h), applies transitions up
 * to the watermark to the ledger in time order, and passes ended waits to the writer; each flush
 * checks that the file still exists (volume.h) and makes readable what was gathered, with the waits
 * in progress, the gaps and, if not all waits are stored, the counters. Drain thread only. */
#pragma once

#include "recorder/agent/drain/sampler.h"
#include "recorder/agent/storage/file.h"
#include "recorder/agent/storage/status.h"
#include "recorder/agent/waits/ring.h"

struct pm_journal;

/* Opens the recording's file (options->file, with its rules: file.h), in the first location with
 * enough space for a whole recording. The recording begins here, when the gate opens (unless
 * `paused`): the begin in `facts` is not read. Borrowed until pm_journal_free: the texts of
 * `facts`; `spans`, which each tick empties. `on_many` is called on an application thread when
 * buffers fill up: a tick is due. `say` (may be NULL): see volume.h. On failure the gate is closed
 * and `ret_info` says why. */
int pm_journal_open(const struct pm_options *options, const struct pm_facts *facts,
                    struct pm_ring *spans, void (*on_many)(void), void (*say)(const char *text),
                    struct pm_journal **ret_journal, struct pm_error_info *ret_info);
/* Closes the gate, writes all waits that ended before now and the last footer, prints `report=`. */
void pm_journal_close(struct pm_journal *journal);
/* Instead of pm_journal_close: closes the gate and removes the file. */
void pm_journal_abandon(struct pm_journal *journal);
/* Closed or abandoned; NULL is fine. */
void pm_journal_free(struct pm_journal *journal);

/* The current one, which a tick or flush may change (volume.h); borrowed. */
const struct pm_file *pm_journal_file(const struct pm_journal *journal);
/* With the begin of the recording. Borrowed. */
const struct pm_facts *pm_journal_facts(const struct pm_journal *journal);

/* Until when the caller may sleep; the more waits ended in the last tick, the sooner. */
int64_t pm_journal_next_ns(const struct pm_journal *journal);
void pm_journal_tick(struct pm_journal *journal);
/* Since the last tick. */
bool pm_journal_is_flush_due(const struct pm_journal *journal);
void pm_journal_flush(struct pm_journal *journal);

/* Opens and closes the gate (gate.h), ticks and flushes. */
void pm_journal_set_recording(struct pm_journal *journal, bool on);
/* `changed` was checked (pm_options_check_live). On failure nothing changed. */
int pm_journal_set_options(struct pm_journal *journal, const struct pm_options *changed,
                           struct pm_error_info *ret_info);
/* Prints the table of `report=` now, and forgets what was printed with `freeonprint`. */
void pm_journal_print(struct pm_journal *journal);

/* Every wait in progress as a sampling request (owner.h). Returns their number, at most
 * PM_SAMPLER_MAX_WISHES. */
size_t pm_journal_wishes(const struct pm_journal *journal, struct pm_sample_wish *ret_wishes);
/* Everything except `cpu_ns`; `deadlocks` only if requested, because finding them examines all
 * waits. */
void pm_journal_get_status(struct pm_journal *journal, bool with_deadlocks,
                           struct pm_status *status);

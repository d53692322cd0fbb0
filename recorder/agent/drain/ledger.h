/* The ledger: exact counters of every (blocker, kind), whatever is stored of the waits themselves.
 * The drain gives it the begin and end transitions of waits in any order; pm_ledger_sweep applies
 * those before the watermark in time order, so that *peak* and *real-time* come out as if one
 * observer had seen every event (004 §3.7), without a counter that application threads would share.
 *
 *     transitions  ──add──>  pending  ──sweep(watermark)──>  cells {times, now, peak, …}
 *
 * At one instant ends come before begins (a handoff is no peak); a wait of length 0 still counts.
 * Used by one thread. Knows no JVM and no file. */
#pragma once

#include "format/error.h"
#include "recorder/agent/waits/slot.h"

struct pm_ledger;

int pm_ledger_new(struct pm_ledger **ret_ledger);
void pm_ledger_free(struct pm_ledger *ledger);

/* A wait that began; `counted` false: it was already waiting when the recorder came, so it counts
 * in parked now but not in times parked. PM_ERROR_MEMORY: nothing changed. */
int pm_ledger_begin(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                    bool counted);
/* The end of a wait given to pm_ledger_begin. */
int pm_ledger_end(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                  int64_t end_ns);
/* Both transitions of waits seen only when they had ended, of all whatever happens to one: a begin
 * is counted unless it is unknown. Returns the first error. */
int pm_ledger_waits(struct pm_ledger *ledger, const struct pm_wait *waits, size_t n);
/* A wait given to pm_ledger_begin that will be told by pm_ledger_overflow (or never was): it leaves
 * `now` at `last_seen_ns`, the last instant it was surely waiting, and its times and thread-time
 * are taken back; what it gave to real-time and peak stays, as a lower bound. */
int pm_ledger_undo(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                   int64_t last_seen_ns, bool counted);
/* Waits that left no transitions: times and thread-time stay exact, peak and real-time become
 * bounds. */
int pm_ledger_overflow(struct pm_ledger *ledger, const struct pm_overflow *overflow);

/* Waits in progress that left no transitions, each told anew after all were cleared: in now, times
 * and thread-time while they go on, by pm_ledger_overflow as they end: never in both. `at_ns`: the
 * same for all. */
void pm_ledger_clear_crowds(struct pm_ledger *ledger, int64_t at_ns);
int pm_ledger_add_to_crowd(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                           int64_t begin_ns);

/* An ended wait was counted, not stored. */
void pm_ledger_not_stored(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                          int64_t duration_ns);
/* A wait in progress is at least this old: for `longest_ns`. */
void pm_ledger_age(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t age_ns);
/* Waits begun so far on the blocker, pending transitions included: for `minparks`. */
uint64_t pm_ledger_arrivals(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind);

/* Applies all transitions before `watermark_ns`. O(n log n) of the pending transitions at worst; in
 * practice three counting passes. A transition that comes later with an earlier time is moved to
 * the watermark, its thread-time is made good, and its cell is a bound from then on. */
void pm_ledger_sweep(struct pm_ledger *ledger, int64_t watermark_ns);
int64_t pm_ledger_swept_ns(const struct pm_ledger *ledger);

/* Counters as of `pm_ledger_swept_ns`; waits in progress are in times, now, thread-time and
 * real-time up to there. Calls back for each cell that changed in a sweep to `since_ns` or
 * later, or has a thread parked (INT64_MIN: all); a nonzero return stops. `with_collected`: those
 * of blockers marked by pm_ledger_mark_collected too. */
int pm_ledger_each(const struct pm_ledger *ledger, int64_t since_ns, bool with_collected,
                   int (*each)(void *context, const struct pm_counters *counters), void *context);
/* The same for a snapshot, which bounds its own length: while there are more than `fold_above`
 * cells, those of blockers parked on once, that no snapshot has told yet, are told together, under
 * the blocker that `fold_of` gives (0: not to be folded). A cell told by itself stays so, so that
 * the last told counters of all blockers always add up to everything. O(cells). */
struct pm_ledger_telling {
    int64_t since_ns;
    bool with_collected;
    uint32_t fold_above;
    pm_blocker_id (*fold_of)(pm_blocker_id blocker);
    int (*each)(void *context, const struct pm_counters *counters);
    void *context;
};
int pm_ledger_tell(struct pm_ledger *ledger, const struct pm_ledger_telling *telling);
/* Moves the counters of a settled blocker that was collected and would be folded to the row it is
 * folded under, for good. False: it would not, or there is no memory. */
bool pm_ledger_fold(struct pm_ledger *ledger, pm_blocker_id blocker,
                    const struct pm_ledger_telling *telling);
/* The same for every blocker that would be folded and had no event since `before_ns`, its object
 * alive or not: for when there are too many. Parked on again, such a blocker begins a new row. */
void pm_ledger_fold_all(struct pm_ledger *ledger, int64_t before_ns,
                        const struct pm_ledger_telling *telling);
bool pm_ledger_get(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                   struct pm_counters *ret_counters);

/* True when no transition of the blocker is pending and no thread waits for it. */
bool pm_ledger_is_settled(const struct pm_ledger *ledger, pm_blocker_id blocker);
/* The blocker's object was collected; its cells stay until they are forgotten. */
void pm_ledger_mark_collected(struct pm_ledger *ledger, pm_blocker_id blocker);
/* Drops the cells of a settled blocker. */
void pm_ledger_forget(struct pm_ledger *ledger, pm_blocker_id blocker);
/* Drops those of every blocker that is marked as collected, printed or not: 004 §3.3.3. */
void pm_ledger_forget_collected(struct pm_ledger *ledger);

uint32_t pm_ledger_n_cells(const struct pm_ledger *ledger);
uint64_t pm_ledger_n_pending(const struct pm_ledger *ledger);
uint64_t pm_ledger_memory(const struct pm_ledger *ledger);

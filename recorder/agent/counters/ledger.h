/* The ledger: exact counters of every (blocker, kind), independent of which waits are stored. The
 * drain adds the begin and end transitions of waits in any order; pm_ledger_sweep applies those
 * before the watermark in time order, so that *peak* and *real-time* are as if one observer had
 * seen every event (004 §3.7), without counters shared by application threads.
 *
 *     transitions  ──add──>  pending  ──sweep(watermark)──>  cells {times, now, peak, …}
 *
 * At the same instant, ends come before begins (so that a handoff is not a peak); a wait of length
 * 0 still counts. Used by one thread. Knows no JVM and no file. */
#pragma once

#include "format/error.h"
#include "recorder/agent/waits/slot.h"

struct pm_ledger;

int pm_ledger_new(struct pm_ledger **ret_ledger);
void pm_ledger_free(struct pm_ledger *ledger);

/* A wait that began; `counted` false: it was already in progress when recording began, so it counts
 * in parked now but not in times parked. PM_ERROR_MEMORY: nothing changed. */
int pm_ledger_begin(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                    bool counted);
/* The end of a wait given to pm_ledger_begin. */
int pm_ledger_end(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                  int64_t end_ns);
/* Both transitions of waits that were seen only after they had ended; continues after an error. A
 * begin is counted unless it is unknown. Returns the first error. */
int pm_ledger_waits(struct pm_ledger *ledger, const struct pm_wait *waits, size_t n);
/* Undoes a wait passed to pm_ledger_begin that pm_ledger_overflow will report (or that never
 * happened): it leaves `now` at `last_seen_ns`, the last instant at which it was certainly waiting,
 * and its times and thread-time are subtracted; its contribution to real-time and peak stays, as a
 * lower bound. */
int pm_ledger_undo(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                   int64_t last_seen_ns, bool counted);
/* Waits without transitions: times and thread-time stay exact, peak and real-time become bounds. */
int pm_ledger_overflow(struct pm_ledger *ledger, const struct pm_overflow *overflow);

/* Waits in progress without transitions, all cleared and then added again each time: they count in
 * now, times and thread-time while they last, and through pm_ledger_overflow when they end, never
 * in both. `at_ns`: the same for all. */
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
/* The same for a snapshot, whose length is bounded: if there are more than `fold_above` cells,
 * those of blockers that were parked on once and are in no snapshot yet are combined, under the
 * blocker returned by `fold_of` (0: do not fold). A cell that was once reported separately stays
 * separate, so that the last reported counters of all blockers always add up to the total.
 * O(cells). */
struct pm_ledger_telling {
    int64_t since_ns;
    bool with_collected;
    uint32_t fold_above;
    pm_blocker_id (*fold_of)(pm_blocker_id blocker);
    int (*each)(void *context, const struct pm_counters *counters);
    void *context;
};
int pm_ledger_tell(struct pm_ledger *ledger, const struct pm_ledger_telling *telling);
/* Permanently moves the counters of a settled, collected blocker that would be folded to the row
 * under which it is folded. False: it would not be folded, or out of memory. */
bool pm_ledger_fold(struct pm_ledger *ledger, pm_blocker_id blocker,
                    const struct pm_ledger_telling *telling);
/* The same for every blocker that would be folded and had no event since `before_ns`, whether its
 * object is alive or not; used when there are too many. If it is parked on again, such a blocker
 * starts a new row. */
void pm_ledger_fold_all(struct pm_ledger *ledger, int64_t before_ns,
                        const struct pm_ledger_telling *telling);
bool pm_ledger_get(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                   struct pm_counters *ret_counters);

/* Whether no transition of the blocker is pending and no thread waits for it. */
bool pm_ledger_is_settled(const struct pm_ledger *ledger, pm_blocker_id blocker);
/* The blocker's object was collected, and its cells were told by themselves; they stay until they
 * are forgotten. */
void pm_ledger_mark_collected(struct pm_ledger *ledger, pm_blocker_id blocker);
/* Drops the cells of a settled blocker. */
void pm_ledger_forget(struct pm_ledger *ledger, pm_blocker_id blocker);
/* Drops those of every blocker that is marked as collected, printed or not: 004 §3.3.3. */
void pm_ledger_forget_collected(struct pm_ledger *ledger);

uint32_t pm_ledger_n_cells(const struct pm_ledger *ledger);
uint64_t pm_ledger_n_pending(const struct pm_ledger *ledger);
uint64_t pm_ledger_memory(const struct pm_ledger *ledger);

/* Who owned each blocker, as far as others waited for it: consecutive segments of time, derived
 * from the evidence that contention.h lists. */
#pragma once

#include "viewer/analysis/code/activity.h"
#include "viewer/analysis/recording/recording.h"

/* The state of a blocker from `begin` to the next segment's begin. */
typedef struct {
    gint64 begin;
    guint32 thread; /* 0 with !handing_over: not known */
    guint32 chain;
    guint8 inferred;
    guint8 handing_over;
    guint8 acquired;      /* begins with the resume of a woken waiter */
    guint8 released;      /* ends with a release that was seen */
    guint8 watched;       /* who got it next had waited all the time */
    guint8 since_unknown; /* known only from its release: it began at some time after `begin` */
} PmSegment;

/* From wake to resume takes no longer than this unless the machine is overloaded. If it took
 * longer, and a thread is known to have held the blocker around that time, that is the reason. */
#define PM_HAND_OVER_NS 200000

typedef struct PmTimelines PmTimelines;

/* Immutable; the recording and its activity are borrowed. Cost: O(n log n) over the waits for
 * blockers with an owner, on all cores; about ten bytes for each hold that was waited for. NULL:
 * `cancel` was set, or out of memory. */
PmTimelines *pm_timelines_new(const PmActivity *activity, const gint *cancel);
void pm_timelines_free(PmTimelines *timelines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTimelines, pm_timelines_free)

/* Whether the blocker can be owned, even if the owner is unknown. */
gboolean pm_timelines_is_ownable(const PmTimelines *timelines, guint32 blocker);
/* The number of segments of the blocker; 0: no owner is known. */
guint32 pm_timelines_n(const PmTimelines *timelines, guint32 blocker);
/* The `nth` of them. */
PmSegment pm_timelines_segment(const PmTimelines *timelines, guint32 blocker, guint32 nth);
gint64 pm_timelines_begin(const PmTimelines *timelines, guint32 blocker, guint32 nth);
/* The last one that begins before `at`; -1 = none. */
gint64 pm_timelines_before(const PmTimelines *timelines, guint32 blocker, gint64 at);

/* The stack trace of the thread's sample nearest to `at` that was taken while it owned the blocker,
 * in the call that gave it back in `chain`, for about as long as the hold at `at` lasted: what
 * takes long is sampled more often than what does not, and is something else. 0: there is none. */
guint32 pm_timelines_sample_of_length(const PmTimelines *timelines, const PmActivity *activity,
                                      guint32 blocker, guint32 thread, guint32 chain, gint64 at);

/* Is the segment somebody's? */
static inline gboolean pm_segment_is_held(const PmSegment *segment)
{
    return segment->thread != 0 && !segment->handing_over;
}

/* The blocker that the waiter owns after its wait: for a condition, the parent lock. */
static inline guint32 pm_wait_owned_after(const PmRecording *r, gsize row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row), parent = r->blockers[blocker].parent;
    return parent != 0 && pm_wait_kind(&r->waits, row) == PM_KIND_PARK ? parent : blocker;
}

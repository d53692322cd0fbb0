/* Who owned each blocker, as far as others waited for it: stretches of time that follow each other,
 * told by the evidence that contention.h lists. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* What is true of a blocker from `begin` to the next segment's begin. */
typedef struct {
    gint64 begin;
    guint32 thread; /* 0 with !handing_over: not known */
    guint32 chain;
    guint8 inferred;
    guint8 handing_over;
    guint8 acquired;      /* begins with the resume of a woken waiter */
    guint8 released;      /* ends with a release that was seen */
    guint8 watched;       /* who got it next had waited all the time */
    guint8 since_unknown; /* its release alone tells of it: it began at some time after `begin` */
} PmSegment;

/* From wake to resume it takes no longer than this but on an overloaded machine. If it did, and
 * somebody is known to have held the blocker about then, that is why. */
#define PM_HAND_OVER_NS 200000

typedef struct PmTimelines PmTimelines;

/* Immutable; the recording is borrowed. Cost: O(n log n) over the waits for blockers with an owner,
 * on all cores; about ten bytes for each hold that was waited for. NULL: `cancel` was set, or there
 * was no memory. */
PmTimelines *pm_timelines_new(const PmRecording *recording, const gint *cancel);
void pm_timelines_free(PmTimelines *timelines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTimelines, pm_timelines_free)

/* Can the blocker be owned, whether or not it is known by whom? */
gboolean pm_timelines_is_ownable(const PmTimelines *timelines, guint32 blocker);
/* How many segments the blocker has; 0: no owner of it is known. */
guint32 pm_timelines_n(const PmTimelines *timelines, guint32 blocker);
/* The `nth` of them. */
PmSegment pm_timelines_segment(const PmTimelines *timelines, guint32 blocker, guint32 nth);
gint64 pm_timelines_begin(const PmTimelines *timelines, guint32 blocker, guint32 nth);
/* The last one that begins before `at`; -1 = none. */
gint64 pm_timelines_before(const PmTimelines *timelines, guint32 blocker, gint64 at);

/* Is the segment somebody's? */
static inline gboolean pm_segment_is_held(const PmSegment *segment)
{
    return segment->thread != 0 && !segment->handing_over;
}

/* The blocker that the waiter owns when its wait is over: a condition's parent lock. */
static inline guint32 pm_wait_owned_after(const PmRecording *r, gsize row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row), parent = r->blockers[blocker].parent;
    return parent != 0 && pm_wait_kind(&r->waits, row) == PM_KIND_PARK ? parent : blocker;
}

/* Density lanes: how many of a group's threads (or whether a thread, or how many on a blocker) were
 * waiting in each slice of a range, by family. One pass over a view for all lanes at once.
 * Immutable; built in a worker, drawn anywhere. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

typedef enum {
    PM_LANE_GROUP,
    PM_LANE_THREAD,
    PM_LANE_BLOCKER,
    PM_LANE_ALIKE, /* of blockers, by the key of PM_ASPECT_ALIKE */
} PmLaneOf;

typedef struct {
    PmLaneOf of;
    gint64 from, to;
    guint n_slices;
    guint n_lanes; /* one more than the largest index of a group, thread or blocker */
    float **lanes; /* NULL = no wait; else n_slices × PM_N_FAMILIES, slice-major */
} PmLanes;

/* Divides [from, to) into `n_slices`. `of_group`: with PM_LANE_THREAD only threads of this group,
 * -1 = all. Cost: O(waits of the view) + O(lanes with a wait × slices). NULL if cancelled. */
PmLanes *pm_lanes_new(const PmView *view, PmLaneOf of, gint of_group, gint64 from, gint64 to,
                      guint n_slices, const gint *cancel);
void pm_lanes_free(PmLanes *lanes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmLanes, pm_lanes_free)

/* Mean number of waiting threads of `lane` in `slice`, of one family or of all that are not idle
 * (`family` PM_N_FAMILIES). 0 for a lane without waits. */
double pm_lanes_mean(const PmLanes *lanes, guint lane, guint slice, guint family);

/* Allocation hot spots: a site that allocates so much that it causes the collector's pauses. It
 * allocates most bytes, and the collections it triggers take a noticeable part of the time.
 *
 * Not reported if collections are explicitly requested or examine the old generation, because live
 * data determines those, nor if sampling errors could make the site's part the smaller one. */
#pragma once

#include "viewer/analysis/memory/memory-state.h"

typedef struct {
    guint64 site;               /* as pm_memory_site */
    guint32 class_index, chain; /* the class most allocated at the site */
    PmEstimate total;           /* of the site */
    double share, share_low;    /* of all that was allocated, and its lower bound */
    double rate;                /* bytes a second */
    gint64 pauses, paused, longest_pause;
    double paused_share; /* of the time */
    gint64 gcs, old_gcs;
} PmHotSpot;

/* FALSE: there is none in the range. */
gboolean pm_hot_spot_find(PmRecording *recording, gint64 from, gint64 to, PmHotSpot *ret_spot);

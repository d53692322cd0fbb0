/* A site that allocates so much that the collector's pauses are its doing: most of what is
 * allocated, while collections that it makes due take a noticeable part of the time.
 *
 * Nothing is told where collections are asked for or look at old objects, as those come of what
 * lives, nor where errors could make the site's part the lesser one. */
#pragma once

#include "viewer/analysis/memory/memory-state.h"

typedef struct {
    guint64 site;               /* as pm_memory_site */
    guint32 class_index, chain; /* of those at the site, what was allocated most */
    PmEstimate total;           /* of the site */
    double share, share_low;    /* of all that was allocated, and its lower bound */
    double rate;                /* bytes a second */
    gint64 pauses, paused, longest_pause;
    double paused_share; /* of the time */
    gint64 gcs, old_gcs;
} PmHotSpot;

/* FALSE: there is none in the range. */
gboolean pm_hot_spot_find(PmRecording *recording, gint64 from, gint64 to, PmHotSpot *ret_spot);

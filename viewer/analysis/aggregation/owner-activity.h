/* What the owners of a lock were seen doing while others waited for it: how many of the recorder's
 * samples in a view show slow work (I/O, sleep), and the most frequent slow call with its caller.
 */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct {
    guint n, n_slow;      /* samples */
    char *frame, *caller; /* "Thread.sleep" and its caller; NULL if none is slow */
    guint n_there;        /* of the samples */
} PmOwnerActivity;

/* Whether a thread with this stack trace reads, writes or sleeps. */
gboolean pm_owner_activity_is_slow(const PmRecording *recording, guint32 chain);
void pm_owner_activity(const PmView *view, guint32 blocker, PmOwnerActivity *ret_doing);
void pm_owner_activity_clear(PmOwnerActivity *doing);

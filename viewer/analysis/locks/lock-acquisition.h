/* One acquisition of a lock, from the request to the release; and the acquisitions of a lock that
 * readers share, derived from its waits.
 *
 * Exact: when a waiting thread requested and got it; each release that woke a thread, which for a
 * reader means that it was the last. Inferred: when another reader released it, which is not
 * reported: at the latest at the last one's release, and earlier if the lock's own reader count,
 * read when a thread began to wait, says that fewer were left; the hold of a thread that got it
 * without waiting, as long as others; and how many acquisitions left no trace: a running thread is
 * assumed to request the lock equally often whether it is open or closed, and waits in the latter
 * case. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct {
    gint64 asked, got, released;
    gint64 got_latest; /* > got: `asked` and `got` are inferred */
    guint32 thread, lock;
    gboolean shared;       /* held together with others */
    gboolean release_seen; /* else `released` is inferred */
} PmLockAcquisition;

/* One side of a lock: exclusive holders, or sharing ones. */
typedef struct {
    double hold;      /* mean; 0 = nothing is known of it */
    guint n;          /* holds that others waited for from begin to end */
    gboolean is_seen; /* of observed holds; else inferred from how many there are at a time */
    guint n_unseen; /* inferred: additional acquisitions, which did not wait and ended while nobody
                     * waited */
} PmLockAcquisitionSide;

/* Do readers share it? */
gboolean pm_lock_acquisition_is_shared_lock(const PmRecording *recording, guint32 blocker);

/* Appends its acquisitions to `acquisitions`, with `lock` as theirs. `rows`: its waits, by thread,
 * then by begin; `from`, `to`: nothing is known outside this range; a thread that was woken and
 * waits again within `repark_ns` did not get it. `ret_sides`: of exclusive holders, and of sharing
 * ones. */
void pm_lock_acquisition_read(const PmRecording *recording, const guint32 *rows, guint n,
                              gint64 from, gint64 to, gint64 repark_ns, guint32 lock,
                              GArray *acquisitions, PmLockAcquisitionSide ret_sides[2]);

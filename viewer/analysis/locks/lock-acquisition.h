/* One acquisition of a lock, from asking for it to giving it back; and the acquisitions of a lock
 * that readers share, as its waits tell them.
 *
 * Exact: when who waited asked and got it; each release that woke somebody, which of a reader means
 * that it was the last. Inferred: when another reader gave it back, which nobody is told: at the
 * last one's release at most, and before it as often as the lock's own count of readers, read as
 * somebody came to wait, says that fewer were left; the hold of who got it without waiting, as long
 * as others; and how many acquisitions left no trace: a thread that runs asks for the lock as often
 * when it is open to it as when it is closed, and then waits. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct {
    gint64 asked, got, released;
    gint64 got_latest; /* > got: `asked` and `got` are inferred */
    guint32 thread, lock;
    gboolean shared;       /* held together with others */
    gboolean release_seen; /* else `released` is inferred */
} PmLockAcquisition;

/* One side of a lock: those that hold it alone, or those that share it. */
typedef struct {
    double hold;      /* mean; 0 = nothing is known of it */
    guint n;          /* holds that others waited for from begin to end */
    gboolean is_seen; /* of holds that were seen; else inferred from how many there are at a time */
    guint
        n_unseen; /* inferred: acquisitions more, that did not wait and ended when nobody waited */
} PmLockAcquisitionSide;

/* Do readers share it? */
gboolean pm_lock_acquisition_is_shared_lock(const PmRecording *recording, guint32 blocker);

/* Appends its acquisitions to `acquisitions`, with `lock` as theirs. `rows`: its waits, by thread,
 * then by begin; `from`, `to`: nothing is known of what was before or came then; who was woken and
 * waits again within `repark_ns` did not get it. `ret_sides`: of who holds it alone, and of who
 * shares it. */
void pm_lock_acquisition_read(const PmRecording *recording, const guint32 *rows, guint n,
                              gint64 from, gint64 to, gint64 repark_ns, guint32 lock,
                              GArray *acquisitions, PmLockAcquisitionSide ret_sides[2]);

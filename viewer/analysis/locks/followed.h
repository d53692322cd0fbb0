/* The waits that a wake is followed back through: of each thread those in one place, by when they
 * ended. A place is what the waiter owns after its wait; or any object of a class where each wait
 * has one of its own, as those of a phaser and for a future. */
#pragma once

#include "viewer/analysis/code/row-lists.h"

typedef struct PmFollowed PmFollowed;

/* Below pm_followed_n_places. */
guint32 pm_followed_place(const PmRecording *recording, guint32 row);
guint32 pm_followed_n_places(const PmRecording *recording);

/* The waits that somebody ended in places that are `wanted`, a flag for each. The recording is
 * borrowed. Cost: a few passes over the waits, on all cores; four bytes for each that is kept, and
 * some twenty for each thread in a place. NULL: `cancel` was set or out of memory. */
PmFollowed *pm_followed_new(const PmRecording *recording, const guint8 *wanted, const gint *cancel);
void pm_followed_free(PmFollowed *followed);

/* The waits of a thread in one place that ended by some time: `n` rows, the last one first. */
typedef struct {
    const guint32 *rows;
    guint32 n;
} PmBefore;

/* Those that ended at or before `at`. */
PmBefore pm_followed_until(const PmFollowed *followed, guint32 place, guint32 thread, gint64 at);
/* The next of them; G_MAXUINT32: there is none. */
static inline guint32 pm_before_next(PmBefore *before)
{
    return before->n ? before->rows[--before->n] : G_MAXUINT32;
}

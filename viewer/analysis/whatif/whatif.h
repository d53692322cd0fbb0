/* What if a lock were held for less? The recording is replayed through a closed queue model
 * (replay.h): its threads go round through what they did, over and over; what they did while they
 * held the lock takes `factor` times as long, everything else stays (004 §5.2.3, §5.3.3). All locks
 * that its threads were seen to wait for are in the model, as another may become the bottleneck.
 * The model runs twice, with factor 1 and with the factor asked for; only ratios are used.
 *
 * Exact: the waits, and holds seen from a woken waiter's resume to its release while others waited.
 * Inferred: all other holds; a hold whose end nobody waited for is an average one; of those nobody
 * waited for at all, the number (see `n_unseen`). Assumed: threads do the same work again and
 * again; readers of a ReentrantReadWriteLock share it (lock-acquisition.h); a handoff, every other
 * wait, and processors' time stay as they are. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/causes/contention.h"

typedef struct {
    guint32 blocker;
    double factor;
    guint n_holds;    /* acquisitions replayed that somebody waited for */
    guint n_measured; /* of them with a hold that was measured from begin to end */
    guint n_unseen;   /* inferred: acquisitions more that nobody waited for */
    gint64 hold;      /* mean of the measured holds; inferred from the others when there are none */
    gint64 handoff;   /* mean from a release to the resume of who was woken; stays as it is */
    gint64 waiting;   /* recorded thread-time of waits for it, in the view's range */
    gint64 waiting_then; /* predicted for as many acquisitions: recorded × model (factor) / (1) */
    double speed_up;     /* predicted: acquisitions in a second then / now, so the speed of who does
                            them */
    double model_quality; /* modelled waiting with factor 1 ÷ recorded; near 1 = the model fits */
} PmWhatIf;

#define PM_WHATIF_MIN_HOLDS 10

/* Whether `hold` is a mean of enough measured holds; else it is inferred. */
static inline gboolean pm_whatif_hold_is_exact(const PmWhatIf *what)
{
    return what->n_measured >= PM_WHATIF_MIN_HOLDS;
}

/* Whether the model with factor 1 waits about as long as the recording does. */
static inline gboolean pm_whatif_fits(const PmWhatIf *what)
{
    return what->model_quality > 0.5 && what->model_quality < 2;
}

/* Predictions for each of the factors (>= 0). FALSE when the blocker has no owner that is known or
 * fewer than PM_WHATIF_MIN_HOLDS holds in the view's range. Every wait for it counts, whatever the
 * view's chips. Of very many waits the last PM_WHATIF_MAX_WAITS for it, and not many more for other
 * locks, are replayed. Cost: four passes over the recording's waits, and O(n log threads) over
 * those replayed, for each factor. */
gboolean pm_whatif_compute(const PmView *view, const PmContention *contention, guint32 blocker,
                           const double *factors, guint n_factors, PmWhatIf *ret_what_ifs);

#define PM_WHATIF_MAX_WAITS 30000

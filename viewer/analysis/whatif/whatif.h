/* Predicts the effect of holding a lock for less time. The recording is replayed through a closed
 * queueing model (replay.h): its threads repeat what they did; what they did while holding the lock
 * takes `factor` times as long, everything else is unchanged (004 §5.2.3, §5.3.3). The model
 * includes all locks that its threads waited for, because another one may become the bottleneck. It
 * runs twice, with factor 1 and with the requested factor; only ratios are used.
 *
 * Exact: the waits, and holds observed from a woken waiter's resume to its release while others
 * waited. Inferred: all other holds; a hold whose end nobody waited for has average length; the
 * number of holds that nobody waited for at all (see `n_unseen`). Assumed: threads repeat the same
 * work; readers of a ReentrantReadWriteLock share it (lock-acquisition.h); handoffs, all other
 * waits, and processor time are unchanged. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/causes/contention.h"

typedef struct {
    guint32 blocker;
    double factor;
    guint n_holds;    /* acquisitions replayed that somebody waited for */
    guint n_measured; /* of them, with a completely measured hold */
    guint n_unseen;   /* inferred: additional acquisitions that nobody waited for */
    gint64 hold;      /* mean of the measured holds; inferred from the others if there are none */
    gint64 handoff;   /* mean time from a release to the resume of the woken thread; unchanged */
    gint64 waiting;   /* recorded thread-time of waits for it, in the view's range */
    gint64 waiting_then;  /* predicted for as many acquisitions: recorded × model (factor) / (1) */
    double speed_up;      /* predicted: acquisitions per second then / now, i.e. the speed-up of the
                           * threads */
    double model_quality; /* modelled waiting with factor 1 ÷ recorded; near 1 = the model fits */
    gboolean is_once;     /* its threads take it about once: as many come as now, at any speed */
    gboolean contradicts_itself; /* a shorter hold would make the threads slower */
} PmWhatIf;

#define PM_WHATIF_MIN_HOLDS 10

/* Whether `hold` is a mean of enough measured holds; else it is inferred. */
static inline gboolean pm_whatif_hold_is_exact(const PmWhatIf *what)
{
    return what->n_measured >= PM_WHATIF_MIN_HOLDS;
}

/* Whether the model with factor 1 waits about as long as the recording does, and its predictions
 * agree with each other. */
static inline gboolean pm_whatif_fits(const PmWhatIf *what)
{
    return what->model_quality > 0.5 && what->model_quality < 2 && !what->contradicts_itself;
}

/* Predictions for each of the factors (>= 0). FALSE if the blocker has no known owner or fewer than
 * PM_WHATIF_MIN_HOLDS holds in the view's range. Every wait for it counts, regardless of the view's
 * chips. If there are very many waits, the last PM_WHATIF_MAX_WAITS for it, and not many more for
 * other locks, are replayed. Cost: a pass over the view's waits, four over those of the part that
 * is replayed, and O(n log threads) over these, for each factor. */
gboolean pm_whatif_compute(const PmView *view, const PmContention *contention, guint32 blocker,
                           const double *factors, guint n_factors, PmWhatIf *ret_what_ifs);
/* An array of PmWhatIf: those of the first `most` of the blockers that have any. Cost: besides,
 * a pass over the view's waits, and over the holds of blockers that have too few. */
GArray *pm_whatif_first(const PmView *view, const PmContention *contention, const GArray *blockers,
                        guint most, const GArray *factors);

/* Whether predictions for one lock cannot all be right: a shorter hold makes no thread slower. */
gboolean pm_whatif_contradict(const PmWhatIf *what_ifs, guint n);

#define PM_WHATIF_MAX_WAITS 30000

/* What if a lock were held for less? The recorded arrivals are replayed through a queue model of
 * that lock: one server, first come first served; each thread asks again the same time after its
 * release as it did (004 §5.2.3, §5.3.3). Holds are scaled by a factor, what lies between stays.
 *
 * The model runs twice, with factor 1 and with the factor asked for; only their ratio is used, so
 * what it leaves out (barging, holds that nobody waited for) cancels where it is the same in both.
 */
#pragma once

#include "viewer/analysis/contention.h"
#include "viewer/analysis/filter.h"

typedef struct {
    guint32 blocker;
    double factor;
    guint n_holds;       /* acquisitions replayed */
    guint n_measured;    /* of them with a hold that was measured from begin to end */
    gint64 hold;         /* mean of the measured holds */
    gint64 waiting;      /* recorded thread-time of waits for it, in the view's range */
    gint64 waiting_then; /* predicted: recorded × model (factor) / model (1) */
    double speed_up;     /* predicted: how many times as fast its threads get through their lives */
    double model_quality; /* modelled waiting with factor 1 ÷ recorded; near 1 = the model fits */
} PmWhatIf;

#define PM_WHATIF_MIN_HOLDS 10

/* FALSE when the blocker has no owner that is known or fewer than PM_WHATIF_MIN_HOLDS measured
 * holds in the view's range. Every wait for it counts, whatever the view's chips. `factor` >= 0.
 * Cost: O(n log threads) over its waits. */
gboolean pm_whatif_compute(const PmView *view, const PmContention *contention, guint32 blocker,
                           double factor, PmWhatIf *ret_what_if);

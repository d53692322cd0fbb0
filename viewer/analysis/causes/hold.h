/* How long a blocker is held at a time, measured: of the holds that were seen from the owner's
 * resume to its release and lie in a range. Owners that had not waited themselves are not
 * among them. */
#pragma once

#include "viewer/analysis/causes/contention.h"

typedef struct {
    double mean, spread; /* ns; spread is the standard deviation */
    guint n;             /* 0 where none was seen, as for objects without an owner */
} PmMeasuredHold;

/* `contention` may be NULL: nothing was measured. O(holds of the blocker). */
PmMeasuredHold pm_hold_measure(const PmContention *contention, guint32 blocker, gint64 from,
                               gint64 to);
/* Of these, the holds by a method or by what it called; 0: by any. */
PmMeasuredHold pm_hold_measure_by(const PmContention *contention, const PmRecording *recording,
                                  guint32 blocker, guint32 method, gint64 from, gint64 to);

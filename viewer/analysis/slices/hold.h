/* Measured hold times of a blocker: of the holds within a range that were observed from the owner's
 * resume to its release. Holds of owners that had not waited are not included. */
#pragma once

#include "viewer/analysis/causes/contention.h"

typedef struct {
    double mean, spread; /* ns; spread is the standard deviation */
    guint n;             /* 0 if none was observed, as for objects without an owner */
} PmMeasuredHold;

/* `contention` may be NULL: nothing was measured. O(holds of the blocker). */
PmMeasuredHold pm_hold_measure(const PmContention *contention, guint32 blocker, gint64 from,
                               gint64 to);
/* Of these, the holds by a method or its callees; 0: by any. */
PmMeasuredHold pm_hold_measure_by(const PmContention *contention, const PmRecording *recording,
                                  guint32 blocker, guint32 method, gint64 from, gint64 to);

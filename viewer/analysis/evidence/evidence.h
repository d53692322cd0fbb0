/* The evidence for a finding: sentences with numbers, each exact, inferred or from a model. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Takes `text`. */
void pm_evidence_add(PmFinding *finding, gboolean exact, char *text);
/* How long the finding's lock is held each time, if measured: by its first cause, if that differs,
 * and overall. Few holds that do not explain the waiting are told as such. */
void pm_evidence_add_hold(PmFinding *finding, const PmRecording *r, const PmContention *contention);
/* How many of a resource are held at a time: whoever keeps more never waits, nor gives any back. */
void pm_evidence_add_held(PmFinding *finding, const PmContention *contention);
/* How much of the waiting for a monitor is re-entering it after Object.wait, if significant. */
void pm_evidence_add_after_wait(PmFinding *finding, const PmMetrics *metrics);
/* What its owners allocated while others waited for the finding's lock, if significant. */
void pm_evidence_add_allocations(PmFinding *finding, const PmRecording *r,
                                 const PmContention *contention);
/* For how much of the time the cause is exact; `inferred` is the share of the rest. */
void pm_evidence_add_certainty(PmFinding *finding, double inferred);
/* What the finding's lock would cost if it were held for less, if the model fits; also added to
 * `what_ifs`. */
void pm_evidence_add_prediction(PmFinding *finding, const PmView *view,
                                const PmContention *contention);
/* The lock that this lock's owners waited for most of the time they were waited for; 0 = none. The
 * whole chain goes into the evidence. */
guint32 pm_evidence_add_convoy(PmFinding *finding, const PmSearch *search);

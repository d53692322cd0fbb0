/* The proof of a finding: sentences with numbers, each exact, inferred or of a model. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Takes `text`. */
void pm_evidence_add(PmFinding *finding, gboolean exact, char *text);
/* How long the finding's lock is held at a time, where that was measured: by its first cause, when
 * that differs, and by all. */
void pm_evidence_add_hold(PmFinding *finding, const PmRecording *r, const PmContention *contention);
/* How much of the waiting for a monitor is entering it again after Object.wait, if it is much. */
void pm_evidence_add_after_wait(PmFinding *finding, const PmMetrics *metrics);
/* What its owners allocated while others waited for the finding's lock, if it is much. */
void pm_evidence_add_allocations(PmFinding *finding, const PmRecording *r,
                                 const PmContention *contention);
/* Of how much of the time the cause is exact, `inferred` being the share of the rest. */
void pm_evidence_add_certainty(PmFinding *finding, double inferred);
/* What the finding's lock would cost if it were held for less, where the model fits; into
 * `what_ifs` too. */
void pm_evidence_add_prediction(PmFinding *finding, const PmView *view,
                                const PmContention *contention);
/* The lock that this lock's owners waited for most of the time they were waited for; 0 = none. The
 * whole chain goes into the evidence. */
guint32 pm_evidence_add_convoy(PmFinding *finding, const PmView *view,
                               const PmContention *contention);

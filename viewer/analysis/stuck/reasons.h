/* Why a wait does not end, as far as it is known. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Adds to `finding`, of the waits `rows` like `still`: causes, evidence, and to its title. */
void pm_stuck_explain(const PmSearch *search, const PmStillWaiting *still, const GArray *rows,
                      PmFinding *finding);

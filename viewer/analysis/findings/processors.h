/* Findings of threads that others wait for and that find no processor. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

/* Whoever is the cause may itself wait, for a processor: if that is much of the time during which
 * others wait for it, and it does not sleep or read meanwhile, the finding says so, and what the
 * processors are used for. `finding` is the candidate's, but for its rule complete. */
void pm_processors_tell(const PmCandidate *candidate, PmFinding *finding);

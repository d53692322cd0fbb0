/* Findings about threads that others wait for and that lack a processor. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

/* A cause may itself be waiting for a processor: if that is a large part of the time during which
 * others wait for it, and it does not sleep or read meanwhile, the finding says so, and what uses
 * the processors. `finding` is the candidate's, complete except for its rule. */
void pm_processors_tell(const PmCandidate *candidate, PmFinding *finding);

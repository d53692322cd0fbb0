/* What a finding says to try, where that depends on more than its rule: on its stack traces, its
 * causes, its victims. NULL: the rule's own advice. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

char *pm_advice_of_lock(const PmCandidate *candidate);
char *pm_advice_of_wait(const PmCandidate *candidate);

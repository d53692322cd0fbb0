/* The advice of a finding, if it depends on more than the rule: on stack traces, causes or affected
 * threads. NULL: the rule's own advice. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

/* Of a library's lock, held while the library calls the program. */
char *pm_advice_of_callback(const PmCandidate *candidate);
char *pm_advice_of_lock(const PmCandidate *candidate);
/* Of who should bring elements of a pool. */
char *pm_advice_of_permits(const PmCandidate *candidate);
char *pm_advice_of_wait(const PmCandidate *candidate);

/* What a finding says to try, where that depends on more than its rule: on its stack traces, its
 * causes, its victims. NULL: the rule's own advice. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

char *pm_advice_of_lock(const PmCandidate *candidate);
/* Of a deadlock among whose waits one is for a class. NULL: it is one of locks alone. */
char *pm_advice_of_deadlock(const PmWaits *waits, const guint32 *rows, guint n);
char *pm_advice_of_wait(const PmCandidate *candidate);

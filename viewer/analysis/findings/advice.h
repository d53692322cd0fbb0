/* What a finding says to try, by its rule and by what stands out about its waits. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* Of a finding about one blocker, or about none. Its rule, chain, causes and victims are known. */
char *pm_advice_of_one(const PmRecording *recording, const PmFinding *finding);
/* Of a finding about many blockers of one class. */
char *pm_advice_of_many(const PmFinding *finding);

/* Nobody held the lock for long: who was woken waited to run. */
gboolean pm_advice_is_hand_over(const PmFinding *finding);

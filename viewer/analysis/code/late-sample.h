/* Samples taken when the wait that they should explain was over.
 *
 * A thread is chosen to be sampled because others wait, and sampled some milliseconds later. Of an
 * owner that tells nothing of its hold. Of a thread that was expected to end a wait it tells what
 * it did after that; unless others wait alike by then, nothing of what it does as they wait. */
#pragma once

#include "viewer/analysis/code/activity.h"

/* Sets the uses of such samples. Cost: a pass over the waits, if there are any. */
void pm_late_samples_mark(PmActivity *activity);

/* Samples that were taken as a call returned.
 *
 * A thread that runs is looked at where it is safe, mostly as a call returns. Then it was not where
 * it returned to, but in what that called. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* By sample, whether its innermost line is one where threads of the group were mostly seen in what
 * it calls: those samples tell what this thread was in. Owned by the caller. Cost: two passes over
 * the frames of all samples. */
guint8 *pm_returned_find(const PmRecording *recording);

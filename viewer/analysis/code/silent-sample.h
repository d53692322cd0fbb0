/* Samples that do not tell what a thread was at.
 *
 * A thread that runs is looked at where it is safe, mostly as a call returns. Then it was not where
 * it returned to, but in what that called. And who just wakes a thread, or waits itself, was at
 * something else until then. Where others of its group were mostly seen otherwise, those tell what
 * it was at. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* By sample, whether it is one of those. Owned by the caller. Cost: two passes over the frames of
 * all samples. */
guint8 *pm_silent_samples_find(const PmRecording *recording);

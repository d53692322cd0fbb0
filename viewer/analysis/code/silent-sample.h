/* Samples that do not tell what a thread was at.
 *
 * A thread that runs is looked at where it is safe, mostly as a call returns. Then it was not where
 * it returned to, but in what that called. And who just waits was at something else until then.
 * Where others of its group were mostly seen otherwise, those tell what it was at. Who just wakes a
 * thread may be a while at that, as it may lose its processor to that one, but not at other times.
 */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_SAMPLE_TELLS,
    PM_SAMPLE_SILENT,
    PM_SAMPLE_OF_THEN, /* tells of no other instant */
} PmSampleUse;

/* By sample. Owned by the caller. Cost: two passes over the frames of all samples. */
guint8 *pm_silent_samples_find(const PmRecording *recording);

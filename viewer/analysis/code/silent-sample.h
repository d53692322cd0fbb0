/* Samples that do not show what a thread was doing.
 *
 * A running thread is sampled at a safepoint, usually when a call returns: it was then in the
 * called method, not in the one it returned to. A thread that has just begun to wait was doing
 * something else until then. If most samples of other threads of its group show something else,
 * those are used instead. A thread that is waking another one may be seen there for long, because
 * it can lose its processor to the woken thread; that says nothing about other instants. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_SAMPLE_TELLS,
    PM_SAMPLE_SILENT,
    PM_SAMPLE_OF_THEN, /* shows nothing about other instants */
    PM_SAMPLE_AFTER,   /* of an ender, as no such wait was left: late-sample.c finds those */
    PM_SAMPLE_LATE,    /* of an owner, as the wait was over: late-sample.c finds those */
} PmSampleUse;

/* Whether who is there waits, as the innermost frame is a call that does. */
gboolean pm_chain_waits(const PmRecording *recording, guint32 chain);

/* By sample. Owned by the caller. Cost: two passes over the frames of all samples. */
guint8 *pm_silent_samples_find(const PmRecording *recording);

/* The worker behind a PmState: computes PmResults and PmCurves from its inputs on a separate
 * thread. One job at a time; a new request cancels the running one, except during a drag, when the
 * running one completes and the newest request follows, at most every PM_COMPUTE_DRAG_MS. Main
 * thread only, except for what runs inside the job. */
#pragma once

#include "viewer/ui/model/results.h"

#define PM_COMPUTE_DRAG_MS 100

typedef struct PmCompute PmCompute;

typedef struct {
    PmRecording *recording;
    PmFilter *filter; /* chips and idle, no range */
    gint64 from, to;  /* the range; from >= to = the whole window */
    PmAspect aspects[PM_N_ASPECTS];
    guint n_aspects;
} PmQuestion;

/* On the main thread; either may be NULL: that part did not change or is not ready yet. Both are
 * borrowed. `last`: this request is complete. */
typedef void (*PmComputed)(PmResults *results, PmCurves *curves, gboolean last, gpointer data);

PmCompute *pm_compute_new(PmComputed computed, gpointer data);
/* Cancels and forgets; no callback comes after it. */
void pm_compute_free(PmCompute *compute);
/* Copies `question`. NULL: stop. */
void pm_compute_ask(PmCompute *compute, const PmQuestion *question, gboolean dragging);
/* Takes a reference to results computed elsewhere for `curves->view->recording`; cancels a running
 * job. */
void pm_compute_adopt(PmCompute *compute, PmResults *results, PmCurves *curves);
void pm_question_copy(PmQuestion *to, const PmQuestion *from);
/* The same recording, by its address. */
gboolean pm_question_equal(const PmQuestion *a, const PmQuestion *b);
void pm_question_clear(PmQuestion *question);
/* The curves and the results, on as many cores as there are. `ret_curves` may be set even if the
 * results are NULL. */
PmResults *pm_compute_all(const PmQuestion *question, PmCurves **ret_curves, const gint *cancel);

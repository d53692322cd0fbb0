#include "viewer/ui/model/compute.h"

#include <malloc.h>
#include <string.h>

/* The worker's side: everything it needs is in the job; it gives back to the main loop by idle
 * sources that carry a reference to the job. */
typedef struct {
    int ref_count;
    PmCompute *compute; /* NULL once nobody listens; main thread only */
    PmQuestion question;
    gint cancel;
    PmCurves *old_curves;
    PmResults *old_results;
    PmResults *early; /* of the first question: view and tree, before all else */
} PmJob;

struct PmCompute {
    PmComputed computed;
    gpointer data;
    GThreadPool *pool;
    PmJob *running;
    gboolean has_next;
    PmQuestion next;
    gint64 started_us;
    guint timer;
    PmCurves *curves; /* the newest, to take over what still holds */
    PmResults *results;
};

typedef struct {
    PmJob *job;
    PmResults *results;
    PmCurves *curves;
    gboolean last;
} PmNews;

static void start_next(PmCompute *compute);

void pm_question_copy(PmQuestion *to, const PmQuestion *from)
{
    *to = *from;
    to->recording = pm_recording_ref(from->recording);
    to->filter = pm_filter_copy(from->filter);
    to->filter->from = to->filter->to = 0;
}

void pm_question_clear(PmQuestion *question)
{
    if (question->recording) {
        pm_recording_unref(question->recording);
        pm_filter_free(question->filter);
    }
    memset(question, 0, sizeof *question);
}

static void job_unref(PmJob *job)
{
    if (!g_atomic_int_dec_and_test(&job->ref_count)) {
        return;
    }
    pm_question_clear(&job->question);
    pm_curves_unref(job->old_curves);
    pm_results_unref(job->old_results);
    pm_results_unref(job->early);
    g_free(job);
}

/* Series and orders outlive one answer: each lies in a counted box. */
static gpointer box_new(gpointer object)
{
    gpointer *box = g_atomic_rc_box_new(gpointer);

    *box = object;
    return box;
}

static void parked_now_box_clear(gpointer box)
{
    pm_parked_now_free(*(gpointer *)box);
}

static void order_box_clear(gpointer box)
{
    pm_band_order_free(*(gpointer *)box);
}

void pm_curves_unref(PmCurves *curves)
{
    if (!curves || !g_atomic_int_dec_and_test(&curves->ref_count)) {
        return;
    }
    if (curves->boxes[0]) {
        g_atomic_rc_box_release_full(curves->boxes[0], parked_now_box_clear);
    }
    if (curves->boxes[1]) {
        g_atomic_rc_box_release_full(curves->boxes[1], parked_now_box_clear);
    }
    if (curves->boxes[2]) {
        g_atomic_rc_box_release_full(curves->boxes[2], order_box_clear);
    }
    if (curves->bands) {
        pm_bands_free(curves->bands);
    }
    if (curves->view) {
        pm_view_unref(curves->view);
    }
    g_free(curves);
}

static gboolean is_unfiltered(const PmFilter *filter)
{
    return !filter->idle && (!filter->chips || filter->chips->len == 0);
}

static PmParkedNow *whole_parked_now(PmRecording *recording, const gint *cancel)
{
    g_autoptr(PmFilter) everything = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(recording, everything, cancel);

    return view ? pm_parked_now_new(view, cancel) : NULL;
}

/* Fills the parts; FALSE when cancelled. Takes from `old` what still holds. */
static gboolean fill_curves(PmCurves *curves, const PmQuestion *question, PmView *view,
                            const PmCurves *old, const gint *cancel)
{
    PmRecording *recording = question->recording;
    gboolean idle = question->filter->idle;

    if (old && pm_filter_equal(old->view->filter, question->filter)) {
        curves->view = pm_view_ref(old->view);
        curves->boxes[0] = g_atomic_rc_box_acquire(old->boxes[0]);
        curves->parked_now = old->parked_now;
    } else {
        curves->view = view ? pm_view_ref(view) : pm_view_new(recording, question->filter, cancel);
        curves->parked_now = curves->view ? pm_parked_now_new(curves->view, cancel) : NULL;
        if (!curves->parked_now) {
            return FALSE;
        }
        curves->boxes[0] = box_new(curves->parked_now);
    }
    if (old) {
        curves->boxes[1] = g_atomic_rc_box_acquire(old->boxes[1]);
        curves->overview = old->overview;
    } else if (is_unfiltered(question->filter)) {
        curves->boxes[1] = g_atomic_rc_box_acquire(curves->boxes[0]);
        curves->overview = curves->parked_now;
    } else {
        curves->overview = whole_parked_now(recording, cancel);
        if (!curves->overview) {
            return FALSE;
        }
        curves->boxes[1] = box_new(curves->overview);
    }
    curves->overview_peak =
        pm_parked_now_peak(curves->overview, recording->window_begin, recording->duration);
    if (old && old->aspect == curves->aspect && old->idle == idle) {
        curves->boxes[2] = g_atomic_rc_box_acquire(old->boxes[2]);
        curves->order = old->order;
    } else {
        curves->order = pm_band_order_new(recording, curves->aspect, idle);
        curves->boxes[2] = box_new(curves->order);
    }
    return !cancel || !g_atomic_int_get(cancel);
}

/* The same but for the bands, which take longest: something to look at meanwhile. */
static PmCurves *without_bands(const PmCurves *curves)
{
    PmCurves *copy = g_memdup2(curves, sizeof *curves);

    copy->ref_count = 1;
    copy->bands = NULL;
    pm_view_ref(copy->view);
    for (guint i = 0; i < G_N_ELEMENTS(copy->boxes); i++) {
        g_atomic_rc_box_acquire(copy->boxes[i]);
    }
    return copy;
}

PmCurves *pm_compute_curves(const PmQuestion *question, PmView *view, PmCurves *old,
                            PmCurvesBegun begun, gpointer data, const gint *cancel)
{
    if (old && old->view->recording != question->recording) {
        old = NULL;
    }
    if (old && old->bands && old->aspect == question->aspects[0] &&
        pm_filter_equal(old->view->filter, question->filter)) {
        return pm_curves_ref(old);
    }
    PmCurves *curves = g_new0(PmCurves, 1);
    curves->ref_count = 1;
    curves->aspect = question->aspects[0];
    curves->idle = question->filter->idle;
    if (!fill_curves(curves, question, view, old, cancel)) {
        pm_curves_unref(curves);
        return NULL;
    }
    if (begun) {
        PmCurves *part = without_bands(curves);
        begun(part, data);
        pm_curves_unref(part);
    }
    curves->bands = pm_bands_new(curves->view, curves->order, cancel);
    if (!curves->bands) {
        pm_curves_unref(curves);
        return NULL;
    }
    return curves;
}

static gboolean is_of(const PmView *view, const PmRecording *recording, const PmFilter *filter)
{
    return view->recording == recording && pm_filter_equal(view->filter, filter);
}

/* The tree and the summary ask the same waits different things: each on a core of its own. */
typedef struct {
    const PmQuestion *question;
    PmView *view;
    const gint *cancel;
} PmTreeQuestion;

static gpointer make_tree(gpointer data)
{
    const PmTreeQuestion *asked = data;

    return pm_tree_new(asked->view, asked->question->aspects, asked->question->n_aspects,
                       asked->cancel);
}

PmResults *pm_compute_results(const PmQuestion *question, PmCurves *curves, PmResults *old,
                              const gint *cancel)
{
    PmRecording *recording = question->recording;
    gboolean ranged = question->from < question->to;
    g_autoptr(PmFilter) filter = pm_filter_copy(question->filter);
    PmResults *results = g_new0(PmResults, 1);

    filter->from = ranged ? question->from : 0;
    filter->to = ranged ? question->to : 0;
    results->ref_count = 1;
    if (curves && is_of(curves->view, recording, filter)) {
        results->view = pm_view_ref(curves->view);
    } else if (old && is_of(old->view, recording, filter)) {
        results->view = pm_view_ref(old->view);
    } else {
        results->view = pm_view_new(recording, filter, cancel);
    }
    if (!results->view) {
        goto cancelled;
    }
    PmTreeQuestion tree = {question, results->view, cancel};
    if (old && old->tree && old->view == results->view && !old->summary) {
        results->early = pm_results_ref(old);
        results->tree = old->tree;
        results->summary = pm_summary_new(results->view, results->view->to, cancel);
    } else {
        GThread *beside = g_thread_new("tree", make_tree, &tree);
        results->summary = pm_summary_new(results->view, results->view->to, cancel);
        results->tree = g_thread_join(beside);
    }
    if (!results->tree || !results->summary) {
        goto cancelled;
    }
    results->metrics = results->summary->metrics;
    const PmContention *contention = pm_recording_contention(recording, cancel);
    if (contention) {
        results->findings = pm_findings_new(results->summary, contention, cancel);
    }
    if (!results->findings) {
        goto cancelled;
    }
    return results;

cancelled:
    pm_results_unref(results);
    return NULL;
}

static gboolean news_cb(gpointer data)
{
    PmNews *news = data;
    PmJob *job = news->job;
    PmCompute *compute = job->compute;

    if (compute && !g_atomic_int_get(&job->cancel)) {
        if (news->curves) {
            pm_curves_unref(compute->curves);
            compute->curves = pm_curves_ref(news->curves);
        }
        if (news->results && news->results->summary) {
            pm_results_unref(compute->results);
            compute->results = pm_results_ref(news->results);
        }
        compute->computed(news->results, news->curves, news->last && !compute->has_next,
                          compute->data);
        compute = job->compute; /* the callback may have freed it */
    }
    if (compute && news->last && compute->running == job) {
        compute->running = NULL;
        job_unref(job);
        start_next(compute);
    }
    return G_SOURCE_REMOVE;
}

static void news_free(gpointer data)
{
    PmNews *news = data;

    pm_results_unref(news->results);
    pm_curves_unref(news->curves);
    job_unref(news->job);
    g_free(news);
}

static void tell(PmJob *job, PmResults *results, PmCurves *curves, gboolean last)
{
    PmNews *news = g_new0(PmNews, 1);

    g_atomic_int_inc(&job->ref_count);
    news->job = job;
    news->results = results;
    news->curves = curves;
    news->last = last;
    g_idle_add_full(G_PRIORITY_DEFAULT, news_cb, news, news_free);
}

static void begun(PmCurves *curves, gpointer data)
{
    tell(data, NULL, pm_curves_ref(curves), FALSE);
}

/* Beside the charts: the first tree, which somebody may be waiting for; then the contentions, which
 * take long and are asked for last, and are built by the first who asks. */
static gpointer work_beside(gpointer data)
{
    PmJob *job = data;

    if (job->early) {
        PmTreeQuestion tree = {&job->question, job->early->view, &job->cancel};
        job->early->tree = make_tree(&tree);
        if (job->early->tree) {
            tell(job, pm_results_ref(job->early), NULL, FALSE);
        }
    }
    pm_recording_contention(job->question.recording, &job->cancel);
    return NULL;
}

/* The view of the whole; NULL when a range is asked for, or when cancelled. */
static PmResults *early_new(const PmJob *job)
{
    const PmQuestion *question = &job->question;
    PmView *view = question->from < question->to
                       ? NULL
                       : pm_view_new(question->recording, question->filter, &job->cancel);

    if (!view) {
        return NULL;
    }
    PmResults *early = g_new0(PmResults, 1);
    early->ref_count = 1;
    early->view = view;
    return early;
}

static void work(gpointer data, gpointer user_data)
{
    PmJob *job = data;
    PmResults *results = NULL;
    if (!job->old_curves && !job->old_results) {
        job->early = early_new(job);
    }
    GThread *beside = g_thread_new("beside", work_beside, job);
    /* A picture of the old question is better than half of the new one, but not than none. */
    PmCurves *curves =
        pm_compute_curves(&job->question, job->early ? job->early->view : NULL, job->old_curves,
                          job->old_curves ? NULL : begun, job, &job->cancel);

    if (curves) {
        if (curves != job->old_curves) {
            tell(job, NULL, pm_curves_ref(curves), FALSE);
        }
        if (job->early) { /* before bands and summary want the other core */
            g_thread_join(g_steal_pointer(&beside));
        }
        results = pm_compute_results(&job->question, curves,
                                     job->early ? job->early : job->old_results, &job->cancel);
    }
    pm_curves_unref(curves);
    if (beside) {
        g_thread_join(beside);
    }
    if (job->early) {
        malloc_trim(0); /* what was needed only meanwhile was as big as what stays */
    }
    tell(job, results, NULL, TRUE);
    job_unref(job);
}

PmCompute *pm_compute_new(PmComputed computed, gpointer data)
{
    PmCompute *compute = g_new0(PmCompute, 1);

    compute->computed = computed;
    compute->data = data;
    compute->pool = g_thread_pool_new(work, NULL, 1, TRUE, NULL);
    return compute;
}

static void start(PmCompute *compute)
{
    PmJob *job = g_new0(PmJob, 1);

    job->ref_count = 2; /* ours and the worker's */
    job->compute = compute;
    job->question = compute->next;
    memset(&compute->next, 0, sizeof compute->next);
    compute->has_next = FALSE;
    job->old_curves = compute->curves ? pm_curves_ref(compute->curves) : NULL;
    job->old_results = compute->results ? pm_results_ref(compute->results) : NULL;
    compute->running = job;
    compute->started_us = g_get_monotonic_time();
    g_thread_pool_push(compute->pool, job, NULL);
}

static gboolean timer_cb(gpointer data)
{
    PmCompute *compute = data;

    compute->timer = 0;
    if (compute->has_next && !compute->running) {
        start(compute);
    }
    return G_SOURCE_REMOVE;
}

/* Starts what waits, but in a drag not before PM_COMPUTE_DRAG_MS after the last start. */
static void start_next(PmCompute *compute)
{
    if (!compute->has_next || compute->running || compute->timer) {
        return;
    }
    start(compute);
}

void pm_compute_ask(PmCompute *compute, const PmQuestion *question, gboolean dragging)
{
    pm_question_clear(&compute->next);
    compute->has_next = FALSE;
    g_clear_handle_id(&compute->timer, g_source_remove);
    if (!question || (compute->curves && compute->curves->view->recording != question->recording)) {
        g_clear_pointer(&compute->curves, pm_curves_unref);
        g_clear_pointer(&compute->results, pm_results_unref);
    }
    if (compute->running && (!dragging || !question)) {
        g_atomic_int_set(&compute->running->cancel, TRUE);
    }
    if (!question) {
        return;
    }
    pm_question_copy(&compute->next, question);
    compute->has_next = TRUE;
    if (dragging) {
        gint64 wait_ms = PM_COMPUTE_DRAG_MS - (g_get_monotonic_time() - compute->started_us) / 1000;
        if (wait_ms > 0) {
            compute->timer = g_timeout_add(wait_ms, timer_cb, compute);
            return;
        }
    }
    start_next(compute);
}

void pm_compute_adopt(PmCompute *compute, PmResults *results, PmCurves *curves)
{
    pm_compute_ask(compute, NULL, FALSE);
    compute->curves = pm_curves_ref(curves);
    compute->results = pm_results_ref(results);
}

void pm_compute_free(PmCompute *compute)
{
    if (!compute) {
        return;
    }
    g_clear_handle_id(&compute->timer, g_source_remove);
    pm_question_clear(&compute->next);
    if (compute->running) {
        g_atomic_int_set(&compute->running->cancel, TRUE);
        compute->running->compute = NULL;
        job_unref(compute->running);
    }
    g_thread_pool_free(compute->pool, FALSE, TRUE);
    pm_curves_unref(compute->curves);
    pm_results_unref(compute->results);
    g_free(compute);
}

#include "viewer/ui/model/compute.h"

#include <malloc.h>
#include <string.h>

#include "viewer/ui/model/job.h"
#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/base/cancel.h"

/* What is as big is given back as it is freed; the C library would raise its own limit to 32 MiB
 * and keep holes of that size. */
#define GIVEN_BACK_BYTES (1 << 20)

struct PmCompute {
    PmComputed computed;
    gpointer data;
    PmJob *job;
    gboolean running, tree_told; /* of what runs, view and tree are there */
    gboolean has_next;           /* a question of a drag that waits */
    PmQuestion next;
    gint64 started_us;
    guint timer;
    PmCurves *curves; /* the newest, to take over what still holds */
    PmResults *results;
};

/* What a thread of its own is asked: the tree, the summary and the contentions ask the same waits
 * different things. */
typedef struct {
    const PmQuestion *question;
    PmView *view; /* of the tree; of the causes of a huge recording, NULL: not there yet */
    const gint *cancel;
} PmAsked;

/* What the worker is asked. */
typedef struct {
    PmQuestion question;
    PmCurves *old_curves;
    PmResults *old_results;
    PmResults *early;   /* view and tree, of the first question before all else */
    const gint *cancel; /* of the run */
    gboolean is_quiet;  /* nobody is told before all is there: the summary is made early, too */
    PmAsked asked;      /* of `second` */
    GThread *first,
        *second; /* beside the charts: `first` makes the early tree and starts the next */
} PmWork;

/* What it answers, and tells before. */
typedef struct {
    PmResults *results;
    PmCurves *curves;
} PmNews;

static void start_next(PmCompute *compute);

void pm_question_copy(PmQuestion *to, const PmQuestion *from)
{
    *to = *from;
    to->recording = pm_recording_ref(from->recording);
    to->filter = pm_filter_copy(from->filter);
    to->filter->from = to->filter->to = 0;
}

gboolean pm_question_equal(const PmQuestion *a, const PmQuestion *b)
{
    return a->recording == b->recording && a->from == b->from && a->to == b->to &&
           a->n_aspects == b->n_aspects &&
           !memcmp(a->aspects, b->aspects, a->n_aspects * sizeof *a->aspects) &&
           pm_filter_equal(a->filter, b->filter);
}

void pm_question_clear(PmQuestion *question)
{
    if (question->recording) {
        pm_recording_unref(question->recording);
        pm_filter_free(question->filter);
    }
    memset(question, 0, sizeof *question);
}

static void work_free(gpointer data)
{
    PmWork *work = data;

    pm_question_clear(&work->question);
    pm_curves_unref(work->old_curves);
    pm_results_unref(work->old_results);
    pm_results_unref(work->early);
    g_free(work);
}

/* Series and orders outlive one answer: each lies in a counted box. */
static gpointer box_new(gpointer object)
{
    gpointer *box = g_atomic_rc_box_new(gpointer);

    *box = object;
    return box;
}

static gboolean is_unfiltered(const PmFilter *filter)
{
    return !filter->idle && (!filter->chips || filter->chips->len == 0);
}

static PmStrip *whole_strip(PmRecording *recording, const gint *cancel)
{
    g_autoptr(PmFilter) everything = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(recording, everything, cancel);
    g_autoptr(PmParkedNow) parked_now = view ? pm_parked_now_new(view, cancel) : NULL;

    return parked_now ? pm_strip_new(parked_now, view->from, view->to) : NULL;
}

/* The first tree, once it is there; NULL: there is none. */
static const PmTree *wait_for_tree(PmWork *work)
{
    if (work->first)
        g_thread_join(g_steal_pointer(&work->first));
    return work->early ? work->early->tree : NULL;
}

/* Of the whole without chips; the first tree often is of that. */
static PmBandOrder *order_new(const PmQuestion *question, PmWork *work)
{
    const PmTree *tree = work ? wait_for_tree(work) : NULL;
    const gboolean is_whole = tree && !tree->estimated &&
                              tree->aspects[0] == question->aspects[0] &&
                              pm_filter_equal(tree->view->filter, question->filter) &&
                              (!question->filter->chips || question->filter->chips->len == 0);

    return is_whole ? pm_band_order_of_tree(tree)
                    : pm_band_order_new(question->recording, question->aspects[0],
                                        question->filter->idle);
}

/* The order of the bands; FALSE when cancelled. */
static gboolean fill_order(PmCurves *curves, const PmQuestion *question, const PmCurves *old,
                           PmWork *work)
{
    if (old && old->aspect == curves->aspect && old->idle == question->filter->idle) {
        curves->boxes[2] = g_atomic_rc_box_acquire(old->boxes[2]);
        curves->order = old->order;
        return TRUE;
    }
    curves->order = order_new(question, work);
    if (curves->order)
        curves->boxes[2] = box_new(curves->order);
    return curves->order != NULL;
}

/* Fills the parts; FALSE when cancelled. Takes from `old` what still holds. `work` may be NULL. The
 * bands are made, too, if there is something to look at meanwhile: together they take less. */
static gboolean fill_curves(PmCurves *curves, const PmQuestion *question, const PmCurves *old,
                            PmWork *work, const gint *cancel)
{
    PmRecording *recording = question->recording;
    const gboolean together = old || !work || work->is_quiet;

    if (together && !fill_order(curves, question, old, work))
        return FALSE;
    if (old && pm_filter_equal(old->view->filter, question->filter)) {
        curves->view = pm_view_ref(old->view);
        curves->boxes[0] = g_atomic_rc_box_acquire(old->boxes[0]);
        curves->parked_now = old->parked_now;
    } else {
        curves->view = work && work->early ? pm_view_ref(work->early->view)
                                           : pm_view_new(recording, question->filter, cancel);
        curves->parked_now =
            curves->view
                ? pm_parked_now_new_with_bands(curves->view, curves->order, &curves->bands, cancel)
                : NULL;
        if (!curves->parked_now)
            return FALSE;
        curves->boxes[0] = box_new(curves->parked_now);
    }
    if (old) {
        curves->boxes[1] = g_atomic_rc_box_acquire(old->boxes[1]);
        curves->overview = old->overview;
    } else {
        curves->overview =
            is_unfiltered(question->filter)
                ? pm_strip_new(curves->parked_now, curves->view->from, curves->view->to)
                : whole_strip(recording, cancel);
        if (!curves->overview)
            return FALSE;
        curves->boxes[1] = box_new(curves->overview);
    }
    return (together || fill_order(curves, question, old, work)) && !pm_cancelled(cancel);
}

/* The same but for the bands, which take longest: something to look at meanwhile. */
static PmCurves *without_bands(const PmCurves *curves)
{
    PmCurves *copy = g_memdup2(curves, sizeof *curves);

    copy->ref_count = 1;
    copy->bands = NULL;
    pm_view_ref(copy->view);
    for (guint i = 0; i < G_N_ELEMENTS(copy->boxes); i++)
        g_atomic_rc_box_acquire(copy->boxes[i]);
    return copy;
}

static void news_free(gpointer data)
{
    PmNews *news = data;

    pm_results_unref(news->results);
    pm_curves_unref(news->curves);
    g_free(news);
}

/* Takes both. */
static PmNews *news_new(PmResults *results, PmCurves *curves)
{
    PmNews *news = g_new(PmNews, 1);

    *news = (PmNews){results, curves};
    return news;
}

/* `work` may be NULL; else it is told of the curves but the bands as soon as these are there, if
 * there was nothing to look at before. */
static PmCurves *curves_new(const PmQuestion *question, PmCurves *old, PmWork *work,
                            const gint *cancel)
{
    const gboolean tell = work && !work->is_quiet && !old;

    if (old && old->view->recording != question->recording)
        old = NULL;
    if (old && old->bands && old->aspect == question->aspects[0] &&
        pm_filter_equal(old->view->filter, question->filter))
        return pm_curves_ref(old);
    PmCurves *curves = g_new0(PmCurves, 1);
    curves->ref_count = 1;
    curves->aspect = question->aspects[0];
    curves->idle = question->filter->idle;
    if (!fill_curves(curves, question, old, work, cancel)) {
        pm_curves_unref(curves);
        return NULL;
    }
    if (tell)
        pm_job_tell(cancel, news_new(NULL, without_bands(curves)));
    if (!curves->bands)
        curves->bands = pm_bands_new(curves->parked_now, curves->order, cancel);
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

static gpointer make_tree(gpointer data)
{
    const PmAsked *asked = data;

    return pm_tree_new_closed(asked->view, asked->question->aspects, asked->question->n_aspects,
                              asked->cancel);
}

static gboolean has_levels(const PmResults *results, const PmQuestion *question)
{
    const PmTree *tree = results->tree;

    return tree->n_aspects == question->n_aspects &&
           !memcmp(tree->aspects, question->aspects, tree->n_aspects * sizeof *tree->aspects);
}

/* Of range, chips and idle. Owned. */
static PmFilter *filter_of(const PmQuestion *question)
{
    const gboolean ranged = question->from < question->to;
    PmFilter *filter = pm_filter_copy(question->filter);

    filter->from = ranged ? question->from : 0;
    filter->to = ranged ? question->to : 0;
    return filter;
}

/* The view alone, that of curves or old results if it is the same; NULL when cancelled. */
static PmResults *view_results(const PmQuestion *question, PmCurves *curves, PmResults *old,
                               const gint *cancel)
{
    PmRecording *recording = question->recording;
    g_autoptr(PmFilter) filter = filter_of(question);
    PmView *view = curves && is_of(curves->view, recording, filter) ? pm_view_ref(curves->view)
                   : old && is_of(old->view, recording, filter)     ? pm_view_ref(old->view)
                   : curves && is_of(curves->view, recording, question->filter)
                       ? pm_view_new_range(curves->view, filter->from, filter->to, cancel)
                       : pm_view_new(recording, filter, cancel);

    if (!view)
        return NULL;
    PmResults *results = g_new0(PmResults, 1);
    results->ref_count = 1;
    results->view = view;
    return results;
}

/* `old` may be NULL: parts of it that still hold are taken over. */
static PmResults *compute_results(const PmQuestion *question, PmCurves *curves, PmResults *old,
                                  const gint *cancel)
{
    PmRecording *recording = question->recording;
    g_autoptr(PmFilter) filter = filter_of(question);

    if (old && old->findings && is_of(old->view, recording, filter) && has_levels(old, question))
        return pm_results_ref(old);
    PmResults *results = view_results(question, curves, old, cancel);
    if (!results)
        return NULL;
    PmAsked tree = {question, results->view, cancel};
    if (old && old->tree && old->view == results->view && !old->findings) {
        results->early = pm_results_ref(old);
        results->tree = old->tree;
        results->summary = old->summary ? g_steal_pointer(&old->summary)
                                        : pm_summary_new(results->view, results->view->to, cancel);
    } else {
        GThread *beside = g_thread_new("tree", make_tree, &tree);
        results->summary = pm_summary_new(results->view, results->view->to, cancel);
        results->tree = g_thread_join(beside);
    }
    if (!results->tree || !results->summary)
        goto cancelled;
    results->metrics = results->summary->metrics;
    results->findings = pm_findings_new_bounded(results->summary, cancel);
    if (!results->findings)
        goto cancelled;
    return results;

cancelled:
    pm_results_unref(results);
    return NULL;
}

static void keep(PmCompute *compute, const PmNews *news)
{
    if (news->curves) {
        pm_curves_unref(compute->curves);
        compute->curves = pm_curves_ref(news->curves);
    }
    if (news->results && news->results->summary) {
        pm_results_unref(compute->results);
        compute->results = pm_results_ref(news->results);
    }
}

static void told_cb(gpointer answer, gpointer data)
{
    PmCompute *compute = data;
    PmNews *news = answer;

    keep(compute, news);
    if (news->results && !news->results->summary) {
        compute->tree_told = TRUE;
        start_next(compute);
    }
    compute->computed(news->results, news->curves, FALSE, compute->data);
    news_free(news);
}

static void done_cb(gpointer answer, gpointer data)
{
    PmCompute *compute = data;
    PmNews *news = answer;
    const gboolean last = !compute->has_next;

    keep(compute, news);
    compute->running = FALSE;
    start_next(compute);
    compute->computed(news->results, news->curves, last, compute->data); /* which may free it */
    news_free(news);
}

/* The contentions take long and are asked for last: they are built by the first who asks. */
static gpointer make_contention(gpointer data)
{
    const PmAsked *asked = data;
    PmRecording *recording = asked->question->recording;

    if (asked->view)
        pm_findings_prepare(asked->view, asked->cancel);
    else if (!pm_recording_is_huge(recording))
        pm_recording_contention(recording, asked->cancel);
    return NULL;
}

/* The first tree, which somebody may be waiting for. */
static gpointer work_first(gpointer data)
{
    PmWork *work = data;

    if (work->early) {
        PmAsked tree = {&work->question, work->early->view, work->cancel};
        work->early->tree = make_tree(&tree);
        if (work->early->tree && !work->is_quiet)
            pm_job_tell(work->cancel, news_new(pm_results_ref(work->early), NULL));
    }
    work->asked = (PmAsked){&work->question, work->early ? work->early->view : NULL, work->cancel};
    work->second = g_thread_new("contention", make_contention, &work->asked);
    return NULL;
}

static void wait_for_both(PmWork *work)
{
    wait_for_tree(work);
    if (work->second)
        g_thread_join(g_steal_pointer(&work->second));
}

/* The view of the whole; NULL when a range is asked for, or when cancelled. */
static PmResults *early_new(const PmWork *work)
{
    const PmQuestion *question = &work->question;

    return question->from < question->to ? NULL : view_results(question, NULL, NULL, work->cancel);
}

static gpointer make_summary(gpointer data)
{
    const PmAsked *asked = data;

    return pm_summary_new(asked->view, asked->view->to, asked->cancel);
}

/* Another range or filter: its tree first, which follows a drag; beside it the summary, which takes
 * as long. NULL: the old results have both, or cancelled. */
static PmResults *tree_first(const PmWork *work, PmCurves *curves)
{
    const PmQuestion *question = &work->question;
    g_autoptr(PmFilter) filter = filter_of(question);

    if (!work->old_results || is_of(work->old_results->view, question->recording, filter))
        return NULL;
    PmResults *early = view_results(question, curves, NULL, work->cancel);
    if (!early)
        return NULL;
    PmAsked asked = {question, early->view, work->cancel};
    GThread *beside = g_thread_new("summary", make_summary, &asked);
    early->tree = make_tree(&asked);
    if (early->tree)
        pm_job_tell(work->cancel, news_new(pm_results_ref(early), NULL));
    pm_findings_prepare(early->view, work->cancel);
    /* What was told stays as it is. */
    PmResults *both = g_new0(PmResults, 1);
    *both = (PmResults){.ref_count = 1,
                        .view = pm_view_ref(early->view),
                        .summary = g_thread_join(beside),
                        .tree = early->tree,
                        .early = early};
    return both;
}

PmResults *pm_compute_all(const PmQuestion *question, PmCurves **ret_curves, const gint *cancel)
{
    PmWork work = {.question = *question, .cancel = cancel, .is_quiet = TRUE};
    GThread *beside = NULL;

    work.early = early_new(&work);
    PmAsked asked = {question, work.early ? work.early->view : NULL, cancel};
    work.first = g_thread_new("tree", work_first, &work);
    if (work.early)
        beside = g_thread_new("summary", make_summary, &asked);
    *ret_curves = curves_new(question, NULL, &work, cancel);
    wait_for_both(&work);
    if (beside)
        work.early->summary = g_thread_join(beside);
    PmResults *results =
        *ret_curves ? compute_results(question, *ret_curves, work.early, cancel) : NULL;
    pm_results_unref(work.early);
    malloc_trim(0); /* what reading and computing left; a followed JVM's comes again and again */
    return results;
}

static gpointer run(gpointer data, const gint *cancel)
{
    PmWork *work = data;
    PmResults *results = NULL;

    work->cancel = cancel;
    if (!work->old_curves && !work->old_results)
        work->early = early_new(work);
    work->first = g_thread_new("tree", work_first, work);
    /* A picture of the old question is better than half of the new one, but not than none. */
    PmCurves *curves = curves_new(&work->question, work->old_curves, work, cancel);

    if (curves) {
        if (curves != work->old_curves)
            pm_job_tell(cancel, news_new(NULL, pm_curves_ref(curves)));
        if (work->early) /* before the summary wants the other core */
            wait_for_both(work);
        PmResults *first = work->early ? NULL : tree_first(work, curves);
        results = compute_results(&work->question, curves,
                                  work->early ? work->early
                                  : first     ? first
                                              : work->old_results,
                                  cancel);
        pm_results_unref(first);
    }
    pm_curves_unref(curves);
    wait_for_both(work);
    if (results == work->old_results) /* nothing changed: nobody need draw it again */
        g_clear_pointer(&results, pm_results_unref);
    if (work->early)
        malloc_trim(0); /* what was needed only meanwhile was as big as what stays */
    return news_new(results, NULL);
}

PmCompute *pm_compute_new(PmComputed computed, gpointer data)
{
    g_return_val_if_fail(computed, NULL);
    PmCompute *compute = g_new0(PmCompute, 1);

    mallopt(M_MMAP_THRESHOLD, GIVEN_BACK_BYTES);
    compute->computed = computed;
    compute->data = data;
    compute->job = pm_job_new(run, work_free, news_free, done_cb, compute);
    pm_job_set_told(compute->job, told_cb);
    return compute;
}

static void start(PmCompute *compute)
{
    PmWork *work = g_new0(PmWork, 1);

    work->question = compute->next;
    memset(&compute->next, 0, sizeof compute->next);
    compute->has_next = FALSE;
    work->old_curves = compute->curves ? pm_curves_ref(compute->curves) : NULL;
    work->old_results = compute->results ? pm_results_ref(compute->results) : NULL;
    compute->running = TRUE;
    compute->tree_told = FALSE;
    compute->started_us = g_get_monotonic_time();
    pm_job_ask(compute->job, work);
}

static gboolean timer_cb(gpointer data)
{
    PmCompute *compute = data;

    compute->timer = 0;
    start_next(compute);
    return G_SOURCE_REMOVE;
}

/* Starts what waits, but in a drag not before PM_COMPUTE_DRAG_MS after the last start, and once
 * the tree of what runs is there: its other numbers nobody waits for any more. */
static void start_next(PmCompute *compute)
{
    if (!compute->has_next || compute->timer || (compute->running && !compute->tree_told))
        return;
    if (compute->running)
        pm_job_stop(compute->job);
    start(compute);
}

void pm_compute_ask(PmCompute *compute, const PmQuestion *question, gboolean dragging)
{
    g_return_if_fail(compute);
    pm_question_clear(&compute->next);
    compute->has_next = FALSE;
    g_clear_handle_id(&compute->timer, g_source_remove);
    if (!question || (compute->curves && compute->curves->view->recording != question->recording)) {
        g_clear_pointer(&compute->curves, pm_curves_unref);
        g_clear_pointer(&compute->results, pm_results_unref);
    }
    if (!dragging || !question) {
        pm_job_stop(compute->job);
        compute->running = FALSE;
    }
    if (!question)
        return;
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
    g_return_if_fail(compute);
    pm_compute_ask(compute, NULL, FALSE);
    compute->curves = pm_curves_ref(curves);
    compute->results = pm_results_ref(results);
}

void pm_compute_free(PmCompute *compute)
{
    if (!compute)
        return;
    g_clear_handle_id(&compute->timer, g_source_remove);
    pm_question_clear(&compute->next);
    pm_job_free(compute->job);
    pm_curves_unref(compute->curves);
    pm_results_unref(compute->results);
    g_free(compute);
}

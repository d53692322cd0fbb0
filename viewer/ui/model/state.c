#include "viewer/ui/model/state.h"

#include <string.h>

#include "viewer/ui/model/compute.h"
#include "viewer/ui/model/job.h"

#define PM_VISIBLE_MIN_NS 1000
#define PM_HISTORY_MAX    200

const PmAspect pm_state_memory_first[4] = {PM_ASPECT_ACCOUNT, PM_ASPECT_CLASS, PM_ASPECT_SITE,
                                           PM_ASPECT_CHAIN};
const PmAspect pm_state_on_what[3] = {PM_ASPECT_ALIKE, PM_ASPECT_BLOCKER, PM_ASPECT_SITE};

/* One step of the history: the inputs that back and forward bring back. */
typedef struct {
    gint64 visible_from, visible_to;
    gint64 range_from, range_to;
    PmFilter *filter;
    PmAspect aspects[PM_N_ASPECTS];
    guint n_aspects;
    PmPage page;
} PmPlace;

struct _PmState {
    GObject parent_instance;

    PmRecording *recording;
    PmLoading loading;
    char *loading_path;
    GError *loading_error;

    PmPlace now;
    PmSelection selection;
    guint found_at, n_found;
    gboolean hover;
    PmAspect hover_aspect;
    guint64 hover_key;
    gint64 pointed;
    gboolean detail, dark, high_contrast;
    char *search;

    GPtrArray *back, *forward; /* of PmPlace */
    PmChange last_step;        /* what the last step changed: a run of zooms is one step */
    guint drag_depth;
    gboolean drag_stepped; /* this drag has its step already */

    PmCompute *compute;
    PmResults *results;
    PmResults *early; /* view and tree of the newest question, until its results are there */
    PmCurves *curves;
    PmMemorySeries *memory;
    PmAspect memory_aspects[PM_MEMORY_MOST];
    guint n_memory_aspects;
    gboolean busy;

    PmLiveState live;
    guint live_pid;
    char *live_trouble;
    PmJob *renewal;
};

G_DEFINE_FINAL_TYPE(PmState, pm_state, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_SEARCH_STEP, N_SIGNALS };
static guint signals[N_SIGNALS];

static const struct {
    const char *name, *title;
} pages[PM_N_PAGES] = {
    [PM_PAGE_SUMMARY] = {"summary", "Summary"},    [PM_PAGE_TREE] = {"tree", "Tree"},
    [PM_PAGE_BLOCKERS] = {"blockers", "Blockers"}, [PM_PAGE_THREADS] = {"threads", "Threads"},
    [PM_PAGE_MEMORY] = {"memory", "Memory"},       [PM_PAGE_FLAMES] = {"flames", "Flames"},
};

const char *pm_page_name(PmPage page)
{
    g_return_val_if_fail(page < PM_N_PAGES, NULL);
    return pages[page].name;
}

const char *pm_page_title(PmPage page)
{
    g_return_val_if_fail(page < PM_N_PAGES, NULL);
    return pages[page].title;
}

gboolean pm_page_parse(const char *name, PmPage *ret_page)
{
    for (guint i = 0; i < PM_N_PAGES; i++) {
        if (g_strcmp0(name, pages[i].name) == 0) {
            *ret_page = i;
            return TRUE;
        }
    }
    return FALSE;
}

gboolean pm_selection_key(const PmSelection *selection, PmAspect *ret_aspect, guint64 *ret_key)
{
    if (!selection || selection->n == 0)
        return FALSE;
    if (ret_aspect)
        *ret_aspect = selection->aspects[selection->n - 1];
    if (ret_key)
        *ret_key = selection->keys[selection->n - 1];
    return TRUE;
}

static gboolean selection_equal(const PmSelection *a, const PmSelection *b)
{
    return a->n == b->n && memcmp(a->aspects, b->aspects, a->n * sizeof *a->aspects) == 0 &&
           memcmp(a->keys, b->keys, a->n * sizeof *a->keys) == 0;
}

static PmPlace *place_copy(const PmPlace *place)
{
    PmPlace *copy = g_memdup2(place, sizeof *place);
    copy->filter = pm_filter_copy(place->filter);
    return copy;
}

static void place_free(gpointer data)
{
    PmPlace *place = data;
    pm_filter_free(place->filter);
    g_free(place);
}

static void changed(PmState *state, guint mask)
{
    if (mask != 0)
        g_signal_emit(state, signals[SIGNAL_CHANGED], 0, mask);
}

static gboolean set_busy(PmState *state, gboolean busy)
{
    gboolean was = state->busy;
    state->busy = busy;
    return was != busy;
}

static void computed_cb(PmResults *results, PmCurves *curves, gboolean last, gpointer data)
{
    PmState *state = data;
    g_autoptr(PmResults) old_results = NULL;
    PmCurves *old_curves = NULL;
    guint mask = 0;

    g_object_ref(state);
    if (results && !results->summary) {
        pm_results_unref(state->early);
        state->early = pm_results_ref(results);
        mask |= PM_CHANGE_TREE;
    } else if (last && state->early) {
        g_clear_pointer(&state->early, pm_results_unref);
        mask |= PM_CHANGE_TREE;
    }
    if (results && results->summary) {
        g_clear_pointer(&state->early, pm_results_unref);
        mask |= PM_CHANGE_RESULTS;
        old_results = g_steal_pointer(&state->results);
        state->results = pm_results_ref(results);
    }
    if (curves) {
        old_curves = g_steal_pointer(&state->curves);
        state->curves = pm_curves_ref(curves);
        mask |= PM_CHANGE_CURVES;
    }
    if (last && set_busy(state, FALSE))
        mask |= PM_CHANGE_BUSY;
    changed(state, mask);
    pm_curves_unref(old_curves);
    g_object_unref(state);
}

/* What is asked of a recording now; its parts are the state's. */
static PmQuestion question_of(const PmState *state, PmRecording *recording)
{
    PmQuestion question = {
        .recording = recording,
        .filter = state->now.filter,
        .from = state->now.range_from,
        .to = state->now.range_to,
        .n_aspects = state->now.n_aspects,
    };

    memcpy(question.aspects, state->now.aspects, sizeof question.aspects);
    return question;
}

/* Asks the worker for the numbers of the present inputs; gives the mask of what that changed. */
static guint ask(PmState *state)
{
    if (!state->recording) {
        pm_compute_ask(state->compute, NULL, FALSE);
        return set_busy(state, FALSE) ? PM_CHANGE_BUSY : 0;
    }
    PmQuestion question = question_of(state, state->recording);
    guint mask = set_busy(state, TRUE) ? PM_CHANGE_BUSY : 0;
    pm_compute_ask(state->compute, &question, state->drag_depth > 0);
    return mask;
}

/* Before the first change of a kind: what is shown now becomes a step to come back to. */
static guint step(PmState *state, PmChange kind)
{
    if (!state->recording)
        return 0;
    if (state->drag_depth > 0) {
        if (state->drag_stepped)
            return 0;
        state->drag_stepped = TRUE;
    } else if (kind == PM_CHANGE_VISIBLE && state->last_step == kind) {
        return 0;
    }
    state->last_step = kind;
    if (state->back->len >= PM_HISTORY_MAX)
        g_ptr_array_remove_index(state->back, 0);
    g_ptr_array_add(state->back, place_copy(&state->now));
    g_ptr_array_set_size(state->forward, 0);
    return PM_CHANGE_HISTORY;
}

static gboolean go(PmState *state, GPtrArray *from, GPtrArray *to)
{
    if (from->len == 0)
        return FALSE;
    PmPlace *place = g_ptr_array_steal_index(from, from->len - 1);
    PmPlace *old = &state->now;
    guint mask = PM_CHANGE_HISTORY;

    g_ptr_array_add(to, place_copy(old));
    if (place->visible_from != old->visible_from || place->visible_to != old->visible_to)
        mask |= PM_CHANGE_VISIBLE;
    if (place->range_from != old->range_from || place->range_to != old->range_to)
        mask |= PM_CHANGE_RANGE;
    if (!pm_filter_equal(place->filter, old->filter))
        mask |= PM_CHANGE_FILTER;
    if (place->n_aspects != old->n_aspects ||
        memcmp(place->aspects, old->aspects, place->n_aspects * sizeof *place->aspects) != 0)
        mask |= PM_CHANGE_ASPECTS;
    if (place->page != old->page)
        mask |= PM_CHANGE_PAGE;
    pm_filter_free(old->filter);
    state->now = *place;
    g_free(place);
    state->last_step = 0;
    if (mask & (PM_CHANGE_RANGE | PM_CHANGE_FILTER | PM_CHANGE_ASPECTS))
        mask |= ask(state);
    changed(state, mask);
    return TRUE;
}

gboolean pm_state_back(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    return go(state, state->back, state->forward);
}

gboolean pm_state_forward(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    return go(state, state->forward, state->back);
}

gboolean pm_state_can_back(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    return state->back->len > 0;
}

gboolean pm_state_can_forward(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    return state->forward->len > 0;
}

void pm_state_set_loading(PmState *state, const PmLoading *loading)
{
    g_return_if_fail(PM_IS_STATE(state));
    char *path = g_strdup(loading->path);
    GError *error = loading->error ? g_error_copy(loading->error) : NULL;
    PmOutline *outline = loading->outline ? pm_outline_ref(loading->outline) : NULL;

    pm_outline_unref(state->loading.outline);
    g_free(state->loading_path);
    g_clear_error(&state->loading_error);
    state->loading = *loading;
    state->loading.path = state->loading_path = path;
    state->loading.error = state->loading_error = error;
    state->loading.outline = outline;
    changed(state, PM_CHANGE_LOADING);
}

void pm_state_set_recording(PmState *state, PmRecording *recording)
{
    g_return_if_fail(PM_IS_STATE(state));
    PmRecording *old = state->recording;
    PmCurves *old_curves = g_steal_pointer(&state->curves);
    PmResults *old_results = g_steal_pointer(&state->results);

    g_clear_pointer(&state->memory, pm_memory_series_unref);
    g_clear_pointer(&state->early, pm_results_unref);
    state->recording = recording ? pm_recording_ref(recording) : NULL;
    g_ptr_array_set_size(state->back, 0);
    g_ptr_array_set_size(state->forward, 0);
    state->last_step = 0;
    state->drag_depth = 0;
    state->selection.n = 0;
    state->hover = FALSE;
    state->pointed = G_MININT64;
    pm_filter_free(state->now.filter);
    state->now.filter = pm_filter_new();
    state->now.range_from = state->now.range_to = 0;
    pm_state_get_whole(state, &state->now.visible_from, &state->now.visible_to);
    guint mask = PM_CHANGE_RECORDING | PM_CHANGE_VISIBLE | PM_CHANGE_RANGE | PM_CHANGE_SELECTION |
                 PM_CHANGE_HOVER | PM_CHANGE_FILTER | PM_CHANGE_HISTORY | PM_CHANGE_RESULTS |
                 PM_CHANGE_CURVES;
    mask |= ask(state);
    changed(state, mask);
    pm_curves_unref(old_curves);
    pm_results_unref(old_results);
    if (old)
        pm_recording_unref(old);
}

/* ---- a newer dump in place of the old ---- */

struct renewal {
    PmQuestion question;
    gconstpointer of; /* the recording to replace; only compared */
    PmCurves *curves;
    PmResults *results;
};

static void renewal_free(gpointer data)
{
    struct renewal *renewal = data;

    pm_question_clear(&renewal->question);
    pm_curves_unref(renewal->curves);
    pm_results_unref(renewal->results);
    g_free(renewal);
}

static gpointer renewal_run(gpointer data, const gint *cancel)
{
    const struct renewal *asked = data;
    struct renewal *renewal = g_new0(struct renewal, 1);

    renewal->of = asked->of;
    pm_question_copy(&renewal->question, &asked->question);
    renewal->results = pm_compute_all(&renewal->question, &renewal->curves, cancel);
    if (!renewal->results) {
        renewal_free(renewal);
        return NULL;
    }
    return renewal;
}

/* Indices may mean something else in the newer dump. FALSE: it has nothing with such a name, or
 * several. */
static gboolean carry_selection(PmState *state, const PmRecording *newer)
{
    for (guint i = 0; i < state->selection.n; i++)
        if (!pm_aspect_find_same(state->recording, state->selection.aspects[i],
                                 state->selection.keys[i], newer, &state->selection.keys[i]))
            return FALSE;
    return TRUE;
}

static void renewal_done(gpointer answer, gpointer data)
{
    PmState *state = data;
    struct renewal *renewal = answer;
    PmRecording *newer = renewal->question.recording, *old = state->recording;
    guint mask = PM_CHANGE_RENEWED | PM_CHANGE_VISIBLE | PM_CHANGE_RESULTS | PM_CHANGE_CURVES;
    gint64 begin, end;

    if (!old || old != renewal->of) { /* another was opened meanwhile */
        renewal_free(renewal);
        return;
    }
    pm_state_get_whole(state, &begin, &end);
    const gboolean whole = state->now.visible_from <= begin && state->now.visible_to >= end;
    const gint64 width = state->now.visible_to - state->now.visible_from;
    const PmSelection selected = state->selection;
    if (!carry_selection(state, newer))
        state->selection.n = 0;
    if (memcmp(&selected, &state->selection, sizeof selected) != 0)
        mask |= PM_CHANGE_SELECTION;
    if (state->hover) {
        state->hover = FALSE;
        mask |= PM_CHANGE_HOVER;
    }
    PmCurves *old_curves = state->curves;
    PmResults *old_results = state->results;
    state->recording = pm_recording_ref(newer);
    state->curves = pm_curves_ref(renewal->curves);
    state->results = pm_results_ref(renewal->results);
    g_clear_pointer(&state->early, pm_results_unref);
    pm_compute_adopt(state->compute, renewal->results, renewal->curves);
    set_busy(state, FALSE);
    pm_state_get_whole(state, &begin, &end);
    if (whole) {
        state->now.visible_from = begin;
        state->now.visible_to = end;
    } else {
        const gint64 to = state->live == PM_LIVE_FOLLOWING ? end : MIN(state->now.visible_to, end);
        state->now.visible_from = MAX(to - width, begin);
        state->now.visible_to = MIN(state->now.visible_from + width, end);
    }
    /* What was changed meanwhile is asked for as ever; else nothing is dimmed for it. */
    const PmQuestion question = question_of(state, newer);
    mask |= PM_CHANGE_BUSY;
    if (!pm_question_equal(&question, &renewal->question))
        mask |= ask(state);
    changed(state, mask);
    pm_curves_unref(old_curves);
    pm_results_unref(old_results);
    pm_recording_unref(old);
    renewal_free(renewal);
}

void pm_state_renew_recording(PmState *state, PmRecording *recording)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (!recording) {
        pm_job_stop(state->renewal);
        return;
    }
    if (!state->recording) {
        pm_state_set_recording(state, recording);
        return;
    }
    PmQuestion question = question_of(state, recording);
    struct renewal *renewal = g_new0(struct renewal, 1);
    renewal->of = state->recording;
    pm_question_copy(&renewal->question, &question);
    pm_job_ask(state->renewal, renewal);
}

void pm_state_set_live(PmState *state, PmLiveState live, guint pid)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (live == state->live && pid == state->live_pid)
        return;
    state->live = live;
    state->live_pid = pid;
    changed(state, PM_CHANGE_LIVE);
}

void pm_state_set_live_trouble(PmState *state, const char *why)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (g_strcmp0(why, state->live_trouble) == 0)
        return;
    g_free(state->live_trouble);
    state->live_trouble = g_strdup(why);
    changed(state, PM_CHANGE_LIVE);
}

void pm_state_get_whole(PmState *state, gint64 *ret_from, gint64 *ret_to)
{
    g_return_if_fail(PM_IS_STATE(state));
    *ret_from = state->recording ? state->recording->window_begin : 0;
    *ret_to = state->recording ? state->recording->duration : 0;
    if (*ret_to - *ret_from < PM_VISIBLE_MIN_NS)
        *ret_to = *ret_from + PM_VISIBLE_MIN_NS;
}

void pm_state_set_visible(PmState *state, gint64 from, gint64 to)
{
    g_return_if_fail(PM_IS_STATE(state));
    gint64 begin, end;

    pm_state_get_whole(state, &begin, &end);
    gint64 width = CLAMP(to - from, PM_VISIBLE_MIN_NS, end - begin);
    from = CLAMP(from, begin, end - width);
    to = from + width;
    if (from == state->now.visible_from && to == state->now.visible_to)
        return;
    guint mask = PM_CHANGE_VISIBLE | step(state, PM_CHANGE_VISIBLE);
    state->now.visible_from = from;
    state->now.visible_to = to;
    changed(state, mask);
}

void pm_state_get_visible(PmState *state, gint64 *ret_from, gint64 *ret_to)
{
    g_return_if_fail(PM_IS_STATE(state));
    *ret_from = state->now.visible_from;
    *ret_to = state->now.visible_to;
}

void pm_state_zoom(PmState *state, double factor, gint64 anchor)
{
    g_return_if_fail(PM_IS_STATE(state) && factor > 0);
    const gint64 from = state->now.visible_from;
    const double width = (double)(state->now.visible_to - from);
    const double part = CLAMP((double)(anchor - from) / width, 0, 1);
    gint64 begin = 0, end = 0;

    pm_state_get_whole(state, &begin, &end);
    const double wanted = CLAMP(width * factor, PM_VISIBLE_MIN_NS, (double)(end - begin));
    const gint64 first = anchor - (gint64)(wanted * part);
    pm_state_set_visible(state, first, first + (gint64)wanted);
}

void pm_state_pan(PmState *state, double part)
{
    g_return_if_fail(PM_IS_STATE(state));
    const gint64 from = state->now.visible_from, to = state->now.visible_to;
    const gint64 delta = (gint64)((double)(to - from) * part);

    pm_state_set_visible(state, from + delta, to + delta);
}

void pm_state_set_range(PmState *state, gint64 from, gint64 to)
{
    g_return_if_fail(PM_IS_STATE(state));
    gint64 begin, end;

    pm_state_get_whole(state, &begin, &end);
    from = CLAMP(from, begin, end);
    to = CLAMP(to, begin, end);
    if (from >= to)
        from = to = 0;
    if (from == state->now.range_from && to == state->now.range_to)
        return;
    guint mask = PM_CHANGE_RANGE | step(state, PM_CHANGE_RANGE);
    state->now.range_from = from;
    state->now.range_to = to;
    mask |= ask(state);
    changed(state, mask);
}

gboolean pm_state_get_range(PmState *state, gint64 *ret_from, gint64 *ret_to)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    if (state->now.range_from >= state->now.range_to) {
        pm_state_get_whole(state, ret_from, ret_to);
        return FALSE;
    }
    *ret_from = state->now.range_from;
    *ret_to = state->now.range_to;
    return TRUE;
}

void pm_state_begin_drag(PmState *state)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (state->drag_depth++ == 0) {
        state->drag_stepped = FALSE;
        changed(state, PM_CHANGE_DRAG);
    }
}

void pm_state_end_drag(PmState *state)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (state->drag_depth > 0 && --state->drag_depth == 0)
        changed(state, PM_CHANGE_DRAG);
}

void pm_state_set_selection(PmState *state, const PmSelection *selection)
{
    g_return_if_fail(PM_IS_STATE(state));
    static const PmSelection none;

    selection = selection ? selection : &none;
    g_return_if_fail(selection->n <= PM_N_ASPECTS);
    if (!selection_equal(&state->selection, selection)) {
        state->selection = *selection;
        changed(state, PM_CHANGE_SELECTION);
    }
}

void pm_state_select_key(PmState *state, PmAspect aspect, guint64 key)
{
    g_return_if_fail(PM_IS_STATE(state) && (guint)aspect < PM_N_ASPECTS);
    PmSelection selection = {.n = 1, .aspects = {aspect}, .keys = {key}};
    pm_state_set_selection(state, &selection);
}

void pm_state_set_hover(PmState *state, gboolean any, PmAspect aspect, guint64 key)
{
    g_return_if_fail(PM_IS_STATE(state) && (guint)aspect < PM_N_ASPECTS);
    if (any == state->hover && (!any || (aspect == state->hover_aspect && key == state->hover_key)))
        return;
    state->hover = any;
    state->hover_aspect = aspect;
    state->hover_key = key;
    changed(state, PM_CHANGE_HOVER);
}

gboolean pm_state_get_hover(PmState *state, PmAspect *ret_aspect, guint64 *ret_key)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    if (state->hover) {
        *ret_aspect = state->hover_aspect;
        *ret_key = state->hover_key;
    }
    return state->hover;
}

void pm_state_set_pointed(PmState *state, gint64 at)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (at == state->pointed)
        return;
    state->pointed = at;
    changed(state, PM_CHANGE_POINTED);
}

static void set_filter(PmState *state, const PmFilter *filter)
{
    g_autoptr(PmFilter) copy = pm_filter_copy(filter);

    copy->from = copy->to = 0;
    if (pm_filter_equal(copy, state->now.filter))
        return;
    guint mask = PM_CHANGE_FILTER | step(state, PM_CHANGE_FILTER);
    pm_filter_free(state->now.filter);
    state->now.filter = g_steal_pointer(&copy);
    mask |= ask(state);
    changed(state, mask);
}

static gboolean has_chip(const PmFilter *filter, PmAspect aspect, const char *key, gboolean exclude)
{
    for (guint i = 0; filter->chips && i < filter->chips->len; i++) {
        const PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        if (chip->aspect == aspect && chip->exclude == exclude && g_strcmp0(chip->key, key) == 0)
            return TRUE;
    }
    return FALSE;
}

void pm_state_add_chip(PmState *state, PmAspect aspect, const char *key, gboolean exclude)
{
    g_return_if_fail(PM_IS_STATE(state) && (guint)aspect < PM_N_ASPECTS);
    if (has_chip(state->now.filter, aspect, key, exclude))
        return;
    g_autoptr(PmFilter) filter = pm_filter_copy(state->now.filter);
    pm_filter_add_chip(filter, aspect, key, exclude);
    set_filter(state, filter);
}

void pm_state_remove_chip(PmState *state, guint index)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (index >= pm_state_n_chips(state))
        return;
    g_autoptr(PmFilter) filter = pm_filter_copy(state->now.filter);
    pm_filter_remove_chip(filter, index);
    set_filter(state, filter);
}

void pm_state_clear_filters(PmState *state)
{
    g_return_if_fail(PM_IS_STATE(state));
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = state->now.filter->idle;
    set_filter(state, filter);
}

guint pm_state_n_chips(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), 0);
    return state->now.filter->chips ? state->now.filter->chips->len : 0;
}

void pm_state_set_idle(PmState *state, gboolean idle)
{
    g_return_if_fail(PM_IS_STATE(state));
    g_autoptr(PmFilter) filter = pm_filter_copy(state->now.filter);
    filter->idle = idle;
    set_filter(state, filter);
}

gboolean pm_state_filter_selection(PmState *state, gboolean exclude)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    const PmSelection selection = state->selection;

    if (selection.n == 0 || !state->recording)
        return FALSE;
    g_autoptr(PmFilter) filter = pm_filter_copy(state->now.filter);
    for (guint i = exclude ? selection.n - 1 : 0; i < selection.n; i++) {
        if (i + 1 < selection.n && selection.aspects[i + 1] == PM_ASPECT_BLOCKER &&
            selection.aspects[i] == PM_ASPECT_ALIKE)
            continue; /* said by the blocker */
        g_autofree char *key =
            pm_aspect_key_text(state->recording, selection.aspects[i], selection.keys[i]);
        if (!has_chip(filter, selection.aspects[i], key, exclude))
            pm_filter_add_chip(filter, selection.aspects[i], key, exclude);
    }
    set_filter(state, filter);
    return TRUE;
}

void pm_state_set_aspects(PmState *state, const PmAspect *aspects, guint n_aspects)
{
    g_return_if_fail(n_aspects > 0 && n_aspects <= PM_N_ASPECTS);
    if (n_aspects == state->now.n_aspects &&
        memcmp(aspects, state->now.aspects, n_aspects * sizeof *aspects) == 0)
        return;
    guint mask = PM_CHANGE_ASPECTS | step(state, PM_CHANGE_ASPECTS);
    memcpy(state->now.aspects, aspects, n_aspects * sizeof *aspects);
    state->now.n_aspects = n_aspects;
    mask |= ask(state);
    changed(state, mask);
}

const PmAspect *pm_state_get_aspects(PmState *state, guint *ret_n)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    *ret_n = state->now.n_aspects;
    return state->now.aspects;
}

void pm_state_set_memory_aspects(PmState *state, const PmAspect *aspects, guint n_aspects)
{
    g_return_if_fail(n_aspects > 0 && n_aspects <= PM_MEMORY_MOST);
    if (n_aspects == state->n_memory_aspects &&
        memcmp(aspects, state->memory_aspects, n_aspects * sizeof *aspects) == 0)
        return;
    memmove(state->memory_aspects, aspects, n_aspects * sizeof *aspects);
    state->n_memory_aspects = n_aspects;
    changed(state, PM_CHANGE_MEMORY);
}

const PmAspect *pm_state_get_memory_aspects(PmState *state, guint *ret_n)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    *ret_n = state->n_memory_aspects;
    return state->memory_aspects;
}

void pm_state_set_memory_series(PmState *state, PmMemorySeries *series)
{
    g_return_if_fail(PM_IS_STATE(state));
    if (series == state->memory)
        return;
    PmMemorySeries *old = state->memory;
    state->memory = series ? pm_memory_series_ref(series) : NULL;
    changed(state, PM_CHANGE_CURVES);
    pm_memory_series_unref(old);
}

void pm_state_set_page(PmState *state, PmPage page)
{
    g_return_if_fail(page < PM_N_PAGES);
    if (page != state->now.page) {
        guint mask = PM_CHANGE_PAGE | step(state, PM_CHANGE_PAGE);
        state->now.page = page;
        changed(state, mask);
    }
}

#define PM_STATE_FLAG(name, mask)                                                                  \
    void pm_state_set_##name(PmState *state, gboolean value)                                       \
    {                                                                                              \
        g_return_if_fail(PM_IS_STATE(state));                                                      \
        if (value != state->name) {                                                                \
            state->name = value;                                                                   \
            changed(state, mask);                                                                  \
        }                                                                                          \
    }                                                                                              \
    gboolean pm_state_get_##name(PmState *state)                                                   \
    {                                                                                              \
        g_return_val_if_fail(PM_IS_STATE(state), FALSE);                                           \
        return state->name;                                                                        \
    }
PM_STATE_FLAG(detail, PM_CHANGE_DETAIL)
PM_STATE_FLAG(dark, PM_CHANGE_DARK)
PM_STATE_FLAG(high_contrast, PM_CHANGE_DARK)
#undef PM_STATE_FLAG

void pm_state_set_search(PmState *state, const char *text)
{
    g_return_if_fail(PM_IS_STATE(state));
    text = text ? text : "";
    if (strcmp(text, state->search) != 0) {
        g_free(state->search);
        state->search = g_strdup(text);
        changed(state, PM_CHANGE_SEARCH);
    }
}

void pm_state_search_step(PmState *state, int direction)
{
    g_return_if_fail(PM_IS_STATE(state));
    g_signal_emit(state, signals[SIGNAL_SEARCH_STEP], 0, direction);
}

void pm_state_set_found(PmState *state, guint at, guint n)
{
    g_return_if_fail(PM_IS_STATE(state));
    state->found_at = at;
    state->n_found = n;
    changed(state, PM_CHANGE_FOUND);
}

guint pm_state_get_found(PmState *state, guint *ret_at)
{
    g_return_val_if_fail(PM_IS_STATE(state), 0);
    *ret_at = state->found_at;
    return state->n_found;
}

/* ---- what it knows ---- */

#define PM_STATE_GETTER(type, name, none, value)                                                   \
    type name(PmState *state)                                                                      \
    {                                                                                              \
        g_return_val_if_fail(PM_IS_STATE(state), none);                                            \
        return value;                                                                              \
    }
PM_STATE_GETTER(const PmLoading *, pm_state_get_loading, NULL, &state->loading)
PM_STATE_GETTER(PmLiveState, pm_state_get_live, 0, state->live)
PM_STATE_GETTER(guint, pm_state_get_live_pid, 0, state->live_pid)
PM_STATE_GETTER(const char *, pm_state_get_live_trouble, NULL, state->live_trouble)
PM_STATE_GETTER(PmRecording *, pm_state_get_recording, NULL, state->recording)
PM_STATE_GETTER(gboolean, pm_state_is_dragging, FALSE, state->drag_depth > 0)
PM_STATE_GETTER(const PmSelection *, pm_state_get_selection, NULL, &state->selection)
PM_STATE_GETTER(gint64, pm_state_get_pointed, G_MININT64, state->pointed)
PM_STATE_GETTER(const PmFilter *, pm_state_get_filter, NULL, state->now.filter)
PM_STATE_GETTER(PmMemorySeries *, pm_state_get_memory_series, NULL, state->memory)
PM_STATE_GETTER(PmMemorySeries *, pm_state_get_chart_memory, NULL,
                state->now.page == PM_PAGE_MEMORY ? state->memory : NULL)
PM_STATE_GETTER(PmPage, pm_state_get_page, 0, state->now.page)
PM_STATE_GETTER(const char *, pm_state_get_search, NULL, state->search)
PM_STATE_GETTER(PmResults *, pm_state_get_results, NULL, state->results)
PM_STATE_GETTER(PmResults *, pm_state_get_tree_results, NULL,
                state->early ? state->early : state->results)
PM_STATE_GETTER(PmView *, pm_state_get_view, NULL, state->results ? state->results->view : NULL)
PM_STATE_GETTER(PmSummary *, pm_state_get_summary, NULL,
                state->results ? state->results->summary : NULL)
PM_STATE_GETTER(const PmVerdict *, pm_state_get_verdict, NULL,
                state->results && state->results->findings ? &state->results->findings->verdict
                                                           : NULL)
PM_STATE_GETTER(PmCurves *, pm_state_get_curves, NULL, state->curves)
PM_STATE_GETTER(gboolean, pm_state_is_busy, FALSE, state->busy)
#undef PM_STATE_GETTER

static void pm_state_dispose(GObject *object)
{
    PmState *state = PM_STATE(object);

    g_clear_pointer(&state->compute, pm_compute_free);
    g_clear_pointer(&state->renewal, pm_job_free);
    g_clear_pointer(&state->results, pm_results_unref);
    g_clear_pointer(&state->early, pm_results_unref);
    g_clear_pointer(&state->curves, pm_curves_unref);
    g_clear_pointer(&state->recording, pm_recording_unref);
    G_OBJECT_CLASS(pm_state_parent_class)->dispose(object);
}

static void pm_state_finalize(GObject *object)
{
    PmState *state = PM_STATE(object);

    g_ptr_array_unref(state->back);
    g_ptr_array_unref(state->forward);
    pm_filter_free(state->now.filter);
    g_free(state->search);
    g_free(state->live_trouble);
    pm_outline_unref(state->loading.outline);
    pm_memory_series_unref(state->memory);
    g_free(state->loading_path);
    g_clear_error(&state->loading_error);
    G_OBJECT_CLASS(pm_state_parent_class)->finalize(object);
}

static void pm_state_class_init(PmStateClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);

    object_class->dispose = pm_state_dispose;
    object_class->finalize = pm_state_finalize;
    signals[SIGNAL_CHANGED] = g_signal_new("changed", PM_TYPE_STATE, G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
    signals[SIGNAL_SEARCH_STEP] = g_signal_new("search-step", PM_TYPE_STATE, G_SIGNAL_RUN_LAST, 0,
                                               NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
}

static void pm_state_init(PmState *state)
{
    state->back = g_ptr_array_new_with_free_func(place_free);
    state->forward = g_ptr_array_new_with_free_func(place_free);
    state->now.filter = pm_filter_new();
    memcpy(state->now.aspects, pm_state_on_what, sizeof pm_state_on_what);
    memcpy(state->memory_aspects, pm_state_memory_first, sizeof pm_state_memory_first);
    state->n_memory_aspects = G_N_ELEMENTS(pm_state_memory_first);
    state->now.n_aspects = G_N_ELEMENTS(pm_state_on_what);
    state->now.visible_to = PM_VISIBLE_MIN_NS;
    state->detail = TRUE;
    state->pointed = G_MININT64;
    state->search = g_strdup("");
    state->compute = pm_compute_new(computed_cb, state);
    state->renewal = pm_job_new(renewal_run, renewal_free, renewal_free, renewal_done, state);
}

PmState *pm_state_new(void)
{
    return g_object_new(PM_TYPE_STATE, NULL);
}

/* The state of one window, and the only thing widgets share. Inputs (range, selection, filters,
 * aspects, page) are set here by the widget the user interacts with; the worker puts the results
 * computed from them here; every change is announced by the signal `changed` with a mask, the only
 * communication between widgets. Main thread only.
 *
 *   void (*changed)(PmState *state, guint mask, gpointer data);   PmChange or-ed
 *   void (*search_step)(PmState *state, int direction, gpointer data);   +1 next, −1 previous
 *
 * Three states, never mixed (docs/ui.md, The window): the *range* and the *filters* change all
 * numbers, the *selection* changes none. The visible range is only what the charts show.
 *
 * Results are immutable and replaced as a whole; until new ones are ready the old ones stay. A
 * getter's pointer is borrowed and lives until the next `changed` of its bit: take a reference
 * (pm_results_ref, pm_curves_ref) to keep it longer or to use it on another thread. */
#pragma once

#include <gio/gio.h>

#include "viewer/analysis/memory/memory-series.h"
#include "viewer/ui/model/results.h"

typedef enum {
    PM_PAGE_SUMMARY,
    PM_PAGE_TREE,
    PM_PAGE_BLOCKERS,
    PM_PAGE_THREADS,
    PM_PAGE_MEMORY,
    PM_PAGE_FLAMES,
    PM_N_PAGES,
} PmPage;

const char *pm_page_name(PmPage page); /* "summary": --page, win.page */
const char *pm_page_title(PmPage page);
gboolean pm_page_parse(const char *name, PmPage *ret_page);

typedef enum {
    PM_CHANGE_RECORDING = 1 << 0, /* another recording, or none */
    PM_CHANGE_LOADING = 1 << 1,   /* progress, failure, cancellation */
    PM_CHANGE_VISIBLE = 1 << 2,
    PM_CHANGE_RANGE = 1 << 3,
    PM_CHANGE_SELECTION = 1 << 4,
    PM_CHANGE_HOVER = 1 << 5,
    PM_CHANGE_FILTER = 1 << 6, /* chips or idle */
    PM_CHANGE_ASPECTS = 1 << 7,
    PM_CHANGE_PAGE = 1 << 8,
    PM_CHANGE_DETAIL = 1 << 9,   /* detail pane on or off */
    PM_CHANGE_RESULTS = 1 << 10, /* view, metrics, summary, tree: new ones are here */
    PM_CHANGE_CURVES = 1 << 11,  /* parked now, bands, their order */
    PM_CHANGE_BUSY = 1 << 12,    /* the worker began or ended: dim what is old */
    PM_CHANGE_SEARCH = 1 << 13,
    PM_CHANGE_HISTORY = 1 << 14, /* back or forward became possible or impossible */
    PM_CHANGE_DRAG = 1 << 15,    /* a drag began or ended: keep the order of rows meanwhile */
    PM_CHANGE_DARK = 1 << 16,    /* light or dark colours, high contrast */
    PM_CHANGE_RENEWED = 1 << 17, /* a newer dump of the same recording; results are of it */
    PM_CHANGE_LIVE = 1 << 18,    /* a JVM is followed, paused, not any more */
    PM_CHANGE_TREE = 1 << 19,    /* view and tree of the current request, before the other results
                                  */
    PM_CHANGE_MEMORY = 1 << 21,  /* the levels of the page Memory */
    PM_CHANGE_FOUND = 1 << 20,   /* how many rows the search finds, and which is selected */
    PM_CHANGE_POINTED = 1 << 22, /* the instant under the pointer */
} PmChange;

/* A place in the aggregation: the path from level 1 to the row. A band, a blocker or a thread is a
 * path of one. n == 0: nothing. */
typedef struct {
    guint n;
    PmAspect aspects[PM_N_ASPECTS];
    guint64 keys[PM_N_ASPECTS];
} PmSelection;

/* FALSE for none; else the last step of the path. */
gboolean pm_selection_key(const PmSelection *selection, PmAspect *ret_aspect, guint64 *ret_key);

typedef enum { PM_LOADING_NONE, PM_LOADING_READING, PM_LOADING_FAILED } PmLoadingState;

typedef struct {
    PmLoadingState state;
    const char *path; /* what is or was read */
    guint64 done_bytes, total_bytes;
    const GError *error;  /* PM_LOADING_FAILED */
    gboolean partial;     /* the shown recording was cancelled before its end */
    gboolean end_only;    /* PM_LOADING_READING: the shown recording is the end of what is read */
    gboolean newest_only; /* older waits of the shown recording are left out while it is followed */
    PmOutline *outline;   /* a preview of what is being or was read, NULL = none */
} PmLoading;

#define PM_TYPE_STATE (pm_state_get_type())
G_DECLARE_FINAL_TYPE(PmState, pm_state, PM, STATE, GObject)

PmState *pm_state_new(void);

/* Loading a file: off the main thread, see loader.h. */
const PmLoading *pm_state_get_loading(PmState *state);
void pm_state_set_loading(PmState *state, const PmLoading *loading);

/* (nullable) Takes a reference. Resets range, selection, filters and history; starts the worker. */
void pm_state_set_recording(PmState *state, PmRecording *recording);
PmRecording *pm_state_get_recording(PmState *state);
/* A newer dump from the recorder of the current recording. Once its numbers are computed it
 * replaces the old one, keeping all choices: a view of the whole still shows the whole, and while
 * following, the visible range ends with the recording. NULL: what is being computed is not wanted
 * any more. */
void pm_state_renew_recording(PmState *state, PmRecording *recording);

typedef enum { PM_LIVE_OFF, PM_LIVE_FOLLOWING, PM_LIVE_PAUSED, PM_LIVE_ENDED } PmLiveState;
void pm_state_set_live(PmState *state, PmLiveState live, guint pid);
PmLiveState pm_state_get_live(PmState *state);
guint pm_state_get_live_pid(PmState *state);
/* Why no new data arrives from the followed JVM, which is retried; NULL = data arrives. */
void pm_state_set_live_trouble(PmState *state, const char *why);
const char *pm_state_get_live_trouble(PmState *state);

/* The stored window, [window_begin, duration]; never empty. */
void pm_state_get_whole(PmState *state, gint64 *ret_from, gint64 *ret_to);
/* What the charts show; clamped to the whole, at least 1 µs wide. */
void pm_state_set_visible(PmState *state, gint64 from, gint64 to);
void pm_state_get_visible(PmState *state, gint64 *ret_from, gint64 *ret_to);
/* Factor < 1 shows less; `anchor` keeps its position on the screen. */
void pm_state_zoom(PmState *state, double factor, gint64 anchor);
/* By a part of what is visible; negative: earlier. */
void pm_state_pan(PmState *state, double part);
/* The selected range; from >= to clears it. FALSE and the whole if there is none. */
void pm_state_set_range(PmState *state, gint64 from, gint64 to);
gboolean pm_state_get_range(PmState *state, gint64 *ret_from, gint64 *ret_to);
/* Between begin and end, changes are one step of the history and the worker runs at ≤ 10 Hz. */
void pm_state_begin_drag(PmState *state);
void pm_state_end_drag(PmState *state);
gboolean pm_state_is_dragging(PmState *state);

void pm_state_set_selection(PmState *state, const PmSelection *selection); /* NULL = none */
void pm_state_select_key(PmState *state, PmAspect aspect, guint64 key);
const PmSelection *pm_state_get_selection(PmState *state);
/* The band or level-1 row under the pointer; widgets highlight it. */
void pm_state_set_hover(PmState *state, gboolean any, PmAspect aspect, guint64 key);
gboolean pm_state_get_hover(PmState *state, PmAspect *ret_aspect, guint64 *ret_key);

/* The instant under the pointer, in a chart or a lane, which the others mark; G_MININT64 = none. */
void pm_state_set_pointed(PmState *state, gint64 at);
gint64 pm_state_get_pointed(PmState *state);

/* Chips and idle; its from and to are unused (0): the range is a separate state. */
const PmFilter *pm_state_get_filter(PmState *state);
void pm_state_add_chip(PmState *state, PmAspect aspect, const char *key, gboolean exclude);
void pm_state_remove_chip(PmState *state, guint index);
void pm_state_clear_filters(PmState *state); /* all chips; idle stays */
guint pm_state_n_chips(PmState *state);
void pm_state_set_idle(PmState *state, gboolean idle);
/* F, X. In: every step of the selection's path becomes a chip; out: the last one. */
gboolean pm_state_filter_selection(PmState *state, gboolean exclude);

/* The tree's levels, at least one; the first also divides the thread-time chart into bands. */
extern const PmAspect pm_state_on_what[3]; /* at first: alike, blocker, site */
void pm_state_set_aspects(PmState *state, const PmAspect *aspects, guint n_aspects);
const PmAspect *pm_state_get_aspects(PmState *state, guint *ret_n);

/* The same of allocations: PmMemoryAspects. */
extern const PmAspect pm_state_memory_first[4]; /* at first: account, class, site, stack trace */
void pm_state_set_memory_aspects(PmState *state, const PmAspect *aspects, guint n_aspects);
const PmAspect *pm_state_get_memory_aspects(PmState *state, guint *ret_n);
/* Live data over time by those aspects, computed by the Memory page; NULL: not yet, or nothing. */
void pm_state_set_memory_series(PmState *state, PmMemorySeries *series);
PmMemorySeries *pm_state_get_memory_series(PmState *state);
/* The same while the Memory page is shown, else NULL: determines what the charts show. */
PmMemorySeries *pm_state_get_chart_memory(PmState *state);

void pm_state_set_page(PmState *state, PmPage page);
PmPage pm_state_get_page(PmState *state);
void pm_state_set_detail(PmState *state, gboolean shown);
gboolean pm_state_get_detail(PmState *state);
void pm_state_set_dark(PmState *state, gboolean dark);
gboolean pm_state_get_dark(PmState *state);
void pm_state_set_high_contrast(PmState *state, gboolean high);
gboolean pm_state_get_high_contrast(PmState *state);

void pm_state_set_search(PmState *state, const char *text); /* "" = none */
const char *pm_state_get_search(PmState *state);
void pm_state_search_step(PmState *state, int direction);
/* Set by the page that searches: the selected row is the `at`-th (from 1; 0 = none) of `n`. */
void pm_state_set_found(PmState *state, guint at, guint n);
guint pm_state_get_found(PmState *state, guint *ret_at);

/* One history of visible range, range, filters, aspects and page. A run of zooms and pans is one
 * step. FALSE if there is nowhere to go. */
gboolean pm_state_back(PmState *state);
gboolean pm_state_forward(PmState *state);
gboolean pm_state_can_back(PmState *state);
gboolean pm_state_can_forward(PmState *state);

/* Results; NULL until the first are computed. */
PmResults *pm_state_get_results(PmState *state);
/* The same, or, until they are ready, only view and tree of the newest range and filters, with the
 * other members NULL. */
PmResults *pm_state_get_tree_results(PmState *state);
PmView *pm_state_get_view(PmState *state);
PmSummary *pm_state_get_summary(PmState *state);
const PmVerdict *pm_state_get_verdict(PmState *state); /* the first finding */
PmCurves *pm_state_get_curves(PmState *state);
/* The worker is running, or has to: what is shown does not yet match the request. */
gboolean pm_state_is_busy(PmState *state);

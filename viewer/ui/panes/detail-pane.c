#include "viewer/ui/panes/detail-pane.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/slices/detail.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/metric.h"
#include "viewer/report/text.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/frames.h"
#include "viewer/ui/widgets/histogram.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/stacked-bar.h"

#define MAX_PARTS 6

#define PM_TYPE_DETAIL_PANE (pm_detail_pane_get_type())
G_DECLARE_FINAL_TYPE(PmDetailPane, pm_detail_pane, PM, DETAIL_PANE, PmScaffold)

#define EXAMPLE_HEADING_PX 40

/* While which wait a thread is gone to: thread 0 = none is. */
struct meanwhile {
    guint32 thread;
    gint64 from, to;
};

struct _PmDetailPane {
    PmScaffold parent_instance;
    PmState *state; /* the scaffold's */
    GtkWidget *content;
    GtkAdjustment *scroll; /* of the content, owned by its scroller */
    GtkWidget *example;    /* box whose children are replaced */
    GtkWidget *position;
    PmJob *job;         /* the scaffold's */
    PmResults *results; /* those the detail is of */
    PmDetail *detail;
    gsize at; /* of the detail's waits */
    struct meanwhile meanwhile;
    gboolean unfolded; /* library frames are shown */
};

G_DEFINE_FINAL_TYPE(PmDetailPane, pm_detail_pane, PM_TYPE_SCAFFOLD)

/* ---- the work: in a worker ---- */

struct question {
    PmResults *results;
    guint n;
    PmPathStep steps[PM_N_ASPECTS];
};

static void question_free(gpointer data)
{
    struct question *question = data;

    pm_results_unref(question->results);
    g_free(question);
}

static gpointer work(gpointer data, const gint *cancel)
{
    struct question *question = data;

    return pm_detail_new(question->results->view, question->steps, question->n, cancel);
}

/* ---- building blocks ---- */

static GtkWidget *number_new(const char *text)
{
    GtkWidget *label = gtk_label_new(text);

    gtk_label_set_xalign(GTK_LABEL(label), 1);
    gtk_widget_add_css_class(label, "numeric");
    return label;
}

static void grid_line(GtkWidget *grid, int line, const char *name, const char *value,
                      const char *tooltip)
{
    GtkWidget *left = pm_element_text(name, PM_TEXT_WRAP, "dim-label");
    GtkWidget *right = pm_element_text(value, PM_TEXT_NAME, "numeric");

    gtk_widget_set_tooltip_text(left, tooltip);
    gtk_label_set_wrap(GTK_LABEL(left), FALSE);
    gtk_widget_set_hexpand(right, TRUE);
    gtk_grid_attach(GTK_GRID(grid), left, 0, line, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), right, 1, line, 1, 1);
}

static GtkWidget *grid_new(void)
{
    GtkWidget *grid = gtk_grid_new();

    gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
    gtk_grid_set_row_spacing(GTK_GRID(grid), 2);
    return grid;
}

static const PmRecording *pane_recording(PmDetailPane *pane)
{
    return pane->detail->view->recording;
}

static const char *thread_name(const PmRecording *recording, guint32 thread)
{
    return thread ? recording->threads[thread].name : "(unknown)";
}

static void family_color(PmDetailPane *pane, GdkRGBA *ret_color)
{
    const PmDetail *detail = pane->detail;
    const guint8 category =
        detail->n ? pm_wait_category(&pane_recording(pane)->waits, detail->longest_row)
                  : PM_CATEGORY_OTHER;

    pm_palette_category(category, 0, pm_state_get_dark(pane->state), ret_color);
}

/* ---- sections ---- */

static void add_head(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    const PmRecording *recording = pane_recording(pane);
    GtkWidget *head = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    const PmUnit time = pm_number_unit(detail->thread_time);
    g_autofree char *sum = pm_number_time(&time, (double)detail->thread_time);
    const gint64 n = pm_rounded((double)detail->n * detail->weight);
    g_autofree char *n_waits = pm_number_plural(n, "wait", "waits");
    g_autofree char *waits = g_strconcat(detail->weight > 1 ? "~" : "", n_waits, NULL);
    g_autofree char *average = pm_label_duration(n ? detail->thread_time / n : 0);
    g_autofree char *time_longest = pm_label_duration(detail->longest);
    g_autofree char *longest = pm_number_bound(pm_detail_longest_is_bound(detail), time_longest);
    g_autoptr(GString) path = g_string_new(NULL);
    const PmPathStep *last = &detail->steps[detail->n_steps - 1];
    g_autofree char *whole = pm_aspect_key_text(recording, last->aspect, last->key);
    const char *callers = /* the section below has them */
        pm_aspect_is_of_frames(last->aspect) ? strstr(whole, " < ") : NULL;
    g_autofree char *title = callers ? g_strdup_printf("%.*s < …", (int)(callers - whole), whole)
                                     : g_steal_pointer(&whole);

    for (guint i = 0; i + 1 < detail->n_steps; i++) {
        g_autofree char *step =
            pm_aspect_key_text(recording, detail->steps[i].aspect, detail->steps[i].key);
        g_string_append_printf(path, "%s%s", i ? " › " : "", step);
    }
    g_autofree char *numbers = g_strdup_printf("%s thread-time in %s, average %s, longest %s", sum,
                                               waits, average, longest);
    gtk_widget_add_css_class(head, "pm-section");
    if (path->len) {
        GtkWidget *above = pm_element_text(path->str, PM_TEXT_ELLIPSIZE, "dim-label");
        gtk_widget_add_css_class(above, "pm-small");
        gtk_box_append(GTK_BOX(head), above);
    }
    gtk_box_append(GTK_BOX(head), pm_element_text(title, PM_TEXT_WRAP, "title-4"));
    gtk_box_append(GTK_BOX(head), pm_element_text(numbers, PM_TEXT_WRAP, NULL));
    if (detail->in_progress) {
        g_autofree char *count = pm_number_plural((gint64)detail->in_progress, "wait", "waits");
        g_autofree char *text = g_strdup_printf("%s still in progress at the end", count);
        gtk_box_append(GTK_BOX(head), pm_element_text(text, PM_TEXT_WRAP, NULL));
    }
    gtk_box_append(GTK_BOX(pane->content), head);
}

static void add_note(GtkWidget *section, const char *text)
{
    GtkWidget *note = pm_element_text(text, PM_TEXT_WRAP, "dim-label");

    gtk_widget_add_css_class(note, "pm-small");
    gtk_box_append(GTK_BOX(section), note);
}

static void add_chain(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    if (!detail->chain)
        return;
    gtk_box_append(GTK_BOX(buttons), pm_element_link("Copy", "page.copy"));
    gtk_box_append(GTK_BOX(buttons), pane->unfolded ? pm_element_link("Fold", "page.fold")
                                                    : pm_element_link("Unfold", "page.unfold"));
    GtkWidget *section = pm_element_section(pane->content, "Stack trace", buttons);
    if (detail->n_chains > 1) {
        g_autofree char *n = pm_number_count(detail->n_chains);
        g_autofree char *text = g_strdup_printf("The one with the most thread-time of %s", n);
        add_note(section, text);
    }
    gtk_box_append(GTK_BOX(section),
                   pm_frames_new(pane_recording(pane), detail->chain, pane->unfolded));
}

static void add_durations(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    GtkWidget *section = pm_element_section(pane->content, "How long", NULL);
    GtkWidget *histogram = pm_histogram_new();
    g_autofree char *p50 = pm_label_duration(detail->p50);
    g_autofree char *p90 = pm_label_duration(detail->p90);
    g_autofree char *p99 = pm_label_duration(detail->p99);
    g_autofree char *text = g_strdup_printf("p50 %s   p90 %s   p99 %s", p50, p90, p99);
    GdkRGBA color;

    family_color(pane, &color);
    pm_histogram_set(PM_HISTOGRAM(histogram), detail, &color, pm_state_get_dark(pane->state));
    gtk_box_append(GTK_BOX(section), histogram);
    gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, NULL));
}

typedef char *(*PartName)(const PmRecording *recording, guint64 key);

static char *group_name(const PmRecording *recording, guint64 key)
{
    const PmGroup *group = &recording->groups[key];

    return group->n_threads > 1 ? g_strdup_printf("%s (%u)", group->name, group->n_threads)
                                : g_strdup(group->name);
}

static char *cause_name(const PmRecording *recording, guint64 key)
{
    return pm_aspect_key_text(recording, PM_ASPECT_CAUSE_SITE, key);
}

static char *owner_name(const PmRecording *recording, guint64 key)
{
    return g_strdup(recording->threads[key].name);
}

static char *waker_name(const PmRecording *recording, guint64 key)
{
    return pm_aspect_key_text(recording, PM_ASPECT_WAKER_SITE, key);
}

static char *wake_cause_name(const PmRecording *recording, guint64 key)
{
    return pm_aspect_key_text(recording, PM_ASPECT_WAKE_CAUSE, key);
}

/* Lines of name, bar, percentage of the selection's time. */
static void add_parts(PmDetailPane *pane, GtkWidget *section, const GArray *parts, PartName name)
{
    const PmDetail *detail = pane->detail;
    GtkWidget *grid = grid_new();
    PmNameLabel *labels[MAX_PARTS];
    GdkRGBA color, outline;

    family_color(pane, &color);
    pm_palette_color(PM_COLOR_GRID, pm_state_get_dark(pane->state), &outline);
    for (guint i = 0; i < MIN(parts->len, MAX_PARTS); i++) {
        const PmDetailPart *part = &g_array_index(parts, PmDetailPart, i);
        const double share = detail->thread_time
                                 ? (double)part->thread_time / (double)detail->thread_time
                                 : (double)part->count / (double)MAX(detail->n, 1);
        g_autofree char *key = name(pane_recording(pane), part->key);
        g_autofree char *plain = pm_frame_text_short(key);
        g_autofree char *text =
            g_strconcat(2 * part->inferred_time > part->thread_time ? "~" : "", plain, NULL);
        g_autofree char *percent = pm_number_percent(share);
        g_autofree char *count = pm_number_plural(part->count, "wait", "waits");
        g_autofree char *sentence = g_strdup_printf("%s: %s, %s", text, percent, count);
        GtkWidget *label = pm_element_text(text, PM_TEXT_NAME, NULL), *bar = pm_stacked_bar_new(8);
        pm_stacked_bar_set(PM_STACKED_BAR(bar), &(PmBarPart){share, color, FALSE}, 1, &outline,
                           sentence);
        gtk_widget_set_hexpand(label, TRUE);
        gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
        gtk_widget_set_size_request(bar, 48, -1);
        GtkWidget *number = number_new(percent);
        gtk_widget_set_tooltip_text(number, count);
        labels[i] = PM_NAME_LABEL(label);
        gtk_grid_attach(GTK_GRID(grid), label, 0, (int)i, 1, 1);
        gtk_grid_attach(GTK_GRID(grid), bar, 1, (int)i, 1, 1);
        gtk_grid_attach(GTK_GRID(grid), number, 2, (int)i, 1, 1);
    }
    pm_name_labels_tell_apart(labels, MIN(parts->len, MAX_PARTS));
    gtk_box_append(GTK_BOX(section), grid);
    if (parts->len > MAX_PARTS) {
        g_autofree char *more = pm_number_count(parts->len - MAX_PARTS);
        g_autofree char *text = g_strdup_printf("%s more", more);
        gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, "dim-label"));
    }
}

/* What is told of very many waits comes from some of them. */
static void add_estimate(PmDetailPane *pane, GtkWidget *section)
{
    g_autofree char *n = pm_number_count((gint64)pane->detail->n_followed);
    g_autofree char *text = g_strdup_printf("Estimated from %s of the waits", n);

    if (pane->detail->estimated)
        gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, "dim-label"));
}

static void add_who(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    const PmRecording *recording = pane_recording(pane);

    if (detail->groups->len)
        add_parts(pane, pm_element_section(pane->content, "Waiters by group", NULL), detail->groups,
                  group_name);
    GtkWidget *owned = pm_element_section(pane->content, "Owned by", NULL);
    if (detail->owners->len) {
        add_parts(pane, owned, detail->owners, owner_name);
        add_estimate(pane, owned);
    } else {
        const PmStateText *text = pm_state_text_get(PM_STATE_OWNER_NOT_KNOWN);
        const PmBlocker *blocker = &recording->blockers[detail->blocker];
        g_autofree char *class = pm_label_class(recording->classes[blocker->class_index].name);
        g_autofree char *body =
            pm_state_text_fill(text->body, "class", *class ? class : "(none)", NULL);
        gtk_box_append(GTK_BOX(owned), pm_element_text(body, PM_TEXT_WRAP, "dim-label"));
    }
    if (detail->wakers->len)
        add_parts(pane, pm_element_section(pane->content, "Woken by", NULL), detail->wakers,
                  waker_name);
    if (detail->wake_causes->len)
        add_parts(pane, pm_element_section(pane->content, "Ended by", NULL), detail->wake_causes,
                  wake_cause_name);
}

/* Who made the waits last: the sites, and the whole chain that did most. */
static void add_causes(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;

    if (!detail->causes->len)
        return;
    GtkWidget *section = pm_element_section(pane->content, "Caused by", NULL);
    add_parts(pane, section, detail->causes, cause_name);
    add_estimate(pane, section);
    if (!detail->cause_chain)
        return;
    add_note(section, "Stack trace of the biggest known cause");
    gtk_box_append(GTK_BOX(section),
                   pm_frames_new(pane_recording(pane), detail->cause_chain, pane->unfolded));
}

static const struct {
    const char *title, *field; /* of the table of metrics */
    enum { COUNT, TIME, PERCENT } unit;
    gboolean may_be_bound;
} metrics[] = {
    {"Times parked", "times_parked", COUNT},
    {"Parked now", "parked_now", COUNT},
    {"Peak parked", "peak_parked", COUNT, TRUE},
    {"Parking thread-time", "thread_time_ns", TIME},
    {"Parking real-time", "real_time_ns", TIME, TRUE},
    {"Average parking time", "avg_park_ns", TIME},
    {"Average hold time", "avg_hold_ns", TIME},
    {"Real-time utilisation", "real_time_util", PERCENT},
    {"Thread-time utilisation", "thread_time_util", PERCENT},
    {"Real-life-time utilisation", "real_life_time_util", PERCENT},
    {"Thread-life-time utilisation", "thread_life_time_util", PERCENT},
    {"Longest", "longest_ns", TIME},
    {"p99", "p99_ns", TIME},
};

static void metric_line(GtkWidget *grid, int line, guint metric, const PmMetricsRow *row)
{
    const double value = pm_metric_number(pm_metric_find(metrics[metric].field), row);
    const gboolean bound = metrics[metric].may_be_bound && row->bound;
    g_autofree char *text = metrics[metric].unit == COUNT     ? pm_number_count((gint64)value)
                            : metrics[metric].unit == PERCENT ? pm_number_percent(value)
                            : isnan(value)                    ? g_strdup("–")
                                                              : pm_label_duration((gint64)value);
    g_autofree char *marked = pm_number_bound(bound, text);

    grid_line(grid, line, metrics[metric].title, marked, NULL);
}

static void add_metrics_row(PmDetailPane *pane, const PmMetricsRow *row)
{
    const PmRecording *recording = pane_recording(pane);
    const PmBlocker *blocker = &recording->blockers[row->blocker];
    g_autofree char *title =
        g_strdup_printf("Blocker, %s", pm_category_wait_title(row->category, row->kind));
    g_autofree char *hash = pm_label_hash(recording, row->blocker);
    GtkWidget *section = pm_element_section(pane->content, title, NULL), *grid = grid_new();
    int line = 0;

    grid_line(grid, line++, "Class name", recording->classes[blocker->class_index].name, NULL);
    grid_line(grid, line++, "Hash code", hash ? hash : "–", NULL);
    if (blocker->parent) {
        g_autofree char *parent = pm_label_blocker(recording, blocker->parent);
        grid_line(grid, line++, "Behind it", parent, "The lock that the condition belongs to");
    }
    grid_line(grid, line++, "Category", pm_category_name(row->category), NULL);
    grid_line(grid, line++, "First thread", thread_name(recording, row->first_thread), NULL);
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
        metric_line(grid, line++, i, row);
    gtk_box_append(GTK_BOX(section), grid);
}

/* The thesis' metrics, when the selection is about one blocker. */
static void add_metrics(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    const PmMetrics *of_view = pane->results->metrics;

    if (detail->n_blockers != 1 || !of_view || pane->results->view != detail->view)
        return; /* the last: the detail of these results is being made */
    for (gsize i = 0; i < of_view->n; i++)
        if (of_view->rows[i].blocker == detail->blocker)
            add_metrics_row(pane, &of_view->rows[i]);
}

/* ---- examples ---- */

static void enable(PmDetailPane *pane, const char *name, gboolean enabled)
{
    GActionMap *actions = pm_scaffold_get_actions(PM_SCAFFOLD(pane));

    g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(actions, name)),
                                enabled);
}

static void show_example(PmDetailPane *pane)
{
    const PmDetail *detail = pane->detail;
    const PmRecording *recording = pane_recording(pane);
    const PmWaits *waits = &recording->waits;
    const guint32 row = pm_detail_row(detail, pane->at);
    const gboolean going = (pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) != 0;
    const gboolean before = (pm_wait_flags(waits, row) & PM_WAIT_BEGIN_UNKNOWN) != 0;
    g_autofree char *at = pm_number_count((gint64)pane->at + 1);
    g_autofree char *n = pm_number_count((gint64)detail->n);
    g_autofree char *position = g_strdup_printf("%s of %s", at, n);
    g_autofree char *clock = pm_label_clock(recording, pm_wait_begin(waits, row), 6);
    g_autofree char *begin = g_strconcat(before ? "before " : "", clock, NULL);
    g_autofree char *time = pm_label_duration(pm_wait_end(waits, row) - pm_wait_begin(waits, row));
    g_autofree char *marked = pm_number_bound(going || before, time);
    g_autofree char *duration = g_strconcat(marked, going ? ", still waiting" : "", NULL);
    g_autofree char *blocker = pm_label_blocker(recording, pm_wait_blocker(waits, row));
    g_autofree char *site = pm_aspect_key_text(recording, PM_ASPECT_SITE,
                                               pm_aspect_key(recording, PM_ASPECT_SITE, row));
    GtkWidget *grid = grid_new();
    int line = 0;

    gtk_label_set_text(GTK_LABEL(pane->position), position);
    pm_element_clear(pane->example);
    grid_line(grid, line++, "Begin", begin, NULL);
    grid_line(grid, line++, "Duration", duration, NULL);
    grid_line(grid, line++, "Thread", thread_name(recording, pm_wait_thread(waits, row)), NULL);
    grid_line(grid, line++, "On", blocker, NULL);
    grid_line(grid, line++, "In", site, NULL);
    if (pm_wait_owner(waits, row))
        grid_line(grid, line++, "Owner", thread_name(recording, pm_wait_owner(waits, row)), NULL);
    if (!going) {
        g_autofree char *cause = pm_aspect_key_text(
            recording, PM_ASPECT_WAKE_CAUSE, pm_aspect_key(recording, PM_ASPECT_WAKE_CAUSE, row));
        grid_line(grid, line++, "Ended by", cause, NULL);
    }
    if (pm_wait_waker(waits, row))
        grid_line(grid, line++, "Woken by", thread_name(recording, pm_wait_waker(waits, row)),
                  NULL);
    gtk_box_append(GTK_BOX(pane->example), grid);
    enable(pane, "previous-wait", pane->at > 0);
    enable(pane, "next-wait", pane->at + 1 < detail->n);
}

static GtkWidget *step_button_new(const char *icon, const char *name, const char *action)
{
    GtkWidget *button = pm_element_icon_button(icon, action, name);

    gtk_widget_add_css_class(button, "flat");
    gtk_widget_add_css_class(button, "pm-link");
    return button;
}

static void add_examples(PmDetailPane *pane)
{
    GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);

    pane->position = number_new(NULL);
    gtk_box_append(GTK_BOX(buttons),
                   step_button_new("go-previous-symbolic", "Previous wait", "page.previous-wait"));
    gtk_box_append(GTK_BOX(buttons), pane->position);
    gtk_box_append(GTK_BOX(buttons),
                   step_button_new("go-next-symbolic", "Next wait", "page.next-wait"));
    GtkWidget *section = pm_element_section(pane->content, "Examples", buttons);
    pane->example = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(section), pane->example);
    show_example(pane);
}

/* ---- what is shown, and when ---- */

/* What is selected made others wait: its stack trace matters more than theirs. */
static gboolean is_of_culprit(const PmDetail *detail)
{
    const PmAspect last = detail->steps[detail->n_steps - 1].aspect;

    return last >= PM_ASPECT_CAUSE && last <= PM_ASPECT_CAUSE_SITE;
}

static void rebuild(PmDetailPane *pane)
{
    pm_element_clear(pane->content);
    pane->example = pane->position = NULL;
    if (!pane->detail || !pane->detail->n) {
        if (pane->detail) {
            const PmPathStep *last = &pane->detail->steps[pane->detail->n_steps - 1];
            g_autofree char *name =
                pm_aspect_key_text(pane_recording(pane), last->aspect, last->key);
            const char *pairs[] = {"name", name, NULL};
            pm_scaffold_show_state(PM_SCAFFOLD(pane), PM_STATE_SELECTION_EMPTY, pairs);
        } else {
            pm_scaffold_show_state(PM_SCAFFOLD(pane), PM_STATE_NOTHING_SELECTED, NULL);
        }
        return;
    }
    add_head(pane);
    if (is_of_culprit(pane->detail)) {
        add_causes(pane);
        add_chain(pane);
    } else {
        add_chain(pane);
        add_causes(pane);
    }
    add_durations(pane);
    add_who(pane);
    add_examples(pane);
    add_metrics(pane);
    pm_scaffold_show_content(PM_SCAFFOLD(pane));
}

/* The wait of the thread gone to that overlaps longest with the one left; FALSE: none does, or
 * something else was selected since. */
static gboolean find_meanwhile(PmDetailPane *pane, gsize *ret_at)
{
    const PmDetail *detail = pane->detail;
    const struct meanwhile *of = &pane->meanwhile;
    gint64 longest = 0;

    if (!of->thread || detail->n_steps != 1 || detail->steps[0].aspect != PM_ASPECT_THREAD ||
        detail->steps[0].key != of->thread)
        return FALSE;
    for (gsize i = 0; i < detail->n; i++) {
        const PmWaits *waits = &pane_recording(pane)->waits;
        const guint32 row = pm_detail_row(detail, i);
        const gint64 from = MAX(pm_wait_begin(waits, row), of->from);
        const gint64 to = MIN(pm_wait_end(waits, row), of->to);
        if (to - from > longest) {
            longest = to - from;
            *ret_at = i;
        }
    }
    return longest > 0;
}

/* Once the pane is laid out anew. */
static gboolean show_example_in_full(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    PmDetailPane *pane = PM_DETAIL_PANE(widget);
    graphene_rect_t place;

    if (pane->example && gtk_widget_compute_bounds(pane->example, pane->content, &place))
        gtk_adjustment_clamp_page(pane->scroll, place.origin.y - EXAMPLE_HEADING_PX,
                                  place.origin.y + place.size.height);
    return G_SOURCE_REMOVE;
}

static void work_done(gpointer answer, gpointer data)
{
    PmDetailPane *pane = data;
    PmDetail *old = pane->detail;
    const gboolean same =
        old && old->n_steps == ((PmDetail *)answer)->n_steps &&
        !memcmp(old->steps, ((PmDetail *)answer)->steps, old->n_steps * sizeof *old->steps);

    pane->detail = answer;
    if (!same)
        pane->at = 0;
    const gboolean found = find_meanwhile(pane, &pane->at);
    pane->meanwhile = (struct meanwhile){0};
    pane->at = MIN(pane->at, pane->detail->n ? pane->detail->n - 1 : 0);
    pm_detail_free(old);
    rebuild(pane);
    if (found)
        gtk_widget_add_tick_callback(GTK_WIDGET(pane), show_example_in_full, NULL, NULL);
}

static void pm_detail_pane_show(PmScaffold *scaffold)
{
    PmDetailPane *pane = PM_DETAIL_PANE(scaffold);
    const PmSelection *selection = pm_state_get_selection(pane->state);
    PmResults *results = pm_state_get_results(pane->state);

    if (!results || !selection->n) {
        pm_job_stop(pane->job);
        g_clear_pointer(&pane->detail, pm_detail_free);
        rebuild(pane);
        return;
    }
    struct question *question = g_new0(struct question, 1);
    question->results = pm_results_ref(results);
    for (guint i = 0; i < selection->n; i++)
        question->steps[question->n++] = (PmPathStep){selection->aspects[i], selection->keys[i]};
    g_clear_pointer(&pane->results, pm_results_unref);
    pane->results = pm_results_ref(results);
    pm_job_ask(pane->job, question);
}

static void pm_detail_pane_changed(PmScaffold *scaffold, guint mask)
{
    PmDetailPane *pane = PM_DETAIL_PANE(scaffold);

    if (mask & PM_CHANGE_RECORDING) /* another recording's keys mean other things */
        g_clear_pointer(&pane->detail, pm_detail_free);
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_DARK))
        rebuild(pane);
}

/* ---- actions ---- */

static void step_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmDetailPane *pane = data;
    const gboolean next = g_str_equal(g_action_get_name(G_ACTION(action)), "next-wait");

    if (!pane->detail || (next ? pane->at + 1 >= pane->detail->n : pane->at == 0))
        return;
    pane->at += next ? 1 : -1;
    show_example(pane);
}

static void fold_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmDetailPane *pane = data;

    pane->unfolded = g_str_equal(g_action_get_name(G_ACTION(action)), "unfold");
    rebuild(pane);
}

/* A name between stars, that a name cannot end or turn into a link. */
static void append_strong(GString *out, const char *text)
{
    g_string_append(out, "**");
    for (; *text; text++) {
        if (strchr("\\`*_[]<>&~|!", *text))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    g_string_append(out, "**\n\n");
}

/* A fence that nothing in `text` can close. */
static void append_fenced(GString *out, const char *text)
{
    gsize longest = 2;

    for (const char *p = text; *p; p++) {
        const gsize n = strspn(p, "`");
        longest = MAX(longest, n);
        p += n > 0 ? n - 1 : 0;
    }
    g_autofree char *fence = g_strnfill(longest + 1, '`');
    g_string_append_printf(out, "%s\n%s%s\n", fence, text, fence);
}

static void copy_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmDetailPane *pane = data;
    const gboolean markdown = g_str_equal(g_action_get_name(G_ACTION(action)), "copy-markdown");
    g_autoptr(GString) frames = g_string_new(NULL);
    g_autoptr(GString) text = g_string_new(NULL);

    if (!pane->detail || !pane->detail->chain)
        return;
    const PmRecording *recording = pane_recording(pane);
    const PmChain *chain = &recording->chains[pane->detail->chain];
    const PmPathStep *last = &pane->detail->steps[pane->detail->n_steps - 1];
    for (guint i = 0; i < chain->n_frames; i++) {
        g_autofree char *frame = pm_label_frame_full(recording, chain->frames[i]);
        g_autofree char *clean = pm_text_clean(frame);
        g_string_append_printf(frames, "    at %s\n", clean);
    }
    if (markdown) {
        g_autofree char *title = pm_aspect_key_text(recording, last->aspect, last->key);
        g_autofree char *clean = pm_text_clean(title);
        append_strong(text, clean);
        append_fenced(text, frames->str);
    } else {
        g_string_append(text, frames->str);
    }
    pm_element_copy(GTK_WIDGET(pane), text->str);
}

/* To the owner or the waker of the example that is shown, and what that thread waited for meanwhile
 * itself, if it did. */
static void go_thread_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmDetailPane *pane = data;
    const gboolean owner = g_str_equal(g_action_get_name(G_ACTION(action)), "go-owner");

    if (!pane->detail || !pane->detail->n)
        return;
    const PmWaits *waits = &pane_recording(pane)->waits;
    const guint32 row = pm_detail_row(pane->detail, pane->at);
    const guint32 thread = owner ? pm_wait_owner(waits, row) : pm_wait_waker(waits, row);
    if (!thread)
        return;
    pane->meanwhile =
        (struct meanwhile){thread, pm_wait_begin(waits, row), pm_wait_end(waits, row)};
    pm_state_select_key(pane->state, PM_ASPECT_THREAD, thread);
}

static void go_blocker_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmDetailPane *pane = user_data;

    if (pane->detail && pane->detail->blocker) {
        pm_state_select_key(pane->state, PM_ASPECT_BLOCKER, pane->detail->blocker);
        pm_state_set_page(pane->state, PM_PAGE_BLOCKERS);
    }
}

/* ---- the widget ---- */

static void pm_detail_pane_finalize(GObject *object)
{
    PmDetailPane *pane = PM_DETAIL_PANE(object);

    pm_detail_free(pane->detail);
    pm_results_unref(pane->results);
    G_OBJECT_CLASS(pm_detail_pane_parent_class)->finalize(object);
}

static void pm_detail_pane_class_init(PmDetailPaneClass *class)
{
    G_OBJECT_CLASS(class)->finalize = pm_detail_pane_finalize;
    PM_SCAFFOLD_CLASS(class)->show = pm_detail_pane_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_detail_pane_changed;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_REGION);
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-detail");
}

static void pm_detail_pane_init(PmDetailPane *pane)
{
}

GtkWidget *pm_detail_pane_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    static const GActionEntry actions[] = {
        {.name = "previous-wait", .activate = step_action},
        {.name = "next-wait", .activate = step_action},
        {.name = "unfold", .activate = fold_action},
        {.name = "fold", .activate = fold_action},
        {.name = "copy", .activate = copy_action},
        {.name = "copy-markdown", .activate = copy_action},
        {.name = "go-owner", .activate = go_thread_action},
        {.name = "go-waker", .activate = go_thread_action},
        {.name = "go-blocker", .activate = go_blocker_action},
    };
    PmDetailPane *pane = g_object_new(PM_TYPE_DETAIL_PANE, NULL);
    GtkWidget *scroller = gtk_scrolled_window_new();

    pane->state = state;
    pane->job = pm_job_new(work, question_free, (GDestroyNotify)pm_detail_free, work_done, pane);
    pane->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), pane->content);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    pane->scroll = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    pm_element_set_name(GTK_WIDGET(pane), "Details");
    pm_scaffold_set_up(PM_SCAFFOLD(pane), state, NULL, scroller,
                       PM_CHANGE_SELECTION | PM_CHANGE_RESULTS | PM_CHANGE_RECORDING);
    pm_scaffold_set_job(PM_SCAFFOLD(pane), pane->job);
    pm_scaffold_add_actions(PM_SCAFFOLD(pane), actions, G_N_ELEMENTS(actions), pane);
    rebuild(pane);
    return GTK_WIDGET(pane);
}

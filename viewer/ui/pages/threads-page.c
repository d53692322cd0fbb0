#include "viewer/ui/pages/threads-page.h"

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/ui/model/job.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/focus.h"
#include "viewer/ui/widgets/lane-cell.h"
#include "viewer/ui/widgets/page-style.h"

#define GROUP_SLICES 320
/* Slices of all threads' lanes together: bounds their memory. */
#define THREAD_CELLS (1u << 20)

#define PM_TYPE_THREADS_PAGE (pm_threads_page_get_type())
G_DECLARE_FINAL_TYPE(PmThreadsPage, pm_threads_page, PM, THREADS_PAGE, GtkWidget)

struct _PmThreadsPage {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *box, *count;
    PmGrid *grid;
    PmJob *job;
    gboolean stale;
};

G_DEFINE_FINAL_TYPE(PmThreadsPage, pm_threads_page, GTK_TYPE_WIDGET)

/* ---- the work: in a worker ---- */

struct question {
    PmRecording *recording;
    PmFilter *filter; /* chips, with idle */
    gint64 range_from, range_to;
    gint64 from, to; /* visible: what the lanes span */
};

struct answer {
    PmThreadTimes *times;
    PmLanes *groups, *threads;
};

static void question_free(gpointer data)
{
    struct question *question = data;

    pm_recording_unref(question->recording);
    pm_filter_free(question->filter);
    g_free(question);
}

static void answer_free(gpointer data)
{
    struct answer *answer = data;

    pm_thread_times_free(answer->times);
    pm_lanes_free(answer->groups);
    pm_lanes_free(answer->threads);
    g_free(answer);
}

static gpointer work(gpointer data, const gint *cancel)
{
    struct question *question = data;
    struct answer *answer = g_new0(struct answer, 1);
    g_autoptr(PmView) whole = NULL, range = NULL;
    const guint n_threads = question->recording->n_threads;

    question->filter->from = question->filter->to = 0;
    whole = pm_view_new(question->recording, question->filter, cancel);
    question->filter->from = question->range_from;
    question->filter->to = question->range_to;
    if (whole)
        range = question->range_from < question->range_to
                    ? pm_view_new(question->recording, question->filter, cancel)
                    : pm_view_ref(whole);
    if (range)
        answer->times = pm_thread_times_new(range, cancel);
    if (answer->times)
        answer->groups = pm_lanes_new(whole, PM_LANE_GROUP, -1, question->from, question->to,
                                      GROUP_SLICES, cancel);
    if (answer->groups)
        answer->threads =
            pm_lanes_new(whole, PM_LANE_THREAD, -1, question->from, question->to,
                         CLAMP(THREAD_CELLS / MAX(n_threads, 1), 8, GROUP_SLICES / 2), cancel);
    if (!answer->threads)
        g_clear_pointer(&answer, answer_free);
    return answer;
}

/* ---- what rows show ---- */

/* An item is a group or a thread. */
struct item {
    gboolean is_thread;
    guint32 index;
    const PmThreadTime *time;
};

struct rows {
    struct answer *answer;
    gboolean dark;
    guint n_groups;
    struct item *groups, *threads; /* threads: by index */
    gpointer *group_items;
    gpointer **thread_items; /* by group */
    PmUnit time, longest;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    for (guint g = 0; g < rows->answer->times->n_groups; g++)
        g_free(rows->thread_items[g]);
    g_free(rows->thread_items);
    g_free(rows->group_items);
    g_free(rows->groups);
    g_free(rows->threads);
    answer_free(rows->answer);
}

static gpointer rows_ref(gpointer rows)
{
    return g_rc_box_acquire(rows);
}

static void rows_unref(gpointer rows)
{
    g_rc_box_release_full(rows, rows_clear);
}

/* Takes the answer. Cost: the number of threads. */
static struct rows *rows_new(struct answer *answer, gboolean dark)
{
    struct rows *rows = g_rc_box_new0(struct rows);
    const PmThreadTimes *times = answer->times;
    gint64 time = 0, longest = 0;

    rows->answer = answer;
    rows->dark = dark;
    rows->groups = g_new0(struct item, times->n_groups + 1);
    rows->threads = g_new0(struct item, times->n_threads + 1);
    rows->group_items = g_new0(gpointer, times->n_groups + 1);
    rows->thread_items = g_new0(gpointer *, times->n_groups + 1);
    for (guint32 g = 0; g < times->n_groups; g++) {
        if (!times->n_of_group[g])
            continue;
        rows->groups[g] = (struct item){FALSE, g, &times->groups[g]};
        rows->group_items[rows->n_groups++] = &rows->groups[g];
        rows->thread_items[g] = g_new0(gpointer, times->n_of_group[g] + 1);
        for (guint32 i = 0; i < times->n_of_group[g]; i++) {
            const guint32 t = times->of_group[g][i];
            rows->threads[t] = (struct item){TRUE, t, &times->threads[t]};
            rows->thread_items[g][i] = &rows->threads[t];
        }
        time = MAX(time, pm_thread_time_waiting(&times->groups[g]));
        longest = MAX(longest, times->groups[g].longest);
    }
    rows->time = pm_number_unit(time);
    rows->longest = pm_number_unit(longest);
    return rows;
}

static gpointer *item_children(gpointer item, gpointer data, guint *ret_n)
{
    struct rows *rows = data;
    const struct item *parent = item;

    if (!parent) {
        *ret_n = rows->n_groups;
        return rows->group_items;
    }
    *ret_n = rows->answer->times->n_of_group[parent->index];
    return rows->thread_items[parent->index];
}

static gboolean item_has_children(gpointer item, gpointer data)
{
    const struct item *group = item;

    return !group->is_thread && ((struct rows *)data)->answer->times->n_of_group[group->index] > 1;
}

static guint64 item_key(gpointer item, gpointer data)
{
    return ((struct item *)item)->index;
}

static const PmRecording *rows_recording(gpointer data)
{
    return ((struct rows *)data)->answer->times->view->recording;
}

static guint32 n_threads(const struct item *item, gpointer data)
{
    return item->is_thread ? 1 : ((struct rows *)data)->answer->times->n_of_group[item->index];
}

static char *name_text(gpointer data_item, gpointer data)
{
    const struct item *item = data_item;
    const PmRecording *recording = rows_recording(data);

    if (item->is_thread)
        return g_strdup(recording->threads[item->index].name);
    return g_strdup(recording->groups[item->index].shown);
}

static double threads_value(gpointer item, gpointer data)
{
    return n_threads(item, data);
}

static char *threads_text(gpointer item, gpointer data)
{
    return ((struct item *)item)->is_thread ? g_strdup("") : pm_number_count(n_threads(item, data));
}

static double waiting_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return time->life ? (double)pm_thread_time_waiting(time) / (double)time->life : 0;
}

static char *waiting_text(gpointer item, gpointer data)
{
    return pm_number_percent(waiting_value(item, data));
}

static double idle_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return time->life ? (double)time->family[PM_FAMILY_IDLE] / (double)time->life : 0;
}

static char *idle_text(gpointer item, gpointer data)
{
    return pm_number_percent(idle_value(item, data));
}

static double time_value(gpointer item, gpointer data)
{
    return (double)pm_thread_time_waiting(((struct item *)item)->time);
}

static char *time_text(gpointer item, gpointer data)
{
    return pm_number_time(&((struct rows *)data)->time, time_value(item, data));
}

static double waits_value(gpointer item, gpointer data)
{
    return (double)((struct item *)item)->time->waits;
}

static char *waits_text(gpointer item, gpointer data)
{
    return pm_number_count(((struct item *)item)->time->waits);
}

static double longest_value(gpointer item, gpointer data)
{
    return (double)((struct item *)item)->time->longest;
}

static char *longest_text(gpointer item, gpointer data)
{
    return pm_number_time(&((struct rows *)data)->longest, longest_value(item, data));
}

static GtkWidget *lane_make(gpointer data)
{
    return pm_lane_cell_new();
}

static void lane_bind(GtkWidget *widget, gpointer data_item, guint depth, gpointer data)
{
    const struct item *item = data_item;
    struct rows *rows = data;
    g_autofree char *waiting = waiting_text(data_item, data);
    g_autofree char *idle = idle_text(data_item, data);
    g_autofree char *label = g_strdup_printf("Waiting %s of its life, idle %s", waiting, idle);

    pm_lane_cell_set(PM_LANE_CELL(widget),
                     item->is_thread ? rows->answer->threads : rows->answer->groups, item->index,
                     n_threads(item, data), rows->dark, label);
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"name", "Thread", "Group: thread name with its last number left out", 0, PM_GRID_NAME, name_text},
    {.id = "lane", .title = "Waiting over time", .tooltip = "Threads that wait, by what it means; full height = all threads of the group; grey on top = idle", .flags = PM_GRID_WIDE, .make = lane_make, .bind = lane_bind},
    {"threads", "Threads", "That live in the range", 72, PM_GRID_NUMBER | PM_GRID_SPARE, threads_text, threads_value},
    {"waiting", "Waiting", "Part of their life in which they wait, idle left out", 76, PM_GRID_NUMBER, waiting_text, waiting_value},
    {"idle", "Idle", "Part of their life in which they wait for work", 76, PM_GRID_NUMBER | PM_GRID_SPARE, idle_text, idle_value},
    {"time", "Thread-time", "Waiting time without idle", 108, PM_GRID_NUMBER, time_text, time_value},
    {"waits", "Waits", "All waits, idle too", 84, PM_GRID_NUMBER | PM_GRID_SPARE, waits_text, waits_value},
    {"longest", "Longest", "The longest wait that is not idle", 84, PM_GRID_NUMBER | PM_GRID_SPARE, longest_text, longest_value},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Threads by group",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = 5,
    .is_tree = TRUE,
    .children = item_children,
    .has_children = item_has_children,
    .key = item_key,
    .ref_data = rows_ref,
    .unref_data = rows_unref,
};

/* ---- rows and the state ---- */

static void show_selection(PmThreadsPage *page)
{
    const PmSelection *selection = pm_state_get_selection(page->state);
    const PmRecording *recording = pm_state_get_recording(page->state);
    PmAspect aspect;
    guint64 key;

    if (recording && pm_selection_key(selection, &aspect, &key)) {
        if (aspect == PM_ASPECT_GROUP && pm_grid_select(page->grid, &key, 1))
            return;
        if (aspect == PM_ASPECT_THREAD && key < recording->n_threads) {
            const guint64 path[] = {recording->threads[key].group, key};
            if (pm_grid_select(page->grid, path, 2))
                return;
        }
    }
    pm_grid_select(page->grid, NULL, 0);
}

static void work_done(gpointer answer, gpointer data)
{
    PmThreadsPage *page = data;
    struct rows *rows = rows_new(answer, pm_state_get_dark(page->state));
    const PmRecording *recording = rows_recording(rows);
    g_autofree char *threads =
        pm_number_plural(recording->n_threads ? recording->n_threads - 1 : 0, "thread", "threads");
    g_autofree char *groups = pm_number_plural(rows->n_groups, "group", "groups");
    g_autofree char *count = g_strdup_printf("%s in %s", threads, groups);

    gtk_label_set_text(GTK_LABEL(page->count), count);
    pm_grid_set_data(page->grid, rows, pm_state_is_dragging(page->state));
    rows_unref(rows);
    show_selection(page);
}

static void ask(PmThreadsPage *page)
{
    PmRecording *recording = pm_state_get_recording(page->state);
    struct question *question;

    if (!gtk_widget_get_mapped(GTK_WIDGET(page))) {
        page->stale = TRUE;
        return;
    }
    page->stale = FALSE;
    if (!recording) {
        pm_grid_set_data(page->grid, NULL, FALSE);
        gtk_label_set_text(GTK_LABEL(page->count), "");
        return;
    }
    question = g_new0(struct question, 1);
    question->recording = pm_recording_ref(recording);
    question->filter = pm_filter_copy(pm_state_get_filter(page->state));
    question->filter->idle = TRUE;
    if (!pm_state_get_range(page->state, &question->range_from, &question->range_to))
        question->range_from = question->range_to = 0;
    pm_state_get_visible(page->state, &question->from, &question->to);
    pm_job_ask(page->job, question);
}

static void pm_threads_page_map(GtkWidget *widget)
{
    GTK_WIDGET_CLASS(pm_threads_page_parent_class)->map(widget);
    if (PM_THREADS_PAGE(widget)->stale)
        ask(PM_THREADS_PAGE(widget));
}

static void row_selected(PmGrid *grid, PmThreadsPage *page)
{
    gpointer items[2];
    const guint n = pm_grid_get_selected(grid, items, 2);

    if (n) {
        const struct item *item = items[n - 1];
        pm_state_select_key(page->state, item->is_thread ? PM_ASPECT_THREAD : PM_ASPECT_GROUP,
                            item->index);
    } else {
        pm_state_set_selection(page->state, NULL);
    }
}

static void row_activated(PmGrid *grid, PmThreadsPage *page)
{
    pm_state_set_detail(page->state, TRUE);
}

static void state_changed(PmState *state, guint mask, PmThreadsPage *page)
{
    if (mask & PM_CHANGE_RECORDING)
        pm_grid_set_data(page->grid, NULL, FALSE);
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_FILTER | PM_CHANGE_RANGE |
                PM_CHANGE_VISIBLE | PM_CHANGE_DARK))
        ask(page);
    else if (mask & PM_CHANGE_SELECTION)
        show_selection(page);
    if (mask & PM_CHANGE_SEARCH)
        pm_grid_search(page->grid, pm_state_get_search(state), +1);
}

static void search_stepped(PmState *state, int direction, PmThreadsPage *page)
{
    pm_grid_search(page->grid, pm_state_get_search(state), direction);
}

static void copy_row(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmThreadsPage *page = user_data;

    pm_grid_copy(page->grid);
}

/* ---- the widget ---- */

static gboolean pm_threads_page_grab_focus(GtkWidget *widget)
{
    PmThreadsPage *page = PM_THREADS_PAGE(widget);

    if (!gtk_widget_grab_focus(GTK_WIDGET(page->grid)))
        return FALSE;
    if (!pm_state_get_selection(page->state)->n)
        pm_grid_select_first(page->grid);
    return TRUE;
}

static void pm_threads_page_dispose(GObject *object)
{
    PmThreadsPage *page = PM_THREADS_PAGE(object);

    if (page->state)
        g_signal_handlers_disconnect_by_data(page->state, page);
    g_clear_pointer(&page->job, pm_job_free);
    g_clear_pointer(&page->box, gtk_widget_unparent);
    g_clear_object(&page->state);
    G_OBJECT_CLASS(pm_threads_page_parent_class)->dispose(object);
}

static void pm_threads_page_class_init(PmThreadsPageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_threads_page_dispose;
    widget_class->grab_focus = pm_threads_page_grab_focus;
    widget_class->focus = pm_focus_child;
    widget_class->map = pm_threads_page_map;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_css_name(widget_class, "pm-threads-page");
}

static void pm_threads_page_init(PmThreadsPage *page)
{
    static const GActionEntry actions[] = {{.name = "copy", .activate = copy_row}};
    g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

    g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), page);
    gtk_widget_insert_action_group(GTK_WIDGET(page), "page", G_ACTION_GROUP(group));
    pm_keys_bind(GTK_WIDGET(page), PM_KEYS_PAGE);
    pm_keys_bind(GTK_WIDGET(page), PM_KEYS_TIME);
    pm_page_style_install(gtk_widget_get_display(GTK_WIDGET(page)));
}

GtkWidget *pm_threads_page_new(PmState *state)
{
    PmThreadsPage *page = g_object_new(PM_TYPE_THREADS_PAGE, NULL);
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

    page->state = g_object_ref(state);
    page->job = pm_job_new(work, question_free, answer_free, work_done, page);
    page->grid = pm_grid_new(&shape);
    page->count = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(page->count), 0);
    gtk_widget_set_hexpand(page->count, TRUE);
    gtk_widget_add_css_class(page->count, "dim-label");
    gtk_widget_add_css_class(bar, "pm-page-bar");
    gtk_box_append(GTK_BOX(bar), page->count);
    gtk_box_append(GTK_BOX(bar), pm_grid_sort_button(page->grid));
    gtk_box_append(GTK_BOX(bar), pm_grid_columns_button(page->grid));
    page->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(page->box), bar);
    gtk_box_append(GTK_BOX(page->box), GTK_WIDGET(page->grid));
    gtk_widget_set_parent(page->box, GTK_WIDGET(page));
    g_signal_connect(page->grid, "selected", G_CALLBACK(row_selected), page);
    g_signal_connect(page->grid, "activated", G_CALLBACK(row_activated), page);
    g_signal_connect(state, "changed", G_CALLBACK(state_changed), page);
    g_signal_connect(state, "search-step", G_CALLBACK(search_stepped), page);
    page->stale = TRUE;
    return GTK_WIDGET(page);
}

PmGrid *pm_threads_page_get_grid(GtkWidget *page)
{
    return PM_THREADS_PAGE(page)->grid;
}

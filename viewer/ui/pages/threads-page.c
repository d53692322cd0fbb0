#include "viewer/ui/pages/threads-page.h"

#include <math.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/charts/lane-strip.h"

#define GROUP_SLICES 320
/* Slices of all threads' lanes together: bounds their memory. */
#define THREAD_CELLS (1u << 20)

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
    PmState *state;
    struct answer *answer;
    gboolean dark;
    guint n_groups;
    struct item *groups, *threads; /* threads: by index */
    gpointer *group_items;
    gpointer **thread_items; /* by group */
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
    g_object_unref(rows->state);
}

/* Takes the answer. Cost: the number of threads. */
static gpointer rows_new(PmState *state, gpointer data, char **ret_count)
{
    struct answer *answer = data;
    struct rows *rows = g_rc_box_new0(struct rows);
    const PmThreadTimes *times = answer->times;
    guint n_threads = 0;

    rows->state = g_object_ref(state);
    rows->answer = answer;
    rows->dark = pm_state_get_dark(state);
    rows->groups = g_new0(struct item, times->n_groups + 1);
    rows->threads = g_new0(struct item, times->n_threads + 1);
    rows->group_items = g_new0(gpointer, times->n_groups + 1);
    rows->thread_items = g_new0(gpointer *, times->n_groups + 1);
    for (guint32 g = 0; g < times->n_groups; g++) {
        if (!times->n_of_group[g])
            continue;
        n_threads += times->n_of_group[g];
        rows->groups[g] = (struct item){FALSE, g, &times->groups[g]};
        rows->group_items[rows->n_groups++] = &rows->groups[g];
        rows->thread_items[g] = g_new0(gpointer, times->n_of_group[g] + 1);
        for (guint32 i = 0; i < times->n_of_group[g]; i++) {
            const guint32 t = times->of_group[g][i];
            rows->threads[t] = (struct item){TRUE, t, &times->threads[t]};
            rows->thread_items[g][i] = &rows->threads[t];
        }
    }
    g_autofree char *threads = pm_number_plural(n_threads, "thread", "threads");
    g_autofree char *groups = pm_number_plural(rows->n_groups, "group", "groups");
    *ret_count = g_strdup_printf("%s in %s", threads, groups);
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

static guint64 item_key(gpointer item)
{
    return ((struct item *)item)->index;
}

static const PmRecording *rows_recording(gpointer data)
{
    return ((struct rows *)data)->answer->times->view->recording;
}

static guint32 threads_of(const struct item *item, gpointer data)
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

/* What a thread has of it says nothing. */
static double threads_value(gpointer item, gpointer data)
{
    return ((struct item *)item)->is_thread ? NAN : threads_of(item, data);
}

/* Nothing is claimed of threads of which most waits were not recorded or cannot be read. */
static double if_known(const PmThreadTime *time, double value)
{
    return time->known < time->life / 2 ? NAN : value;
}

static double part_of_known(const PmThreadTime *time, gint64 part)
{
    return if_known(time, time->known ? (double)part / (double)time->known : 0);
}

static double waiting_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return part_of_known(time, pm_thread_time_waiting(time));
}

static double idle_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return part_of_known(time, time->family[PM_FAMILY_IDLE]);
}

static double time_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return if_known(time, (double)pm_thread_time_waiting(time));
}

static double waits_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return if_known(time, (double)time->waits);
}

static double longest_value(gpointer item, gpointer data)
{
    const PmThreadTime *time = ((struct item *)item)->time;

    return if_known(time, (double)time->longest);
}

static void lane_of(const struct item *item, struct rows *rows, PmLaneStrip *ret_strip)
{
    const PmView *view = rows->answer->times->view;

    *ret_strip = (PmLaneStrip){
        .lanes = item->is_thread ? rows->answer->threads : rows->answer->groups,
        .lane = item->index,
        .full = threads_of(item, rows),
        .dark = rows->dark,
        .recording = view->recording,
        .from = view->from,
        .to = view->to,
        .pointed = pm_state_get_pointed(rows->state),
    };
    pm_state_get_visible(rows->state, &ret_strip->visible_from, &ret_strip->visible_to);
}

static void draw_lane(GtkSnapshot *snapshot, const graphene_rect_t *bounds, gpointer item,
                      gpointer data)
{
    PmLaneStrip strip;

    lane_of(item, data, &strip);
    pm_lane_strip_snapshot(&strip, snapshot, bounds);
}

static gint64 instant_at(PmState *state, double part)
{
    PmTimescale scale = {.width_px = 1};

    pm_state_get_visible(state, &scale.from, &scale.to);
    return pm_timescale_at(&scale, part);
}

static char *tell_lane(double part, gpointer item, gpointer data)
{
    PmLaneStrip strip;

    lane_of(item, data, &strip);
    return pm_lane_strip_text_at(&strip, instant_at(((struct rows *)data)->state, part));
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"name", "Thread", "Group: thread name with its last number left out. Below, on the axis of the charts: threads that wait, by what it means; full height = all threads of the group; grey on top = idle", 0, PM_GRID_NAME | PM_GRID_WIDE, .text = name_text},
    {"threads", "Threads", "That live in the range", 72, PM_GRID_SPARE, PM_GRID_COUNT, .value = threads_value},
    {"waiting", "Waiting", "Part of their life in which they wait, idle left out; of what is known of it", 76, PM_GRID_SPARE, PM_GRID_PERCENT, .value = waiting_value},
    {"idle", "Idle", "Part of their life in which they wait for work; of what is known of it", 76, PM_GRID_SPARE, PM_GRID_PERCENT, .value = idle_value},
    {"time", "Thread-time", "Waiting time without idle", 114, 0, PM_GRID_TIME_MOST, .value = time_value},
    {"waits", "Waits", "Without idle ones", 84, PM_GRID_SPARE, PM_GRID_COUNT, .value = waits_value},
    {"longest", "Longest", "The longest wait that is not idle", 84, PM_GRID_SPARE, PM_GRID_TIME_MOST, .value = longest_value},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Threads by group",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "time",
    .is_tree = TRUE,
    .children = item_children,
    .has_children = item_has_children,
    .key = item_key,
    .draw_strip = draw_lane,
    .tell_strip = tell_lane,
    .clear_data = rows_clear,
};

/* ---- rows and the state ---- */

static gpointer question_new(PmState *state)
{
    PmRecording *recording = pm_state_get_recording(state);

    if (!recording)
        return NULL;
    struct question *question = g_new0(struct question, 1);
    question->recording = pm_recording_ref(recording);
    question->filter = pm_filter_copy(pm_state_get_filter(state));
    question->filter->idle = TRUE;
    if (!pm_state_get_range(state, &question->range_from, &question->range_to))
        question->range_from = question->range_to = 0;
    pm_state_get_visible(state, &question->from, &question->to);
    return question;
}

static void chosen(PmState *state, gpointer *items, guint n)
{
    const struct item *item = items[n - 1];

    pm_state_select_key(state, item->is_thread ? PM_ASPECT_THREAD : PM_ASPECT_GROUP, item->index);
}

static gboolean select_row(PmState *state, PmGrid *grid)
{
    const PmRecording *recording = pm_state_get_recording(state);
    PmAspect aspect;
    guint64 key;

    if (!recording || !pm_selection_key(pm_state_get_selection(state), &aspect, &key))
        return FALSE;
    if (aspect == PM_ASPECT_GROUP)
        return pm_grid_select(grid, &key, 1);
    if (aspect != PM_ASPECT_THREAD || key >= recording->n_threads)
        return FALSE;
    return pm_grid_select(grid, (const guint64[]){recording->threads[key].group, key}, 2);
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_FILTER | PM_CHANGE_RANGE |
               PM_CHANGE_VISIBLE | PM_CHANGE_DARK,
    .question = question_new,
    .run = work,
    .free_question = question_free,
    .free_answer = answer_free,
    .answered = rows_new,
    .chosen = chosen,
    .select = select_row,
};

static void pointed_cb(PmGrid *grid, double part, PmState *state)
{
    pm_state_set_pointed(state, part < 0 ? G_MININT64 : instant_at(state, part));
}

static void changed_cb(PmState *state, guint mask, GtkWidget *grid)
{
    if (mask & (PM_CHANGE_POINTED | PM_CHANGE_VISIBLE))
        gtk_widget_queue_draw(grid);
}

GtkWidget *pm_threads_page_new(PmState *state, GtkWidget *axis)
{
    g_return_val_if_fail(PM_IS_STATE(state) && GTK_IS_WIDGET(axis), NULL);
    GtkWidget *page = pm_table_page_new(state, &kind, NULL);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(page));

    pm_grid_set_axis(grid, axis);
    g_signal_connect_object(grid, "pointed", G_CALLBACK(pointed_cb), state, 0);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), grid, 0);
    pm_keys_bind(page, PM_KEYS_TIME);
    return page;
}

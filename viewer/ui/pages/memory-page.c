#include "viewer/ui/pages/memory-page.h"

#include <math.h>
#include <string.h>

#include "viewer/ui/charts/memory-chart.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/memory-text.h"
#include "viewer/ui/pages/level-bar.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/widgets/amount-cell.h"
#include "viewer/analysis/recording/label.h"

#define N_LOOKS      48 /* of a row's curve */
#define MOST_PERCENT 999

/* ---- the work: in a worker ---- */

struct question {
    PmRecording *recording;
    PmFilter *filter;       /* chips and range */
    PmMemorySeries *series; /* NULL: is to be computed anew */
    guint n_aspects;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
};

/* What of a node the tree does not tell. */
struct curve {
    const float *values; /* of the series; NULL: not known */
    guint band;          /* of the one above it, or its own */
    gboolean rises;
};

struct answer {
    PmRecording *recording;
    PmMemoryTree *tree;     /* NULL: a chip of what allocations do not have */
    PmMemorySeries *series; /* NULL: nothing was recorded */
    GHashTable *curves;     /* PmMemoryNode of the tree → struct curve */
};

static void question_free(gpointer data)
{
    struct question *question = data;

    pm_recording_unref(question->recording);
    pm_filter_free(question->filter);
    pm_memory_series_unref(question->series);
    g_free(question);
}

static void answer_free(gpointer data)
{
    struct answer *answer = data;

    g_clear_pointer(&answer->tree, pm_memory_tree_free);
    g_clear_pointer(&answer->curves, g_hash_table_unref);
    pm_memory_series_unref(answer->series);
    pm_recording_unref(answer->recording);
    g_free(answer);
}

/* The way from the tree's root to a node. */
struct way {
    guint n;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    guint64 keys[PM_MEMORY_MOST], path;
    guint band;
};

static void find_curves(struct answer *answer, const PmMemoryNode *node, const struct way *above)
{
    const PmMemorySeries *series = answer->series;

    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        struct way way = *above;
        struct curve *curve = g_new0(struct curve, 1);
        way.aspects[way.n] = child->aspect;
        way.keys[way.n++] = child->key;
        way.path = pm_memory_path(way.path, child->aspect, child->key);
        if (way.band == series->n_bands && child->aspect == series->band_aspect)
            way.band = pm_memory_series_band(series, child->key);
        curve->values = g_hash_table_lookup(series->paths, &way.path);
        curve->rises = pm_memory_series_growth(series, way.aspects, way.keys, way.n) != NULL;
        curve->band = way.band;
        g_hash_table_insert(answer->curves, (gpointer)child, curve);
        find_curves(answer, child, &way);
    }
}

static gpointer work(gpointer data, const gint *cancel)
{
    struct question *question = data;
    struct answer *answer = g_new0(struct answer, 1);

    answer->recording = pm_recording_ref(question->recording);
    answer->curves = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    answer->tree = pm_memory_tree_new(answer->recording, question->filter, question->aspects,
                                      question->n_aspects, NULL);
    if (!answer->tree)
        return answer;
    answer->series = question->series
                         ? pm_memory_series_ref(question->series)
                         : pm_memory_series_new(answer->recording, question->filter,
                                                question->aspects, question->n_aspects, cancel);
    if (answer->series) {
        const struct way way = {.band = answer->series->n_bands};
        find_curves(answer, answer->tree->root, &way);
    }
    return answer;
}

/* ---- what rows show ---- */

struct rows {
    struct answer *answer;
    gboolean dark;
};

static void rows_clear(gpointer data)
{
    answer_free(((struct rows *)data)->answer);
}

static const PmMemoryTree *tree_of(gpointer data)
{
    return ((struct rows *)data)->answer->tree;
}

/* Takes the answer. */
static gpointer rows_new(PmState *state, gpointer data, char **ret_count)
{
    struct answer *answer = data;

    pm_state_set_memory_series(state, answer->series);
    if (!answer->tree || !answer->tree->snapshot || !answer->series ||
        answer->tree->root->children->len == 0) {
        answer_free(answer);
        return NULL;
    }
    struct rows *rows = g_rc_box_new0(struct rows);
    rows->answer = answer;
    rows->dark = pm_state_get_dark(state);
    return rows;
}

static gpointer *item_children(gpointer item, gpointer data, guint *ret_n)
{
    const PmMemoryNode *node = item ? item : pm_memory_tree_top(tree_of(data));

    *ret_n = node->children->len;
    return node->children->pdata;
}

static gboolean item_has_children(gpointer item, gpointer data)
{
    return ((PmMemoryNode *)item)->children->len > 0;
}

static guint64 item_key(gpointer item)
{
    return ((PmMemoryNode *)item)->key;
}

static const struct curve *curve_of(gpointer item, gpointer data)
{
    return g_hash_table_lookup(((struct rows *)data)->answer->curves, item);
}

static char *name_text(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    const PmRecording *recording = ((struct rows *)data)->answer->recording;

    return pm_memory_key_text(recording, node->aspect, node->key);
}

static double live_value(gpointer item, gpointer data)
{
    return ((PmMemoryNode *)item)->live.bytes;
}

static char *live_text(gpointer item, gpointer data)
{
    return pm_memory_bytes_text(tree_of(data), &((PmMemoryNode *)item)->live, TRUE);
}

/* Of three standard errors the farther one, of what is an estimate; else NAN. */
static double error_value(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    const PmBounds bounds = pm_estimate_bytes(&node->live);

    if (pm_memory_certainty(tree_of(data), &node->live, TRUE) != PM_MEMORY_ESTIMATED ||
        node->live.bytes <= 0)
        return NAN;
    return 100 * MAX(bounds.high - node->live.bytes, node->live.bytes - bounds.low) /
           node->live.bytes;
}

static char *error_text(gpointer item, gpointer data)
{
    const double percent = error_value(item, data);

    return isnan(percent)           ? g_strdup("")
           : percent > MOST_PERCENT ? g_strdup_printf(">%d %%", MOST_PERCENT)
                                    : g_strdup_printf("±%.0f %%", percent);
}

static double growth_value(gpointer item, gpointer data)
{
    PmBounds bounds;

    return pm_memory_growth(item, &bounds);
}

static char *growth_text(gpointer item, gpointer data)
{
    PmBounds bounds;

    return pm_memory_growth_text(tree_of(data), item, &bounds);
}

static GtkWidget *growth_new(void)
{
    GtkWidget *label = gtk_label_new(NULL);

    gtk_label_set_xalign(GTK_LABEL(label), 1);
    gtk_widget_add_css_class(label, "numeric");
    return label;
}

/* Red where it grew and blue where it shrank, if errors could not make that. Where there is nothing
 * to compare with, all that lives is growth: red is what rises to the end. */
static void growth_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const struct curve *curve = curve_of(item, data);
    g_autofree char *text = growth_text(item, data);
    PmBounds bounds;

    pm_memory_growth(item, &bounds);
    const gboolean compared = tree_of(data)->live_begin_at != G_MININT64,
                   more = compared ? bounds.low > 0 : curve && curve->rises,
                   less = compared && bounds.high < 0;
    gtk_label_set_text(GTK_LABEL(widget), text);
    gtk_widget_remove_css_class(widget, "pm-more");
    gtk_widget_remove_css_class(widget, "pm-less");
    if (more || less)
        gtk_widget_add_css_class(widget, more ? "pm-more" : "pm-less");
}

static double total_value(gpointer item, gpointer data)
{
    return ((PmMemoryNode *)item)->total.bytes;
}

static char *total_text(gpointer item, gpointer data)
{
    return pm_memory_bytes_text(tree_of(data), &((PmMemoryNode *)item)->total, FALSE);
}

static double rate_value(gpointer item, gpointer data)
{
    return pm_memory_rate(tree_of(data), item);
}

static char *rate_text(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    const double rate = rate_value(item, data);

    if (isnan(rate))
        return g_strdup("");
    g_autofree char *bytes = pm_label_bytes((guint64)rate);
    return g_strconcat(
        pm_memory_sign(pm_memory_certainty(tree_of(data), &node->total, FALSE), &node->total),
        bytes, "/s", NULL);
}

/* The curve of a row in the colour of its band, evenly cut in time. */
static void amount_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const struct rows *rows = data;
    const PmMemorySeries *series = rows->answer->series;
    const struct curve *curve = curve_of(item, data);
    const gint64 from = series->instants[0].at, to = series->instants[series->n_instants - 1].at;
    float values[N_LOOKS] = {0};
    double full = 0;
    GdkRGBA color;

    pm_memory_chart_band_color(series, curve->band, rows->dark, &color);
    if (!curve->values) {
        pm_amount_cell_set(PM_AMOUNT_CELL(widget), values, 0, 0, &color, rows->dark, "not known");
        return;
    }
    for (guint i = 0; i < N_LOOKS; i++) {
        const int at = pm_memory_series_find(series, from + (to - from) / (N_LOOKS - 1) * i);
        values[i] = curve->values[i + 1 == N_LOOKS ? (int)series->n_instants - 1 : MAX(at, 0)];
        full = MAX(full, values[i]);
    }
    g_autofree char *first = pm_label_bytes((guint64)values[0]),
                    *last = pm_label_bytes((guint64)values[N_LOOKS - 1]),
                    *label = g_strdup_printf("Live from %s to %s%s", first, last,
                                             curve->rises ? ", grows" : "");
    pm_amount_cell_set(PM_AMOUNT_CELL(widget), values, N_LOOKS, full, &color, rows->dark, label);
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"name", "Memory of", "The key of the row's level", 0, PM_GRID_NAME | PM_GRID_WIDE, .text = name_text},
    {"over-time", "Live over time", "Live bytes over the whole recording, each row scaled to its own peak; orange: it grows", 150, PM_GRID_TIGHT, .make = pm_amount_cell_new, .bind = amount_bind},
    {"live", "Live", "Live bytes at the end of the range", 104, 0, PM_GRID_OWN, .value = live_value, .text = live_text},
    {"error", "Error", "Error bounds, three standard errors", 72, PM_GRID_SPARE, PM_GRID_OWN, .value = error_value, .text = error_text},
    {"growth", "Growth", "Live bytes at the end of the range minus those at its beginning; coloured if larger than the error", 104, 0, PM_GRID_OWN, .value = growth_value, .text = growth_text, .make = growth_new, .bind = growth_bind},
    {"total", "Allocated", "Bytes allocated in the range", 104, PM_GRID_SPARE, PM_GRID_OWN, .value = total_value, .text = total_text},
    {"rate", "Rate", "Bytes allocated per second", 112, PM_GRID_SPARE, PM_GRID_OWN, .value = rate_value, .text = rate_text},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Memory by level",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "live",
    .is_tree = TRUE,
    .children = item_children,
    .has_children = item_has_children,
    .key = item_key,
    .clear_data = rows_clear,
};

/* ---- rows and the state ---- */

static gpointer question_new(PmState *state)
{
    PmRecording *recording = pm_state_get_recording(state);
    PmMemorySeries *series = pm_state_get_memory_series(state);

    if (!recording)
        return NULL;
    struct question *question = g_new0(struct question, 1);
    const PmAspect *aspects = pm_state_get_memory_aspects(state, &question->n_aspects);
    for (guint i = 0; i < question->n_aspects; i++)
        question->aspects[i] = (PmMemoryAspect)aspects[i];
    question->recording = pm_recording_ref(recording);
    question->filter = pm_filter_copy(pm_state_get_filter(state));
    if (pm_memory_series_is_of(series, recording, question->filter, question->aspects,
                               question->n_aspects))
        question->series = pm_memory_series_ref(series);
    if (!pm_state_get_range(state, &question->filter->from, &question->filter->to))
        question->filter->from = question->filter->to = 0;
    return question;
}

/* Why there are no rows. */
static void explain(PmScaffold *page, PmState *state)
{
    const PmRecording *recording = pm_state_get_recording(state);
    const GArray *chips = pm_state_get_filter(state)->chips;
    g_autofree char *reason = g_strdup("None in this range and under these filters.");

    if (!recording)
        return;
    for (guint i = 0; i < chips->len; i++) {
        const PmAspect aspect = g_array_index(chips, PmChip, i).aspect;
        PmMemoryAspect known;
        if (pm_memory_aspect_parse(pm_aspect_name(aspect), &known))
            continue;
        g_free(reason);
        reason = g_strdup_printf("A filter uses the aspect %s, which only waits have.",
                                 pm_aspect_name(aspect));
    }
    if (chips->len) {
        const char *pairs[] = {"reason", reason, NULL};
        pm_scaffold_show_state(page, PM_STATE_ALLOCATIONS_FILTERED, pairs);
        return;
    }
    if (recording->n_snapshots) {
        pm_scaffold_show_state(page, PM_STATE_NO_SAMPLES, NULL);
        pm_scaffold_show_bar(page, TRUE); /* other levels may have rows */
        return;
    }
    g_autofree char *pid = pm_state_text_pid(recording->facts.pid, recording->facts.file);
    const char *pairs[] = {"pid", pid, NULL};
    pm_scaffold_show_state(page, PM_STATE_NO_ALLOCATIONS, pairs);
}

/* Ages have no place in a selection, which filters and other pages share. */
static void chosen(PmState *state, gpointer *items, guint n)
{
    PmSelection selection = {0};

    for (guint i = 0; i < n; i++) {
        const PmMemoryNode *node = items[i];
        if (node->aspect == PM_MEMORY_AGE)
            return;
        selection.aspects[selection.n] = (PmAspect)node->aspect;
        selection.keys[selection.n++] = node->key;
    }
    pm_state_set_selection(state, &selection);
}

static gboolean has_age(PmState *state)
{
    guint n;
    const PmAspect *aspects = pm_state_get_memory_aspects(state, &n);

    for (guint i = 0; i < n; i++)
        if (aspects[i] == (PmAspect)PM_MEMORY_AGE)
            return TRUE;
    return FALSE;
}

static gboolean select_row(PmState *state, PmGrid *grid)
{
    const PmSelection *selection = pm_state_get_selection(state);
    guint n, first;
    const PmAspect *aspects = pm_state_get_memory_aspects(state, &n);

    if (has_age(state))
        return TRUE;
    /* The first level has no rows where all is of one account. */
    for (first = 0; first < n && selection->n && aspects[first] != selection->aspects[0]; first++)
        ;
    if (!selection->n || first > 1 || first + selection->n > n ||
        memcmp(aspects + first, selection->aspects, selection->n * sizeof *aspects) != 0)
        return FALSE;
    return pm_grid_select(grid, selection->keys, selection->n);
}

static void hovered(PmState *state, gpointer item)
{
    const PmMemorySeries *series = pm_state_get_memory_series(state);
    const PmMemoryNode *node = item;
    const gboolean any = node && series && node->aspect == series->band_aspect &&
                         pm_memory_series_band(series, node->key) < series->n_bands;

    pm_state_set_hover(state, any, any ? (PmAspect)node->aspect : 0, any ? node->key : 0);
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_FILTER | PM_CHANGE_RANGE |
               PM_CHANGE_DARK | PM_CHANGE_MEMORY,
    .question = question_new,
    .run = work,
    .free_question = question_free,
    .free_answer = answer_free,
    .answered = rows_new,
    .explain = explain,
    .chosen = chosen,
    .select = select_row,
    .hovered = hovered,
};

/* Lights the rows of the band that the pointer is over. */
static void changed_cb(PmState *state, guint mask, PmGrid *grid)
{
    const PmMemorySeries *memory = pm_state_get_chart_memory(state);
    PmAspect aspect;
    guint64 key;

    if (!(mask & PM_CHANGE_HOVER) || !memory)
        return;
    const gboolean any =
        pm_state_get_hover(state, &aspect, &key) && aspect == (PmAspect)memory->band_aspect;
    pm_grid_set_lit(grid, any, any ? key : 0);
}

GtkWidget *pm_memory_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLevelBar *levels = pm_level_bar_new(state, &pm_levels_of_memory);
    GtkWidget *page = pm_table_page_new(state, &kind, GTK_WIDGET(levels));

    pm_scaffold_add_actions(PM_SCAFFOLD(page), pm_level_bar_actions, pm_n_level_bar_actions,
                            levels);
    pm_keys_bind(page, PM_KEYS_TIME);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb),
                            pm_table_page_get_grid(PM_TABLE_PAGE(page)), 0);
    return page;
}

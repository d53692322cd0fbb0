#include "viewer/ui/pages/memory-page.h"

#include <math.h>

#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/widgets/amount-cell.h"

/* At so many instants of the range it is looked at what lives. */
#define N_LOOKS    48
#define MOST_ERROR 9.99 /* told as 999 % */

static const PmMemoryAspect aspects[] = {PM_ASPECT_ACCOUNT, PM_ASPECT_CLASS, PM_ASPECT_SITE,
                                         PM_ASPECT_CHAIN};

/* ---- the work: in a worker ---- */

struct question {
    PmRecording *recording;
    PmFilter *filter; /* chips and range */
};

/* What lives of a node, by look. */
struct amounts {
    float values[N_LOOKS];
};

struct answer {
    PmRecording *recording;
    PmMemoryTree *tree;
    GHashTable *amounts; /* PmMemoryNode of the tree → struct amounts */
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

    g_clear_pointer(&answer->tree, pm_memory_tree_free);
    g_clear_pointer(&answer->amounts, g_hash_table_unref);
    pm_recording_unref(answer->recording);
    g_free(answer);
}

static const PmMemoryNode *child_like(const PmMemoryNode *node, const PmMemoryNode *like)
{
    for (guint i = 0; node->children && i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        if (child->key == like->key)
            return child;
    }
    return NULL;
}

/* What `then` says of the nodes under `node` at look number `look`. */
static void note_amounts(struct answer *answer, const PmMemoryNode *node, const PmMemoryNode *then,
                         guint look)
{
    struct amounts *amounts = g_hash_table_lookup(answer->amounts, node);
    if (!amounts) {
        amounts = g_new0(struct amounts, 1);
        g_hash_table_insert(answer->amounts, (gpointer)node, amounts);
    }
    amounts->values[look] = (float)then->live.bytes;
    for (guint i = 0; node->children && i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        const PmMemoryNode *its = child_like(then, child);
        if (its)
            note_amounts(answer, child, its, look);
    }
}

static gpointer work(gpointer data, const gint *cancel)
{
    struct question *question = data;
    struct answer *answer = g_new0(struct answer, 1);
    PmFilter *filter = question->filter;
    answer->recording = pm_recording_ref(question->recording);
    answer->amounts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    answer->tree =
        pm_memory_tree_new(answer->recording, filter, aspects, G_N_ELEMENTS(aspects), NULL);
    if (!answer->tree || !answer->tree->snapshot)
        return answer;
    const gint64 from = filter->from < filter->to ? filter->from : 0,
                 to = filter->from < filter->to ? filter->to : answer->recording->duration;
    filter->from = 0;
    for (guint i = 0; i < N_LOOKS; i++) {
        filter->to = from + (to - from) / N_LOOKS * (i + 1);
        g_autoptr(PmMemoryTree) then =
            pm_memory_tree_new(answer->recording, filter, aspects, G_N_ELEMENTS(aspects), NULL);
        if (then && then->snapshot)
            note_amounts(answer, answer->tree->root, then->root, i);
        if (cancel && g_atomic_int_get(cancel)) {
            answer_free(answer);
            return NULL;
        }
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

static char *bytes_text(double bytes, gboolean guess)
{
    g_autofree char *size = g_format_size((guint64)MAX(bytes, 0));
    return g_strconcat(guess ? "~" : "", size, NULL);
}

/* Takes the answer. */
static gpointer rows_new(PmState *state, gpointer data, char **ret_count)
{
    struct answer *answer = data;
    const PmMemoryTree *tree = answer->tree;
    if (!tree || !tree->snapshot) {
        *ret_count = g_strdup(tree ? "No allocations were recorded: parkctl PID set alloc=512k"
                                   : "A filter is of what allocations do not have");
        answer_free(answer);
        return NULL;
    }
    struct rows *rows = g_rc_box_new0(struct rows);
    rows->answer = answer;
    rows->dark = pm_state_get_dark(state);
    g_autofree char *live =
        bytes_text(tree->root->live.bytes, !pm_estimate_is_exact(&tree->root->live));
    g_autofree char *total =
        bytes_text(tree->root->total.bytes, !pm_estimate_is_exact(&tree->root->total));
    *ret_count = g_strdup_printf("%s live, %s allocated, %" G_GINT64_FORMAT " collections", live,
                                 total, tree->snapshot->gcs);
    return rows;
}

/* Where all is of one account its classes are at the top. */
static const PmMemoryNode *top_of(const PmMemoryTree *tree)
{
    const GPtrArray *accounts = tree->root->children;
    return accounts && accounts->len == 1 ? accounts->pdata[0] : tree->root;
}

static gpointer *item_children(gpointer item, gpointer data, guint *ret_n)
{
    const struct rows *rows = data;
    const PmMemoryNode *node = item ? item : top_of(rows->answer->tree);

    *ret_n = node->children ? node->children->len : 0;
    return node->children ? node->children->pdata : NULL;
}

static gboolean item_has_children(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    return node->children && node->children->len > 0;
}

static guint64 item_key(gpointer item)
{
    return ((PmMemoryNode *)item)->key;
}

static gboolean item_is_guess(gpointer item, gpointer data)
{
    return !pm_estimate_is_exact(&((PmMemoryNode *)item)->total);
}

static char *name_text(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    return pm_memory_key_text(((struct rows *)data)->answer->recording, node->aspect, node->key);
}

static double live_value(gpointer item, gpointer data)
{
    return ((PmMemoryNode *)item)->live.bytes;
}

/* Of three standard errors, the farther one. */
static double error_value(gpointer item, gpointer data)
{
    const PmMemoryNode *node = item;
    const PmBounds bounds = pm_estimate_bytes(&node->live);
    if (pm_estimate_is_exact(&node->live) || node->live.bytes <= 0)
        return NAN;
    const double error = MAX(bounds.high - node->live.bytes, node->live.bytes - bounds.low);
    return MIN(error / node->live.bytes, MOST_ERROR);
}

static GtkWidget *growth_new(void)
{
    GtkWidget *label = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(label), 1);
    gtk_widget_add_css_class(label, "numeric");
    return label;
}

static double growth_value(gpointer item, gpointer data)
{
    PmBounds bounds;
    return pm_memory_growth(item, &bounds);
}

/* Red where it grew and blue where it shrank, if errors could not make that. */
static void growth_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    PmBounds bounds;
    const double growth = pm_memory_growth(item, &bounds);
    g_autofree char *size = g_format_size((guint64)fabs(growth));
    g_autofree char *text = g_strconcat(item_is_guess(item, data) ? "~" : "",
                                        growth <= -1  ? "−"
                                        : growth >= 1 ? "+"
                                                      : "",
                                        size, NULL);
    gtk_label_set_text(GTK_LABEL(widget), text);
    gtk_widget_remove_css_class(widget, "pm-more");
    gtk_widget_remove_css_class(widget, "pm-less");
    if (bounds.low > 0 || bounds.high < 0)
        gtk_widget_add_css_class(widget, bounds.low > 0 ? "pm-more" : "pm-less");
}

static double total_value(gpointer item, gpointer data)
{
    return ((PmMemoryNode *)item)->total.bytes;
}

static double rate_value(gpointer item, gpointer data)
{
    return pm_memory_rate(((struct rows *)data)->answer->tree, item);
}

static void amount_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const struct rows *rows = data;
    const struct amounts *amounts = g_hash_table_lookup(rows->answer->amounts, item);
    static const struct amounts none;
    double full = 0;
    if (!amounts)
        amounts = &none;
    for (guint i = 0; i < N_LOOKS; i++)
        full = MAX(full, amounts->values[i]);
    g_autofree char *first = g_format_size((guint64)amounts->values[0]),
                    *last = g_format_size((guint64)amounts->values[N_LOOKS - 1]),
                    *label = g_strdup_printf("Live from %s to %s", first, last);
    pm_amount_cell_set(PM_AMOUNT_CELL(widget), amounts->values, N_LOOKS, full, rows->dark, label);
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"name", "Memory of", "Account (where there are several), class, site that allocated, stack trace", 0, PM_GRID_NAME, .text = name_text},
    {"over-time", "Live over time", "Bytes that live, each row up to its own peak", 0, PM_GRID_WIDE, .make = pm_amount_cell_new, .bind = amount_bind},
    {"live", "Live", "Bytes that live at the end of the range", 100, PM_GRID_GUESS, PM_GRID_BYTES, .value = live_value},
    {"error", "±", "How far off it may be, by three standard errors", 64, PM_GRID_SPARE, PM_GRID_PERCENT, .value = error_value},
    {"growth", "Growth", "Bytes that live at the end of the range less those at its begin", 100, 0, PM_GRID_BYTES, .value = growth_value, .make = growth_new, .bind = growth_bind},
    {"total", "Allocated", "Bytes allocated in the range", 100, PM_GRID_SPARE | PM_GRID_GUESS, PM_GRID_BYTES, .value = total_value},
    {"rate", "A second", "Bytes allocated a second", 100, PM_GRID_SPARE | PM_GRID_GUESS, PM_GRID_BYTES, .value = rate_value},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Memory by account",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "live",
    .is_tree = TRUE,
    .children = item_children,
    .has_children = item_has_children,
    .key = item_key,
    .is_guess = item_is_guess,
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
    if (!pm_state_get_range(state, &question->filter->from, &question->filter->to))
        question->filter->from = question->filter->to = 0;
    return question;
}

/* Its rows are of allocations: the detail pane, which is of waits, has nothing to say of them. */
static void chosen(PmState *state, gpointer *items, guint n)
{
}

static gboolean select_row(PmState *state, PmGrid *grid)
{
    return TRUE;
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_FILTER | PM_CHANGE_RANGE |
               PM_CHANGE_DARK,
    .question = question_new,
    .run = work,
    .free_question = question_free,
    .free_answer = answer_free,
    .answered = rows_new,
    .chosen = chosen,
    .select = select_row,
};

GtkWidget *pm_memory_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    GtkWidget *page = pm_table_page_new(state, &kind, NULL);

    pm_keys_bind(page, PM_KEYS_TIME);
    return page;
}

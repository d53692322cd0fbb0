#include "viewer/report/tree.h"

#include <string.h>

#include "viewer/analysis/base/sum.h"
#include "viewer/report/csv.h"
#include "viewer/report/table.h"
#include "viewer/report/unit.h"

#define TEXT_LIMIT 12
#define BAR_CELLS  10

const PmColumn pm_tree_columns[PM_N_TREE_COLUMNS] = {
    [PM_TREE_SHARE] = {"Share", "%", "Share of all thread-time in the range and under the filters"},
    [PM_TREE_THREAD_TIME] = {"Thread-time", "", "Waiting time, summed over threads"},
    [PM_TREE_WAITS] = {"Waits", "", "Waits that overlap the range"},
    [PM_TREE_AVERAGE] = {"Average", "", "Thread-time per wait"},
    [PM_TREE_LONGEST] = {"Longest", "", "The longest wait"},
};

enum { SORT_THREAD_TIME, SORT_WAITS, SORT_AVERAGE, SORT_LONGEST, N_SORTS };
static const char *const sort_names[] = {"thread-time", "waits", "average", "longest", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(sort_names) == N_SORTS + 1);

const char *const *pm_tree_sort_keys(void)
{
    return sort_names;
}

static double average(const PmTreeNode *node)
{
    return node->count > 0 ? (double)node->thread_time / (double)node->count : 0;
}

static double sort_value(const PmTreeNode *node, guint sort)
{
    switch (sort) {
    case SORT_WAITS:
        return (double)node->count;
    case SORT_AVERAGE:
        return average(node);
    case SORT_LONGEST:
        return (double)node->longest;
    default:
        return (double)node->thread_time;
    }
}

typedef struct {
    const PmTreeNode *node;
    guint place; /* in the tree's own order, which settles ties */
} Sibling;

static int compare_siblings(gconstpointer a, gconstpointer b, gpointer data)
{
    const Sibling *x = a, *y = b;
    guint sort = GPOINTER_TO_UINT(data);
    double u = sort_value(x->node, sort), v = sort_value(y->node, sort);

    if (x->node->pseudo != y->node->pseudo)
        return x->node->pseudo - y->node->pseudo;
    if (u != v)
        return u < v ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

typedef struct {
    const PmTree *tree;
    const PmRecording *recording;
    const PmOutput *output;
    int sort; /* -1: the tree's own order */
    guint limit;
    gboolean starred; /* an aspect splits waits over several keys */
    PmUnit thread_unit, average_unit, longest_unit;
    PmTable *table;
    double total;
    gboolean numbered; /* labels that are alike have numbers */
} Walk;

/* Those that are no thread, place or the like are last, but not for that the first to be left out:
 * the `shown` with the greatest values come to the front, in that order. */
static void bring_greatest_to_front(const PmTreeNode **children, guint n, guint shown, guint sort)
{
    guint n_real = 0, real = 0, pseudo = 0;
    while (n_real < n && !children[n_real]->pseudo)
        n_real++;
    while (real + pseudo < shown)
        if (n_real + pseudo == n ||
            (real < n_real &&
             sort_value(children[real], sort) >= sort_value(children[n_real + pseudo], sort)))
            real++;
        else
            pseudo++;
    g_autofree const PmTreeNode **left_out = g_new(const PmTreeNode *, n_real - real + 1);
    memcpy(left_out, children + real, (n_real - real) * sizeof *children);
    memmove(children + real, children + n_real, pseudo * sizeof *children);
    memcpy(children + real + pseudo, left_out, (n_real - real) * sizeof *children);
}

/* The children in the order asked for, and how many of them are shown. Owned. */
static const PmTreeNode **children_of(const Walk *walk, const PmTreeNode *node, guint *ret_shown)
{
    g_autofree Sibling *siblings = g_new(Sibling, node->n_children + 1);
    const PmTreeNode **children = g_new(const PmTreeNode *, node->n_children + 1);

    for (guint i = 0; i < node->n_children; i++)
        siblings[i] = (Sibling){node->children[i], i};
    if (walk->sort >= 0)
        g_qsort_with_data(siblings, (gint)node->n_children, sizeof *siblings, compare_siblings,
                          GINT_TO_POINTER(walk->sort));
    for (guint i = 0; i < node->n_children; i++)
        children[i] = siblings[i].node;
    *ret_shown = MIN(walk->limit, node->n_children);
    /* A line "1 more" takes the place of the one it leaves out. CSV has no such line. */
    if (*ret_shown + 1 == node->n_children && walk->output->format != PM_FORMAT_CSV)
        *ret_shown = node->n_children;
    bring_greatest_to_front(children, node->n_children, *ret_shown,
                            walk->sort >= 0 ? (guint)walk->sort : SORT_THREAD_TIME);
    return children;
}

/* What the children past the limit add up to. */
static PmTreeNode sum_of(const PmTreeNode **children, guint from, guint to)
{
    PmTreeNode sum = {0};

    for (guint i = from; i < to; i++) {
        sum.count += children[i]->count;
        pm_sum_add(&sum.thread_time, children[i]->thread_time);
        pm_sum_add(&sum.inferred_time, children[i]->inferred_time);
        sum.longest = MAX(sum.longest, children[i]->longest);
    }
    return sum;
}

static char *node_text(const Walk *walk, const PmTreeNode *node)
{
    return pm_aspect_key_text(walk->recording, node->aspect, node->key);
}

/* The note that an estimated tree must carry. Owned. */
static char *estimate_text(const PmTree *tree)
{
    g_autofree char *all = pm_unit_count((gint64)tree->view->n, "wait", "waits");

    return g_strdup_printf("Estimated: of %s the causes of %" G_GSIZE_FORMAT
                           " were followed. The standard error of a share "
                           "is a quarter of a point at most, longest waits are at least so long; a "
                           "range of fewer than %d waits is exact.",
                           all, tree->n_followed, PM_TREE_MANY_WAITS);
}

/* ---- text ---- */

static void add_node(Walk *walk, const PmTreeNode *node, const char *prefix, const char *label)
{
    g_autoptr(GString) bar = g_string_new(NULL);
    double share = walk->total > 0 ? (double)node->thread_time / walk->total : 0;
    g_autofree char *time = pm_unit_text(walk->thread_unit, (double)node->thread_time);
    g_autofree char *mean = pm_unit_text(walk->average_unit, average(node));
    g_autofree char *longest = pm_unit_text(walk->longest_unit, (double)node->longest);

    pm_text_append_bar(bar, share, BAR_CELLS);
    pm_table_add_row(walk->table);
    pm_table_printf(walk->table, 0, "%.1f", 100 * share);
    pm_table_set(walk->table, 1, bar->str);
    pm_table_set(walk->table, 2, time);
    pm_table_printf(walk->table, 3, "%" G_GINT64_FORMAT, node->count);
    pm_table_set(walk->table, 4, mean);
    pm_table_set(walk->table, 5, longest);
    pm_table_printf(walk->table, 6, "%s%s%s", prefix, node->inferred_time > 0 ? "~" : "", label);
}

/* The labels of siblings. Threads may share a name, stack traces their first frames: those that
 * would read alike end with their key, by which a filter takes them. Owned. */
static GPtrArray *labels_of(Walk *walk, const PmTreeNode **children, guint n)
{
    GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) first = g_hash_table_new(g_str_hash, g_str_equal);
    g_autofree gboolean *alike = g_new0(gboolean, n + 1);

    for (guint i = 0; i < n; i++) {
        char *label = node_text(walk, children[i]);
        gpointer before = g_hash_table_lookup(first, label);
        g_ptr_array_add(labels, label);
        if (before)
            alike[i] = alike[GPOINTER_TO_UINT(before) - 1] = walk->numbered = TRUE;
        else
            g_hash_table_insert(first, label, GUINT_TO_POINTER(i + 1));
    }
    g_hash_table_remove_all(first);
    for (guint i = 0; i < n; i++) {
        if (!alike[i])
            continue;
        g_autofree char *plain = labels->pdata[i];
        labels->pdata[i] = g_strdup_printf("%s #%" G_GUINT64_FORMAT, plain, children[i]->key);
    }
    return labels;
}

static void add_children(Walk *walk, const PmTreeNode *node, const char *indent, gboolean top)
{
    guint shown;
    g_autofree const PmTreeNode **children = children_of(walk, node, &shown);
    g_autoptr(GPtrArray) labels = labels_of(walk, children, shown);

    for (guint i = 0; i < shown; i++) {
        gboolean last = i + 1 == node->n_children;
        const char *label = labels->pdata[i];
        g_autofree char *prefix = g_strconcat(indent, top ? "" : last ? "└ " : "├ ", NULL);
        g_autofree char *deeper = g_strconcat(indent, top ? "" : last ? "  " : "│ ", NULL);
        add_node(walk, children[i], prefix, label);
        add_children(walk, children[i], deeper, FALSE);
    }
    if (shown < node->n_children) {
        PmTreeNode rest = sum_of(children, shown, node->n_children);
        g_autofree char *label = g_strdup_printf("%u more", node->n_children - shown);
        g_autofree char *prefix = g_strconcat(indent, top ? "" : "└ ", NULL);
        rest.inferred_time = 0;
        add_node(walk, &rest, prefix, label);
    }
}

static void find_maxima(const PmTreeNode *node, double *mean, double *longest)
{
    for (guint i = 0; i < node->n_children; i++) {
        *mean = MAX(*mean, average(node->children[i]));
        *longest = MAX(*longest, (double)node->children[i]->longest);
        find_maxima(node->children[i], mean, longest);
    }
}

static gboolean names_threads(const PmTree *tree)
{
    static const PmAspect names[] = {PM_ASPECT_THREAD, PM_ASPECT_GROUP, PM_ASPECT_CAUSE,
                                     PM_ASPECT_OWNER, PM_ASPECT_WAKER};

    for (guint i = 0; i < tree->n_aspects; i++)
        for (guint k = 0; k < G_N_ELEMENTS(names); k++)
            if (tree->aspects[i] == names[k])
                return TRUE;
    return FALSE;
}

static void append_heading(const Walk *walk, GString *out)
{
    const PmView *view = walk->tree->view;
    const PmTerminal *terminal = &walk->output->terminal;
    g_autofree char *who = pm_heading_who(walk->recording);
    g_autofree char *range = pm_heading_range(walk->recording, view->from, view->to);
    g_autofree char *waits = pm_unit_count((gint64)view->n, "wait", "waits");
    PmUnit unit = pm_unit_choose(walk->total, PM_UNIT_S, 1);
    g_autofree char *total = pm_unit_text(unit, walk->total);

    g_autofree char *sum = g_strdup_printf("100 %% = %s %s of %s", total, unit.name, waits);
    g_autoptr(GString) rest = g_string_new(NULL);

    pm_heading_append_pair(out, terminal, PM_STYLE_STRONG, who, range);
    if (view->known > 0)
        g_string_append_printf(rest, " (%.1f threads on average)",
                               walk->total / (double)view->known);
    if (view->idle_time > 0)
        g_string_append_printf(rest, "   left out: %.0f s idle (--idle)",
                               (double)view->idle_time / 1e9);
    g_autofree char *line = g_strconcat(sum, rest->str, NULL);
    pm_text_append_wrapped(out, "", "", line, terminal->columns);
    g_autofree char *renamed = names_threads(walk->tree) ? pm_renamed_text(walk->recording) : NULL;
    if (renamed)
        pm_text_append_wrapped(out, "", "", renamed, terminal->columns);
    pm_accounts_append(out, walk->recording, walk->tree->aspects, walk->tree->n_aspects,
                       terminal->columns);
    g_string_append_c(out, '\n');
}

static void write_text(Walk *walk, GString *out)
{
    const PmTree *tree = walk->tree;
    g_autoptr(GString) path = g_string_new(NULL);
    double mean = 0, longest = 0;

    append_heading(walk, out);
    if (tree->root->n_children == 0) {
        g_autofree char *no_match = pm_no_match_text(tree->view);
        g_string_append_printf(out, "%s\n", no_match ? no_match : "No thread waited.");
        return;
    }
    find_maxima(tree->root, &mean, &longest);
    walk->thread_unit = pm_unit_choose(walk->total, PM_UNIT_S, 1);
    walk->average_unit = pm_unit_choose(mean, PM_UNIT_MS, 1);
    walk->longest_unit = pm_unit_choose(longest, PM_UNIT_S, 2);
    for (guint i = 0; i < tree->n_aspects; i++)
        g_string_append_printf(path, "%s%s", i > 0 ? " > " : "", pm_aspect_name(tree->aspects[i]));
    const PmColumn *titles = pm_tree_columns;
    g_autofree char *starred = g_strconcat(titles[PM_TREE_WAITS].title, "*", NULL);
    const PmTableColumn columns[] = {
        {titles[PM_TREE_SHARE].title, titles[PM_TREE_SHARE].unit, 5, 0, TRUE, 0},
        {"", "", BAR_CELLS, 1, FALSE, 0, TRUE},
        {titles[PM_TREE_THREAD_TIME].title, walk->thread_unit.name, 11, 1, TRUE, 0},
        {walk->starred ? starred : titles[PM_TREE_WAITS].title, "", 7, 1, TRUE, 0},
        {titles[PM_TREE_AVERAGE].title, walk->average_unit.name, 7, 1, TRUE, 0},
        {titles[PM_TREE_LONGEST].title, walk->longest_unit.name, 7, 1, TRUE, 0},
        {path->str, "", 20, 2, FALSE, 34},
    };
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    walk->table = table;
    add_children(walk, tree->root, "", TRUE);
    pm_table_write(table, &walk->output->terminal, out);
    if (walk->numbered)
        pm_text_append_wrapped(out, "", "",
                               "# tells rows apart that read alike; it filters, too: '#3'",
                               walk->output->terminal.columns);
    if (walk->starred)
        pm_text_append_wrapped(out, "", "",
                               "* a wait with several owners counts under each; times are split "
                               "and add up. ~ marks inferred owners",
                               walk->output->terminal.columns);
    if (tree->estimated) {
        g_autofree char *note = estimate_text(tree);
        pm_text_append_wrapped(out, "", "", note, walk->output->terminal.columns);
    }
}

/* ---- JSON ---- */

static void node_json(JsonBuilder *builder, const Walk *walk, const PmTreeNode *node,
                      PmAspect aspect, const char *key)
{
    double total = walk->total;

    pm_json_text(builder, "aspect", pm_aspect_name(aspect));
    pm_json_text(builder, "key", key);
    pm_json_int(builder, "count", node->count);
    pm_json_int(builder, "thread_time_ns", node->thread_time);
    pm_json_int(builder, "longest_ns", node->longest);
    pm_json_double(builder, "share", total > 0 ? (double)node->thread_time / total : 0);
    pm_json_double(builder, "inferred_share",
                   node->thread_time > 0 ? (double)node->inferred_time / (double)node->thread_time
                                         : 0);
}

static void children_json(JsonBuilder *builder, const Walk *walk, const PmTreeNode *node,
                          const char *member)
{
    guint shown;
    g_autofree const PmTreeNode **children = children_of(walk, node, &shown);

    pm_json_begin_array(builder, member);
    for (guint i = 0; i < shown; i++) {
        g_autofree char *key = node_text(walk, children[i]);
        json_builder_begin_object(builder);
        node_json(builder, walk, children[i], children[i]->aspect, key);
        children_json(builder, walk, children[i], "children");
        json_builder_end_object(builder);
    }
    /* Only with --limit. Without it the sums would no longer be the whole. */
    if (shown < node->n_children) {
        PmTreeNode rest = sum_of(children, shown, node->n_children);
        g_autofree char *key = g_strdup_printf("(%u more)", node->n_children - shown);
        json_builder_begin_object(builder);
        node_json(builder, walk, &rest, children[shown]->aspect, key);
        pm_json_begin_array(builder, "children");
        json_builder_end_array(builder);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void write_json(const Walk *walk, GString *out)
{
    const PmView *view = walk->tree->view;
    g_autoptr(JsonBuilder) builder = pm_answer_json_begin(view);

    pm_json_begin_array(builder, "by");
    for (guint i = 0; i < walk->tree->n_aspects; i++)
        json_builder_add_string_value(builder, pm_aspect_name(walk->tree->aspects[i]));
    json_builder_end_array(builder);
    pm_accounts_json(builder, view->recording, walk->tree->aspects, walk->tree->n_aspects);
    if (walk->tree->estimated) {
        pm_json_bool(builder, "estimated", TRUE);
        pm_json_int(builder, "followed_waits", (gint64)walk->tree->n_followed);
    }
    pm_json_int(builder, "count", (gint64)view->n);
    pm_json_int(builder, "thread_time_ns", view->thread_time);
    pm_json_int(builder, "idle_time_ns", view->idle_time);
    children_json(builder, walk, walk->tree->root, "nodes");
    pm_answer_json_end(builder, out);
}

/* ---- CSV: a row per leaf, a column per aspect ---- */

static void leaves_csv(PmCsv *csv, const Walk *walk, const PmTreeNode *node, char **keys,
                       guint depth)
{
    guint shown;
    g_autofree const PmTreeNode **children = children_of(walk, node, &shown);

    for (guint i = 0; i < shown; i++) {
        const PmTreeNode *child = children[i];
        keys[depth] = node_text(walk, child);
        if (child->n_children > 0) {
            leaves_csv(csv, walk, child, keys, depth + 1);
        } else {
            for (guint k = 0; k < walk->tree->n_aspects; k++)
                pm_csv_text(csv, k <= depth ? keys[k] : NULL);
            pm_csv_int(csv, child->count);
            pm_csv_int(csv, child->thread_time);
            pm_csv_int(csv, child->longest);
            pm_csv_double(csv, walk->total > 0 ? (double)child->thread_time / walk->total : 0);
            pm_csv_double(csv, child->thread_time > 0
                                   ? (double)child->inferred_time / (double)child->thread_time
                                   : 0);
            if (walk->tree->estimated)
                pm_csv_int(csv, 1);
            pm_csv_end_row(csv);
        }
        g_clear_pointer(&keys[depth], g_free);
    }
}

static void write_csv(const Walk *walk, GString *out)
{
    static const char *const titles[] = {"count", "thread_time_ns", "longest_ns",
                                         "share", "inferred_share", "estimated"};
    PmCsv csv = {out, FALSE};
    char *keys[PM_N_ASPECTS + 1] = {NULL};

    for (guint i = 0; i < walk->tree->n_aspects; i++)
        pm_csv_text(&csv, pm_aspect_name(walk->tree->aspects[i]));
    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles) - !walk->tree->estimated);
    leaves_csv(&csv, walk, walk->tree->root, keys, 0);
}

gboolean pm_tree_write(const PmTree *tree, const PmOutput *output, GString *out)
{
    g_return_val_if_fail(tree != NULL && output && out != NULL, FALSE);
    Walk walk = {
        .tree = tree,
        .recording = tree->view->recording,
        .output = output,
        .sort = -1,
        .total = (double)tree->view->thread_time,
        .limit = output->limit                      ? output->limit
                 : output->format == PM_FORMAT_TEXT ? TEXT_LIMIT
                                                    : G_MAXUINT,
    };

    for (int i = 0; output->sort && i < N_SORTS; i++)
        if (strcmp(output->sort, sort_names[i]) == 0)
            walk.sort = i;
    if (output->sort && walk.sort < 0)
        return FALSE;
    for (guint i = 0; i < tree->n_aspects; i++)
        walk.starred |= pm_aspect_is_split(tree->aspects[i]);
    switch (output->format) {
    case PM_FORMAT_JSON:
        write_json(&walk, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(&walk, out);
        break;
    case PM_FORMAT_TEXT:
        write_text(&walk, out);
        break;
    }
    return TRUE;
}

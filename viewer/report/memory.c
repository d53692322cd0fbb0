#include "viewer/report/memory.h"

#include <math.h>
#include <string.h>

#include "viewer/report/csv.h"
#include "viewer/report/fold.h"
#include "viewer/report/table.h"
#include "viewer/analysis/recording/label.h"

#define TEXT_LIMIT 12
#define SMALL      0.005 /* of all there is: not worth a row in text */

enum { SORT_LIVE, SORT_TOTAL, SORT_OBJECTS, SORT_GROWTH, N_SORTS };
static const char *const sort_names[] = {"live", "total", "objects", "growth", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(sort_names) == N_SORTS + 1);

const char *const *pm_memory_sort_keys(void)
{
    return sort_names;
}

/* ---- how much is known of a number ---- */

typedef struct {
    const PmMemoryTree *tree;
    const PmOutput *output;
    gboolean growth;
    int sort;
    guint limit;
    double unit; /* bytes in one of the table's unit */
    PmTable *table;
} Walk;

/* "±12 %": to the farther bound; "" of what is exact. Owned. */
static char *error_text(double value, PmBounds bounds, PmMemoryCertainty certainty)
{
    const double error = MAX(bounds.high - value, value - bounds.low);
    if (certainty != PM_MEMORY_ESTIMATED || value == 0)
        return g_strdup("");
    const double percent = 100 * error / fabs(value);
    return percent < 9.95 ? g_strdup_printf("±%.1f %%", percent)
                          : g_strdup_printf("±%.0f %%", MIN(percent, 9999));
}

/* ---- order ---- */

static double sort_value(const Walk *walk, const PmMemoryNode *node)
{
    PmBounds bounds;
    switch (walk->sort) {
    case SORT_TOTAL:
        return node->total.bytes;
    case SORT_OBJECTS:
        return node->live.objects;
    case SORT_GROWTH:
        return pm_memory_growth(node, &bounds);
    default:
        return node->live.bytes > 0 ? node->live.bytes + 1 : node->total.bytes / 1e18;
    }
}

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
    const PmMemoryNode *x = *(PmMemoryNode *const *)a, *y = *(PmMemoryNode *const *)b;
    const double u = sort_value(data, x), v = sort_value(data, y);
    return u < v ? 1 : u > v ? -1 : 0;
}

static gboolean is_large(const Walk *walk, const PmMemoryNode *node)
{
    const PmMemoryNode *all = walk->tree->root;
    return (node->live.bytes > 0 && node->live.bytes >= SMALL * all->live.bytes) ||
           (node->live_begin.bytes > 0 &&
            node->live_begin.bytes >= SMALL * all->live_begin.bytes) ||
           (!walk->growth && node->total.bytes >= SMALL * all->total.bytes);
}

/* Text shows what there is something to see of, unless it was told how many rows to show: the
 * others go behind. Returns how many are shown. */
static guint gather_large(const Walk *walk, GPtrArray *children)
{
    if (walk->output->format != PM_FORMAT_TEXT || walk->output->limit)
        return children->len;
    g_autoptr(GPtrArray) small = g_ptr_array_new();
    guint n = 0;
    for (guint i = 0; i < children->len; i++) {
        PmMemoryNode *node = children->pdata[i];
        if (is_large(walk, node))
            children->pdata[n++] = node;
        else
            g_ptr_array_add(small, node);
    }
    for (guint i = 0; i < small->len; i++)
        children->pdata[n + i] = small->pdata[i];
    return n;
}

/* Owned. */
static GPtrArray *children_of(Walk *walk, const PmMemoryNode *node, guint *ret_shown)
{
    GPtrArray *children = g_ptr_array_new();
    for (guint i = 0; i < node->children->len; i++)
        g_ptr_array_add(children, node->children->pdata[i]);
    g_ptr_array_sort_with_data(children, compare, walk);
    *ret_shown = MIN(walk->limit, gather_large(walk, children));
    if (*ret_shown + 1 == children->len && walk->output->format != PM_FORMAT_CSV)
        *ret_shown = children->len;
    return children;
}

static PmMemoryNode sum_of(const GPtrArray *children, guint from)
{
    PmMemoryNode sum = {0};
    for (guint i = from; i < children->len; i++) {
        const PmMemoryNode *node = children->pdata[i];
        pm_estimate_add(&sum.total, &node->total);
        pm_estimate_add(&sum.live, &node->live);
        pm_estimate_add(&sum.live_begin, &node->live_begin);
    }
    return sum;
}

static char *node_text(const Walk *walk, const PmMemoryNode *node)
{
    return pm_memory_key_text(walk->tree->recording, node->aspect, node->key);
}

/* ---- text ---- */

/* Two cells: the number with its sign, and its error. */
static void set_bytes(const Walk *walk, guint column, const PmEstimate *estimate, gboolean live)
{
    const PmMemoryCertainty certainty = pm_memory_certainty(walk->tree, estimate, live);
    g_autofree char *error = error_text(estimate->bytes, pm_estimate_bytes(estimate), certainty);
    pm_table_printf(walk->table, column, "%s%.2f", pm_memory_sign(certainty, estimate),
                    estimate->bytes / walk->unit);
    pm_table_set(walk->table, column + 1, error);
}

static void set_growth(const Walk *walk, guint column, const PmMemoryNode *node)
{
    PmBounds bounds;
    const double growth = pm_memory_growth(node, &bounds);
    const PmMemoryCertainty now = pm_memory_certainty(walk->tree, &node->live, TRUE);
    const PmMemoryCertainty then = pm_memory_certainty(walk->tree, &node->live_begin, TRUE);
    const gboolean exact = now == PM_MEMORY_EXACT && then == PM_MEMORY_EXACT;
    pm_table_printf(walk->table, column, "%s%+.2f", exact ? "" : "~", growth / walk->unit);
    if (!exact)
        pm_table_printf(walk->table, column + 1, "±%.2f",
                        MAX(bounds.high - growth, growth - bounds.low) / walk->unit);
}

static void add_node(const Walk *walk, const PmMemoryNode *node, const char *prefix,
                     const char *label)
{
    const PmMemoryCertainty live = pm_memory_certainty(walk->tree, &node->live, TRUE);
    pm_table_add_row(walk->table);
    if (walk->growth) {
        set_growth(walk, 0, node);
        set_bytes(walk, 2, &node->live_begin, TRUE);
        set_bytes(walk, 4, &node->live, TRUE);
    } else {
        set_bytes(walk, 0, &node->live, TRUE);
        pm_table_printf(walk->table, 2, "%s%.0f", pm_memory_sign(live, &node->live),
                        node->live.objects);
        set_bytes(walk, 3, &node->total, FALSE);
        const double rate = pm_memory_rate(walk->tree, node);
        if (!isnan(rate))
            pm_table_printf(walk->table, 5, "%.2f", rate / walk->unit);
    }
    pm_table_printf(walk->table, 6, "%s%s", prefix, label);
}

static void add_children(Walk *walk, const PmMemoryNode *node, const char *indent, gboolean top)
{
    guint shown;
    g_autoptr(GPtrArray) children = children_of(walk, node, &shown);
    for (guint i = 0; i < shown; i++) {
        const gboolean last = i + 1 == children->len;
        g_autofree char *label = node_text(walk, children->pdata[i]);
        g_autofree char *prefix = g_strconcat(indent, top ? "" : last ? "└ " : "├ ", NULL);
        g_autofree char *deeper = g_strconcat(indent, top ? "" : last ? "  " : "│ ", NULL);
        add_node(walk, children->pdata[i], prefix, label);
        add_children(walk, children->pdata[i], deeper, FALSE);
    }
    if (shown < children->len) {
        const PmMemoryNode rest = sum_of(children, shown);
        g_autofree char *label = g_strdup_printf("%u more", children->len - shown);
        g_autofree char *prefix = g_strconcat(indent, top ? "" : "└ ", NULL);
        add_node(walk, &rest, prefix, label);
    }
}

static char *interval_text(gint64 interval)
{
    g_autofree char *bytes = pm_label_bytes((guint64)interval);
    return g_strdup_printf("one in %s", bytes);
}

/* Of the stored samples in the range, those taken at a longer interval than the least. */
static void append_raised(const PmMemoryTree *tree, GString *line)
{
    const PmRecording *r = tree->recording;
    gint64 least = G_MAXINT64, most = 0;
    guint n = 0, raised = 0;
    for (guint i = 0; i < r->n_allocations; i++)
        least = MIN(least, r->allocations[i].interval);
    for (guint i = 0; i < r->n_allocations; i++) {
        n++;
        raised += r->allocations[i].interval > least;
        most = MAX(most, r->allocations[i].interval);
    }
    if (raised == 0)
        return;
    g_autofree char *bytes = pm_label_bytes((guint64)most);
    g_string_append_printf(line,
                           "; raised to at most %s, for %.0f %% of the samples, to limit the cost",
                           bytes, 100.0 * raised / n);
}

static void append_how(const PmMemoryTree *tree, const PmTerminal *terminal, GString *out)
{
    const PmMemorySnapshot *s = tree->snapshot;
    g_autoptr(GString) line = g_string_new(NULL);
    if (s->exact_from != G_MININT64) {
        g_autofree char *from = pm_heading_instant(tree->recording, s->exact_from, 3);
        g_string_append_printf(line, "Every object is counted: exact from %s", from);
    } else if (s->interval == 0) {
        g_string_append(line, "Every object is counted since sampling was switched on; ≥ because "
                              "threads adopted that one after another");
    } else {
        g_autofree char *interval = interval_text(s->interval);
        g_string_append_printf(line, "Sampled, %s; ~ estimated, ± at three standard errors",
                               interval);
        append_raised(tree, line);
    }
    if (tree->from_samples && s->not_stored > 0)
        g_string_append_printf(line,
                               "; %" G_GINT64_FORMAT " samples were not stored and are "
                               "missing here",
                               s->not_stored);
    pm_text_append_wrapped(out, "", "", line->str, terminal->columns);
}

static void append_live(const PmMemoryTree *tree, const PmTerminal *terminal, GString *out)
{
    const PmMemorySnapshot *s = tree->snapshot;
    g_autoptr(GString) line = g_string_new(NULL);
    if (tree->live_at == G_MININT64 || s->gcs == 0) {
        g_string_append(line, "Live data is not known yet: it is determined after a GC.");
    } else {
        g_autofree char *at = pm_heading_instant(tree->recording, tree->live_at, 3);
        g_string_append_printf(line, "Live as of %s, after %" G_GINT64_FORMAT " GC events", at,
                               s->gcs);
        g_string_append_printf(line,
                               "; the old generation was examined in %" G_GINT64_FORMAT
                               " pauses; old objects count as live until it is",
                               s->old_gcs);
        if (s->flags & PM_MEMORY_LIVE_BOUND)
            g_string_append(line,
                            "; not all live objects could be followed: live is a lower bound");
    }
    pm_text_append_wrapped(out, "", "", line->str, terminal->columns);
}

static void write_none(const PmMemoryTree *tree, const PmTerminal *terminal, GString *out)
{
    g_autofree char *line = g_strdup_printf(
        "No allocations are recorded%s. To sample them: parkctl PID set alloc=512k, or start the "
        "recorder with alloc=512k.",
        tree->recording->n_snapshots > 0 ? " up to the end of that range" : "");
    pm_text_append_wrapped(out, "", "", line, terminal->columns);
}

static void write_table(Walk *walk, GString *out)
{
    const PmMemoryTree *tree = walk->tree;
    g_autoptr(GString) path = g_string_new(NULL);
    const double most = MAX(tree->root->live.bytes, tree->root->total.bytes);
    const gboolean mib = most >= 1024.0 * 1024;
    walk->unit = mib ? 1024.0 * 1024 : 1024;
    const char *unit = mib ? "MiB" : "KiB", *per_second = mib ? "MiB/s" : "KiB/s";
    for (guint i = 0; i < tree->n_aspects; i++)
        g_string_append_printf(path, "%s%s", i > 0 ? " > " : "",
                               pm_memory_aspect_name(tree->aspects[i]));
    const PmTableColumn totals[] = {
        {"Live", unit, 8, 0, TRUE, 0},    {"", "", 6, 1, TRUE, 0},
        {"Objects", "", 8, 1, TRUE, 0},   {"Allocated", unit, 9, 1, TRUE, 0},
        {"", "", 6, 1, TRUE, 0},          {"Rate", per_second, 7, 1, TRUE, 0},
        {path->str, "", 20, 2, FALSE, 20}};
    const PmTableColumn growth[] = {{"Growth", unit, 9, 0, TRUE, 0},  {"", unit, 7, 1, TRUE, 0},
                                    {"Before", unit, 8, 1, TRUE, 0},  {"", "", 6, 1, TRUE, 0},
                                    {"After", unit, 8, 1, TRUE, 0},   {"", "", 6, 1, TRUE, 0},
                                    {path->str, "", 20, 2, FALSE, 20}};
    g_autoptr(PmTable) table = pm_table_new(walk->growth ? growth : totals, G_N_ELEMENTS(totals));
    walk->table = table;
    add_node(walk, tree->root, "", "(all)");
    add_children(walk, tree->root, "", TRUE);
    pm_table_write(table, &walk->output->terminal, out);
}

static void write_text(Walk *walk, GString *out)
{
    const PmMemoryTree *tree = walk->tree;
    const PmTerminal *terminal = &walk->output->terminal;
    g_autofree char *who = pm_heading_who(tree->recording);
    if (!tree->snapshot) {
        g_string_append_printf(out, "%s\n", who);
        write_none(tree, terminal, out);
        return;
    }
    g_autofree char *range = pm_heading_range(tree->recording, MAX(tree->first, 0), tree->last);
    pm_heading_append_pair(out, terminal, PM_STYLE_STRONG, who, range);
    append_how(tree, terminal, out);
    append_live(tree, terminal, out);
    g_string_append_c(out, '\n');
    write_table(walk, out);
}

/* ---- JSON ---- */

static void bounds_json(JsonBuilder *builder, const char *name, double value, PmBounds bounds)
{
    g_autofree char *low = g_strconcat(name, "_low", NULL);
    g_autofree char *high = g_strconcat(name, "_high", NULL);
    pm_json_int(builder, name, llround(value));
    pm_json_int(builder, low, llround(bounds.low));
    pm_json_int(builder, high, llround(bounds.high));
}

static void estimate_json(JsonBuilder *builder, const char *name, const PmEstimate *estimate)
{
    g_autofree char *bytes = g_strconcat(name, "_bytes", NULL);
    g_autofree char *objects = g_strconcat(name, "_objects", NULL);
    g_autofree char *samples = g_strconcat(name, "_samples", NULL);
    bounds_json(builder, bytes, estimate->bytes, pm_estimate_bytes(estimate));
    bounds_json(builder, objects, estimate->objects, pm_estimate_objects(estimate));
    pm_json_int(builder, samples, estimate->samples);
}

static void numbers_json(JsonBuilder *builder, const Walk *walk, const PmMemoryNode *node)
{
    static const char *const words[] = {"exact", "estimated", "at-least"};
    estimate_json(builder, "live", &node->live);
    estimate_json(builder, "total", &node->total);
    pm_json_double(builder, "rate_bytes_per_s", pm_memory_rate(walk->tree, node));
    pm_json_text(builder, "live_is", words[pm_memory_certainty(walk->tree, &node->live, TRUE)]);
    pm_json_text(builder, "total_is", words[pm_memory_certainty(walk->tree, &node->total, FALSE)]);
    if (!walk->tree->since_start && !walk->tree->from_samples) {
        PmBounds bounds;
        const double growth = pm_memory_growth(node, &bounds);
        bounds_json(builder, "growth_bytes", growth, bounds);
    }
}

static void children_json(JsonBuilder *builder, Walk *walk, const PmMemoryNode *node,
                          const char *member)
{
    guint shown;
    g_autoptr(GPtrArray) children = children_of(walk, node, &shown);
    pm_json_begin_array(builder, member);
    for (guint i = 0; i < shown; i++) {
        const PmMemoryNode *child = children->pdata[i];
        g_autofree char *key = node_text(walk, child);
        json_builder_begin_object(builder);
        pm_json_text(builder, "aspect", pm_memory_aspect_name(child->aspect));
        pm_json_text(builder, "key", key);
        numbers_json(builder, walk, child);
        children_json(builder, walk, child, "children");
        json_builder_end_object(builder);
    }
    if (shown < children->len) {
        const PmMemoryNode rest = sum_of(children, shown);
        g_autofree char *key = g_strdup_printf("(%u more)", children->len - shown);
        const PmMemoryNode *first = children->pdata[shown];
        json_builder_begin_object(builder);
        pm_json_text(builder, "aspect", pm_memory_aspect_name(first->aspect));
        pm_json_text(builder, "key", key);
        numbers_json(builder, walk, &rest);
        pm_json_begin_array(builder, "children");
        json_builder_end_array(builder);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void instant_json(JsonBuilder *builder, const char *name, gint64 at)
{
    if (at == G_MININT64)
        pm_json_null(builder, name);
    else
        pm_json_int(builder, name, at);
}

static void write_json(Walk *walk, GString *out)
{
    const PmMemoryTree *tree = walk->tree;
    const PmRecording *r = tree->recording;
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_recording_json(builder, r, tree->since_start, tree->from, tree->to, tree->to - tree->from,
                      (gint64)r->waits.n);
    pm_json_begin_array(builder, "by");
    for (guint i = 0; i < tree->n_aspects; i++)
        json_builder_add_string_value(builder, pm_memory_aspect_name(tree->aspects[i]));
    json_builder_end_array(builder);
    pm_json_begin_object(builder, "sampling");
    pm_json_bool(builder, "recorded", tree->snapshot != NULL);
    if (tree->snapshot) {
        const PmMemorySnapshot *s = tree->snapshot;
        pm_json_int(builder, "interval_bytes", s->interval);
        pm_json_int(builder, "unseen_bytes_high", (gint64)pm_memory_unseen(r, tree->to));
        instant_json(builder, "exact_from_ns", s->exact_from);
        pm_json_int(builder, "first_ns", tree->first);
        pm_json_int(builder, "last_ns", tree->last);
        instant_json(builder, "live_at_ns", tree->live_at);
        pm_json_int(builder, "gcs", s->gcs);
        pm_json_int(builder, "old_gcs", s->old_gcs);
        pm_json_int(builder, "not_stored", s->not_stored);
        pm_json_bool(builder, "live_is_bound", (s->flags & PM_MEMORY_LIVE_BOUND) != 0);
        pm_json_text(builder, "source", tree->from_samples ? "samples" : "snapshots");
    }
    json_builder_end_object(builder);
    numbers_json(builder, walk, tree->root);
    children_json(builder, walk, tree->root, "nodes");
    pm_answer_json_end(builder, out);
}

/* ---- CSV: a row per leaf, a column per aspect ---- */

static void leaf_csv(PmCsv *csv, const Walk *walk, const PmMemoryNode *node)
{
    const PmEstimate *estimates[] = {&node->live, &node->total};
    for (guint i = 0; i < G_N_ELEMENTS(estimates); i++) {
        const PmBounds bounds = pm_estimate_bytes(estimates[i]);
        pm_csv_int(csv, llround(estimates[i]->bytes));
        pm_csv_int(csv, llround(bounds.low));
        pm_csv_int(csv, llround(bounds.high));
        pm_csv_int(csv, llround(estimates[i]->objects));
        pm_csv_int(csv, estimates[i]->samples);
    }
    pm_csv_double(csv, pm_memory_rate(walk->tree, node));
    pm_csv_int(csv, llround(node->live.bytes - node->live_begin.bytes));
    pm_csv_end_row(csv);
}

static void leaves_csv(PmCsv *csv, Walk *walk, const PmMemoryNode *node, char **keys, guint depth)
{
    guint shown;
    g_autoptr(GPtrArray) children = children_of(walk, node, &shown);
    for (guint i = 0; i < shown; i++) {
        const PmMemoryNode *child = children->pdata[i];
        keys[depth] = node_text(walk, child);
        if (child->children->len > 0) {
            leaves_csv(csv, walk, child, keys, depth + 1);
        } else {
            for (guint k = 0; k < walk->tree->n_aspects; k++)
                pm_csv_text(csv, k <= depth ? keys[k] : NULL);
            leaf_csv(csv, walk, child);
        }
        g_clear_pointer(&keys[depth], g_free);
    }
}

static void write_csv(Walk *walk, GString *out)
{
    static const char *const titles[] = {"live_bytes",      "live_bytes_low",   "live_bytes_high",
                                         "live_objects",    "live_samples",     "total_bytes",
                                         "total_bytes_low", "total_bytes_high", "total_objects",
                                         "total_samples",   "rate_bytes_per_s", "growth_bytes"};
    PmCsv csv = {out, FALSE};
    char *keys[PM_MEMORY_MOST + 1] = {NULL};
    for (guint i = 0; i < walk->tree->n_aspects; i++)
        pm_csv_text(&csv, pm_memory_aspect_name(walk->tree->aspects[i]));
    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    leaves_csv(&csv, walk, walk->tree->root, keys, 0);
}

gboolean pm_memory_write(const PmMemoryTree *tree, gboolean growth, const PmOutput *output,
                         GString *out)
{
    g_return_val_if_fail(tree != NULL && output && out != NULL, FALSE);
    Walk walk = {.tree = tree,
                 .output = output,
                 .growth = growth,
                 .sort = growth ? SORT_GROWTH : SORT_LIVE,
                 .limit = output->limit                      ? output->limit
                          : output->format == PM_FORMAT_TEXT ? TEXT_LIMIT
                                                             : G_MAXUINT};
    gboolean known = !output->sort;
    for (int i = 0; output->sort && i < N_SORTS; i++) {
        if (strcmp(output->sort, sort_names[i]) == 0) {
            walk.sort = i;
            known = TRUE;
        }
    }
    if (!known)
        return FALSE;
    if (output->format == PM_FORMAT_JSON)
        write_json(&walk, out);
    else if (output->format == PM_FORMAT_CSV)
        write_csv(&walk, out);
    else
        write_text(&walk, out);
    return TRUE;
}

/* ---- folded ---- */

static void fold_node(const PmMemoryTree *tree, const PmMemoryNode *node, gboolean live,
                      GString *stack, GString *out)
{
    const gint64 bytes = llround(live ? node->live.bytes : node->total.bytes);
    if (node->children->len == 0 && bytes > 0 && stack->len > 0)
        g_string_append_printf(out, "%s %" G_GINT64_FORMAT "\n", stack->str, bytes);
    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        const gsize length = stack->len;
        if (child->aspect != PM_ASPECT_CHAIN ||
            !pm_fold_chain(stack, tree->recording, child->key)) {
            g_autofree char *text = pm_memory_key_text(tree->recording, child->aspect, child->key);
            pm_fold_text(stack, *text ? text : "(none)");
        }
        fold_node(tree, child, live, stack, out);
        g_string_truncate(stack, length);
    }
}

void pm_memory_write_folded(const PmMemoryTree *tree, gboolean live, GString *out)
{
    g_autoptr(GString) stack = g_string_new(NULL);
    fold_node(tree, tree->root, live, stack, out);
}

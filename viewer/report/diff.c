#include "viewer/report/diff.h"

#include "viewer/report/csv.h"
#include "viewer/report/table.h"

#define TEXT_LIMIT 12

static void add_rows(PmTable *table, const PmDiffNode *node, guint depth, guint limit)
{
    guint n = limit > 0 ? MIN(node->n_children, limit) : node->n_children;
    for (guint i = 0; i < n; i++) {
        const PmDiffNode *child = node->children[i];
        pm_table_add_row(table);
        pm_table_printf(table, 0, "%.2f", child->before.threads);
        pm_table_printf(table, 1, "%.2f", child->after.threads);
        pm_table_printf(table, 2, "%+.2f", child->change);
        pm_table_printf(table, 3, "%" G_GINT64_FORMAT, child->before.count);
        pm_table_printf(table, 4, "%" G_GINT64_FORMAT, child->after.count);
        pm_table_printf(table, 5, "%*s%s", (int)(2 * depth), "", child->key);
        add_rows(table, child, depth + 1, limit);
    }
    if (n < node->n_children) {
        g_autofree char *more =
            g_strdup_printf("%*s%u more", (int)(2 * depth), "", node->n_children - n);
        pm_table_add_row(table);
        pm_table_set(table, 5, more);
    }
}

static void append_heading(const PmDiff *diff, const PmView *view, const char *name,
                           const PmOutput *output, GString *out)
{
    g_autofree char *who = pm_heading_who(view->recording);
    g_autofree char *range = pm_heading_range(view->recording, view->from, view->to);
    g_autofree char *left = g_strdup_printf("%-7s %s", name, who);
    pm_heading_append_pair(out, &output->terminal, PM_STYLE_PLAIN, left, range);
    pm_accounts_append(out, view->recording, diff->aspects, diff->n_aspects,
                       output->terminal.columns);
}

static void write_text(const PmDiff *diff, const PmOutput *output, GString *out)
{
    GString *by = g_string_new(NULL);
    for (guint i = 0; i < diff->n_aspects; i++)
        g_string_append_printf(by, "%s%s", i > 0 ? " > " : "", pm_aspect_name(diff->aspects[i]));
    g_autofree char *title = g_string_free(by, FALSE);
    const PmTableColumn columns[] = {
        {"Before", "threads", 7, 0, TRUE}, {"After", "threads", 7, 1, TRUE},
        {"Change", "threads", 7, 1, TRUE}, {"Waits", "before", 8, 1, TRUE},
        {"Waits", "after", 8, 1, TRUE},    {title, "", 0, 2, FALSE, 20}};
    append_heading(diff, diff->before, "before", output, out);
    append_heading(diff, diff->after, "after", output, out);
    const PmDiffNode *root = diff->root;
    char text[64];
    g_snprintf(text, sizeof text, "%+.2f", root->change);
    g_string_append_printf(out, "\n%.2f threads waited on average, then %.2f (%s)\n\n",
                           root->before.threads, root->after.threads, text);
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    add_rows(table, root, 0, output->limit > 0 ? output->limit : TEXT_LIMIT);
    pm_table_write(table, &output->terminal, out);
}

static void side_json(JsonBuilder *builder, const char *key, const PmDiffSide *side)
{
    pm_json_begin_object(builder, key);
    pm_json_int(builder, "count", side->count);
    pm_json_int(builder, "thread_time_ns", side->thread_time);
    pm_json_int(builder, "longest_ns", side->longest);
    pm_json_double(builder, "threads", side->threads);
    json_builder_end_object(builder);
}

static void nodes_json(JsonBuilder *builder, const char *key, const PmDiffNode *node, guint limit)
{
    guint n = limit > 0 ? MIN(node->n_children, limit) : node->n_children;
    pm_json_begin_array(builder, key);
    for (guint i = 0; i < n; i++) {
        const PmDiffNode *child = node->children[i];
        json_builder_begin_object(builder);
        pm_json_text(builder, "aspect", pm_aspect_name(child->aspect));
        pm_json_text(builder, "key", child->key);
        side_json(builder, "before", &child->before);
        side_json(builder, "after", &child->after);
        pm_json_double(builder, "change", child->change);
        nodes_json(builder, "children", child, limit);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void write_json(const PmDiff *diff, const PmOutput *output, GString *out)
{
    const PmView *const views[] = {diff->before, diff->after};
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_begin_array(builder, "recordings");
    for (guint i = 0; i < G_N_ELEMENTS(views); i++) {
        json_builder_begin_object(builder);
        pm_recording_json(builder, views[i]->recording, FALSE, views[i]->from, views[i]->to,
                          views[i]->recorded, (gint64)views[i]->n);
        pm_accounts_json(builder, views[i]->recording, diff->aspects, diff->n_aspects);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "by");
    for (guint i = 0; i < diff->n_aspects; i++)
        json_builder_add_string_value(builder, pm_aspect_name(diff->aspects[i]));
    json_builder_end_array(builder);
    side_json(builder, "before", &diff->root->before);
    side_json(builder, "after", &diff->root->after);
    nodes_json(builder, "nodes", diff->root, output->limit);
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
}

static void leaves_csv(PmCsv *csv, const PmDiff *diff, const PmDiffNode *node, const char **keys,
                       guint depth)
{
    for (guint i = 0; i < node->n_children; i++) {
        const PmDiffNode *child = node->children[i];
        keys[depth] = child->key;
        if (depth + 1 < diff->n_aspects) {
            leaves_csv(csv, diff, child, keys, depth + 1);
            continue;
        }
        for (guint k = 0; k <= depth; k++)
            pm_csv_text(csv, keys[k]);
        pm_csv_int(csv, child->before.count);
        pm_csv_int(csv, child->after.count);
        pm_csv_int(csv, child->before.thread_time);
        pm_csv_int(csv, child->after.thread_time);
        pm_csv_double(csv, child->change);
        pm_csv_end_row(csv);
    }
}

static void write_csv(const PmDiff *diff, GString *out)
{
    static const char *const titles[] = {"count_before", "count_after", "thread_time_ns_before",
                                         "thread_time_ns_after", "change_threads"};
    const char *keys[PM_N_ASPECTS + 1] = {NULL};
    PmCsv csv = {out, FALSE};

    for (guint i = 0; i < diff->n_aspects; i++)
        pm_csv_text(&csv, pm_aspect_name(diff->aspects[i]));
    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    leaves_csv(&csv, diff, diff->root, keys, 0);
}

void pm_diff_write(const PmDiff *diff, const PmOutput *output, GString *out)
{
    g_return_if_fail(diff != NULL && output && out != NULL);
    switch (output->format) {
    case PM_FORMAT_TEXT:
        write_text(diff, output, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(diff, out);
        break;
    case PM_FORMAT_JSON:
        write_json(diff, output, out);
        break;
    }
}

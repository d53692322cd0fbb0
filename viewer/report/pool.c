#include "viewer/report/pool.h"

#include "viewer/report/csv.h"
#include "viewer/report/table.h"
#include "viewer/report/unit.h"

#define TEXT_LIMIT 20

/* What pools' threads waited for while they were not idle, in the order of the columns. */
static const PmFamily families[] = {PM_FAMILY_LOCK, PM_FAMILY_RESOURCE, PM_FAMILY_SIGNAL,
                                    PM_FAMILY_JOIN, PM_FAMILY_OTHER};
#define N_FAMILIES G_N_ELEMENTS(families)

static double share(gint64 part, gint64 whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void append_row(PmTable *table, const PmRecording *recording, const PmPool *pool)
{
    guint column = 0;

    pm_table_add_row(table);
    pm_table_set(table, column++, recording->groups[pool->group].name);
    pm_table_printf(table, column++, "%u", pool->size);
    pm_table_printf(table, column++, "%u", pool->idle_now);
    pm_table_printf(table, column++, "%u", pool->least_idle);
    pm_table_printf(table, column++, "%.1f", 100 * pm_pool_none_idle_share(pool));
    pm_table_printf(table, column++, "%.1f", 100 * share(pm_pool_busy(pool), pool->life));
    for (guint i = 0; i < N_FAMILIES; i++)
        pm_table_printf(table, column++, "%.1f",
                        100 * share(pool->family[families[i]], pm_pool_busy(pool)));
}

static void write_text(const PmPools *pools, guint n, const PmOutput *output, GString *out)
{
    static const PmTableColumn columns[] = {
        {"Pool", "", 12, 0, FALSE, 12},    {"Size", "", 5, 2, TRUE, 0},
        {"Idle", "now", 5, 1, TRUE, 0},    {"Idle", "least", 5, 1, TRUE, 0},
        {"None idle", "%", 9, 1, TRUE, 0}, {"Busy", "%", 6, 1, TRUE, 0},
        {"Lock", "%", 6, 3, TRUE, 0},      {"Resource", "%", 8, 1, TRUE, 0},
        {"Signal", "%", 6, 1, TRUE, 0},    {"Join", "%", 6, 1, TRUE, 0},
        {"Other", "%", 6, 1, TRUE, 0},
    };
    const PmView *view = pools->view;
    g_autofree char *who = pm_heading_who(view->recording);
    g_autofree char *range = pm_heading_range(view->recording, view->from, view->to);
    g_autofree char *count = pm_unit_count(pools->n, "pool", "pools");

    pm_heading_append_pair(out, &output->terminal, PM_STYLE_STRONG, who, range);
    g_string_append(out, count);
    pm_heading_append_losses(out, view->recording, view->from, view->to);
    g_string_append(out, "\n\n");
    if (pools->n == 0) {
        g_string_append(out, "No thread waited for a task like a pool thread.\n");
        return;
    }
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    for (guint i = 0; i < n; i++)
        append_row(table, view->recording, &pools->pools[i]);
    pm_table_write(table, &output->terminal, out);
    if (n < pools->n)
        g_string_append_printf(out, "%u more (--limit=0 shows all)\n", pools->n - n);
    pm_text_append_wrapped(
        out, "\n", "",
        "None idle: share of the pool's lifetime. Busy: share of its threads' lifetimes, not idle; "
        "of that, what they waited for. The rest of the time they ran, slept or were in I/O.",
        output->terminal.columns);
}

static void pool_json(JsonBuilder *builder, const PmRecording *recording, const PmPool *pool)
{
    json_builder_begin_object(builder);
    pm_json_text(builder, "group", recording->groups[pool->group].name);
    pm_json_int(builder, "threads", pool->n_threads);
    pm_json_int(builder, "size", pool->size);
    pm_json_int(builder, "idle_now", pool->idle_now);
    pm_json_int(builder, "least_idle", pool->least_idle);
    pm_json_double(builder, "none_idle_share", pm_pool_none_idle_share(pool));
    pm_json_int(builder, "none_idle_ns", pool->none_idle);
    pm_json_int(builder, "alive_ns", pool->alive);
    pm_json_int(builder, "life_ns", pool->life);
    pm_json_int(builder, "idle_ns", pool->family[PM_FAMILY_IDLE]);
    pm_json_begin_object(builder, "waiting_ns");
    for (guint i = 0; i < N_FAMILIES; i++)
        pm_json_int(builder, pm_family_name(families[i]), pool->family[families[i]]);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void write_json(const PmPools *pools, guint n, GString *out)
{
    const PmView *view = pools->view;
    g_autoptr(JsonBuilder) builder = pm_answer_json_begin(view);

    pm_json_begin_array(builder, "pools");
    for (guint i = 0; i < n; i++)
        pool_json(builder, view->recording, &pools->pools[i]);
    json_builder_end_array(builder);
    pm_answer_json_end(builder, out);
}

static void write_csv(const PmPools *pools, guint n, GString *out)
{
    static const char *const titles[] = {
        "group",           "threads",      "size",     "idle_now", "least_idle",
        "none_idle_share", "none_idle_ns", "alive_ns", "life_ns",  "idle_ns"};
    PmCsv csv = {out, FALSE};

    for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
        pm_csv_text(&csv, titles[i]);
    for (guint i = 0; i < N_FAMILIES; i++) {
        g_autofree char *title = g_strdup_printf("%s_ns", pm_family_name(families[i]));
        pm_csv_text(&csv, title);
    }
    pm_csv_end_row(&csv);
    for (guint i = 0; i < n; i++) {
        const PmPool *pool = &pools->pools[i];
        pm_csv_text(&csv, pools->view->recording->groups[pool->group].name);
        pm_csv_int(&csv, pool->n_threads);
        pm_csv_int(&csv, pool->size);
        pm_csv_int(&csv, pool->idle_now);
        pm_csv_int(&csv, pool->least_idle);
        pm_csv_double(&csv, pm_pool_none_idle_share(pool));
        pm_csv_int(&csv, pool->none_idle);
        pm_csv_int(&csv, pool->alive);
        pm_csv_int(&csv, pool->life);
        pm_csv_int(&csv, pool->family[PM_FAMILY_IDLE]);
        for (guint f = 0; f < N_FAMILIES; f++)
            pm_csv_int(&csv, pool->family[families[f]]);
        pm_csv_end_row(&csv);
    }
}

void pm_pools_write(const PmPools *pools, const PmOutput *output, GString *out)
{
    g_return_if_fail(pools != NULL && output && out != NULL);
    guint limit = output->limit                      ? output->limit
                  : output->format == PM_FORMAT_TEXT ? TEXT_LIMIT
                                                     : G_MAXUINT;
    guint n = MIN(limit, pools->n);

    switch (output->format) {
    case PM_FORMAT_JSON:
        write_json(pools, n, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(pools, n, out);
        break;
    case PM_FORMAT_TEXT:
        write_text(pools, n, output, out);
        break;
    }
}

#include "viewer/report/whatif.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/csv.h"
#include "viewer/report/table.h"

static const char *const assumptions[] = {
    "threads do the same work again and again",
    "handoffs, other waits and work outside of the lock take as long as now",
    "there are processors enough",
};

static void write_text(const PmView *view, const PmWhatIf *all, guint n, const PmOutput *output,
                       GString *out)
{
    static const PmTableColumn columns[] = {{"Held", "", 8, 0, TRUE},
                                            {"Hold", "", 8, 2, TRUE},
                                            {"Waiting", "s", 10, 2, TRUE},
                                            {"Speed", "times", 6, 2, TRUE},
                                            {"", "", 0, 2, FALSE}};
    const PmRecording *r = view->recording;
    g_autofree char *who = pm_heading_who(r);
    g_autofree char *range = pm_heading_range(r, view->from, view->to);
    pm_heading_append_pair(out, &output->terminal, PM_STYLE_STRONG, who, range);
    if (n == 0) {
        g_string_append_printf(out,
                               "\nNothing to predict from: no lock with an owner that was seen "
                               "to be held at least %d times.\n",
                               PM_WHATIF_MIN_HOLDS);
        return;
    }
    for (guint i = 0; i < n;) {
        g_autofree char *label = pm_label_blocker(r, all[i].blocker);
        g_autofree char *clean = pm_text_clean(label);
        g_string_append_printf(
            out, "\n%s\n  replayed %u holds that others waited for, %u of them measured", clean,
            all[i].n_holds, all[i].n_measured);
        if (all[i].n_unseen > 0)
            g_string_append_printf(out, "; some %u more unseen (inferred)", all[i].n_unseen);
        if (all[i].is_once)
            g_string_append(out, "\n  its threads take it about once: as many come as now, at any "
                                 "speed");
        g_string_append_c(out, '\n');
        g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
        g_autofree char *hold = pm_label_duration(all[i].hold);
        pm_table_add_row(table);
        pm_table_set(table, 0, "as now");
        pm_table_set(table, 1, hold);
        pm_table_printf(table, 2, "%.1f", (double)all[i].waiting / 1e9);
        pm_table_set(table, 3, "1.00");
        if (!pm_whatif_hold_is_exact(&all[i]))
            pm_table_set(table, 4, "(hold inferred)");
        guint32 blocker = all[i].blocker;
        for (; i < n && all[i].blocker == blocker; i++) {
            g_autofree char *then =
                pm_label_duration(pm_rounded((double)all[i].hold * all[i].factor));
            pm_table_add_row(table);
            pm_table_printf(table, 0, "x %.2f", all[i].factor);
            pm_table_set(table, 1, then);
            pm_table_printf(table, 2, "%.1f", (double)all[i].waiting_then / 1e9);
            pm_table_printf(table, 3, "%.2f", all[i].speed_up);
            pm_table_set(table, 4, pm_whatif_fits(&all[i]) ? "(model)" : "(model, a bad fit)");
        }
        pm_table_write(table, &output->terminal, out);
    }
    g_string_append(out,
                    "\nSpeed: how many times as often its threads take the lock in a second.\n"
                    "Waiting: for it, to take it as many times as now.\n"
                    "Exact: the waiting as now, and the holds that were measured.\n"
                    "Inferred: all other holds, and what is predicted. The model assumes that\n");
    for (guint i = 0; i < G_N_ELEMENTS(assumptions); i++)
        g_string_append_printf(out, "  %s%s\n", assumptions[i],
                               i + 1 < G_N_ELEMENTS(assumptions) ? "," : ".");
}

static void write_json(const PmView *view, const PmWhatIf *all, guint n, GString *out)
{
    const PmRecording *r = view->recording;
    g_autoptr(JsonBuilder) builder = pm_answer_json_begin(view);

    pm_json_begin_array(builder, "whatif");
    for (guint i = 0; i < n; i++) {
        const PmBlocker *b = &r->blockers[all[i].blocker];
        g_autofree char *hash = pm_label_hash(r, all[i].blocker);
        g_autofree char *label = pm_label_blocker(r, all[i].blocker);
        json_builder_begin_object(builder);
        pm_json_int(builder, "id", all[i].blocker);
        pm_json_text(builder, "class", r->classes[b->class_index].name);
        pm_json_text(builder, "hash", hash);
        pm_json_text(builder, "label", label);
        pm_json_double(builder, "factor", all[i].factor);
        pm_json_int(builder, "holds", all[i].n_holds);
        pm_json_int(builder, "measured", all[i].n_measured);
        pm_json_int(builder, "unseen", all[i].n_unseen);
        pm_json_int(builder, "hold_ns", all[i].hold);
        pm_json_text(builder, "hold_quality",
                     pm_whatif_hold_is_exact(&all[i]) ? "exact" : "inferred");
        pm_json_int(builder, "hand_over_ns", all[i].handoff);
        pm_json_int(builder, "waiting_ns", all[i].waiting);
        pm_json_int(builder, "waiting_then_ns", all[i].waiting_then);
        pm_json_double(builder, "speed_up", all[i].speed_up);
        pm_json_double(builder, "model_quality", all[i].model_quality);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "assumes");
    for (guint i = 0; i < G_N_ELEMENTS(assumptions); i++)
        json_builder_add_string_value(builder, assumptions[i]);
    json_builder_end_array(builder);
    pm_answer_json_end(builder, out);
}

static void write_csv(const PmView *view, const PmWhatIf *all, guint n, GString *out)
{
    static const char *const titles[] = {
        "blocker",         "factor",   "holds",  "measured",     "hold_ns",      "waiting_ns",
        "waiting_then_ns", "speed_up", "unseen", "hold_quality", "hand_over_ns", "model_quality"};
    PmCsv csv = {out, FALSE};

    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    for (guint i = 0; i < n; i++) {
        g_autofree char *label = pm_label_blocker(view->recording, all[i].blocker);
        pm_csv_text(&csv, label);
        pm_csv_double(&csv, all[i].factor);
        pm_csv_int(&csv, all[i].n_holds);
        pm_csv_int(&csv, all[i].n_measured);
        pm_csv_int(&csv, all[i].hold);
        pm_csv_int(&csv, all[i].waiting);
        pm_csv_int(&csv, all[i].waiting_then);
        pm_csv_double(&csv, all[i].speed_up);
        pm_csv_int(&csv, all[i].n_unseen);
        pm_csv_text(&csv, pm_whatif_hold_is_exact(&all[i]) ? "exact" : "inferred");
        pm_csv_int(&csv, all[i].handoff);
        pm_csv_double(&csv, all[i].model_quality);
        pm_csv_end_row(&csv);
    }
}

void pm_whatif_write(const PmView *view, const PmWhatIf *predictions, guint n,
                     const PmOutput *output, GString *out)
{
    g_return_if_fail(view != NULL && output && out != NULL);
    switch (output->format) {
    case PM_FORMAT_TEXT:
        write_text(view, predictions, n, output, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(view, predictions, n, out);
        break;
    case PM_FORMAT_JSON:
        write_json(view, predictions, n, out);
        break;
    }
}

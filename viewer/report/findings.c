#include "viewer/analysis/code/own-code.h"
#include "viewer/report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/code/account.h"
#include "viewer/analysis/findings/rule.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/csv.h"
#include "viewer/report/unit.h"

#define INDENT      "            "
#define MIN_SHARE   0.005 /* causes below are not named */
#define MAX_CAUSES  5
#define MAX_VICTIMS 4

/* "parkctl tree orders.park --blocker=…": owned; NULL when the finding has no command. */
static char *command_of(const PmFinding *finding, const char *target)
{
    if (!finding->command)
        return NULL;
    const char *place = strstr(target, "%s");
    g_return_val_if_fail(place, NULL);
    /* "--by=…" is a tree's; else its first word is the command. */
    const char *options = finding->command;
    gsize word = g_str_has_prefix(options, "--") ? 0 : strcspn(options, " ");
    g_autofree char *name = word ? g_strndup(options, word) : g_strdup("tree");
    options += word;
    while (*options == ' ')
        options++;
    return g_strdup_printf("parkctl %.*s%s%s%s%s", (int)(place - target), target, name, place + 2,
                           *options ? " " : "", options);
}

/* What asks a running JVM for what keeps it; NULL: of a file, or nothing is kept. Owned. */
static char *path_command_of(const PmFinding *finding, const char *target)
{
    if (!finding->keeps || !g_ascii_isdigit(*target))
        return NULL;
    g_autofree char *what = g_shell_quote(finding->keeps);
    return g_strdup_printf("parkctl %d heap --path=%s", atoi(target), what);
}

static void append_field(GString *out, const PmOutput *output, const char *name, const char *text)
{
    g_autofree char *first = g_strdup_printf("   %-9s", name);
    g_autofree char *clean = pm_text_clean(text);

    pm_text_append_wrapped(out, first, INDENT, clean, output->terminal.columns);
}

/* Where they wait; in a library, also the program's own code that called it. */
static char *site_text(const PmRecording *recording, guint32 chain)
{
    const PmChain *c = &recording->chains[chain];
    const gint own = pm_own_frame(pm_own_code(recording), chain);
    g_autofree char *site = pm_chain_site(recording, chain);

    if (own <= (gint)c->site)
        return g_steal_pointer(&site);
    g_autofree char *code = pm_label_code_short(recording, chain);
    return g_strdup_printf("%s%s%s", site, own == (gint)c->site + 1 ? " < " : " < … < ", code);
}

static char *on_text(const PmRecording *recording, const PmFinding *finding)
{
    g_autofree char *site = site_text(recording, finding->chain);

    if (!finding->blocker)
        return g_steal_pointer(&site);
    g_autofree char *label = pm_label_blocker_field(recording, finding->blocker);
    return g_strdup_printf("%s · %s", label, site);
}

static void append_causes(GString *out, const PmOutput *output, const PmRecording *recording,
                          const PmFinding *finding)
{
    guint shown = 0;
    gboolean margins = FALSE;

    for (guint i = 0; i < MIN(finding->n_causes, MAX_CAUSES); i++)
        margins |= finding->causes[i].margin > 0;
    for (guint i = 0; i < finding->n_causes && shown < MAX_CAUSES; i++) {
        const PmFindingCause *cause = &finding->causes[i];
        if (cause->share < MIN_SHARE)
            continue;
        const char *by = pm_finding_cause_by(finding, recording, cause);
        g_autofree char *margin = pm_finding_margin_text(cause);
        g_autofree char *text = g_strdup_printf(
            "%3.0f %% %s%*s %s%s%s%s", 100 * cause->share, margin ? margin : "",
            margins ? 4 - (int)g_utf8_strlen(margin ? margin : "", -1) : 0, "",
            cause->inferred ? "~" : "", cause->text, by ? ", by " : "", by ? by : "");
        append_field(out, output, shown == 0 ? "Cause" : "", text);
        shown++;
    }
}

static void append_victims(GString *out, const PmOutput *output, const PmRecording *recording,
                           const PmFinding *finding)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < finding->n_victims && i < MAX_VICTIMS; i++) {
        const PmVictim *victim = &finding->victims[i];
        g_autofree char *who = pm_summary_group_text(recording, victim->group, victim->n_threads);
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", who);
        if (victim->busy_share >= MIN_SHARE)
            g_string_append_printf(text, " %s%.0f %% of its busy time",
                                   finding->estimated ? "~" : "", 100 * victim->busy_share);
        else if (!isnan(victim->busy_share))
            g_string_append_printf(text, " less than 1 %% of its busy time");
    }
    if (finding->n_victims > MAX_VICTIMS)
        g_string_append_printf(text, ", %u more %s", finding->n_victims - MAX_VICTIMS,
                               finding->n_victims - MAX_VICTIMS == 1 ? "group" : "groups");
    if (text->len > 0)
        append_field(out, output, "Who", text->str);
}

/* What was seen, then what a model says would be. */
static void append_evidence(GString *out, const PmOutput *output, const PmFinding *finding)
{
    static const char *const names[] = {"Seen", "If"};

    for (int model = 0; model <= 1; model++) {
        const char *name = names[model];
        for (guint i = 0; i < finding->n_evidence; i++) {
            const PmEvidence *evidence = &finding->evidence[i];
            if (evidence->model != model)
                continue;
            g_autofree char *text = g_strdup_printf(
                "%s%s", evidence->exact || evidence->model ? "" : "~", evidence->text);
            append_field(out, output, name, text);
            name = "";
        }
    }
}

static void append_finding(GString *out, const PmOutput *output, const PmRecording *recording,
                           const PmFinding *finding, guint number, const char *target)
{
    gboolean stuck = finding->severity == PM_SEVERITY_STUCK;
    g_autofree char *first = g_strdup_printf("%u  %s  ", number, stuck ? "STUCK" : "HIGH");
    g_autofree char *title = pm_text_clean(finding->title);
    g_autofree char *on = on_text(recording, finding);
    g_autofree char *time = pm_label_duration(finding->thread_time);
    g_autofree char *longest = pm_label_duration(finding->longest);
    g_autofree char *waits = pm_unit_count(finding->waits, "wait", "waits");
    g_autofree char *waiting = g_strdup_printf("%s in %s, %.1f threads on average, longest %s",
                                               time, waits, finding->mean_threads, longest);
    g_autofree char *command = command_of(finding, target);
    g_autofree char *path_command = path_command_of(finding, target);
    g_autoptr(GString) head = g_string_new(NULL);

    pm_text_append_wrapped(head, first, stuck ? "          " : "         ", title,
                           output->terminal.columns);
    pm_text_append_styled(out, &output->terminal, stuck ? PM_STYLE_ALARM : PM_STYLE_STRONG,
                          head->str);
    if (!pm_rule(finding->rule)->of_memory)
        append_field(out, output, "On", on);
    append_causes(out, output, recording, finding);
    append_victims(out, output, recording, finding);
    if (!pm_rule(finding->rule)->of_memory)
        append_field(out, output, "Waiting", waiting);
    append_evidence(out, output, finding);
    if (finding->advice)
        append_field(out, output, "Try", finding->advice);
    if (command)
        append_field(out, output, "See", command);
    if (path_command)
        append_field(out, output, "", path_command);
    g_string_append_c(out, '\n');
}

static void write_text(const PmFindings *findings, const char *target, const PmOutput *output,
                       GString *out)
{
    const PmSummary *summary = findings->summary;
    const PmView *view = summary->metrics->view;
    const PmRecording *recording = view->recording;
    g_autofree char *who = pm_heading_who(recording);
    g_autofree char *range = pm_heading_range(recording, view->from, view->to);
    g_autofree char *waits = pm_unit_count((gint64)view->n, "wait", "waits");
    guint n_notes = 0, n_threads = 0, number = 0;

    for (guint i = 0; i < findings->n; i++)
        n_notes += findings->findings[i].severity == PM_SEVERITY_NOTE;
    for (guint i = 0; i < summary->n_groups; i++)
        n_threads += summary->groups[i].n_threads;
    g_autofree char *found = pm_unit_count(findings->n - n_notes, "finding", "findings");
    g_autofree char *notes = pm_unit_count(n_notes, "note", "notes");
    g_autofree char *threads = pm_unit_count(n_threads, "thread", "threads");
    g_autofree char *groups = pm_unit_count(summary->n_groups, "group", "groups");

    pm_heading_append_pair(out, &output->terminal, PM_STYLE_STRONG, who, range);
    g_string_append_printf(out, "%s, %s   %s, %s in %s", found, notes, waits, threads, groups);
    pm_heading_append_losses(out, recording, view->from, view->to);
    g_string_append(out, "\n\n");
    g_autofree char *no_match = view->n == 0 ? pm_no_match_text(view) : NULL;
    if (no_match) {
        g_string_append_printf(out, "%s\n", no_match);
        return;
    }
    if (findings->n == n_notes) {
        g_autofree char *sentence =
            pm_text_clean(findings->verdict.level >= PM_VERDICT_NONE && findings->verdict.sentence
                              ? findings->verdict.sentence
                              : "No wait stands out");
        g_autofree char *dotted =
            g_strdup_printf("%s%s", sentence, g_str_has_suffix(sentence, ".") ? "" : ".");
        pm_text_append_wrapped(out, "", "", dotted, output->terminal.columns);
        if (summary->not_recorded) {
            g_autofree char *not_recorded = pm_text_clean(summary->not_recorded);
            pm_text_append_wrapped(out, "", "", not_recorded, output->terminal.columns);
        }
        g_string_append_c(out, '\n');
    }
    for (guint i = 0; i < findings->n; i++) {
        const PmFinding *finding = &findings->findings[i];
        if (finding->severity != PM_SEVERITY_NOTE)
            append_finding(out, output, recording, finding, ++number, target);
    }
    for (guint i = 0; i < findings->n; i++) {
        const PmFinding *finding = &findings->findings[i];
        g_autofree char *title = pm_text_clean(finding->title);
        if (finding->severity == PM_SEVERITY_NOTE)
            pm_text_append_wrapped(out, "note  ", "      ", title, output->terminal.columns);
    }
    if (n_notes == 0)
        g_string_truncate(out, out->len - 1);
}

static void blocker_json(JsonBuilder *builder, const PmRecording *recording, guint32 blocker)
{
    const PmBlocker *b = &recording->blockers[blocker];
    g_autofree char *hash = pm_label_hash(recording, blocker);
    g_autofree char *label = pm_label_blocker(recording, blocker);
    g_autofree char *field = pm_label_field(recording, blocker);

    json_builder_begin_object(builder);
    pm_json_int(builder, "id", blocker);
    pm_json_text(builder, "class", recording->classes[b->class_index].name);
    pm_json_text(builder, "hash", hash);
    pm_json_text(builder, "label", label);
    pm_json_text(builder, "field", field);
    json_builder_end_object(builder);
}

static void what_if_json(JsonBuilder *builder, const PmWhatIf *what_if)
{
    json_builder_begin_object(builder);
    pm_json_double(builder, "factor", what_if->factor);
    pm_json_int(builder, "hold_ns", what_if->hold);
    pm_json_int(builder, "waiting_ns", what_if->waiting);
    pm_json_int(builder, "waiting_then_ns", what_if->waiting_then);
    pm_json_double(builder, "speed_up", what_if->speed_up);
    pm_json_double(builder, "model_quality", what_if->model_quality);
    json_builder_end_object(builder);
}

static void finding_json(JsonBuilder *builder, const PmRecording *recording,
                         const PmFinding *finding, const char *target)
{
    g_autofree char *path_command = path_command_of(finding, target);
    g_autofree char *command = command_of(finding, target);

    json_builder_begin_object(builder);
    pm_json_text(builder, "rule", pm_rule_name(finding->rule));
    pm_json_text(builder, "severity", pm_severity_name(finding->severity));
    pm_json_text(builder, "title", finding->title);
    pm_json_double(builder, "busy_share", finding->busy_share);
    pm_json_int(builder, "thread_time_ns", finding->thread_time);
    pm_json_int(builder, "waits", finding->waits);
    pm_json_int(builder, "longest_ns", finding->longest);
    pm_json_double(builder, "mean_threads", finding->mean_threads);
    pm_json_text(builder, "kind", pm_kind_name(finding->kind));
    pm_json_text(builder, "category", pm_category_name(finding->category));
    if (pm_rule(finding->rule)->of_memory) {
        const PmAccounts *accounts = pm_recording_accounts(recording, NULL);
        const guint32 account = pm_recording_account(recording, finding->chain);
        const guint32 principal = pm_recording_principal(recording, finding->chain);
        pm_json_text(builder, "account", pm_accounts_name(accounts, account));
        pm_json_text(builder, "principal", pm_accounts_name(accounts, principal));
    }
    pm_json_begin_array(builder, "blockers");
    if (finding->blocker)
        blocker_json(builder, recording, finding->blocker);
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "causes");
    for (guint i = 0; i < finding->n_causes; i++) {
        const PmFindingCause *cause = &finding->causes[i];
        json_builder_begin_object(builder);
        pm_json_text(builder, "text", cause->text);
        pm_json_text(builder, "thread",
                     cause->thread ? recording->threads[cause->thread].name : NULL);
        pm_json_text(builder, "group",
                     cause->group < recording->n_groups ? recording->groups[cause->group].name
                                                        : NULL);
        pm_json_double(builder, "share", cause->share);
        pm_json_double(builder, "margin", cause->margin > 0 ? cause->margin : NAN);
        pm_json_bool(builder, "inferred", cause->inferred);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "victims");
    for (guint i = 0; i < finding->n_victims; i++) {
        const PmVictim *victim = &finding->victims[i];
        json_builder_begin_object(builder);
        pm_json_text(builder, "group", recording->groups[victim->group].name);
        pm_json_int(builder, "threads", victim->n_threads);
        pm_json_int(builder, "thread_time_ns", victim->thread_time);
        pm_json_double(builder, "busy_share", victim->busy_share);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "evidence");
    for (guint i = 0; i < finding->n_evidence; i++) {
        json_builder_begin_object(builder);
        pm_json_text(builder, "text", finding->evidence[i].text);
        pm_json_bool(builder, "exact", finding->evidence[i].exact);
        pm_json_bool(builder, "model", finding->evidence[i].model);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    pm_json_begin_array(builder, "what_if");
    for (guint i = 0; i < finding->n_what_ifs; i++)
        what_if_json(builder, &finding->what_ifs[i]);
    json_builder_end_array(builder);
    pm_json_text(builder, "try", finding->advice);
    pm_json_text(builder, "command", command);
    if (path_command)
        pm_json_text(builder, "path_command", path_command);
    pm_json_int(builder, "from_ns", finding->from);
    pm_json_int(builder, "to_ns", finding->to);
    json_builder_end_object(builder);
}

static void write_json(const PmFindings *findings, guint n, const char *target, GString *out)
{
    const PmView *view = findings->summary->metrics->view;
    g_autoptr(JsonBuilder) builder = pm_answer_json_begin(view);

    pm_json_begin_array(builder, "findings");
    for (guint i = 0; i < n; i++)
        finding_json(builder, view->recording, &findings->findings[i], target);
    json_builder_end_array(builder);
    pm_answer_json_end(builder, out);
}

static void write_csv(const PmFindings *findings, guint n, const char *target, GString *out)
{
    static const char *const titles[] = {
        "rule",    "severity", "title", "busy_share", "thread_time_ns", "waits", "longest_ns",
        "blocker", "cause",    "try",   "command",    "from_ns",        "to_ns"};
    const PmRecording *recording = findings->summary->metrics->view->recording;
    PmCsv csv = {out, FALSE};

    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    for (guint i = 0; i < n; i++) {
        const PmFinding *finding = &findings->findings[i];
        g_autofree char *command = command_of(finding, target);
        g_autofree char *label =
            finding->blocker ? pm_label_blocker(recording, finding->blocker) : NULL;
        pm_csv_text(&csv, pm_rule_name(finding->rule));
        pm_csv_text(&csv, pm_severity_name(finding->severity));
        pm_csv_text(&csv, finding->title);
        pm_csv_double(&csv, finding->busy_share);
        pm_csv_int(&csv, finding->thread_time);
        pm_csv_int(&csv, finding->waits);
        pm_csv_int(&csv, finding->longest);
        pm_csv_text(&csv, label);
        pm_csv_text(&csv, finding->n_causes > 0 ? finding->causes[0].text : NULL);
        pm_csv_text(&csv, finding->advice);
        pm_csv_text(&csv, command);
        pm_csv_int(&csv, finding->from);
        pm_csv_int(&csv, finding->to);
        pm_csv_end_row(&csv);
    }
}

void pm_findings_write(const PmFindings *findings, const char *target, const PmOutput *output,
                       GString *out)
{
    g_return_if_fail(findings != NULL && output && out != NULL);
    guint n = output->limit ? MIN(output->limit, findings->n) : findings->n;

    switch (output->format) {
    case PM_FORMAT_JSON:
        write_json(findings, n, target, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(findings, n, target, out);
        break;
    case PM_FORMAT_TEXT:
        write_text(findings, target, output, out);
        break;
    }
}

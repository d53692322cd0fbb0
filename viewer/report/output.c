#include "viewer/report/output.h"

#include <string.h>

#include "viewer/analysis/code/account.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/unit.h"

static const char *const format_names[] = {"text", "csv", "json"};

gboolean pm_format_parse(const char *name, PmFormat *ret_format)
{
    for (guint i = 0; i < G_N_ELEMENTS(format_names); i++) {
        if (strcmp(name, format_names[i]) == 0) {
            *ret_format = i;
            return TRUE;
        }
    }
    return FALSE;
}

char *pm_heading_who(const PmRecording *recording)
{
    const PmRecordingFacts *facts = &recording->facts;
    g_autofree char *name = g_path_get_basename(facts->file ? facts->file : "");
    g_autofree char *pid = g_strdup_printf("%u", facts->pid);
    g_autoptr(GString) out = g_string_new(NULL);

    if (strcmp(name, pid) == 0)
        g_string_append(out, pid);
    else
        g_string_append_printf(out, "%s   pid %s", name, pid);
    if (facts->main && *facts->main)
        g_string_append_printf(out, "   %s", facts->main);
    return pm_text_clean(out->str);
}

/* The wall clock of the recorded machine. NULL when the file's times are beyond a calendar's. */
static GDateTime *wall_clock(const PmRecording *recording, gint64 at, gint64 *ret_fraction_ns)
{
    gint64 unix_ns = recording->facts.begin_unix_ns + at;
    gint64 seconds = unix_ns / G_GINT64_CONSTANT(1000000000);

    *ret_fraction_ns = unix_ns % G_GINT64_CONSTANT(1000000000);
    if (*ret_fraction_ns < 0) {
        *ret_fraction_ns += G_GINT64_CONSTANT(1000000000);
        seconds--;
    }
    return g_date_time_new_from_unix_utc(seconds + recording->facts.utc_offset_s);
}

static char *wall_text(const PmRecording *recording, gint64 at, const char *format, int digits)
{
    gint64 fraction;
    g_autoptr(GDateTime) time = wall_clock(recording, at, &fraction);

    if (!time)
        return g_strdup("?");
    g_autofree char *whole = g_date_time_format(time, format);
    if (digits == 0)
        return g_steal_pointer(&whole);
    g_autofree char *nine = g_strdup_printf("%09" G_GINT64_FORMAT, fraction);
    return g_strdup_printf("%s.%.*s", whole, digits, nine);
}

/* Owned. */
static char *zone(const PmRecording *recording)
{
    const char *text = recording->facts.zone;

    return pm_text_clean(text && *text ? text : "UTC");
}

char *pm_heading_span(gint64 ns)
{
    if (ns >= 1000000000 && ns < G_GINT64_CONSTANT(10000) * 1000000000)
        return g_strdup_printf("%.1f s", (double)ns / 1e9);
    return pm_label_duration(ns);
}

char *pm_heading_range(const PmRecording *recording, gint64 from, gint64 to)
{
    int digits = to - from < G_GINT64_CONSTANT(10000000000) ? 3 : 1;
    g_autofree char *day = wall_text(recording, from, "%Y-%m-%d", 0);
    g_autofree char *last_day = wall_text(recording, to, "%Y-%m-%d", 0);
    g_autofree char *begin = wall_text(recording, from, "%H:%M:%S", digits);
    g_autofree char *end = wall_text(recording, to, "%H:%M:%S", digits);
    g_autofree char *span = pm_heading_span(to - from);
    gboolean same_day = strcmp(day, last_day) == 0;

    if (g_str_has_suffix(begin, ".0") && g_str_has_suffix(end, ".0")) {
        begin[strlen(begin) - 2] = '\0';
        end[strlen(end) - 2] = '\0';
    }
    g_autofree char *where = zone(recording);
    return g_strdup_printf("%s %s to %s%s%s %s (%s)", day, begin, same_day ? "" : last_day,
                           same_day ? "" : " ", end, where, span);
}

char *pm_heading_instant(const PmRecording *recording, gint64 at, int digits)
{
    g_autofree char *text = wall_text(recording, at, "%Y-%m-%d %H:%M:%S", digits);
    g_autofree char *where = zone(recording);

    return g_strdup_printf("%s %s", text, where);
}

char *pm_heading_rfc3339(const PmRecording *recording, gint64 at)
{
    gint64 offset = recording->facts.utc_offset_s;
    g_autofree char *text = wall_text(recording, at, "%Y-%m-%dT%H:%M:%S", 9);

    if (offset == 0)
        return g_strdup_printf("%sZ", text);
    gint64 minutes = ABS(offset) / 60;
    return g_strdup_printf("%s%c%02d:%02d", text, offset < 0 ? '-' : '+', (int)(minutes / 60),
                           (int)(minutes % 60));
}

void pm_heading_append_pair(GString *out, const PmTerminal *terminal, PmStyle style,
                            const char *left, const char *right)
{
    g_autofree char *fitted = pm_text_fit(left, terminal->columns);
    gboolean apart = pm_text_width(fitted) + 3 + pm_text_width(right) > terminal->columns;

    pm_text_append_styled(out, terminal, style, fitted);
    if (*right)
        g_string_append_printf(out, "%s%s", apart ? "\n" : "   ", right);
    g_string_append_c(out, '\n');
}

char *pm_renamed_text(const PmRecording *recording)
{
    if (recording->n_former_names == 0)
        return NULL;
    g_autofree char *times =
        pm_unit_count(recording->n_former_names, "thread was renamed", "renamings of threads");
    return g_strdup_printf("%s: all of a thread's waits are listed under its last name", times);
}

void pm_heading_append_losses(GString *out, const PmRecording *recording, gint64 from, gint64 to)
{
    gint64 not_stored = 0; /* as the options say; what was lost is dropped */
    guint n = 0;

    for (guint32 i = 0; i < recording->n_gaps; i++) {
        const PmGap *gap = &recording->gaps[i];
        if (gap->end < from || gap->begin > to)
            continue;
        n++;
        if (!pm_gap_is_drop(gap))
            pm_sum_add(&not_stored, gap->waits);
    }
    g_autofree char *gaps = pm_unit_count(n, "gap", "gaps");
    if (not_stored > 0)
        g_string_append_printf(out, ", %" G_GINT64_FORMAT " not stored", not_stored);
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " dropped, %s", recording->facts.dropped,
                           gaps);
    if (recording->facts.damaged_blocks > 0) {
        g_autofree char *blocks =
            pm_unit_count(recording->facts.damaged_blocks, "damaged block", "damaged blocks");
        g_autofree char *bytes = pm_label_bytes(recording->facts.lost_bytes);
        g_string_append_printf(out, ", %s left out (%s)", blocks, bytes);
    }
    g_autofree char *renamed = pm_renamed_text(recording);
    if (renamed)
        g_string_append_printf(out, ", %s", renamed);
}

char *pm_no_match_text(const PmView *view)
{
    const PmFilter *filter = view->filter;
    guint n_chips = filter->chips ? filter->chips->len : 0;
    gboolean range = filter->from < filter->to && (filter->from > view->recording->window_begin ||
                                                   filter->to < view->recording->duration);
    g_autoptr(PmFilter) plain = pm_filter_new();

    if (n_chips == 0 && !range)
        return NULL;
    plain->idle = filter->idle;
    g_autoptr(PmView) all = pm_view_new(view->recording, plain, NULL);
    g_autofree char *waits = pm_unit_count((gint64)all->n, "wait", "waits");
    g_autofree char *filters = pm_unit_count(n_chips, "filter", "filters");
    gboolean one = n_chips + range == 1;

    return g_strdup_printf("No wait matches. %s%s%s %s set; without %s %s.", n_chips ? filters : "",
                           n_chips && range ? " and " : "",
                           range ? (n_chips ? "a range" : "A range") : "", one ? "is" : "are",
                           one ? "it" : "them", waits);
}

static gboolean charges(const PmAspect *aspects, guint n_aspects)
{
    for (guint i = 0; i < n_aspects; i++)
        if (aspects[i] == PM_ASPECT_ACCOUNT || aspects[i] == PM_ASPECT_PRINCIPAL)
            return TRUE;
    return FALSE;
}

void pm_accounts_append(GString *out, const PmRecording *recording, const PmAspect *aspects,
                        guint n_aspects, guint columns)
{
    PmAccountsSource source;

    if (!charges(aspects, n_aspects))
        return;
    const PmAccounts *accounts = pm_recording_accounts(recording, &source);
    g_autoptr(GString) line = g_string_new("accounts ");
    g_string_append(line, pm_accounts_source_text(source));
    for (guint i = 1; i <= pm_accounts_n(accounts); i++)
        g_string_append_printf(line, "%s%s", i > 1 ? ", " : ": ", pm_accounts_name(accounts, i));
    if (source == PM_ACCOUNTS_DERIVED || source == PM_ACCOUNTS_UNREADABLE)
        g_string_append(line, "; others: --accounts=");
    g_autofree char *clean = pm_text_clean(line->str);
    pm_text_append_wrapped(out, "", "", clean, columns);
}

void pm_accounts_json(JsonBuilder *builder, const PmRecording *recording, const PmAspect *aspects,
                      guint n_aspects)
{
    static const char *const sources[] = {[PM_ACCOUNTS_DERIVED] = "derived",
                                          [PM_ACCOUNTS_UNREADABLE] = "derived",
                                          [PM_ACCOUNTS_RECORDED] = "recorded",
                                          [PM_ACCOUNTS_GIVEN] = "given"};
    PmAccountsSource source;

    if (!charges(aspects, n_aspects))
        return;
    const PmAccounts *accounts = pm_recording_accounts(recording, &source);
    json_builder_set_member_name(builder, "accounts");
    json_builder_begin_object(builder);
    pm_json_text(builder, "source", sources[source]);
    pm_json_begin_array(builder, "list");
    for (guint i = 1; i <= pm_accounts_n(accounts); i++) {
        json_builder_begin_object(builder);
        pm_json_text(builder, "name", pm_accounts_name(accounts, i));
        pm_json_text(builder, "patterns", pm_accounts_patterns(accounts, i));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

void pm_chain_json(JsonBuilder *builder, const char *key, const PmRecording *recording,
                   guint32 chain)
{
    const PmChain *c = &recording->chains[chain];

    pm_json_begin_array(builder, key);
    for (guint i = 0; i < c->n_frames; i++) {
        g_autofree char *frame = pm_label_frame_full(recording, c->frames[i]);
        g_autofree char *valid = g_utf8_make_valid(frame, -1);
        json_builder_add_string_value(builder, valid);
    }
    json_builder_end_array(builder);
}

char *pm_chain_csv(const PmRecording *recording, guint32 chain)
{
    return pm_label_frames(recording, chain, 0, G_MAXUINT, pm_label_frame_full);
}

char *pm_chain_site(const PmRecording *recording, guint32 chain)
{
    const PmChain *c = &recording->chains[chain];

    if (c->site >= c->n_frames)
        return g_strdup("(no stack trace)");
    return pm_label_frame(recording, c->frames[c->site]);
}

void pm_recording_json(JsonBuilder *builder, const PmRecording *recording, gboolean since_start,
                       gint64 from, gint64 to, gint64 recorded, gint64 waits)
{
    const PmRecordingFacts *facts = &recording->facts;
    g_autofree char *begin = pm_heading_rfc3339(recording, 0);
    gint64 not_stored = 0, not_stored_time = 0;

    if (since_start) {
        for (guint32 i = 0; i < recording->n_ledger; i++) {
            pm_sum_add(&not_stored, recording->ledger[i].counters.not_stored);
            pm_sum_add(&not_stored_time, recording->ledger[i].counters.not_stored_time_ns);
        }
    } else {
        for (guint32 i = 0; i < recording->n_gaps; i++) {
            const PmGap *gap = &recording->gaps[i];
            if (gap->end < from || gap->begin > to)
                continue;
            pm_sum_add(&not_stored, gap->waits);
            pm_sum_add(&not_stored_time, gap->thread_time);
        }
    }

    pm_json_begin_object(builder, "recording");
    pm_json_text(builder, "file", facts->file);
    pm_json_int(builder, "pid", facts->pid);
    pm_json_text(builder, "jvm", facts->jvm);
    pm_json_text(builder, "main", facts->main);
    pm_json_text(builder, "begin", begin);
    pm_json_int(builder, "duration_ns", recording->duration);
    pm_json_int(builder, "recorded_ns", recorded);
    pm_json_int(builder, "from_ns", from);
    pm_json_int(builder, "to_ns", to);
    pm_json_text(builder, "scope", since_start ? "start" : "window");
    pm_json_int(builder, "waits", waits);
    pm_json_begin_object(builder, "not_stored");
    pm_json_int(builder, "count", not_stored);
    pm_json_int(builder, "thread_time_ns", not_stored_time);
    json_builder_end_object(builder);
    pm_json_int(builder, "dropped", facts->dropped);
    pm_json_int(builder, "gaps", recording->n_gaps);
    pm_json_int(builder, "chunks", facts->n_chunks);
    pm_json_int(builder, "damaged_blocks", facts->damaged_blocks);
    pm_json_text(builder, "not_recorded", facts->not_recorded);
    json_builder_end_object(builder);
}

JsonBuilder *pm_answer_json_begin(const PmView *view)
{
    JsonBuilder *builder = json_builder_new();

    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_recording_json(builder, view->recording, FALSE, view->from, view->to, view->recorded,
                      (gint64)view->n);
    return builder;
}

void pm_answer_json_end(JsonBuilder *builder, GString *out)
{
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
}

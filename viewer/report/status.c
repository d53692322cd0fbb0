#include "viewer/report/status.h"

#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/reply.h"
#include "viewer/report/unit.h"

/* What a recorder says of itself, and what each is: what is of another type is left out. */
static const struct {
    const char *key;
    GType type;
} members[] = {
    {"schema", G_TYPE_INT64},         {"pid", G_TYPE_INT64},
    {"recording", G_TYPE_BOOLEAN},    {"file", G_TYPE_STRING},
    {"size", G_TYPE_INT64},           {"maxsize", G_TYPE_INT64},
    {"begin", G_TYPE_STRING},         {"begin_unix_ns", G_TYPE_INT64},
    {"now_unix_ns", G_TYPE_INT64},    {"main", G_TYPE_STRING},
    {"jvm", G_TYPE_STRING},           {"not_recorded", G_TYPE_STRING},
    {"oldest_ns", G_TYPE_INT64},      {"waits", G_TYPE_INT64},
    {"wait_bytes", G_TYPE_INT64},     {"dropped", G_TYPE_INT64},
    {"in_progress", G_TYPE_INT64},    {"longest_in_progress_ns", G_TYPE_INT64},
    {"deadlocks", G_TYPE_INT64},      {"blockers", G_TYPE_INT64},
    {"chains", G_TYPE_INT64},         {"chain_hits", G_TYPE_INT64},
    {"chain_misses", G_TYPE_INT64},   {"chain_mismatches", G_TYPE_INT64},
    {"chain_epochs", G_TYPE_INT64},   {"chain_cache", G_TYPE_BOOLEAN},
    {"threads", G_TYPE_INT64},        {"drain_cpu_ns", G_TYPE_INT64},
    {"memory_bytes", G_TYPE_INT64},   {"monitors", G_TYPE_BOOLEAN},
    {"vthreads", G_TYPE_BOOLEAN},     {"events", G_TYPE_BOOLEAN},
    {"snapshot_ns", G_TYPE_INT64},    {"flush_ns", G_TYPE_INT64},
    {"mintime_ns", G_TYPE_INT64},     {"minparks", G_TYPE_INT64},
    {"maxage_ns", G_TYPE_INT64},      {"error", G_TYPE_STRING},
    {"warning", G_TYPE_STRING},       {"storing", G_TYPE_BOOLEAN},
    {"slots", G_TYPE_INT64},          {"stops", G_TYPE_INT64},
    {"stopped_ns", G_TYPE_INT64},     {"longest_stop_ns", G_TYPE_INT64},
    {"hooks_rebound", G_TYPE_INT64},  {"parks_unseen", G_TYPE_INT64},
    {"files", G_TYPE_INT64},          {"lost", G_TYPE_INT64},
    {"monitor_events", G_TYPE_INT64}, {"parks_undone", G_TYPE_INT64},
    {"virtual_parks", G_TYPE_STRING}, {"accounts", G_TYPE_STRING},
    {"over_quota", G_TYPE_INT64},     {"alloc_bytes", G_TYPE_INT64},
    {"alloc_followed", G_TYPE_INT64}, {"alloc_followed_most", G_TYPE_INT64},
};

/* A value of the right type, or of any when a later recorder says more than is known here; or none
 * at all. */
static gboolean is_understood(const char *key, JsonNode *node)
{
    if (JSON_NODE_HOLDS_NULL(node))
        return TRUE;
    if (!JSON_NODE_HOLDS_VALUE(node))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(members); i++)
        if (strcmp(key, members[i].key) == 0)
            return json_node_get_value_type(node) == members[i].type;
    return TRUE;
}

/* Not the reply as it came: what was understood of it, written anew. */
static void write_json(JsonObject *status, GString *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    JsonObjectIter iter;
    const char *key;
    JsonNode *node;

    json_builder_begin_object(builder);
    json_object_iter_init_ordered(&iter, status);
    while (json_object_iter_next_ordered(&iter, &key, &node)) {
        if (!is_understood(key, node))
            continue;
        json_builder_set_member_name(builder, key);
        json_builder_add_value(builder, json_node_copy(node));
    }
    json_builder_end_object(builder);
    pm_json_finish_line(builder, out);
}

/* "" when there is none. Owned. */
static char *text_of(JsonObject *status, const char *key)
{
    return pm_text_clean(pm_reply_text(status, key));
}

/* The instant the recording began, ns since 1970; 0 = not known. Owned text. */
static char *begin_of(JsonObject *status, gint64 *ret_unix_ns)
{
    g_autofree char *text = text_of(status, "begin");
    g_autoptr(GDateTime) time = NULL;

    *ret_unix_ns = pm_reply_int(status, "begin_unix_ns");
    if (*ret_unix_ns == 0 && *text) {
        time = g_date_time_new_from_iso8601(text, NULL);
        gint64 seconds = time ? g_date_time_to_unix(time) : 0;
        /* A year that nanoseconds cannot reach is no begin. */
        if (seconds < 0 || seconds > G_MAXINT64 / G_GINT64_CONSTANT(1000000000))
            seconds = 0;
        *ret_unix_ns = seconds * G_GINT64_CONSTANT(1000000000);
    } else if (*ret_unix_ns > 0) {
        time = g_date_time_new_from_unix_utc(*ret_unix_ns / 1000000000);
    }
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S UTC") : g_strdup("?");
}

/* "64.0 of 64.0 MiB", "12.0 MiB of 1.00 GiB". Owned. */
static char *share_of_bytes(guint64 size, guint64 max)
{
    g_autofree char *used = pm_label_bytes(size);
    g_autofree char *whole = pm_label_bytes(max);
    char *unit = strchr(used, ' ');

    if (unit && g_str_has_suffix(whole, unit))
        *unit = '\0';
    return g_strdup_printf("%s of %s", used, whole);
}

/* "31 min", "15 h 52 min": what a glance needs. Owned. */
static char *rough_span(gint64 ns)
{
    char *text = pm_label_duration(ns);

    if (g_str_has_suffix(text, " min 0 s"))
        text[strlen(text) - strlen(" 0 s")] = '\0';
    return text;
}

static void append_first_line(JsonObject *status, const PmTerminal *terminal, GString *out,
                              gint64 *ret_unix_ns)
{
    g_autofree char *main_class = text_of(status, "main");
    g_autofree char *jvm = text_of(status, "jvm");
    g_autofree char *begin = begin_of(status, ret_unix_ns);
    g_autoptr(GString) who = g_string_new(NULL);
    gint64 age = *ret_unix_ns ? pm_difference(g_get_real_time() * 1000, *ret_unix_ns) : 0;

    if (pm_reply_has_int(status, "now_unix_ns"))
        age = pm_difference(pm_reply_int(status, "now_unix_ns"), *ret_unix_ns);
    g_string_append_printf(who, "%" G_GINT64_FORMAT, pm_reply_int(status, "pid"));
    if (*main_class)
        g_string_append_printf(who, "   %s", main_class);
    pm_text_append_styled(out, terminal, PM_STYLE_STRONG, who->str);
    if (*jvm)
        g_string_append_printf(out, "   %s", jvm);
    g_string_append_printf(
        out, "   %s since %s",
        pm_reply_flag(status, "recording") ? "recording" : "STOPPED, recorder there", begin);
    if (age > 0) {
        g_autofree char *text = pm_label_duration(age);
        g_string_append_printf(out, " (%s)", text);
    }
    g_string_append_c(out, '\n');
}

static void append_warnings(JsonObject *status, const PmTerminal *terminal, GString *out)
{
    gint64 pid = pm_reply_int(status, "pid");

    if (pm_reply_int(status, "deadlocks") > 0) {
        g_autofree char *count =
            pm_unit_count(pm_reply_int(status, "deadlocks"), "deadlock", "deadlocks");
        g_autofree char *text =
            g_strdup_printf("WARNING  %s   see: parkctl %" G_GINT64_FORMAT " now", count, pid);
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM, text);
        g_string_append_c(out, '\n');
    }
    if (pm_reply_int(status, "over_quota") > 0) {
        gint64 n = pm_reply_int(status, "over_quota");
        g_autofree char *text = g_strdup_printf(
            "WARNING  %" G_GINT64_FORMAT " %s more alive than %s quota   see: parkctl "
            "%" G_GINT64_FORMAT " findings",
            n, n == 1 ? "account keeps" : "accounts keep", n == 1 ? "its" : "their", pid);
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM, text);
        g_string_append_c(out, '\n');
    }
    if (pm_reply_int(status, "dropped") > 0) {
        g_autofree char *text = g_strdup_printf(
            "WARNING  %" G_GINT64_FORMAT
            " waits were not stored; the counters include them: parkctl %" G_GINT64_FORMAT
            " report --since-start",
            pm_reply_int(status, "dropped"), pid);
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM, text);
        g_string_append_c(out, '\n');
    }
    gint64 undone = pm_reply_int(status, "parks_undone");
    if (pm_reply_int(status, "parks_unseen") > undone) {
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM,
                              "WARNING  threads were seen parked without calling the recorder: "
                              "another agent replaced Unsafe.park");
        g_string_append_c(out, '\n');
    }
    if (undone > 0) {
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM,
                              "WARNING  parks of virtual threads were missed for a time: "
                              "another agent redefined LockSupport");
        g_string_append_c(out, '\n');
    }
    g_autofree char *warning = text_of(status, "warning");
    if (*warning)
        g_string_append_printf(out, "WARNING  %s\n", warning);
}

static void append_file(JsonObject *status, gint64 now_ns, const PmTerminal *terminal, GString *out)
{
    g_autofree char *file = text_of(status, "file");
    g_autofree char *path = g_strdup_printf("File     %s", *file ? file : "(none)");
    g_autofree char *size = share_of_bytes((guint64)MAX(0, pm_reply_int(status, "size")),
                                           (guint64)MAX(0, pm_reply_int(status, "maxsize")));
    g_autoptr(GString) rest = g_string_new(size);

    if (pm_reply_has_flag(status, "storing") && !pm_reply_flag(status, "storing")) {
        g_string_append_printf(out, "%s   is missing: waits are counted, not stored\n", path);
        return;
    }
    /* The file has its size from the start; until it comes round only a part of it is in use. */
    if (pm_reply_has_int(status, "oldest_ns") && pm_reply_int(status, "oldest_ns") <= 0 &&
        pm_reply_has_int(status, "wait_bytes")) {
        g_autofree char *used = pm_label_bytes((guint64)MAX(0, pm_reply_int(status, "wait_bytes")));
        g_autofree char *whole = pm_label_bytes((guint64)MAX(0, pm_reply_int(status, "size")));
        g_string_printf(rest, "%s of waits in %s", used, whole);
    }

    if (pm_reply_has_int(status, "oldest_ns") && now_ns > pm_reply_int(status, "oldest_ns")) {
        g_autofree char *span =
            rough_span(pm_difference(now_ns, pm_reply_int(status, "oldest_ns")));
        g_string_append_printf(rest, "   holds the last %s", span);
    }
    if (pm_reply_int(status, "waits") > 0 && pm_reply_has_int(status, "wait_bytes"))
        g_string_append_printf(rest, "   %.1f bytes a wait",
                               (double)pm_reply_int(status, "wait_bytes") /
                                   (double)pm_reply_int(status, "waits"));
    /* The path is there to be copied: it is never cut. */
    gboolean apart = pm_text_width(path) + 3 + pm_text_width(rest->str) > terminal->columns;
    g_string_append_printf(out, "%s%s%s\n", path, apart ? "\n         " : "   ", rest->str);
}

static void append_waits(JsonObject *status, gint64 age, GString *out)
{
    gint64 waits = pm_reply_int(status, "waits");

    g_string_append_printf(out, "Waits    %" G_GINT64_FORMAT " ended", waits);
    if (age > 0)
        g_string_append_printf(out, " (%.0f a second)", (double)waits / ((double)age / 1e9));
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " in progress",
                           pm_reply_int(status, "in_progress"));
    if (pm_reply_int(status, "longest_in_progress_ns") > 0) {
        g_autofree char *longest =
            pm_label_duration(pm_reply_int(status, "longest_in_progress_ns"));
        g_string_append_printf(out, " (longest %s)", longest);
    }
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " dropped", pm_reply_int(status, "dropped"));
    if (pm_reply_int(status, "lost") > 0)
        g_string_append_printf(out, ", %" G_GINT64_FORMAT " lost with a file",
                               pm_reply_int(status, "lost"));
    g_string_append_c(out, '\n');
}

/* "Samples  of allocations, one in 8.00 MiB (512 KiB wanted); 4000 objects followed of 9900 at
 * most": only while they are taken. */
static void append_samples(JsonObject *status, GString *out)
{
    if (!pm_reply_has_int(status, "alloc_bytes"))
        return;
    const gint64 bytes = pm_reply_int(status, "alloc_bytes");
    const gint64 wanted = pm_reply_int(status, "alloc_wanted_bytes");
    g_autofree char *interval = pm_label_bytes((guint64)MAX(0, bytes));
    g_autofree char *asked = pm_label_bytes((guint64)MAX(0, wanted));
    g_autofree char *every = bytes == 0 ? g_strdup("every one")
                             : bytes > wanted
                                 ? g_strdup_printf("one in %s (%s wanted)", interval, asked)
                                 : g_strdup_printf("one in %s", interval);
    g_autofree char *followed =
        pm_unit_count(pm_reply_int(status, "alloc_followed"), "object", "objects");
    g_string_append_printf(out, "Samples  of allocations, %s; %s followed", every, followed);
    if (pm_reply_has_int(status, "alloc_followed_most"))
        g_string_append_printf(out, " of %" G_GINT64_FORMAT " at most",
                               pm_reply_int(status, "alloc_followed_most"));
    g_string_append_c(out, '\n');
}

/* "Refused  12 not a wait, 3 nested": of each reason that the recorder counts, if there are any. */
static void append_refusals(JsonObject *status, GString *out)
{
    const char *separator = "Refused  ";
    JsonObjectIter iter;
    const char *key;

    json_object_iter_init_ordered(&iter, status);
    while (json_object_iter_next_ordered(&iter, &key, NULL)) {
        if (!g_str_has_prefix(key, "refused_") || pm_reply_int(status, key) <= 0)
            continue;
        g_autofree char *reason = pm_text_clean(key + strlen("refused_"));
        g_strdelimit(reason, "_", ' ');
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT " %s", separator,
                               pm_reply_int(status, key), reason);
        separator = ", ";
    }
    if (*separator == ',')
        g_string_append_c(out, '\n');
}

/* "1 s" for what is a whole number of seconds. Owned. */
static char *short_span(gint64 ns)
{
    if (ns % 1000000000 == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " s", ns / 1000000000);
    return pm_label_duration(ns);
}

/* "   stopped threads 12 times, 1.10 ms in all, 0.3 ms at most": what other threads felt. */
static void append_stops(JsonObject *status, GString *out)
{
    const gint64 stops = pm_reply_int(status, "stops");

    if (stops <= 0)
        return;
    g_autofree char *times = pm_unit_count(stops, "time", "times");
    g_autofree char *whole = pm_label_duration(pm_reply_int(status, "stopped_ns"));
    g_autofree char *longest = pm_label_duration(pm_reply_int(status, "longest_stop_ns"));
    g_string_append_printf(out, "   stopped threads %s, %s in all, %s at most", times, whole,
                           longest);
}

static void append_options(JsonObject *status, GString *out)
{
    static const char *const flags[] = {"monitors", "vthreads"};
    const char *separator = "   ";

    for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!pm_reply_has_flag(status, flags[i]))
            continue;
        g_string_append_printf(out, "%s%s %s", separator, flags[i],
                               pm_reply_flag(status, flags[i]) ? "on" : "off");
        separator = ", ";
    }
    g_autofree char *way = text_of(status, "virtual_parks");
    if (strcmp(way, "events") == 0)
        g_string_append(out, " by events");
    if (pm_reply_has_flag(status, "events") && !pm_reply_flag(status, "events")) {
        g_string_append_printf(out, "%sevents off", separator);
        separator = ", ";
    }
    if (pm_reply_int(status, "snapshot_ns") > 0) {
        g_autofree char *snapshot = short_span(pm_reply_int(status, "snapshot_ns"));
        g_string_append_printf(out, "%ssnapshot %s", separator, snapshot);
    }
}

gboolean pm_status_write(const char *json, const PmOutput *output, GString *out, GError **error)
{
    g_return_val_if_fail(json != NULL && output && out != NULL, FALSE);
    g_autoptr(JsonObject) status = pm_reply_parse(json, strlen(json), error);

    if (!status)
        return FALSE;
    if (output->format != PM_FORMAT_TEXT) {
        write_json(status, out);
        return TRUE;
    }

    gint64 begin;
    append_first_line(status, &output->terminal, out, &begin);
    gint64 now_unix = pm_reply_has_int(status, "now_unix_ns") ? pm_reply_int(status, "now_unix_ns")
                                                              : g_get_real_time() * 1000;
    gint64 age = begin > 0 ? pm_difference(now_unix, begin) : 0;
    append_warnings(status, &output->terminal, out);
    append_file(status, age, &output->terminal, out);
    append_waits(status, age, out);
    append_refusals(status, out);
    append_samples(status, out);
    g_autofree char *blockers =
        pm_unit_count(pm_reply_int(status, "blockers"), "blocker", "blockers");
    g_autofree char *chains =
        pm_unit_count(pm_reply_int(status, "chains"), "stack trace", "stack traces");
    g_autofree char *threads = pm_unit_count(pm_reply_int(status, "threads"), "thread", "threads");
    g_string_append_printf(out, "Seen     %s   %s   %s\n", blockers, chains, threads);
    g_autofree char *memory = pm_label_bytes((guint64)MAX(0, pm_reply_int(status, "memory_bytes")));
    g_string_append(out, "Cost     ");
    if (age > 0)
        g_string_append_printf(out, "drain thread %.2f %% of a core   ",
                               100.0 * (double)pm_reply_int(status, "drain_cpu_ns") / (double)age);
    g_string_append_printf(out, "memory %s", memory);
    append_stops(status, out);
    append_options(status, out);
    g_string_append_c(out, '\n');
    g_autofree char *not_recorded = text_of(status, "not_recorded");
    if (*not_recorded)
        g_string_append_printf(out, "Not recorded here: %s\n", not_recorded);
    return TRUE;
}

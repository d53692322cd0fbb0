#include "viewer/report/status.h"

#include <string.h>

#include "viewer/analysis/label.h"
#include "viewer/report/unit.h"

static gint64 int_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);

    return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : 0;
}

static gboolean has(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);

    return node && JSON_NODE_HOLDS_VALUE(node);
}

/* "" when there is none. Owned. */
static char *text_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);

    if (!node || json_node_get_value_type(node) != G_TYPE_STRING)
        return g_strdup("");
    return pm_text_clean(json_node_get_string(node));
}

static gboolean flag_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);

    return node && json_node_get_value_type(node) == G_TYPE_BOOLEAN && json_node_get_boolean(node);
}

/* The instant the recording began, ns since 1970; 0 = not known. Owned text. */
static char *begin_of(JsonObject *status, gint64 *ret_unix_ns)
{
    g_autofree char *text = text_of(status, "begin");
    g_autoptr(GDateTime) time = NULL;

    *ret_unix_ns = int_of(status, "begin_unix_ns");
    if (*ret_unix_ns == 0 && *text) {
        time = g_date_time_new_from_iso8601(text, NULL);
        *ret_unix_ns = time ? g_date_time_to_unix(time) * G_GINT64_CONSTANT(1000000000) : 0;
    } else if (*ret_unix_ns > 0) {
        time = g_date_time_new_from_unix_utc(*ret_unix_ns / 1000000000);
    }
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S UTC") : g_strdup("?");
}

/* "64.0 of 64.0 MiB", "12.0 MiB of 1.00 GiB". Owned. */
static char *share_of_bytes(guint64 size, guint64 max)
{
    g_autofree char *used = pm_unit_bytes(size);
    g_autofree char *whole = pm_unit_bytes(max);
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
    gint64 age = *ret_unix_ns ? g_get_real_time() * 1000 - *ret_unix_ns : 0;

    if (has(status, "now_unix_ns"))
        age = int_of(status, "now_unix_ns") - *ret_unix_ns;
    g_string_append_printf(who, "%" G_GINT64_FORMAT, int_of(status, "pid"));
    if (*main_class)
        g_string_append_printf(who, "   %s", main_class);
    pm_text_append_styled(out, terminal, PM_STYLE_STRONG, who->str);
    if (*jvm)
        g_string_append_printf(out, "   %s", jvm);
    g_string_append_printf(out, "   %s since %s",
                           flag_of(status, "recording") ? "recording" : "STOPPED, recorder there",
                           begin);
    if (age > 0) {
        g_autofree char *text = pm_label_duration(age);
        g_string_append_printf(out, " (%s)", text);
    }
    g_string_append_c(out, '\n');
}

static void append_warnings(JsonObject *status, const PmTerminal *terminal, GString *out)
{
    gint64 pid = int_of(status, "pid");

    if (int_of(status, "deadlocks") > 0) {
        g_autofree char *count =
            pm_unit_count(int_of(status, "deadlocks"), "deadlock", "deadlocks");
        g_autofree char *text =
            g_strdup_printf("WARNING  %s   see: parkctl %" G_GINT64_FORMAT " now", count, pid);
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM, text);
        g_string_append_c(out, '\n');
    }
    if (int_of(status, "dropped") > 0) {
        g_autofree char *text =
            g_strdup_printf("WARNING  %" G_GINT64_FORMAT
                            " waits were not stored; counters know them: parkctl %" G_GINT64_FORMAT
                            " report --since-start",
                            int_of(status, "dropped"), pid);
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM, text);
        g_string_append_c(out, '\n');
    }
    if (int_of(status, "parks_unseen") > 0) {
        pm_text_append_styled(out, terminal, PM_STYLE_ALARM,
                              "WARNING  threads were seen parked without having called the "
                              "recorder: another agent took Unsafe.park");
        g_string_append_c(out, '\n');
    }
    g_autofree char *warning = text_of(status, "warning");
    if (*warning) {
        g_string_append_printf(out, "WARNING  %s\n", warning);
    }
}

static void append_file(JsonObject *status, gint64 now_ns, const PmTerminal *terminal, GString *out)
{
    g_autofree char *file = text_of(status, "file");
    g_autofree char *path = g_strdup_printf("File     %s", *file ? file : "(none)");
    g_autofree char *size = share_of_bytes((guint64)MAX(0, int_of(status, "size")),
                                           (guint64)MAX(0, int_of(status, "maxsize")));
    g_autoptr(GString) rest = g_string_new(size);

    if (has(status, "storing") && !flag_of(status, "storing")) {
        g_string_append_printf(out, "%s   is not there: waits are counted, not stored\n", path);
        return;
    }
    /* The file has its size from the start; until it comes round only a part of it is in use. */
    if (has(status, "oldest_ns") && int_of(status, "oldest_ns") <= 0 && has(status, "wait_bytes")) {
        g_autofree char *used = pm_unit_bytes((guint64)MAX(0, int_of(status, "wait_bytes")));
        g_autofree char *whole = pm_unit_bytes((guint64)MAX(0, int_of(status, "size")));
        g_string_printf(rest, "%s of waits in %s", used, whole);
    }

    if (has(status, "oldest_ns") && now_ns > int_of(status, "oldest_ns")) {
        g_autofree char *span = rough_span(now_ns - int_of(status, "oldest_ns"));
        g_string_append_printf(rest, "   holds the last %s", span);
    }
    if (int_of(status, "waits") > 0 && has(status, "wait_bytes"))
        g_string_append_printf(rest, "   %.1f bytes a wait",
                               (double)int_of(status, "wait_bytes") /
                                   (double)int_of(status, "waits"));
    /* The path is there to be copied: it is never cut. */
    gboolean apart = pm_text_width(path) + 3 + pm_text_width(rest->str) > terminal->columns;
    g_string_append_printf(out, "%s%s%s\n", path, apart ? "\n         " : "   ", rest->str);
}

static void append_waits(JsonObject *status, gint64 age, GString *out)
{
    gint64 waits = int_of(status, "waits");

    g_string_append_printf(out, "Waits    %" G_GINT64_FORMAT " ended", waits);
    if (age > 0)
        g_string_append_printf(out, " (%.0f a second)", (double)waits / ((double)age / 1e9));
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " in progress",
                           int_of(status, "in_progress"));
    if (int_of(status, "longest_in_progress_ns") > 0) {
        g_autofree char *longest = pm_label_duration(int_of(status, "longest_in_progress_ns"));
        g_string_append_printf(out, " (longest %s)", longest);
    }
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " dropped\n", int_of(status, "dropped"));
}

/* "1 s" for what is a whole number of seconds. Owned. */
static char *short_span(gint64 ns)
{
    if (ns % 1000000000 == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " s", ns / 1000000000);
    return pm_label_duration(ns);
}

static void append_options(JsonObject *status, GString *out)
{
    static const char *const flags[] = {"monitors", "vthreads"};
    const char *separator = "   ";

    for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!has(status, flags[i]))
            continue;
        g_string_append_printf(out, "%s%s %s", separator, flags[i],
                               flag_of(status, flags[i]) ? "on" : "off");
        separator = ", ";
    }
    if (has(status, "events") && !flag_of(status, "events")) {
        g_string_append_printf(out, "%sevents off", separator);
        separator = ", ";
    }
    if (int_of(status, "snapshot_ns") > 0) {
        g_autofree char *snapshot = short_span(int_of(status, "snapshot_ns"));
        g_string_append_printf(out, "%ssnapshot %s", separator, snapshot);
    }
}

gboolean pm_status_write(const char *json, const PmOutput *output, GString *out, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();

    if (!json_parser_load_from_data(parser, json, -1, error))
        return FALSE;
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        g_set_error_literal(error, PM_RECORDING_ERROR, -PM_ERROR_MALFORMED,
                            "the recorder's status is no JSON object");
        return FALSE;
    }
    if (output->format != PM_FORMAT_TEXT) {
        g_string_append(out, json);
        if (!g_str_has_suffix(json, "\n"))
            g_string_append_c(out, '\n');
        return TRUE;
    }

    JsonObject *status = json_node_get_object(root);
    gint64 begin;
    append_first_line(status, &output->terminal, out, &begin);
    gint64 now_unix =
        has(status, "now_unix_ns") ? int_of(status, "now_unix_ns") : g_get_real_time() * 1000;
    gint64 age = begin > 0 ? now_unix - begin : 0;
    append_warnings(status, &output->terminal, out);
    append_file(status, age, &output->terminal, out);
    append_waits(status, age, out);
    g_string_append_printf(out,
                           "Seen     %" G_GINT64_FORMAT " blockers   %" G_GINT64_FORMAT
                           " call chains   %" G_GINT64_FORMAT " threads\n",
                           int_of(status, "blockers"), int_of(status, "chains"),
                           int_of(status, "threads"));
    g_autofree char *memory = pm_unit_bytes((guint64)MAX(0, int_of(status, "memory_bytes")));
    g_string_append(out, "Cost     ");
    if (age > 0)
        g_string_append_printf(out, "drain thread %.2f %% of a core   ",
                               100.0 * (double)int_of(status, "drain_cpu_ns") / (double)age);
    g_string_append_printf(out, "memory %s", memory);
    append_options(status, out);
    g_string_append_c(out, '\n');
    g_autofree char *not_recorded = text_of(status, "not_recorded");
    if (*not_recorded)
        g_string_append_printf(out, "Not recorded here: %s\n", not_recorded);
    return TRUE;
}

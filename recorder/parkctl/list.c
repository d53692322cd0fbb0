/* No command: the JVMs with a recorder; with --all, the others too. */
#include <string.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/remote.h"
#include "recorder/parkctl/target.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/csv.h"
#include "viewer/report/json.h"
#include "viewer/report/reply.h"
#include "viewer/report/table.h"

#define HELLO_TIMEOUT_NS (G_GINT64_CONSTANT(2) * 1000000000)

typedef struct {
    JsonBuilder *builder;
    gboolean all;
} Listing;

/* "com.acme.Main 10", "orders.jar": what stands behind java's own options on the command line.
 * Owned. */
static char *program_of(int pid)
{
    static const char *const with_value[] = {"-cp",
                                             "-classpath",
                                             "--class-path",
                                             "-p",
                                             "--module-path",
                                             "--add-modules",
                                             "--limit-modules",
                                             "--add-exports",
                                             "--add-opens",
                                             "--patch-module",
                                             "--upgrade-module-path",
                                             "--add-reads",
                                             "--source",
                                             NULL};
    g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", pid), *bytes = NULL;
    g_autoptr(GString) program = g_string_new(NULL);
    gsize length = 0;
    gboolean reached = FALSE;

    if (!g_file_get_contents(path, &bytes, &length, NULL))
        return g_strdup("");
    const char *word = bytes;
    for (gsize n = 0; word < bytes + length; n++, word += strlen(word) + 1) {
        if (n == 0 || (!reached && *word == '@'))
            continue;
        if (!reached && g_strv_contains(with_value, word))
            word += strlen(word) + 1; /* its value is no program */
        else if (reached || *word != '-')
            g_string_append_printf(program, "%s%s", reached ? " " : "", word), reached = TRUE;
    }
    return g_string_free(g_steal_pointer(&program), FALSE);
}

/* A recorder that does not answer is listed all the same: that it is there is what was asked. */
static int add(void *context, int pid, const char *socket_path)
{
    const Listing *listing = context;
    JsonBuilder *builder = listing->builder;
    struct pm_control_reply reply = {.fd = -1};
    struct pm_error_info info = {0};
    g_autoptr(JsonObject) hello = NULL;

    if (!socket_path && !listing->all)
        return 0;
    g_autofree char *program = socket_path ? NULL : program_of(pid);
    int code = socket_path ? pm_control_request(pid, "hello", HELLO_TIMEOUT_NS, &reply, &info) : -1;
    if (code == 0 && reply.ok)
        hello = pm_reply_parse(reply.text, reply.length, NULL);
    json_builder_begin_object(builder);
    pm_json_int(builder, "pid", pid);
    pm_json_text(builder, "main", program ? program : pm_reply_text(hello, "main"));
    pm_json_int(builder, "begin_unix_ns", pm_reply_int(hello, "begin_unix_ns"));
    pm_json_text(builder, "file", pm_reply_text(hello, "file"));
    pm_json_int(builder, "size", pm_reply_int(hello, "size"));
    if (!socket_path)
        pm_json_bool(builder, "no_recorder", TRUE);
    json_builder_end_object(builder);
    pm_control_reply_clear(&reply);
    return 0;
}

char *pm_list_json(gboolean all, char **ret_why)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    Listing listing = {builder, all};
    GString *out = g_string_new(NULL);

    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_begin_array(builder, "jvms");
    int code = pm_control_list(add, &listing);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    if (code < 0) {
        *ret_why = g_strdup_printf("running JVMs cannot be listed (%s)", pm_error_name(code));
        g_string_free(out, TRUE);
        return NULL;
    }
    pm_json_finish(builder, out);
    return g_string_free(out, FALSE);
}

static void add_row(JsonObject *jvm, PmTable *table, PmCsv *csv)
{
    const char *main_class = pm_reply_text(jvm, "main");
    gint64 begin = pm_reply_int(jvm, "begin_unix_ns"), pid = pm_reply_int(jvm, "pid"),
           size = pm_reply_int(jvm, "size");
    g_autoptr(GDateTime) since = g_date_time_new_from_unix_utc(begin / 1000000000);
    g_autofree char *when =
        begin && since ? g_date_time_format(since, "%Y-%m-%d %H:%M:%S UTC") : g_strdup("");
    g_autofree char *bytes = pm_label_bytes((guint64)MAX(0, size));

    pm_csv_int(csv, pid);
    pm_csv_text(csv, main_class);
    pm_csv_int(csv, begin);
    pm_csv_text(csv, pm_reply_text(jvm, "file"));
    pm_csv_int(csv, size);
    pm_csv_end_row(csv);

    pm_table_add_row(table);
    pm_table_printf(table, 0, "%" G_GINT64_FORMAT, pid);
    pm_table_set(table, 1, *main_class ? main_class : "(does not answer)");
    pm_table_set(table, 2, when);
    if (pm_reply_flag(jvm, "no_recorder")) {
        pm_table_set(table, 2, "no recorder");
    } else if (*main_class) {
        pm_table_set(table, 3, bytes);
        pm_table_set(table, 4, pm_reply_text(jvm, "file"));
    }
}

static guint add_rows(const char *json, PmTable *table, PmCsv *csv)
{
    g_autoptr(JsonObject) reply = pm_reply_parse(json, strlen(json), NULL);
    JsonArray *jvms = pm_reply_list(reply, "jvms");
    guint n = 0;

    for (guint i = 0; jvms && i < json_array_get_length(jvms); i++) {
        JsonNode *node = json_array_get_element(jvms, i);
        if (JSON_NODE_HOLDS_OBJECT(node)) {
            add_row(json_node_get_object(node), table, csv);
            n++;
        }
    }
    return n;
}

int pm_command_list(const PmInvocation *invocation, GString *out)
{
    static const PmTableColumn columns[] = {
        {"Pid", "", 7, 0, TRUE, 0},    {"Main class", "", 24, 2, FALSE, 16},
        {"Since", "", 0, 2, FALSE, 0}, {"Size", "", 8, 2, TRUE, 0},
        {"File", "", 0, 2, FALSE, 20},
    };
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GString) csv_text = g_string_new("pid,main,begin_unix_ns,file,size\n");
    g_autofree char *json = NULL;
    PmCsv csv = {csv_text, FALSE};
    PmRemote *remote = pm_remote_new(invocation->via);
    const gboolean all = pm_invocation_value(invocation, PM_OPTION_ALL) != NULL;
    const PmRemoteOutcome outcome = pm_remote_list(remote, all, &json);

    pm_remote_free(remote);
    if (outcome != PM_REMOTE_OK)
        return pm_complain(PM_EXIT_FAILED, "%s", json);
    const guint n = add_rows(json, table, &csv);
    if (invocation->format == PM_FORMAT_JSON)
        g_string_append(out, json);
    else if (invocation->format == PM_FORMAT_CSV)
        g_string_append(out, csv_text->str);
    else if (n > 0)
        pm_table_write(table, &invocation->terminal, out);
    else if (all)
        g_string_append_printf(out, "No JVM runs %s.\n", invocation->via ? "there" : "here");
    else if (invocation->via)
        g_string_append(out, "No JVM with a recorder runs there.\n");
    else
        g_string_append(out, "No JVM with a recorder runs here.\n"
                             "Start one:      parkctl run -- java …\n"
                             "or attach it:   parkctl PID attach (parkctl list --all: which)\n");
    return PM_EXIT_OK;
}

/* No command: the JVMs with a recorder. */
#include "recorder/control/client.h"
#include "recorder/parkctl/target.h"
#include "viewer/report/csv.h"
#include "viewer/report/json.h"
#include "viewer/report/reply.h"
#include "viewer/report/table.h"
#include "viewer/report/unit.h"

#define HELLO_TIMEOUT_NS (G_GINT64_CONSTANT(2) * 1000000000)

typedef struct {
    PmTable *table;
    JsonBuilder *builder;
    PmCsv csv;
    guint n;
} List;

/* A recorder that does not answer is listed all the same: that it is there is what was asked. */
static int add(void *context, int pid, const char *socket_path)
{
    List *list = context;
    struct pm_control_reply reply = {.fd = -1};
    struct pm_error_info info = {0};
    g_autoptr(JsonObject) hello = NULL;

    int code = pm_control_request(pid, "hello", HELLO_TIMEOUT_NS, &reply, &info);
    if (code == 0 && reply.ok)
        hello = pm_reply_parse(reply.text, reply.length, NULL);
    gint64 begin = pm_reply_int(hello, "begin_unix_ns");
    g_autoptr(GDateTime) since = g_date_time_new_from_unix_utc(begin / 1000000000);
    g_autofree char *when =
        begin && since ? g_date_time_format(since, "%Y-%m-%d %H:%M:%S UTC") : g_strdup("");
    g_autofree char *size = pm_unit_bytes((guint64)MAX(0, pm_reply_int(hello, "size")));

    list->n++;
    json_builder_begin_object(list->builder);
    pm_json_int(list->builder, "pid", pid);
    pm_json_text(list->builder, "main", pm_reply_text(hello, "main"));
    pm_json_int(list->builder, "begin_unix_ns", begin);
    pm_json_text(list->builder, "file", pm_reply_text(hello, "file"));
    pm_json_int(list->builder, "size", pm_reply_int(hello, "size"));
    json_builder_end_object(list->builder);

    pm_csv_int(&list->csv, pid);
    pm_csv_text(&list->csv, pm_reply_text(hello, "main"));
    pm_csv_int(&list->csv, begin);
    pm_csv_text(&list->csv, pm_reply_text(hello, "file"));
    pm_csv_int(&list->csv, pm_reply_int(hello, "size"));
    pm_csv_end_row(&list->csv);

    pm_table_add_row(list->table);
    pm_table_printf(list->table, 0, "%d", pid);
    pm_table_set(list->table, 1, hello ? pm_reply_text(hello, "main") : "(does not answer)");
    pm_table_set(list->table, 2, when);
    if (hello) {
        pm_table_set(list->table, 3, size);
        pm_table_set(list->table, 4, pm_reply_text(hello, "file"));
    }
    pm_control_reply_clear(&reply);
    return 0;
}

int pm_command_list(const PmInvocation *invocation, GString *out)
{
    static const PmTableColumn columns[] = {
        {"Pid", "", 7, 0, TRUE, 0},    {"Main class", "", 24, 2, FALSE, 16},
        {"Since", "", 0, 2, FALSE, 0}, {"Size", "", 8, 2, TRUE, 0},
        {"File", "", 0, 2, FALSE, 20},
    };
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(GString) csv = g_string_new("pid,main,begin_unix_ns,file,size\n");
    List list = {table, builder, {csv, FALSE}, 0};

    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_begin_array(builder, "jvms");
    int code = pm_control_list(add, &list);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    if (code < 0)
        return pm_complain(PM_EXIT_FAILED, "the running JVMs cannot be listed (%s)",
                           pm_error_name(code));
    if (invocation->format == PM_FORMAT_JSON)
        pm_json_finish(builder, out);
    else if (invocation->format == PM_FORMAT_CSV)
        g_string_append(out, csv->str);
    else if (list.n > 0)
        pm_table_write(table, &invocation->terminal, out);
    else
        g_string_append(out, "No JVM with a recorder runs here.\n"
                             "Start one:      parkctl run -- java …\n"
                             "or load it:     parkctl PID attach\n");
    return PM_EXIT_OK;
}

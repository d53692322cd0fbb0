/* A recorder that is none: whoever owns a process may have a socket of a recorder's name in /tmp
 * and say there what he likes to root's parkctl. Whatever comes, parkctl answers or complains in
 * one line, soon, and prints nothing that acts. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "recorder/control/protocol.h"
#include "tests/attacks/hostile-text.h"
#include "tests/format/synthetic.h"
#include "tests/report/parkctl.h"

#define MARKS                                                                                      \
    "\\u001b[31m\\u009b31m\\u202e\\u2066\\u200b\\u0007\\r\\n"                                      \
    "9999999,x\\n\xc2\x9b\xe2\x80\xae"

static char *folder;

/* ---- what is said ---- */

typedef enum { SAY_ONCE, SAY_FOR_EVER, SAY_SLOWLY } How;

static struct {
    const char *path; /* of the socket */
    int server;
    GBytes *reply;
    How how;
    int fd; /* passed with the first byte; -1 = none */
} said = {.fd = -1, .server = -1};

static void answer(int client)
{
    gsize size;
    const char *bytes = g_bytes_get_data(said.reply, &size);
    struct iovec iov = {.iov_base = (char *)bytes, .iov_len = size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

    if (said.fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof said.fd);
        memcpy(CMSG_DATA(header), &said.fd, sizeof said.fd);
    }
    for (gsize i = 0; said.how == SAY_SLOWLY; i++) {
        g_usleep(50000);
        if (send(client, bytes + i % size, 1, MSG_NOSIGNAL) < 0)
            return;
    }
    do {
        while (iov.iov_len > 0) {
            ssize_t n = sendmsg(client, &message, MSG_NOSIGNAL);
            if (n < 0)
                return;
            iov.iov_base = (char *)iov.iov_base + n;
            iov.iov_len -= (gsize)n;
            message.msg_controllen = 0;
        }
        iov = (struct iovec){.iov_base = (char *)bytes, .iov_len = size};
    } while (said.how == SAY_FOR_EVER);
}

static gpointer serve(gpointer data)
{
    for (;;) {
        char request[PM_CONTROL_MAX_REQUEST];
        int client = accept(said.server, NULL, NULL);
        if (client < 0)
            return NULL;
        if (recv(client, request, sizeof request, 0) > 0)
            answer(client);
        shutdown(client, SHUT_WR);
        /* What was sent is lost when what was asked is left unread. */
        while (recv(client, request, sizeof request, 0) > 0) {
        }
        close(client);
    }
}

/* FALSE: no socket can be made there. */
static gboolean listen_at(const char *prefix, GThread **ret_thread)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    g_snprintf(address.sun_path, sizeof address.sun_path, "%s%d", prefix, (int)getpid());
    said.server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(said.server, >=, 0);
    g_unlink(address.sun_path); /* left over by a process that had this pid before */
    if (bind(said.server, (struct sockaddr *)&address, sizeof address) < 0)
        return FALSE;
    g_assert_cmpint(g_chmod(address.sun_path, 0600), ==, 0);
    g_assert_cmpint(listen(said.server, 8), ==, 0);
    *ret_thread = g_thread_new("recorder", serve, NULL);
    return TRUE;
}

static void stop_listening(const char *prefix, GThread *thread)
{
    g_autofree char *path = g_strdup_printf("%s%d", prefix, (int)getpid());

    shutdown(said.server, SHUT_RDWR);
    g_thread_join(thread);
    close(said.server);
    g_unlink(path);
}

static void say_bytes(const void *bytes, gsize size)
{
    g_clear_pointer(&said.reply, g_bytes_unref);
    said.reply = g_bytes_new(bytes, size);
}

static void say(const char *text)
{
    say_bytes(text, strlen(text));
}

/* "ok", then what a recorder would say in JSON. */
static void say_json(const char *json)
{
    g_autofree char *text = g_strconcat("ok\n", json, NULL);

    say(text);
}

/* ---- what parkctl makes of it ---- */

static void ask(PmRun *ret_run, const char *arguments)
{
    pm_run(ret_run, "C.UTF-8", "%d %s", (int)getpid(), arguments);
}

static void assert_well_behaved(const char *what, const PmRun *run)
{
    if (run->status != 0 && run->status != 1)
        g_error("%.200s: exit status %d\n%.2000s", what, run->status, run->err);
    hostile_assert_none(what, run->out);
    hostile_assert_none(what, run->err);
    if (run->status == 0 && *run->err)
        g_error("%.200s: %.2000s", what, run->err);
    if (run->status == 1) {
        g_assert_true(g_str_has_prefix(run->err, "parkctl: "));
        if (strchr(run->err, '\n') != run->err + strlen(run->err) - 1)
            g_error("%.200s: more than one line: %s", what, run->err);
        if (strlen(run->err) > 1500)
            g_error("%.200s: %zu bytes of complaint", what, strlen(run->err));
    }
}

/* The row of this process in `list`. Owned: "pid,main,begin_unix_ns,file,size" as fields. */
static char **listed(const char *what)
{
    g_auto(PmRun) run;
    g_autofree char *own = g_strdup_printf("%d", (int)getpid());
    char **found = NULL;

    pm_run(&run, "C.UTF-8", "list --format=csv");
    assert_well_behaved(what, &run);
    g_assert_cmpint(run.status, ==, 0);
    g_autoptr(GPtrArray) rows = hostile_read_csv(run.out);
    for (guint i = 1; i < rows->len; i++) {
        char **row = rows->pdata[i];
        g_assert_cmpuint(g_strv_length(row), ==, 5);
        if (strcmp(row[0], own) != 0)
            continue;
        g_assert_null(found);
        found = g_strdupv(row);
        g_assert_false(hostile_is_formula(row[1]));
        g_assert_false(hostile_is_formula(row[3]));
    }
    g_assert_nonnull(found);
    return found;
}

/* Asks for all that is made of a reply in JSON; of a list, whose rows are made for all formats at
 * once, one of the other two in turn. `understood`: -1 = either will do. */
static void assert_survived(const char *what, int understood)
{
    static const char *const commands[] = {"status", "status --format=json"};
    static guint n_asked;

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_auto(PmRun) run;
        ask(&run, commands[i]);
        assert_well_behaved(what, &run);
        if (understood >= 0)
            g_assert_cmpint(run.status, ==, !understood);
        if (i > 0 && run.status == 0) {
            g_autoptr(GError) error = NULL;
            g_autoptr(JsonNode) node = json_from_string(run.out, &error);
            g_assert_no_error(error);
            g_assert_true(JSON_NODE_HOLDS_OBJECT(node));
        }
    }
    g_auto(GStrv) row = listed(what);
    g_auto(PmRun) list;
    if (n_asked++ % 2 == 0) {
        pm_run(&list, "C.UTF-8", "list");
        assert_well_behaved(what, &list);
    } else {
        pm_run(&list, "C.UTF-8", "list --format=json");
        assert_well_behaved(what, &list);
        g_autoptr(JsonNode) node = json_from_string(list.out, NULL);
        g_assert_nonnull(node);
    }
}

/* ---- the attacks ---- */

static void append_many(GString *text, guint n, const char *piece)
{
    for (guint i = 0; i < n; i++)
        g_string_append(text, piece);
}

static void endless_depth(void)
{
    static const char *const pieces[] = {"[", "{\"a\":", "{\"pid\":[", "[{\"a\":[1,2],\"b\":"};

    for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
        g_autoptr(GString) json = g_string_new("");
        while (json->len < 900 << 10)
            g_string_append(json, pieces[i]);
        say_json(json->str);
        assert_survived(pieces[i], FALSE);
        g_string_prepend(json, "{\"pid\":1,\"main\":");
        say_json(json->str);
        assert_survived(pieces[i], FALSE);
    }
    /* Deep, yet whole: still nothing a recorder says. */
    g_autoptr(GString) whole = g_string_new("{\"pid\":1,\"a\":");
    append_many(whole, 100000, "[");
    append_many(whole, 100000, "]");
    g_string_append_c(whole, '}');
    say_json(whole->str);
    assert_survived("deep and whole", -1);
    /* Brackets in strings are not depth, in comments nothing at all is JSON. */
    g_autoptr(GString) string = g_string_new("{\"pid\":1,\"main\":\"");
    append_many(string, 100000, "[{\\\"");
    g_string_append(string, "\"}");
    say_json(string->str);
    assert_survived("brackets in a string", TRUE);
    g_autoptr(GString) comment = g_string_new("{/*\"*/\"a\":");
    append_many(comment, 400000, "[");
    g_string_append(comment, "/*\"*/");
    say_json(comment->str);
    assert_survived("brackets between comments", FALSE);
}

static const char *const keys[] = {"schema",      "pid",           "recording",
                                   "file",        "size",          "maxsize",
                                   "begin",       "begin_unix_ns", "main",
                                   "jvm",         "not_recorded",  "now_unix_ns",
                                   "oldest_ns",   "waits",         "wait_bytes",
                                   "dropped",     "in_progress",   "longest_in_progress_ns",
                                   "deadlocks",   "blockers",      "chains",
                                   "threads",     "drain_cpu_ns",  "memory_bytes",
                                   "monitors",    "vthreads",      "events",
                                   "snapshot_ns", "error",         "warning"};

/* Every member as everything that JSON knows, alone and all at once. */
static void members_of_other_types(void)
{
    static const char *const values[] = {
        "[]",
        "{}",
        "[1]",
        "{\"a\":1}",
        "null",
        "true",
        "false",
        "\"\"",
        "\"text\"",
        "\"" MARKS "\"",
        "0",
        "-1",
        "1.5",
        "-0.0",
        "9223372036854775807",
        "-9223372036854775808",
        "99999999999999999999999",
        "-99999999999999999999999",
        "1e308",
        "-1e308",
        "1e-308",
        "1e999999",
        "\"9999-12-31T23:59:59Z\"",
        "\"0001-01-01T00:00:00Z\"",
        "\"2026-11-21T14:02:11.400Z\"",
    };

    for (guint v = 0; v < G_N_ELEMENTS(values); v++) {
        g_autoptr(GString) all = g_string_new("{");
        for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
            g_string_append_printf(all, "%s\"%s\":%s", k ? "," : "", keys[k], values[v]);
        g_string_append_c(all, '}');
        say_json(all->str);
        assert_survived(values[v], -1);
    }
    /* Each member as each value, all of them different: none hides another as long as all are
     * understood. */
    for (guint first = 0; first < G_N_ELEMENTS(values); first++) {
        g_autoptr(GString) all = g_string_new("{");
        for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
            g_string_append_printf(all, "%s\"%s\":%s", k ? "," : "", keys[k],
                                   values[(first + k) % G_N_ELEMENTS(values)]);
        g_string_append_c(all, '}');
        g_auto(PmRun) run;
        say_json(all->str);
        ask(&run, "status");
        assert_well_behaved(all->str, &run);
        g_assert_cmpint(run.status, ==, 0);
    }
    /* Extremes beside each other: differences and sums of what cannot be. */
    say_json("{\"begin_unix_ns\":-9223372036854775808,\"now_unix_ns\":9223372036854775807,"
             "\"oldest_ns\":-9223372036854775808,\"waits\":9223372036854775807,\"wait_bytes\":1,"
             "\"size\":-1,\"maxsize\":-9223372036854775808,\"snapshot_ns\":-9223372036854775808}");
    assert_survived("extremes", TRUE);
    say_json("{\"begin_unix_ns\":9223372036854775807,\"now_unix_ns\":-9223372036854775808,"
             "\"oldest_ns\":9223372036854775807,\"drain_cpu_ns\":-1}");
    assert_survived("extremes", TRUE);
}

static void what_is_no_json(void)
{
    static const char *const replies[] = {
        "",
        " ",
        "\n",
        "x",
        "null",
        "1",
        "\"text\"",
        "[]",
        "{",
        "}",
        "{\"pid\"",
        "{\"pid\":",
        "{\"pid\":1",
        "{\"pid\":1,",
        "{\"pid\":1,}",
        "{\"pid\":1}}",
        "{\"pid\":1}{}",
        "{pid:1}",
        "{'pid':1}",
        "{\"pid\":01}",
        "{\"pid\":+1}",
        "{\"pid\":.5}",
        "{\"pid\":1.}",
        "{\"pid\":1e}",
        "{\"pid\":-}",
        "{\"pid\":0x10}",
        "{\"pid\":NaN}",
        "{\"pid\":tru}",
        "{\"pid\":\"a}",
        "{\"pid\":\"a\\\"}",
        "{\"pid\":\"\\q\"}",
        "{\"pid\":\"\\u12\"}",
        "{\"pid\":\"\\u12g4\"}",
        "{\"pid\":\"\\ud800\"}",
        "{\"pid\":\"\\udc00\"}",
        "{\"pid\":\"\\ud800\\u0041\"}",
        "{\"pid\":\"\\ud800\\\"}",
        "{\"pid\":\"\\ud800\\ud800\"}",
        "{\"pid\":\"a\tb\"}",
        "{\"pid\":\"\\u0000\"}",
        "{\"\\u0000\":\"\\u0000\"}",
        "{\"main\":\"\xff\xfe\"}",
        "{\"main\":\"\xed\xa0\x80\"}",
        "{\"main\":\"\xc0\x80\"}",
        "{\"\xff\":1}",
        "// {}\n{}",
        "/*",
        "{}#",
        "{\"a\":1,\"a\":2}",
        "\xef\xbb\xbf{}",
    };

    for (guint i = 0; i < G_N_ELEMENTS(replies); i++) {
        say_json(replies[i]);
        assert_survived(replies[i], -1);
    }
    static const char zero[] = "ok\n{\"pid\":1,\"main\":\"a\0b\"}\0{\"pid\":2}";
    say_bytes(zero, sizeof zero - 1);
    assert_survived("a zero byte", -1);
}

/* Every reply of the protocol's own form, and what is none. */
static void what_is_no_reply(void)
{
    static const char *const replies[] = {
        "",
        "\n",
        "ok",
        "ok ",
        "OK\n{}",
        "error",
        "error\n",
        "error \n",
        "error x",
        "nonsense\n",
        "error \033[31m\xc2\x9b\xe2\x80\xae\xff\r\nok\n",
        "error a\nerror b\n",
        "\xff\xfe\n",
    };
    static const char *const commands[] = {"status",         "now",    "dump", "start",    "stop",
                                           "set maxsize=1m", "report", "tree", "findings", "info"};

    for (guint i = 0; i < G_N_ELEMENTS(replies); i++) {
        for (guint c = 0; c < G_N_ELEMENTS(commands); c++) {
            g_auto(PmRun) run;
            g_autofree char *line = g_strdup_printf("%s%s%s", commands[c],
                                                    strcmp(commands[c], "dump") ? "" : " filename=",
                                                    strcmp(commands[c], "dump") ? "" : folder);
            if (strcmp(commands[c], "info") == 0)
                continue; /* of a file only */
            say(replies[i]);
            ask(&run, line);
            assert_well_behaved(replies[i], &run);
            g_assert_cmpint(run.status, ==, 1);
        }
    }
    g_autofree char *long_error = g_strnfill(900 << 10, 'e');
    g_autofree char *reply = g_strconcat("error ", long_error, "\n", NULL);
    g_auto(PmRun) run;
    say(reply);
    ask(&run, "status");
    assert_well_behaved("a long error", &run);
    g_assert_cmpint(run.status, ==, 1);
    /* A sentence to print: one line, not a page. */
    say("ok\nmaxsize=64m\033[31m\xc2\x9b\xe2\x80\xae\nfaked: line\n\n\n");
    g_auto(PmRun) set;
    ask(&set, "set maxsize=64m");
    assert_well_behaved("an answer to set", &set);
    g_assert_cmpint(set.status, ==, 0);
    g_assert_true(strchr(set.out, '\n') == set.out + strlen(set.out) - 1);
    g_autofree char *long_answer = g_strconcat("ok\n", long_error, "\n", NULL);
    g_auto(PmRun) start;
    say(long_answer);
    ask(&start, "start");
    assert_well_behaved("a long answer", &start);
    g_assert_cmpuint(strlen(start.out), <, 2000);
}

/* What JSON escapes act no less once they are read. */
static void names_in_replies_act_on_nothing(void)
{
    static const char json[] =
        "{\"schema\":1,\"pid\":1,\"main\":\"=main " MARKS "\",\"jvm\":\"jvm " MARKS
        "\",\"recording\":true,\"file\":\"=/file " MARKS "\",\"size\":1,\"maxsize\":2,"
        "\"begin\":\"2026-11-21T14:02:11.400Z\",\"begin_unix_ns\":1,\"not_recorded\":\"no " MARKS
        "\",\"waits\":3,\"dropped\":0,\"deadlocks\":0,\"warning\":\"warning " MARKS
        "\",\"error\":\"error " MARKS "\",\"unknown " MARKS "\":\"unknown " MARKS "\"}";
    g_auto(PmRun) run;
    g_autoptr(GError) error = NULL;

    say_json(json);
    assert_survived("marks", TRUE);
    ask(&run, "status --format=json");
    g_autoptr(JsonNode) node = json_from_string(run.out, &error);
    g_assert_no_error(error);
    JsonObject *status = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(status, "size"), ==, 1);
    g_assert_true(json_object_get_boolean_member(status, "recording"));
    g_assert_true(
        g_str_has_prefix(json_object_get_string_member(status, "main"), "=main \033[31m\xc2\x9b"));
    /* One line, as it always was. */
    g_assert_true(strchr(run.out, '\n') == run.out + strlen(run.out) - 1);
    g_auto(GStrv) row = listed("marks");
    g_assert_true(g_str_has_prefix(row[1], "'=main "));
}

static void floods_end(void)
{
    g_autofree char *many = g_strnfill(1 << 16, ' ');
    g_autofree char *blanks = g_strconcat("ok\n", many, NULL);
    const gint64 begin = g_get_monotonic_time();
    g_auto(PmRun) run;

    say(blanks);
    said.how = SAY_FOR_EVER;
    ask(&run, "status");
    assert_well_behaved("a flood", &run);
    g_assert_cmpint(run.status, ==, 1);
    g_auto(GStrv) row = listed("a flood");
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 60 * G_USEC_PER_SEC);
    said.how = SAY_SLOWLY;
    g_auto(GStrv) slow = listed("a drip");
    said.how = SAY_ONCE;
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 60 * G_USEC_PER_SEC);
}

/* What comes with `dump` is a descriptor of anything. */
static void descriptors_of_anything(void)
{
    static const char *const commands[] = {"report", "dump filename=%s/d.park", "now", "findings"};
    g_autofree char *empty = g_build_filename(folder, "empty", NULL);
    g_autofree char *writable = g_build_filename(folder, "\033[31m\xc2\x9b\n=x", NULL);
    int ends[2], pair[2];

    g_assert_true(g_file_set_contents(empty, "", 0, NULL));
    g_assert_true(g_file_set_contents(writable, "x", 1, NULL));
    g_assert_cmpint(pipe(ends), ==, 0);
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
    const int fds[] = {-1,
                       ends[0],
                       ends[1],
                       pair[0],
                       open(folder, O_RDONLY | O_DIRECTORY),
                       open("/dev/zero", O_RDONLY),
                       open("/dev/null", O_RDONLY),
                       open("/proc/self/mem", O_RDONLY),
                       open(folder, O_PATH),
                       open(empty, O_RDONLY),
                       open(writable, O_WRONLY),
                       open(writable, O_RDONLY)};
    say("ok\n");
    for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
        for (guint c = 0; c < G_N_ELEMENTS(commands); c++) {
            g_auto(GStrv) parts = g_strsplit(commands[c], "%s", 2);
            g_autofree char *line = g_strjoinv(folder, parts);
            g_auto(PmRun) run;
            said.fd = fds[i];
            ask(&run, line);
            assert_well_behaved(commands[c], &run);
            g_assert_cmpint(run.status, ==, 1);
        }
    }
    said.fd = -1;
    for (guint i = 3; i < G_N_ELEMENTS(fds); i++)
        close(fds[i]);
    close(ends[0]);
    close(ends[1]);
    close(pair[1]);
    g_unlink(empty);
    g_unlink(writable);
}

/* A whole recording, of a name that acts. */
static void names_of_files_act_on_nothing(void)
{
    static const char *const commands[] = {"report", "report --format=json", "findings",
                                           "tree --blocker=1", "info"};
    g_autofree char *path = g_build_filename(folder, "=\033[31m\xc2\x9b\xe2\x80\xae\n.park", NULL);
    struct syn *s = syn_new();

    syn_wait(s, syn_thread(s, "t"), syn_blocker(s, syn_class(s, "Lock"), 1), 0, SYN_MS);
    syn_finish_file(s, SYN_S, path);
    syn_free(s);
    say("ok\n");
    said.fd = open(path, O_RDONLY | O_CLOEXEC);
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_auto(PmRun) run;
        if (strcmp(commands[i], "info") == 0)
            continue;
        ask(&run, commands[i]);
        assert_well_behaved(commands[i], &run);
    }
    close(said.fd);
    said.fd = -1;
    g_unlink(path);
}

/* Bash expands the words that a completion offers: a row that only looks like a pid is a command.
 */
static void completion_runs_nothing(void)
{
    g_autofree char *script =
        g_build_filename(g_getenv("PM_SOURCE"), "recorder", "parkctl", "parkctl.bash", NULL);
    g_autofree char *bin = g_build_filename(folder, "bin", NULL);
    g_autofree char *link = g_build_filename(bin, "parkctl", NULL);
    g_autofree char *canary = g_build_filename(folder, "canary", NULL);
    g_autofree char *json = g_strdup_printf(
        "{\"pid\":1,\"main\":\"x\\n1$(touch %s)\\n2`touch %s`,\\n3 3\"}", canary, canary);
    g_autofree char *line =
        g_strdup_printf("PATH=%s:$PATH; . %s; COMP_WORDS=(parkctl ''); COMP_CWORD=1; _parkctl; "
                        "printf '%%s\\n' \"${COMPREPLY[@]}\"",
                        bin, script);
    g_autofree char *bash = g_find_program_in_path("bash");
    char *argv[] = {bash, (char *)"-c", line, NULL};
    g_autofree char *out = NULL;
    g_autofree char *own = g_strdup_printf("\n%d\n", (int)getpid());

    if (!bash) {
        g_test_skip("there is no bash");
        return;
    }
    say_json(json);
    g_assert_cmpint(g_mkdir(bin, 0700), ==, 0);
    g_assert_cmpint(symlink(g_getenv("PM_PARKCTL"), link), ==, 0);
    g_assert_true(g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL,
                               NULL, NULL));
    gboolean ran = g_file_test(canary, G_FILE_TEST_EXISTS);
    g_unlink(canary);
    g_unlink(link);
    g_rmdir(bin);
    g_assert_false(ran);
    g_assert_nonnull(strstr(out, "\nreport\n"));
    g_assert_nonnull(strstr(out, own));
}

/* ---- a JVM that is none, for attach ---- */

static void a_false_jvm_cannot_hold_attach_up(void)
{
    static const char *const replies[] = {
        "",
        "0\n",
        "0",
        "-1\n\033[31m\xc2\x9b\xe2\x80\xae\xff\r\n\tx\n",
        "1\n",
        "\xff\n\xff",
        "0\nreturn code: 99999999999999999999\n",
        "99999999999999999999\n",
    };
    const gint64 begin = g_get_monotonic_time();
    g_autofree char *flood = g_strnfill(1 << 16, 'x');
    GThread *thread;

    if (!listen_at("/tmp/.java_pid", &thread)) {
        g_test_skip("no socket can be made in /tmp");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(replies); i++) {
        g_auto(PmRun) run;
        say(replies[i]);
        ask(&run, "attach");
        assert_well_behaved(replies[i], &run);
    }
    g_auto(PmRun) run;
    say(flood);
    said.how = SAY_FOR_EVER;
    ask(&run, "attach");
    g_test_message("%s", run.err);
    assert_well_behaved("a flood", &run);
    g_assert_cmpint(run.status, ==, 1);
    said.how = SAY_ONCE;
    stop_listening("/tmp/.java_pid", thread);
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 60 * G_USEC_PER_SEC);
}

/* `list` asks JVMs only: a process with this library mapped is one. */
static void look_like_a_jvm(void)
{
    g_autofree char *path = g_build_filename(folder, "libjvm.so", NULL);

    g_assert_true(g_file_set_contents(path, "x", 1, NULL));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    g_assert_true(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
    close(fd);
    g_unlink(path);
}

typedef void (*Attack)(void);

/* Each attack has a recorder of its own. */
static void attack(gconstpointer data)
{
    GThread *thread;

    say("");
    if (!listen_at(PM_CONTROL_SOCKET_PREFIX, &thread)) {
        g_test_skip("no socket can be made in /tmp");
        return;
    }
    (*(const Attack *)data)();
    stop_listening(PM_CONTROL_SOCKET_PREFIX, thread);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        Attack attack;
    } attacks[] = {
        {"/attacks/recorder/endless-depth", endless_depth},
        {"/attacks/recorder/members-of-other-types", members_of_other_types},
        {"/attacks/recorder/what-is-no-json", what_is_no_json},
        {"/attacks/recorder/what-is-no-reply", what_is_no_reply},
        {"/attacks/recorder/names-in-replies-act-on-nothing", names_in_replies_act_on_nothing},
        {"/attacks/recorder/floods-end", floods_end},
        {"/attacks/recorder/descriptors-of-anything", descriptors_of_anything},
        {"/attacks/recorder/names-of-files-act-on-nothing", names_of_files_act_on_nothing},
        {"/attacks/recorder/completion-runs-nothing", completion_runs_nothing},
    };

    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("recorder-XXXXXX", NULL);
    look_like_a_jvm();
    for (guint i = 0; i < G_N_ELEMENTS(attacks); i++)
        g_test_add_data_func(attacks[i].name, &attacks[i].attack, attack);
    g_test_add_func("/attacks/jvm/a-false-one-cannot-hold-attach-up",
                    a_false_jvm_cannot_hold_attach_up);
    int status = g_test_run();
    g_clear_pointer(&said.reply, g_bytes_unref);
    g_rmdir(folder);
    g_free(folder);
    return status;
}

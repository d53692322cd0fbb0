#include "tests/folder.h"
#include "tests/jvm/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends a test that would hang; far beyond any stall of a working machine. */
#define PATIENCE_S 120

struct PmJvm {
    pid_t pid;
    bool ended;
    int status;
    int patience_s;
    char *out_path;
    char *err_path;
};

static char *folder;
static const char *java_home;
static PmJvm *living[16]; /* for the last words of a test that fails */

/* -- last words: when a test aborts, what its JVMs printed goes to stderr, for the log of a CI --
 */

static void copy_file_to_stderr(const char *path)
{
    char bytes[4096];
    ssize_t length;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    while ((length = read(fd, bytes, sizeof bytes)) > 0)
        if (write(STDERR_FILENO, bytes, (size_t)length) < 0)
            break;
    close(fd);
}

static void say_last_words(int signal_number)
{
    static const char title[] = "\n---- stdout and stderr of a JVM of this test\n";

    for (size_t i = 0; i < G_N_ELEMENTS(living); i++) {
        if (living[i] == NULL)
            continue;
        if (write(STDERR_FILENO, title, sizeof title - 1) < 0)
            break;
        copy_file_to_stderr(living[i]->out_path);
        copy_file_to_stderr(living[i]->err_path);
        if (!living[i]->ended)
            kill(living[i]->pid, SIGKILL);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* -- the program -- */

void pm_jvm_init(int *argc, char ***argv)
{
    g_autoptr(GError) error = NULL;

    g_test_init(argc, argv, NULL);
    java_home = g_getenv("PM_JAVA_HOME");
    if (java_home != NULL && *java_home == '\0')
        java_home = NULL;
    g_assert_true(java_home == NULL ||
                  (g_getenv("PM_AGENT") && g_getenv("PM_PARKCTL") && g_getenv("PM_WORKLOADS")));
    folder = g_dir_make_tmp("parkmeter-jvm-XXXXXX", &error);
    g_assert_no_error(error);
    /* JVMs of other settings than ours. */
    g_unsetenv("JAVA_TOOL_OPTIONS");
    g_unsetenv("JDK_JAVA_OPTIONS");
    g_unsetenv("_JAVA_OPTIONS");
    signal(SIGABRT, say_last_words);
    signal(SIGTRAP, say_last_words); /* g_error */
    signal(SIGTERM, say_last_words); /* meson's timeout */
}

int pm_jvm_run(void)
{
    int status = g_test_run();

    pm_remove_folder(folder);
    g_free(folder);
    return status;
}

struct test {
    void (*test)(void); /* NULL: */
    int times;
    char *(*attempt)(void);
};

static void run_or_skip(gconstpointer data)
{
    const struct test *test = data;

    if (java_home == NULL)
        g_test_skip("no JDK of this version on this machine");
    else if (test->test)
        test->test();
    else
        pm_attempts(test->times, test->attempt);
}

static void add(const char *path, const struct test *test)
{
    g_autofree char *full = g_strdup_printf("/jvm-%s%s", g_getenv("PM_JAVA_MAJOR"), path);

    g_test_add_data_func_full(full, g_memdup2(test, sizeof *test), run_or_skip, g_free);
}

void pm_jvm_add(const char *path, void (*test)(void))
{
    add(path, &(struct test){.test = test});
}

void pm_jvm_add_attempts(const char *path, int times, char *(*attempt)(void))
{
    add(path, &(struct test){.times = times, .attempt = attempt});
}

char *pm_jvm_path(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *name = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return g_build_filename(folder, name, NULL);
}

int pm_jvm_major(void)
{
    return java_home == NULL ? 0 : atoi(g_getenv("PM_JAVA_MAJOR"));
}

/* -- a JVM -- */

static void become_child(gpointer data)
{
    /* Whatever happens to the test, its JVM does not outlive it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static GPtrArray *java_command(const char *agent_options, const char *arguments)
{
    GPtrArray *command = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = g_strsplit(arguments, " ", -1);

    g_ptr_array_add(command, g_build_filename(java_home, "bin/java", NULL));
    if (agent_options != NULL)
        g_ptr_array_add(command,
                        g_strdup_printf("-agentpath:%s=%s", g_getenv("PM_AGENT"), agent_options));
    g_ptr_array_add(command, g_strdup("-cp"));
    g_ptr_array_add(command, g_strdup(g_getenv("PM_WORKLOADS")));
    for (char **word = words; *word != NULL; word++)
        if (**word != '\0')
            g_ptr_array_add(command, g_strdup(*word));
    g_ptr_array_add(command, NULL);
    return command;
}

PmJvm *pm_jvm_start(const char *agent_options, const char *arguments)
{
    static int number;
    g_autoptr(GPtrArray) command = java_command(agent_options, arguments);
    g_autoptr(GError) error = NULL;
    PmJvm *jvm = g_new0(PmJvm, 1);
    jvm->patience_s = PATIENCE_S;
    int in, out, err;

    number++;
    jvm->out_path = pm_jvm_path("jvm-%d.out", number);
    jvm->err_path = pm_jvm_path("jvm-%d.err", number);
    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    out = open(jvm->out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    err = open(jvm->err_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    g_assert_cmpint(out, >=, 0);
    g_assert_cmpint(err, >=, 0);
    g_spawn_async_with_fds(folder, (char **)command->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                           become_child, NULL, &jvm->pid, in, out, err, &error);
    g_assert_no_error(error);
    close(in);
    close(out);
    close(err);
    for (size_t i = 0; i < G_N_ELEMENTS(living); i++) {
        if (living[i] == NULL) {
            living[i] = jvm;
            break;
        }
    }
    return jvm;
}

int pm_jvm_pid(const PmJvm *jvm)
{
    return jvm->pid;
}

/* The sockets by which a JVM that is dead was reached: killed, it could not remove them. Its pid is
 * nobody else's yet. */
static void remove_sockets(const PmJvm *jvm)
{
    static const char *const names[] = {"/tmp/.parkmeter-%d", "/tmp/.java_pid%d",
                                        "/tmp/.attach_pid%d"};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf(names[i], (int)jvm->pid);
        g_unlink(path);
    }
}

static bool reap(PmJvm *jvm, int flags)
{
    int status, error;
    pid_t pid;
    siginfo_t info = {0};

    if (jvm->ended)
        return true;
    do {
        error = waitid(P_PID, (id_t)jvm->pid, &info, WEXITED | WNOWAIT | flags);
    } while (error != 0 && errno == EINTR);
    if (error != 0 || info.si_pid != jvm->pid)
        return false;
    remove_sockets(jvm);
    do {
        pid = waitpid(jvm->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    g_assert_cmpint(pid, ==, jvm->pid);
    jvm->ended = true;
    jvm->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool pm_jvm_alive(PmJvm *jvm)
{
    return !reap(jvm, WNOHANG);
}

void pm_jvm_set_patience(PmJvm *jvm, int seconds)
{
    jvm->patience_s = seconds;
}

int pm_jvm_wait(PmJvm *jvm)
{
    for (int i = 0; i < jvm->patience_s * 50; i++) {
        if (reap(jvm, WNOHANG))
            return jvm->status;
        g_usleep(20000);
    }
    g_error("the JVM did not end within %d s", jvm->patience_s);
}

void pm_jvm_kill(PmJvm *jvm, int signal_number)
{
    if (!jvm->ended)
        kill(jvm->pid, signal_number);
}

PmJvm *pm_jvm_record(const char *recording, const char *options, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *arguments = g_strdup_vprintf(format, list);
    va_end(list);
    g_autofree char *all = g_strdup_printf("file=%s,%s", recording, options);
    return pm_jvm_start(all, arguments);
}

void pm_jvm_free(PmJvm *jvm)
{
    if (jvm == NULL)
        return;
    if (!reap(jvm, WNOHANG)) {
        kill(jvm->pid, SIGKILL);
        reap(jvm, 0);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(living); i++)
        if (living[i] == jvm)
            living[i] = NULL;
    g_free(jvm->out_path);
    g_free(jvm->err_path);
    g_free(jvm);
}

static char *read_text(const char *path)
{
    char *text = NULL;
    char *valid;

    if (!g_file_get_contents(path, &text, NULL, NULL))
        return g_strdup("");
    valid = g_utf8_make_valid(text, -1);
    g_free(text);
    return valid;
}

char *pm_jvm_stdout(PmJvm *jvm)
{
    return read_text(jvm->out_path);
}

char *pm_jvm_stderr(PmJvm *jvm)
{
    return read_text(jvm->err_path);
}

/* The n-th whole line that begins with `prefix`. */
static char *find_line(const char *text, const char *prefix, int n)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line != NULL && line[1] != NULL; line++)
        if (g_str_has_prefix(*line, prefix) && --n == 0)
            return g_strdup(*line);
    return NULL;
}

char *pm_jvm_wait_line(PmJvm *jvm, const char *prefix, int n)
{
    for (int i = 0; i < jvm->patience_s * 50; i++) {
        bool ended = !pm_jvm_alive(jvm);
        g_autofree char *text = pm_jvm_stdout(jvm);
        char *line = find_line(text, prefix, n);

        if (line != NULL)
            return line;
        if (ended)
            g_error("the JVM ended (status %d) before it printed \"%s\"", jvm->status, prefix);
        g_usleep(20000);
    }
    g_error("the JVM did not print \"%s\" within %d s", prefix, jvm->patience_s);
}

GPtrArray *pm_jvm_rows(PmJvm *jvm, const char *first, guint n_words)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    g_autofree char *text = pm_jvm_stdout(jvm);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_strv_length(words) == n_words && strcmp(words[0], first) == 0)
            g_ptr_array_add(rows, g_steal_pointer(&words));
    }
    g_assert_cmpuint(rows->len, >, 0);
    return rows;
}

/* -- commands -- */

void pm_run_clear(PmRun *run)
{
    g_clear_pointer(&run->out, g_free);
    g_clear_pointer(&run->err, g_free);
}

void pm_run_program(PmRun *ret_run, const char *const *arguments)
{
    g_autoptr(GError) error = NULL;
    char *out = NULL, *err = NULL;
    int status;

    g_spawn_sync(folder, (char **)arguments, NULL, G_SPAWN_DEFAULT, become_child, NULL, &out, &err,
                 &status, &error);
    g_assert_no_error(error);
    ret_run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ret_run->out = g_utf8_make_valid(out, -1);
    ret_run->err = g_utf8_make_valid(err, -1);
    g_free(out);
    g_free(err);
}

static void run_parkctl(PmRun *ret_run, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    g_autoptr(GPtrArray) command = g_ptr_array_new();

    g_ptr_array_add(command, (char *)g_getenv("PM_PARKCTL"));
    for (char **word = words; *word != NULL; word++)
        if (**word != '\0')
            g_ptr_array_add(command, *word);
    g_ptr_array_add(command, NULL);
    pm_run_program(ret_run, (const char *const *)command->pdata);
}

void pm_parkctl(PmRun *ret_run, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    run_parkctl(ret_run, line);
}

bool pm_parkctl_succeeds(const char *format, ...)
{
    g_auto(PmRun) run = {0};
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    pm_parkctl(&run, "%s", line);
    if (run.status != 0)
        g_test_message("parkctl %s: status %d: %s%s", line, run.status, run.out, run.err);
    return run.status == 0;
}

JsonNode *pm_parkctl_json(const char *format, ...)
{
    g_autoptr(GError) error = NULL;
    g_auto(PmRun) run = {0};
    JsonNode *node;
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *full = g_strconcat(line, " --format=json", NULL);
    run_parkctl(&run, full);
    if (run.status != 0)
        g_error("parkctl %s: status %d\n%s%s", full, run.status, run.out, run.err);
    node = json_from_string(run.out, &error);
    if (node == NULL || !JSON_NODE_HOLDS_OBJECT(node))
        g_error("parkctl %s: not a JSON object: %s\n%s", full, error ? error->message : "",
                run.out);
    return node;
}

/* What no sentence may say: "1 waits", nothing of something, a number that is none, our own
 * threads.
 */
static void speaks_well(const char *command, const char *recording)
{
    static const char lies[] =
        "(?<![\\d.,:-])1 (waits|threads|blockers|times|samples|groups|pauses|ends|findings|notes|"
        "filters|gaps)\\b(?! for)|(?<![\\d.])0 % of "
        "its|\\bnan\\b|\\(null\\)|parkmeter-(sampler|sweep)";
    g_auto(PmRun) run = {0};
    g_autoptr(GRegex) regex = g_regex_new(lies, 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;

    pm_parkctl(&run, "%s %s", command, recording);
    if (g_regex_match(regex, run.out, 0, &match)) {
        g_autofree char *lie = g_match_info_fetch(match, 0);
        g_error("parkctl %s says \"%s\": %s", command, lie, run.out);
    }
}

/* Its members are there, and no two of them say the same. */
static void are_distinct(JsonObject *finding, const char *list, const char *member)
{
    JsonArray *rows = json_object_get_array_member(finding, list);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < json_array_get_length(rows); i++) {
        const char *text = pm_json_string(json_array_get_object_element(rows, i), member);
        if (!g_hash_table_add(seen, (char *)text))
            g_error("%s: \"%s\" twice in %s", pm_json_string(finding, "title"), text, list);
    }
    if (json_array_get_length(rows) == 0)
        g_error("%s: no %s", pm_json_string(finding, "title"), list);
}

void pm_parkctl_sees(const char *recording)
{
    static const char *const commands[] = {"findings", "report", "report --pools", "now", "info"};
    g_autoptr(JsonNode) node = pm_parkctl_json("findings %s", recording);
    JsonArray *findings = json_object_get_array_member(json_node_get_object(node), "findings");
    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *finding = json_array_get_object_element(findings, i);
        const char *command = json_object_get_string_member_with_default(finding, "command", NULL);
        g_auto(PmRun) run = {0};
        are_distinct(finding, "causes", "text");
        are_distinct(finding, "victims", "group");
        if (!command)
            continue;
        g_assert_true(g_str_has_prefix(command, "parkctl "));
        run_parkctl(&run, command + strlen("parkctl "));
        if (run.status != 0 || strstr(run.out, "No wait matches"))
            g_error("%s: status %d: %s%s", command, run.status, run.out, run.err);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        speaks_well(commands[i], recording);
}

void pm_jvm_run_java(PmRun *ret_run, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autoptr(GPtrArray) command = java_command(NULL, line);
    pm_run_program(ret_run, (const char *const *)command->pdata);
}

void pm_jvm_jcmd(PmRun *ret_run, const PmJvm *jvm, const char *command)
{
    g_autofree char *jcmd = g_build_filename(g_getenv("PM_JAVA_HOME"), "bin/jcmd", NULL);
    g_autofree char *pid = g_strdup_printf("%d", pm_jvm_pid(jvm));
    pm_run_program(ret_run, (const char *const[]){jcmd, pid, command, NULL});
    g_assert_cmpint(ret_run->status, ==, 0);
}

/* -- patience -- */

void pm_attempts(int times, char *(*attempt)(void))
{
    for (int i = 1;; i++) {
        g_autofree char *why = attempt();

        if (why == NULL)
            return;
        if (i == times)
            g_error("did not hold in %d attempts; the last: %s", times, why);
        g_test_message("attempt %d: %s", i, why);
    }
}

bool pm_poll(bool (*question)(void *context), void *context)
{
    /* Most ask by a process: what takes long is asked more seldom. */
    for (int i = 0; i < 130; i++) {
        if (question(context))
            return true;
        g_usleep(i < 5 ? 200000 : 500000);
    }
    return false;
}

/* -- JSON -- */

static JsonNode *member_of(JsonObject *object, const char *member)
{
    JsonNode *node = json_object_get_member(object, member);

    if (node == NULL)
        g_error("the JSON has no member \"%s\"", member);
    return node;
}

JsonArray *pm_json_array(JsonNode *answer, const char *member)
{
    return json_node_get_array(member_of(json_node_get_object(answer), member));
}

int64_t pm_recorded_times(const char *recording, const char *class, const char *kind)
{
    g_autoptr(JsonNode) report =
        pm_parkctl_json("report %s --since-start --idle --limit=0", recording);
    JsonArray *rows = pm_json_array(report, "blockers");
    int64_t times = 0;
    for (guint i = 0; i < json_array_get_length(rows); i++) {
        JsonObject *row = json_array_get_object_element(rows, i);
        if (g_strcmp0(pm_json_string(row, "class"), class) == 0 &&
            (!kind || g_strcmp0(pm_json_string(row, "kind"), kind) == 0))
            times += pm_json_int(row, "times_parked");
    }
    return times;
}

int64_t pm_json_int(JsonObject *object, const char *member)
{
    return json_node_get_int(member_of(object, member));
}

double pm_json_double(JsonObject *object, const char *member)
{
    return json_node_get_double(member_of(object, member));
}

const char *pm_json_string(JsonObject *object, const char *member)
{
    JsonNode *node = member_of(object, member);

    return JSON_NODE_HOLDS_NULL(node) ? NULL : json_node_get_string(node);
}

char *pm_json_lines(JsonObject *object, const char *member)
{
    JsonNode *node = member_of(object, member);
    GString *lines = g_string_new(NULL);

    if (JSON_NODE_HOLDS_ARRAY(node)) {
        JsonArray *array = json_node_get_array(node);
        for (guint i = 0; i < json_array_get_length(array); i++)
            g_string_append_printf(lines, "%s\n", json_array_get_string_element(array, i));
    }
    return g_string_free(lines, FALSE);
}

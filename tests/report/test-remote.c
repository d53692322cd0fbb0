/* parkctl through a command that leads elsewhere: the same answers, only what is new travels, and a
 * connection that breaks is said and made anew. Elsewhere is this machine: by a command that does
 * nothing else, and through a real sshd on loopback. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include "example.h"
#include "parkctl.h"
#include "recorder.h"
#include "tests/format/synthetic.h"

static char *folder, *rolling, *there; /* how parkctl is found at the far end */
static char *ssh;                      /* a command that leads through sshd; NULL: there is none */
static const char *no_ssh;             /* why */

/* ---- commands ---- */

/* Without the lines that name the file, which lies elsewhere. Owned. */
static char *without_names(const char *out, gboolean headed)
{
    g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
    GString *rest = g_string_new(NULL);

    for (guint i = headed; lines[i]; i++)
        if (!strstr(lines[i], "\"file\""))
            g_string_append_printf(rest, "%s\n", lines[i]);
    return g_string_free(rest, FALSE);
}

static void same_answers(const char *via)
{
    static const struct {
        const char *command;
        gboolean headed; /* by the file's name */
    } all[] = {{"status"},
               {"status --format=json"},
               {"report", TRUE},
               {"now", TRUE},
               {"report --format=json"},
               {"tree --by=class,site", TRUE},
               {"stop"},
               {"set maxsize=64m"},
               {"whatif", TRUE},
               {"export --to=collapsed"}};

    for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
        g_auto(PmRun) here;
        g_auto(PmRun) far;
        pm_run(&here, "C", "%d %s", (int)getpid(), all[i].command);
        pm_run(&far, "C", "--via='%s' %d %s", via, (int)getpid(), all[i].command);
        if (far.status != 0)
            g_error("%s: %s", all[i].command, far.err);
        g_assert_cmpint(here.status, ==, 0);
        g_assert_cmpstr(far.err, ==, "");
        g_autofree char *expected = without_names(here.out, all[i].headed);
        g_autofree char *out = without_names(far.out, all[i].headed);
        g_assert_cmpstr(out, ==, expected);
    }
}

static void lists_and_dumps(const char *via)
{
    g_autofree char *path = g_build_filename(folder, "far.park", NULL);
    g_autofree char *pid = g_strdup_printf("%d", (int)getpid());
    g_auto(PmRun) dump;
    g_auto(PmRun) verify;
    g_auto(PmRun) wrong;

    pm_run(&dump, "C", "--via='%s' %s dump filename=%s", via, pid, path);
    if (dump.status != 0)
        g_error("dump: %s", dump.err);
    pm_run(&verify, "C", "verify %s", path);
    g_assert_cmpint(verify.status, ==, 0);
    g_unlink(path);
    pm_run(&wrong, "C", "--via='%s' 2000004711 now", via);
    g_assert_cmpint(wrong.status, ==, 1);
    g_assert_cmpstr(wrong.err, ==, "parkctl: 2000004711: no such process\n");
    g_assert_cmpstr(wrong.out, ==, "");
}

static void through_a_command(void)
{
    same_answers(there);
    lists_and_dumps(there);
}

/* What a login shell says before is passed over. */
static void noise_is_passed_over(void)
{
    g_autofree char *via =
        g_strdup_printf("sh -c \"echo Welcome; printf prompt; %s \\\"\\$@\\\"\" x", there);

    same_answers(via);
}

static void what_is_wrong_is_said(void)
{
    static const struct {
        const char *via, *words;
    } wrong[] = {
        {"false", "false: ended before parkctl answered, with exit status 1; try it by "
                  "hand: false parkctl list\n"},
        {"sh -c \"echo Hello; printf \\\"Account\\033[1m expired\\\\n\\n\\\"; exit 3\"",
         "with exit status 3 (it said: Account?[1m expired); try it by hand: sh -c"},
        {"/no/such/program", "/no/such/program: Failed to execute"},
        {"sh -c \"exit 127\"", "no parkctl on the PATH there"},
        {"echo hello", "ended before parkctl answered (it said: hello parkctl serve); try"},
        {"a \"b", "--via=a \"b: "}};

    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_auto(PmRun) run;
        pm_run(&run, "C", "--via='%s' %d now", wrong[i].via, (int)getpid());
        g_assert_cmpint(run.status, ==, 1);
        if (!strstr(run.err, wrong[i].words))
            g_error("%s: %s", wrong[i].via, run.err);
    }
    static const char *const usage[] = {"--via", "--via=", "--via=env report x.park",
                                        "--via=env 1 attach", "--via=env verify x.park"};
    for (guint i = 0; i < G_N_ELEMENTS(usage); i++) {
        g_auto(PmRun) run;
        pm_run(&run, "C", "%s", usage[i]);
        g_assert_cmpint(run.status, ==, 2);
        g_assert_nonnull(strstr(run.err, "--via"));
    }
}

/* A stranger's lines end in a sentence, and the next is answered. */
static void a_server_refuses_what_it_does_not_know(void)
{
    static const char requests[] = "\nnews\nnews 1\nnews 1 0\nnews 1 0 x y z w\nask 0 status\n"
                                   "ask 1x status\nnews 5 0 1 2 3 4 5\nshutdown\nlist\n";
    g_autofree char *out = NULL;
    gsize size;
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) child =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                         g_getenv("PM_PARKCTL"), "serve", NULL);
    g_assert_no_error(error);
    g_autoptr(GBytes) in = g_bytes_new_static(requests, strlen(requests));
    g_autoptr(GBytes) answer = NULL;

    g_assert_true(g_subprocess_communicate(child, in, NULL, &answer, NULL, &error));
    g_assert_true(g_subprocess_get_successful(child));
    const char *bytes = g_bytes_get_data(answer, &size);
    g_assert_true(g_str_has_prefix(bytes, "parkmeter-serve 1\n"));
    guint errors = 0, ok = 0;
    for (gsize at = strlen("parkmeter-serve 1\n"); at + 5 <= size;) {
        errors += bytes[at] == 'e';
        ok += bytes[at] == 'o';
        guint32 length;
        memcpy(&length, bytes + at + 1, sizeof length);
        at += 5 + GUINT32_FROM_LE(length);
    }
    g_assert_cmpuint(errors, ==, 9);
    g_assert_cmpuint(ok, ==, 1);
}

/* ---- following ---- */

typedef struct {
    GSubprocess *child;
    GDataInputStream *answers;
    char *path;
} Follower;

static void follow(Follower *ret_follower, const char *via)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *pid = g_strdup_printf("%d", (int)getpid());
    Follower f = {.path = g_build_filename(folder, "copy.park", NULL)};
    g_autofree char *file = g_strconcat("filename=", f.path, NULL);

    f.child =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                             G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                         &error, g_getenv("PM_PARKCTL"), via ? "--via" : pid, via ? via : "follow",
                         via ? pid : file, via ? "follow" : NULL, file, NULL);
    g_assert_no_error(error);
    f.answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(f.child));
    *ret_follower = f;
}

/* The answer to one line. Owned. */
static char *ask(Follower *f)
{
    g_autoptr(GError) error = NULL;
    GOutputStream *in = g_subprocess_get_stdin_pipe(f->child);

    g_assert_true(g_output_stream_write_all(in, "\n", 1, NULL, NULL, &error));
    char *line = g_data_input_stream_read_line(f->answers, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(line);
    return line;
}

static guint64 came(Follower *f)
{
    g_autofree char *line = ask(f);

    if (!g_str_has_prefix(line, "ok "))
        g_error("said: %s", line);
    return g_ascii_strtoull(line + 3, NULL, 10);
}

static void assert_whole(const Follower *f, gint64 n)
{
    g_auto(PmRun) run;
    g_autofree char *words = g_strdup_printf(" %" G_GINT64_FORMAT " waits", n);

    pm_run(&run, "C", "verify %s", f->path);
    if (run.status != 0 || !strstr(run.out, words))
        g_error("not %s: %s%s", words, run.out, run.err);
}

static void stop_following(Follower *f)
{
    g_autoptr(GError) error = NULL;

    g_output_stream_close(g_subprocess_get_stdin_pipe(f->child), NULL, NULL);
    g_assert_true(g_subprocess_wait_check(f->child, NULL, &error));
    g_assert_no_error(error);
    g_clear_object(&f->answers);
    g_clear_object(&f->child);
    g_unlink(f->path);
    g_free(f->path);
}

/* The command that a follower talks through: its only child. */
static pid_t child_of(Follower *f)
{
    const char *pid = g_subprocess_get_identifier(f->child);
    g_autofree char *path = g_strdup_printf("/proc/%s/task/%s/children", pid, pid);
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const int child = atoi(text);
    g_assert_cmpint(child, >, 1);
    return child;
}

/* A recording that grows: its waits so far. */
static struct syn *growing;
static struct pm_writer *writer;
static gint64 n_waits;

static void grow(guint n)
{
    for (guint i = 0; i < n; i++) {
        struct pm_wait wait = {.begin_ns = SYN_BEGIN_NS + ++n_waits * SYN_US,
                               .duration_ns = n_waits * 7919 % 100003,
                               .thread = {1},
                               .blocker = {1}};
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    }
    g_assert_cmpint(pm_writer_flush(writer, SYN_BEGIN_NS + (n_waits + 1) * SYN_MS), ==, PM_OK);
}

static void begin_growing(void)
{
    struct pm_writer_options options = {.max_size = 8 << 20};
    struct pm_sink sink;

    growing = syn_new();
    syn_thread(growing, "main");
    syn_blocker(growing, syn_class(growing, "demo.Lock"), 1);
    const int fd = g_open(rolling, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    g_assert_cmpint(pm_sink_from_fd(fd, &sink), ==, PM_OK);
    writer = syn_writer(growing, sink, &options);
    n_waits = 0;
    grow(50000);
}

static void end_growing(void)
{
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S * 3600), ==, PM_OK);
    syn_free(growing);
    pm_example_write("orders", rolling);
}

static void follows(const char *via)
{
    Follower f;

    begin_growing();
    follow(&f, via);
    const guint64 first = came(&f);
    assert_whole(&f, n_waits);
    for (guint i = 0; i < 5; i++) {
        grow(100);
        g_assert_cmpuint(came(&f), <, first / 10); /* only what is new */
        assert_whole(&f, n_waits);
    }
    if (via) { /* the connection is cut: said, and gone on with where it was */
        grow(100);
        kill(child_of(&f), SIGKILL);
        g_autofree char *said = ask(&f);
        if (!g_str_has_prefix(said, "broken "))
            g_error("said: %s", said);
        assert_whole(&f, n_waits - 100);
        g_assert_cmpuint(came(&f), <, first / 10);
        assert_whole(&f, n_waits);
    }
    stop_following(&f);
    end_growing();
}

static void only_what_is_new_comes(void)
{
    follows(NULL);
}

static void a_cut_connection_is_resumed(void)
{
    follows(there);
}

/* ---- ssh ---- */

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
    g_assert_cmpint(getsockname(fd, (struct sockaddr *)&address, &size), ==, 0);
    close(fd);
    return ntohs(address.sin_port);
}

static gboolean made_key(const char *path)
{
    const char *argv[] = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL};
    int status;

    return g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                        &status, NULL) &&
           status == 0;
}

static gboolean answers(const char *command)
{
    g_autofree char *out = NULL, *err = NULL;
    int status = -1;

    return g_spawn_command_line_sync(command, &out, &err, &status, NULL) && status == 0;
}

/* An sshd of our own, with keys, port and configuration of its own. NULL: `no_ssh` says why. */
static GSubprocess *start_sshd(void)
{
    g_autofree char *host_key = g_build_filename(folder, "host", NULL);
    g_autofree char *user_key = g_build_filename(folder, "user", NULL);
    g_autofree char *authorized = g_strconcat(user_key, ".pub", NULL);
    g_autofree char *config = g_build_filename(folder, "sshd_config", NULL);
    g_autofree char *found = g_find_program_in_path("sshd");
    const char *sshd = found ? found : "/usr/sbin/sshd";
    const int port = free_port();

    no_ssh = "no sshd and ssh here";
    g_autofree char *client = g_find_program_in_path("ssh");
    if (!client || !g_file_test(sshd, G_FILE_TEST_IS_EXECUTABLE))
        return NULL;
    if (!made_key(host_key) || !made_key(user_key))
        return NULL;
    g_autofree char *text = g_strdup_printf(
        "Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n",
        port, host_key, authorized);
    g_assert_true(g_file_set_contents(config, text, -1, NULL));
    /* Root's wants an empty folder where other services have theirs. */
    const gboolean bare = geteuid() == 0 && !g_file_test("/run/sshd", G_FILE_TEST_IS_DIR);
    g_autofree char *line = g_strdup_printf(
        bare ? "exec unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/sshd && "
               "exec %s -D -e -f %s'"
             : "exec %s -D -e -f %s",
        sshd, config);
    GSubprocess *daemon =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                         NULL, "sh", "-c", line, NULL);
    ssh = g_strdup_printf("ssh -F none -i %s -p %d -o StrictHostKeyChecking=no -o BatchMode=yes "
                          "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=10 "
                          "127.0.0.1 %s",
                          user_key, port, there);
    g_autofree char *probe = g_strconcat(ssh, " parkctl version", NULL);
    for (guint i = 0; daemon && i < 50; i++) {
        if (answers(probe))
            return daemon;
        g_usleep(100000);
    }
    no_ssh = "no sshd of this user's lets it in";
    g_clear_pointer(&ssh, g_free);
    if (daemon)
        g_subprocess_force_exit(daemon);
    g_clear_object(&daemon);
    return NULL;
}

static void through_ssh(void)
{
    if (!ssh) {
        g_test_skip(no_ssh);
        return;
    }
    same_answers(ssh);
    lists_and_dumps(ssh);
    follows(ssh);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("parkctl-remote-XXXXXX", NULL);
    rolling = g_build_filename(folder, "rolling.park", NULL);
    pm_example_write("orders", rolling);
    g_autofree char *bin = g_path_get_dirname(g_getenv("PM_PARKCTL"));
    there = g_strdup_printf("env LC_ALL=C PATH=%s:%s", bin, g_getenv("PATH"));
    if (!pm_recorder_start(rolling)) {
        g_print("1..0 # SKIP no socket can be made in /tmp\n");
        return 0;
    }
    GSubprocess *daemon = start_sshd();
    g_test_add_func("/parkctl/remote/through-a-command", through_a_command);
    g_test_add_func("/parkctl/remote/noise-is-passed-over", noise_is_passed_over);
    g_test_add_func("/parkctl/remote/what-is-wrong-is-said", what_is_wrong_is_said);
    g_test_add_func("/parkctl/remote/a-server-refuses-what-it-does-not-know",
                    a_server_refuses_what_it_does_not_know);
    g_test_add_func("/parkctl/remote/only-what-is-new-comes", only_what_is_new_comes);
    g_test_add_func("/parkctl/remote/a-cut-connection-is-resumed", a_cut_connection_is_resumed);
    g_test_add_func("/parkctl/remote/through-ssh", through_ssh);
    int status = g_test_run();
    pm_recorder_stop();
    if (daemon)
        g_subprocess_force_exit(daemon);
    g_clear_object(&daemon);

    static const char *const files[] = {"rolling.park", "host",     "host.pub",
                                        "user",         "user.pub", "sshd_config"};
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
    g_free(folder);
    g_free(rolling);
    g_free(there);
    g_free(ssh);
    return status;
}

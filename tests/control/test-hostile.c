/* The control socket without a JVM: what it answers, and that no client can hold it up. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/reader.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/control/control.h"
#include "recorder/agent/drain/drain.h"
#include "recorder/agent/storage/file.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/slot.h"
#include "recorder/control/client.h"
#include "recorder/control/protocol.h"
#include "tests/attacks/hostile-text.h"

#define LONG_NS 120000000000
#define LONG_MS 120000

static int64_t clock_step_s;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
    int error = (int)syscall(SYS_clock_gettime, clock, ret);
    if (clock == CLOCK_REALTIME)
        ret->tv_sec += clock_step_s;
    return error;
}

static GMutex disk; /* held while it does not answer */

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    g_mutex_lock(&disk);
    g_mutex_unlock(&disk);
    return syscall(SYS_pwrite64, fd, bytes, size, at);
}

static char *folder, *recording, *socket_path;
static struct pm_options options;

static GMutex socket_folder; /* held while it does not answer */

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    g_mutex_lock(&socket_folder);
    g_mutex_unlock(&socket_folder);
    return (int)syscall(SYS_bind, fd, address, size);
}

static bool chmod_is_refused; /* as by a filter of system calls */

int chmod(const char *path, mode_t mode)
{
    if (!chmod_is_refused)
        return (int)syscall(SYS_chmod, path, mode);
    errno = EPERM;
    return -1;
}

static void begin(void)
{
    struct pm_error_info info = {0};
    folder = g_dir_make_tmp("control-XXXXXX", NULL);
    recording = g_build_filename(folder, "a.park", NULL);
    socket_path = g_build_filename(folder, "s", NULL);
    pm_options_default(&options);
    g_strlcpy(options.file, recording, sizeof(options.file));
    g_strlcpy(options.socket, socket_path, sizeof(options.socket));
    options.maxsize = 4 << 20;
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    struct pm_facts facts = {.begin_ns = pm_clock_now(),
                             .begin_unix_ns = pm_clock_now_unix(),
                             .jvm = {"JVM \"0\"\n", 8},
                             .main = {"a\xff", 2}};
    int error = pm_drain_start(&options, &facts, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    error = pm_control_start(&options, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
}

static void end(void)
{
    pm_control_stop();
    pm_drain_stop(LONG_NS);
    g_assert_false(g_file_test(socket_path, G_FILE_TEST_EXISTS));
    g_unlink(recording);
    g_rmdir(folder);
    g_free(folder);
    g_free(recording);
    g_free(socket_path);
    pm_slot_pool_clear();
}

/* -1 when the server's queue is full. */
static int dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_assert_cmpuint(strlen(socket_path), <, sizeof(address.sun_path));
    strcpy(address.sun_path, socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof(address)), ==, 0);
    return fd;
}

static void say(int fd, const void *bytes, size_t size)
{
    g_assert_cmpint(send(fd, bytes, size, MSG_NOSIGNAL), ==, (gssize)size);
}

/* All until the end; fails only after minutes. Owned. */
static char *hear(int fd)
{
    GString *text = g_string_new(NULL);
    for (;;) {
        char bytes[4096];
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        g_assert_cmpint(poll(&poll_fd, 1, LONG_MS), ==, 1);
        ssize_t n = read(fd, bytes, sizeof(bytes));
        if (n <= 0)
            break;
        g_string_append_len(text, bytes, n);
    }
    close(fd);
    return g_string_free(text, FALSE);
}

static char *ask(const char *line)
{
    int fd = dial();
    say(fd, line, strlen(line));
    return hear(fd);
}

static JsonParser *ask_json(const char *line, JsonObject **ret_object)
{
    char *text = ask(line);
    g_assert_true(g_str_has_prefix(text, "ok\n"));
    JsonParser *parser = json_parser_new();
    GError *error = NULL;
    json_parser_load_from_data(parser, text + 3, -1, &error);
    g_assert_no_error(error);
    *ret_object = json_node_get_object(json_parser_get_root(parser));
    g_free(text);
    return parser;
}

static void assert_still_answers(void)
{
    JsonObject *hello;
    JsonParser *parser = ask_json("hello\n", &hello);
    g_assert_cmpint(json_object_get_int_member(hello, "pid"), ==, getpid());
    g_object_unref(parser);
}

static void test_answers(void)
{
    begin();
    JsonObject *object;
    JsonParser *parser = ask_json("hello\n", &object);
    g_assert_cmpstr(json_object_get_string_member(object, "jvm"), ==, "JVM \"0\"\n");
    g_assert_cmpstr(json_object_get_string_member(object, "main"), ==, "a?");
    g_assert_cmpstr(json_object_get_string_member(object, "file"), ==, recording);
    g_object_unref(parser);

    static const char *const keys[] = {"schema",
                                       "pid",
                                       "recording",
                                       "file",
                                       "size",
                                       "maxsize",
                                       "begin",
                                       "oldest_ns",
                                       "waits",
                                       "dropped",
                                       "in_progress",
                                       "longest_in_progress_ns",
                                       "deadlocks",
                                       "blockers",
                                       "chains",
                                       "chain_misses",
                                       "chain_mismatches",
                                       "threads",
                                       "drain_cpu_ns",
                                       "memory_bytes",
                                       "monitors",
                                       "vthreads",
                                       "main",
                                       "jvm",
                                       "begin_unix_ns",
                                       "snapshot_ns",
                                       "not_recorded",
                                       "error"};
    parser = ask_json("status\r\n", &object);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        g_assert_true(json_object_has_member(object, keys[i]));
    g_assert_true(json_object_get_boolean_member(object, "recording"));
    g_object_unref(parser);

    char *text = ask("stop\n");
    g_assert_cmpstr(text, ==, "ok\n");
    g_free(text);
    parser = ask_json("status\n", &object);
    g_assert_false(json_object_get_boolean_member(object, "recording"));
    g_object_unref(parser);
    text = ask("start\n");
    g_assert_cmpstr(text, ==, "ok\n");
    g_free(text);
    text = ask("flush\n");
    g_assert_cmpstr(text, ==, "ok\n");
    g_free(text);
    text = ask("set mintime=5ms\n");
    g_assert_cmpstr(text, ==, "ok\n");
    g_free(text);
    parser = ask_json("status\n", &object);
    g_assert_cmpint(json_object_get_int_member(object, "mintime_ns"), ==, 5000000);
    g_object_unref(parser);
    text = ask("help\n");
    g_assert_nonnull(strstr(text, "status"));
    g_assert_nonnull(strstr(text, "maxsize"));
    g_free(text);
    end();
}

/* Somebody sets the clock. */
static void test_clock_is_set(void)
{
    JsonObject *object;
    begin();
    clock_step_s = 3 * 365 * 86400;
    JsonParser *parser = ask_json("status\n", &object);
    clock_step_s = 0;
    gint64 age_ns = json_object_get_int_member(object, "now_unix_ns") -
                    json_object_get_int_member(object, "begin_unix_ns");
    g_assert_cmpint(age_ns, >=, 0);
    g_assert_cmpint(age_ns, <, LONG_NS);
    g_object_unref(parser);
    end();
}

/* The warning of `status`; owned. */
static char *ask_warning(void)
{
    JsonObject *object;
    JsonParser *parser = ask_json("status\n", &object);
    char *warning = g_strdup(json_object_get_string_member_with_default(object, "warning", ""));
    g_object_unref(parser);
    return warning;
}

/* A frozen file system, a server that does not answer: this is said, as long as it lasts. */
static void test_hanging_disk(void)
{
    begin();
    g_mutex_lock(&disk);
    pm_drain_gc(pm_clock_now(), pm_clock_now() + 1); /* something to be written */
    char *warning = ask_warning();
    g_assert_nonnull(strstr(warning, "has not answered"));
    g_mutex_unlock(&disk);
    for (int tries = 0; *warning && tries < 20; tries++) {
        g_free(warning);
        warning = ask_warning();
    }
    g_assert_cmpstr(warning, ==, "");
    g_free(warning);
    end();
}

/* At the program's end nobody waits for it for long; that something was not stored is known. */
static void test_hanging_disk_at_the_end(void)
{
    if (g_test_subprocess()) {
        begin();
        g_mutex_lock(&disk);
        pm_drain_gc(pm_clock_now(), pm_clock_now() + 1);
        _exit(pm_drain_stop(100000000) ? 1 : 0);
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed();
}

/* Nor does the program's start wait for long; once the disk answers, another start succeeds. */
static void test_hanging_disk_at_the_start(void)
{
    struct pm_error_info info = {0};
    struct pm_facts facts = {.begin_ns = pm_clock_now()};
    begin();
    pm_control_stop();
    g_assert_true(pm_drain_stop(LONG_NS));
    g_unlink(recording);
    g_mutex_lock(&disk);
    for (int i = 0; i < 2; i++) {
        g_assert_cmpint(pm_drain_start(&options, &facts, &info), ==, PM_ERROR_IO);
        g_assert_nonnull(strstr(info.text, "does not answer"));
    }
    g_mutex_unlock(&disk);
    while (pm_drain_start(&options, &facts, &info))
        g_usleep(10000);
    end();
}

static void assert_refused(const char *line, const char *word)
{
    char *text = ask(line);
    g_assert_true(g_str_has_prefix(text, "error "));
    g_assert_true(g_str_has_suffix(text, "\n"));
    g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, word));
    g_free(text);
}

static void test_wrong_requests_are_refused(void)
{
    begin();
    assert_refused("statu\n", "'statu'");
    assert_refused("\n", "unknown command");
    assert_refused("STATUS\n", "STATUS");
    assert_refused("set\n", "KEY=VALUE");
    assert_refused("set maxsise=5\n", "maxsise");
    assert_refused("set stackdepth=5\n", "stackdepth");
    assert_refused("\x01\x02\xff\n", "unknown command");
    int fd = dial();
    say(fd, "hello\0x\n", 8);
    char *text = hear(fd);
    g_assert_true(g_str_has_prefix(text, "ok\n") || g_str_has_prefix(text, "error "));
    g_free(text);
    assert_still_answers();
    end();
}

/* What was wrong is said back as it came, but for what would act on the terminal of who asked. */
static void test_refusals_act_on_nothing(void)
{
    static const char *const requests[] = {
        "set \033[31m\xc2\x9b=1\n",
        "set mintime=\033[31m\xc2\x9b\xe2\x80\xae\xff\n",
        "set a\xed\xa0\x80\xe2\n",
        "set 0123456789012345678901234567890123456789012345ä\n",
        "set minparks=012345678901234567890123456789012345678ä\n",
        "\033[31m\xc2\x9b\xe2\x80\xae\xff\n",
        "set accounts=\r\xe2\x80\xa8\n",
    };
    begin();
    for (size_t i = 0; i < G_N_ELEMENTS(requests); i++) {
        g_autofree char *text = ask(requests[i]);
        g_assert_true(g_str_has_prefix(text, "error "));
        g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
        hostile_assert_none(requests[i], text);
    }
    end();
}

static void test_dump_passes_a_descriptor_to_read(void)
{
    begin();
    struct pm_control_reply reply;
    struct pm_error_info info = {0};
    int error = pm_control_request(getpid(), "dump", LONG_NS, &reply, &info);
    if (error) {
        g_test_skip("another process has this pid's name in /tmp");
        end();
        return;
    }
    g_assert_true(reply.ok);
    g_assert_cmpint(reply.fd, >=, 0);
    g_assert_cmpint(fcntl(reply.fd, F_GETFL) & O_ACCMODE, ==, O_RDONLY);
    g_assert_true(fcntl(reply.fd, F_GETFD) & FD_CLOEXEC);
    g_assert_cmpint(write(reply.fd, "x", 1), ==, -1);
    struct pm_source source;
    struct pm_reader *reader;
    g_assert_cmpint(pm_source_from_fd(dup(reply.fd), &source), ==, 0);
    error = pm_reader_open(source, &reader, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    g_assert_cmpuint(pm_reader_n_chunks(reader), >=, 1);
    pm_reader_free(reader);
    pm_control_reply_clear(&reply);

    g_assert_cmpint(pm_control_request(getpid(), "nonsense", LONG_NS, &reply, &info), ==, 0);
    g_assert_false(reply.ok);
    g_assert_cmpint(reply.fd, ==, -1);
    g_assert_nonnull(strstr(reply.text, "nonsense"));
    g_assert_null(strchr(reply.text, '\n'));
    pm_control_reply_clear(&reply);
    end();
}

static void test_half_a_line_is_hung_up_on(void)
{
    begin();
    int fd = dial();
    say(fd, "stat", 4);
    assert_still_answers();
    char *text = hear(fd);
    g_assert_cmpstr(text, ==, "");
    g_free(text);
    end();
}

static void test_megabytes_are_refused(void)
{
    begin();
    int fd = dial();
    char *bytes = g_malloc(1 << 16);
    memset(bytes, 'a', 1 << 16);
    for (int i = 0; i < 64; i++)
        if (send(fd, bytes, 1 << 16, MSG_NOSIGNAL) < 0)
            break;
    g_free(bytes);
    close(fd);
    assert_still_answers();

    /* Exactly one line too long: told so. */
    char line[PM_CONTROL_MAX_REQUEST];
    memset(line, 'b', sizeof(line));
    fd = dial();
    say(fd, line, sizeof(line));
    char *text = hear(fd);
    g_assert_true(g_str_has_prefix(text, "error "));
    g_free(text);
    end();
}

static void test_clients_that_never_read_delay_nobody(void)
{
    begin();
    int fds[40];
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
        fds[i] = dial();
        int small = 1;
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
        say(fds[i], "help\n", 5);
    }
    assert_still_answers();
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
        close(fds[i]);
    assert_still_answers();
    end();
}

static void test_many_silent_clients_keep_nobody_out(void)
{
    begin();
    int fds[60];
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
        fds[i] = dial();
    assert_still_answers();
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
        close(fds[i]);
    for (int i = 0; i < 200; i++)
        close(dial());
    assert_still_answers();
    end();
}

static void test_socket_is_ours_alone(void)
{
    begin();
    GStatBuf status;
    g_assert_cmpint(g_stat(socket_path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0600);
    end();
}

/* Where the system gave it the right mode already, nobody needs the right to change it. */
static void test_mode_may_not_be_changed(void)
{
    chmod_is_refused = true;
    test_socket_is_ours_alone();
    chmod_is_refused = false;
}

/* Another JVM is given the same name, as in two containers that share a folder: who lists them gets
 * the name that this one's file has from then on. */
static void test_file_moved_aside_is_named(void)
{
    struct pm_file later;
    begin();
    g_autofree char *aside = g_strconcat(recording, ".1", NULL);
    g_autofree char *name = NULL;
    g_assert_cmpint(pm_file_create(&options, 0, 0, &later, NULL), ==, 0);
    for (int64_t until_ns = pm_clock_now() + LONG_NS; g_strcmp0(name, aside) != 0;) {
        JsonObject *hello;
        JsonParser *parser = ask_json("hello\n", &hello);
        g_assert_cmpint(pm_clock_now(), <, until_ns);
        g_free(name);
        name = g_strdup(json_object_get_string_member(hello, "file"));
        g_object_unref(parser);
        g_usleep(10000);
    }
    close(later.fd);
    pm_file_forget(&later);
    g_unlink(aside);
    end();
}

/* A JVM that was killed leaves its socket; the next with its pid takes the place. */
static void test_stale_socket_is_replaced(void)
{
    begin();
    pm_control_stop();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof(address)), ==, 0);
    close(fd);
    struct pm_error_info info = {0};
    int error = pm_control_start(&options, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    assert_still_answers();

    /* What is no socket is left alone, with a message. */
    pm_control_stop();
    g_assert_true(g_file_set_contents(socket_path, "x", 1, NULL));
    g_assert_cmpint(pm_control_start(&options, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, socket_path));
    g_unlink(socket_path);
    pm_control_stop();
    error = pm_control_start(&options, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    end();
}

/* As a JVM with a process id that no process can have would leave it; owned. */
static char *leave_socket(int number, bool is_old, bool answers)
{
    char *path = g_strdup_printf("%s9%07d%d", PM_CONTROL_SOCKET_PREFIX, (int)getpid(), number);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof(address)), ==, 0);
    if (answers)
        g_assert_cmpint(listen(fd, 9), ==, 0); /* stays open */
    else
        close(fd);
    if (is_old)
        g_assert_cmpint(utimensat(AT_FDCWD, path, old, AT_SYMLINK_NOFOLLOW), ==, 0);
    return path;
}

/* JVMs that were killed leave sockets that nobody will ever take the place of. */
static void test_dead_sockets_go(void)
{
    g_autofree char *dead = leave_socket(1, true, false);
    g_autofree char *young = leave_socket(2, false, false);
    g_autofree char *alive = leave_socket(3, true, true);
    begin();
    assert_still_answers(); /* by then it has looked */
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(young, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(alive, G_FILE_TEST_EXISTS));
    g_unlink(young);
    g_unlink(alive);
    end();
}

/* Descriptors, as they are open now: one bit each. */
static uint64_t open_descriptors(void)
{
    uint64_t open = 0;
    for (int fd = 0; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            open |= UINT64_C(1) << fd;
    return open;
}

/* Puts `fd` in the place of each of these. */
static void take_places(uint64_t descriptors, int fd)
{
    for (int place = 0; place < 64; place++)
        if (descriptors >> place & 1)
            g_assert_cmpint(dup2(fd, place), ==, place);
}

static bool is_answered(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char bytes[3] = "";
    strcpy(address.sun_path, socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answered = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
                    send(fd, "hello\n", 6, MSG_NOSIGNAL) == 6 &&
                    recv(fd, bytes, sizeof(bytes), MSG_WAITALL) == sizeof(bytes) &&
                    memcmp(bytes, "ok\n", sizeof(bytes)) == 0;
    close(fd);
    return answered;
}

static void await_answer(void)
{
    for (int64_t until_ns = pm_clock_now() + LONG_NS; !is_answered();) {
        g_assert_cmpint(pm_clock_now(), <, until_ns);
        g_usleep(10000);
    }
}

/* A program that gives up the right to open files, as some daemons do: poll takes no descriptor
 * more than may be open. */
static void test_no_descriptors_are_no_reason_to_spin(void)
{
    struct rlimit before, none;
    struct timespec used, now;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    begin();
    strcpy(address.sun_path, socket_path);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
    none = (struct rlimit){0, before.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
    g_assert_cmpint(connect(client, (struct sockaddr *)&address, sizeof(address)), ==, 0);
    g_assert_cmpint(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), ==, 0);
    g_usleep(G_USEC_PER_SEC / 2);
    g_assert_cmpint(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), ==, 0);
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &before), ==, 0);
    g_assert_cmpint((now.tv_sec - used.tv_sec) * 1000 + (now.tv_nsec - used.tv_nsec) / 1000000, <,
                    50);
    close(client);
    await_answer();
    end();
}

static bool is_control_thread_there(void)
{
    GDir *tasks = g_dir_open("/proc/self/task", 0, NULL);
    bool there = false;
    const char *task;
    while ((task = g_dir_read_name(tasks)) != NULL) {
        g_autofree char *path = g_strdup_printf("/proc/self/task/%s/comm", task);
        g_autofree char *name = NULL;
        there |=
            g_file_get_contents(path, &name, NULL, NULL) && strcmp(name, "parkmeter-ctl\n") == 0;
    }
    g_dir_close(tasks);
    return there;
}

/* A program that closes descriptors which are not its own, and opens others in their place, keeps
 * what it opened: its clients are not accepted, its files not written, its descriptors not closed.
 */
static void test_descriptors_of_others_are_left_alone(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    begin();
    pm_control_stop();
    uint64_t before = open_descriptors();
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_control_start(&options, &info), ==, 0);
    uint64_t taken = open_descriptors() & ~before;
    g_assert_cmpuint(taken, !=, 0);
    g_autofree char *path = g_build_filename(folder, "program", NULL);
    strcpy(address.sun_path, path);
    int program = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(program, (struct sockaddr *)&address, sizeof(address)), ==, 0);
    g_assert_cmpint(listen(program, 8), ==, 0);
    take_places(taken, program);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(connect(client, (struct sockaddr *)&address, sizeof(address)), ==, 0);

    await_answer();
    struct pollfd waiting = {.fd = program, .events = POLLIN};
    g_assert_cmpint(poll(&waiting, 1, 0), ==, 1);
    close(accept(program, NULL, NULL));

    /* And where it takes what there is now, just before the end. */
    uint64_t now = open_descriptors() & ~before;
    now &= ~(UINT64_C(1) << program | UINT64_C(1) << client);
    g_autofree char *data = g_build_filename(folder, "data", NULL);
    int fd = open(data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    close(program);
    close(client);
    g_usleep(G_USEC_PER_SEC / 10); /* it sleeps again, on a descriptor that it will not have */
    take_places(now, fd);
    g_assert_true(is_control_thread_there());
    pm_control_stop();
    g_assert_false(is_control_thread_there());
    struct stat status;
    g_assert_cmpint(fstat(fd, &status), ==, 0);
    g_assert_cmpint(status.st_size, ==, 0);
    for (int place = 0; place < 64; place++)
        if (now >> place & 1)
            g_assert_cmpint(close(place), ==, 0);
    close(fd);
    g_unlink(data);
    g_unlink(path);
    end();
}

/* What is read for a moment may have it meanwhile. */
static void await_closed(int fd)
{
    for (int tries = 0; fcntl(fd, F_GETFD) >= 0; tries++) {
        g_assert_cmpint(tries, <, 500);
        g_usleep(10000);
    }
}

/* A program may run without stdin, stdout or stderr: what it then reads and prints goes to nothing
 * of the recorder's, whose descriptors have other numbers. */
static void test_standard_streams_are_left_alone(void)
{
    int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    g_assert_cmpint(saved, >, 2);
    close(STDIN_FILENO);
    begin();
    await_closed(STDIN_FILENO);
    int opened = pm_drain_open_fd();
    g_assert_cmpint(opened, >, 2);
    await_closed(STDIN_FILENO);
    close(opened);

    int client = dial();
    int low = client;
    if (client == STDIN_FILENO)
        client = fcntl(client, F_DUPFD_CLOEXEC, 3);
    if (low != client)
        close(low);
    say(client, "hello\n", 6);
    g_autofree char *reply = hear(client);
    g_assert_true(g_str_has_prefix(reply, "ok\n"));
    close(client);
    end();
    g_assert_cmpint(dup2(saved, STDIN_FILENO), ==, STDIN_FILENO);
    close(saved);
}

/* Neither the program's start nor its end waits for the socket's folder for long. */
static void test_hanging_socket_folder(void)
{
    struct pm_error_info info = {0};
    begin();
    g_mutex_lock(&socket_folder);
    g_assert_cmpint(g_unlink(socket_path), ==, 0);
    g_usleep(3 * G_USEC_PER_SEC); /* it is missed */
    pm_control_stop();
    g_mutex_unlock(&socket_folder);
    while (is_control_thread_there())
        g_usleep(10000);
    g_assert_false(g_file_test(socket_path, G_FILE_TEST_EXISTS));

    g_mutex_lock(&socket_folder);
    g_assert_cmpint(pm_control_start(&options, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, "does not answer"));
    g_mutex_unlock(&socket_folder);
    await_answer();
    end();
}

/* Another container that shares /tmp may have a process with our pid, which listens at our name. */
static void test_name_of_another_process(void)
{
    char path[108];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    begin();
    pm_control_stop();
    pm_control_name(getpid(), 0, path, sizeof(path));
    strcpy(address.sun_path, path);
    g_unlink(path);
    int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        bool listens =
            bind(other, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(other, 8) == 0;
        raise(SIGSTOP);
        _exit(listens ? 0 : 1);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, WUNTRACED), ==, child);
    close(other);

    struct pm_error_info info = {0};
    options.socket[0] = 0;
    int error = pm_control_start(&options, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    struct pm_control_reply reply;
    error = pm_control_request(getpid(), "hello", LONG_NS, &reply, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
    g_assert_true(reply.ok);
    pm_control_reply_clear(&reply);
    pm_control_stop();
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
    pm_control_name(getpid(), 1, path, sizeof(path));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));

    kill(child, SIGCONT);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    g_unlink(address.sun_path);
    end();
}

/* Who tidies /tmp takes sockets too that nobody has written to for days. */
static void test_vanished_socket_comes_back(void)
{
    begin();
    assert_still_answers();
    g_assert_cmpint(g_unlink(socket_path), ==, 0);
    await_answer();

    /* In the place of another file it waits until that is gone. */
    g_assert_cmpint(g_unlink(socket_path), ==, 0);
    g_assert_true(g_file_set_contents(socket_path, "x", 1, NULL));
    g_usleep(G_USEC_PER_SEC * 3);
    g_assert_true(g_file_test(socket_path, G_FILE_TEST_IS_REGULAR));
    g_assert_cmpint(g_unlink(socket_path), ==, 0);
    await_answer();
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_test_add_func("/control/server/answers", test_answers);
    g_test_add_func("/control/server/hanging-disk-is-told", test_hanging_disk);
    g_test_add_func("/control/server/hanging-disk-at-the-start", test_hanging_disk_at_the_start);
    g_test_add_func("/control/server/hanging-disk-at-the-end", test_hanging_disk_at_the_end);
    g_test_add_func("/control/server/wrong-requests-are-refused", test_wrong_requests_are_refused);
    g_test_add_func("/control/server/refusals-act-on-nothing", test_refusals_act_on_nothing);
    g_test_add_func("/control/server/dump-passes-a-descriptor-to-read",
                    test_dump_passes_a_descriptor_to_read);
    g_test_add_func("/control/server/half-a-line-is-hung-up-on", test_half_a_line_is_hung_up_on);
    g_test_add_func("/control/server/megabytes-are-refused", test_megabytes_are_refused);
    g_test_add_func("/control/server/clients-that-never-read-delay-nobody",
                    test_clients_that_never_read_delay_nobody);
    g_test_add_func("/control/server/many-silent-clients-keep-nobody-out",
                    test_many_silent_clients_keep_nobody_out);
    g_test_add_func("/control/server/socket-is-ours-alone", test_socket_is_ours_alone);
    g_test_add_func("/control/server/mode-may-not-be-changed", test_mode_may_not_be_changed);
    g_test_add_func("/control/server/file-moved-aside-is-named", test_file_moved_aside_is_named);
    g_test_add_func("/control/server/stale-socket-is-replaced", test_stale_socket_is_replaced);
    g_test_add_func("/control/server/dead-sockets-go", test_dead_sockets_go);
    g_test_add_func("/control/server/hanging-socket-folder", test_hanging_socket_folder);
    g_test_add_func("/control/server/name-of-another-process", test_name_of_another_process);
    g_test_add_func("/control/server/no-descriptors-are-no-reason-to-spin",
                    test_no_descriptors_are_no_reason_to_spin);
    g_test_add_func("/control/server/descriptors-of-others-are-left-alone",
                    test_descriptors_of_others_are_left_alone);
    g_test_add_func("/control/server/standard-streams-are-left-alone",
                    test_standard_streams_are_left_alone);
    g_test_add_func("/control/server/clock-is-set", test_clock_is_set);
    g_test_add_func("/control/server/vanished-socket-comes-back", test_vanished_socket_comes_back);
    return g_test_run();
}

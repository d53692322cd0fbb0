/* The client's half on its own: what it says when there is nobody to ask. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/control/client.h"
#include "recorder/control/protocol.h"

/* A pid that surely is nobody's: of a child that was waited for. */
static int dead_pid(void)
{
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0)
        _exit(0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    return child;
}

static void ignore_signal(int number)
{
}

static void assert_no_answer(int pid, const char *request, int code, const char *words)
{
    struct pm_control_reply reply = {.fd = -7};
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_control_request(pid, request, 1000000000, &reply, &info), ==, code);
    g_assert_cmpint(info.code, ==, code);
    g_assert_nonnull(strstr(info.text, words));
    g_assert_cmpint(reply.fd, ==, -7); /* untouched */
}

static void test_no_such_process(void)
{
    assert_no_answer(dead_pid(), "status", PM_ERROR_ARGUMENT, "no such process");
    assert_no_answer(-1, "status", PM_ERROR_ARGUMENT, "no such process");
    assert_no_answer(0, "status", PM_ERROR_ARGUMENT, "no such process");
}

/* Ended, but its parent did not ask for its status yet: nothing of it can be read any more. */
static void test_ended_process_is_said_to_have_ended(void)
{
    struct pm_error_info info = {0};
    siginfo_t status;
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0)
        _exit(0);
    g_assert_cmpint(waitid(P_PID, (id_t)child, &status, WEXITED | WNOWAIT), ==, 0);
    assert_no_answer(child, "status", PM_ERROR_ARGUMENT, "has ended");
    g_assert_cmpint(pm_control_attach(child, "/x.so", "", &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "has ended"));
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

#define NOBODY 65534

typedef bool (*ChildTask)(void *data);

/* A process that runs `task` and then waits to be killed. `*ret_done`: what the task returned. */
static pid_t start_child(ChildTask task, void *data, bool *ret_done)
{
    int fds[2];
    g_assert_cmpint(pipe(fds), ==, 0);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        bool done = task(data);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        ssize_t n = write(fds[1], &done, 1);
        for (;;)
            pause();
        _exit((int)n);
    }
    g_assert_cmpint(read(fds[0], ret_done, 1), ==, 1);
    close(fds[0]);
    close(fds[1]);
    return child;
}

static void end_child(pid_t child)
{
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

/* Nothing is closed to root: it becomes somebody else for a while. */
static bool close_process(void *data)
{
    return (!*(bool *)data || setresuid(NOBODY, NOBODY, NOBODY) == 0) &&
           prctl(PR_SET_DUMPABLE, 0) == 0;
}

/* A process of this user that is closed to it: neither another user's nor a JVM with -Xrs. */
static void test_closed_process_is_not_permitted(void)
{
    struct pm_error_info info = {0};
    char path[64];
    bool root = geteuid() == 0, closed;
    pid_t child = start_child(close_process, &root, &closed);
    g_assert_true(!root || seteuid(NOBODY) == 0);
    g_snprintf(path, sizeof path, "/proc/%d/maps", child);
    g_autofree char *maps = NULL;
    if (closed && !g_file_get_contents(path, &maps, NULL, NULL)) {
        assert_no_answer(child, "status", PM_ERROR_ARGUMENT, "does not let this user");
        g_assert_cmpint(pm_control_attach(child, "/x.so", "", &info), ==, PM_ERROR_ARGUMENT);
        g_assert_nonnull(strstr(info.text, "does not let this user"));
    } else {
        g_test_skip("this user may look into every process");
    }
    g_assert_true(!root || seteuid(0) == 0);
    end_child(child);
}

static void test_not_a_jvm(void)
{
    assert_no_answer(getpid(), "status", PM_ERROR_ARGUMENT, "not a JVM");
}

static void test_request_of_two_lines_is_refused(void)
{
    assert_no_answer(getpid(), "status\nstop", PM_ERROR_ARGUMENT, "line");
    char *line = g_strnfill(PM_CONTROL_MAX_REQUEST, 'x');
    assert_no_answer(getpid(), line, PM_ERROR_ARGUMENT, "4096");
    g_free(line);
}

static void test_attach_says_why_not(void)
{
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_control_attach(dead_pid(), "/x.so", "", &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "no such process"));
    g_assert_cmpint(pm_control_attach(getpid(), "/x.so", "", &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "not a JVM"));
}

/* What looks like a JVM that does not answer; told by SIGUSR1, it listens for one attach,
 * which asks for its flags first. */
static pid_t start_deaf_jvm(const char *library, const char *reply)
{
    sigset_t signals;
    int told, fd;
    char byte = 1;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    /* Before it is taken for a JVM. It may come at any time: what it meets goes on. */
    const struct sigaction ignore = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART};
    sigaction(SIGQUIT, &ignore, NULL);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child != 0) {
        signal(SIGQUIT, SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        return child;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    g_autofree char *folder = g_path_get_dirname(library);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", (int)getpid());
    if (chdir(folder) != 0 ||
        mmap(NULL, 1, PROT_READ, MAP_PRIVATE, open(library, O_RDONLY), 0) == MAP_FAILED)
        _exit(1);
    sigwait(&signals, &told);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0)
        _exit(1);
    for (int n_requests = 0; n_requests < 2; n_requests++) {
        if ((fd = accept(listener, NULL, NULL)) < 0)
            _exit(1);
        for (int n_strings = 0; n_strings < 5; n_strings += byte == 0)
            if (read(fd, &byte, 1) != 1)
                _exit(1);
        if (write(fd, reply, strlen(reply)) < 0)
            _exit(1);
        close(fd);
    }
    unlink(address.sun_path);
    _exit(0);
}

typedef struct {
    char *folder, *library;
    pid_t pid;
} DeafJvm;

static DeafJvm deaf_jvm_begin(const char *reply)
{
    DeafJvm jvm = {.folder = g_dir_make_tmp("client-XXXXXX", NULL)};
    jvm.library = g_build_filename(jvm.folder, "libjvm.so", NULL);
    g_assert_true(g_file_set_contents(jvm.library, "x", 1, NULL));
    jvm.pid = start_deaf_jvm(jvm.library, reply);
    return jvm;
}

/* Why `library` cannot be attached, once it looks like a JVM. */
static void deaf_jvm_refuses(const DeafJvm *jvm, const char *library, const char *why)
{
    struct pm_error_info info = {0};
    while (pm_control_attach(jvm->pid, library, "", &info) && strstr(info.text, "not a JVM"))
        g_usleep(10000);
    g_assert_nonnull(strstr(info.text, why));
}

static void deaf_jvm_end(DeafJvm *jvm)
{
    g_assert_cmpint(waitpid(jvm->pid, NULL, 0), ==, jvm->pid);
    g_unlink(jvm->library);
    g_rmdir(jvm->folder);
    g_free(jvm->library);
    g_free(jvm->folder);
}

/* A frozen JVM sees to the signal later: it must find the file, or it prints its threads. What then
 * came of the attach. */
static char *attach_to_late_jvm(const char *reply)
{
    struct pm_error_info info = {0};
    DeafJvm jvm = deaf_jvm_begin(reply);
    g_autofree char *name = g_strdup_printf(".attach_pid%d", (int)jvm.pid);
    g_autofree char *trigger = g_build_filename(jvm.folder, name, NULL);
    deaf_jvm_refuses(&jvm, jvm.library, "did not open its attach socket");
    g_assert_true(g_file_test(trigger, G_FILE_TEST_EXISTS));
    g_assert_cmpint(kill(jvm.pid, SIGUSR1), ==, 0);
    int error = pm_control_attach(jvm.pid, jvm.library, "", &info);
    deaf_jvm_end(&jvm);
    g_assert_false(g_file_test(trigger, G_FILE_TEST_EXISTS));
    return g_strdup(error ? info.text : "");
}

/* As in a container. */
static void test_library_that_the_jvm_does_not_see(void)
{
    DeafJvm jvm = deaf_jvm_begin("");
    g_autofree char *why = g_strdup_printf("the JVM's file system has no /nowhere/x.so: copy it to "
                                           "that path below /proc/%d/root",
                                           (int)jvm.pid);
    deaf_jvm_refuses(&jvm, "/nowhere/x.so", why);
    g_assert_cmpint(kill(jvm.pid, SIGKILL), ==, 0);
    deaf_jvm_end(&jvm);
}

static void test_late_jvm_prints_nothing(void)
{
    g_autofree char *text = attach_to_late_jvm("0\nreturn code: 0\n");
    g_assert_cmpstr(text, ==, "");
}

/* It may have loaded the recorder before it ended. */
static void test_jvm_that_ends_did_not_refuse(void)
{
    g_autofree char *text = attach_to_late_jvm("");
    g_assert_nonnull(strstr(text, "did not say whether"));
}

/* Something else listens under the recorder's name: an answer is believed only from the process
 * itself and only in our words. */
static int listen_as(int pid, char *ret_path, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_snprintf(ret_path, (gulong)size, "%s%d", PM_CONTROL_SOCKET_PREFIX, pid);
    strcpy(address.sun_path, ret_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* It would answer, but not now: a user who sees that can do something about it. */
static void test_stopped_recorder_is_said_to_be_stopped(void)
{
    char path[108];
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        if (listen_as(getpid(), path, sizeof path) >= 0)
            raise(SIGSTOP);
        _exit(0);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, WUNTRACED), ==, child);
    if (!WIFSTOPPED(status)) {
        g_test_skip("another process has this pid's name in /tmp");
        return;
    }
    assert_no_answer(child, "status", PM_ERROR_IO, "the process is stopped");
    g_assert_cmpint(kill(child, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    g_snprintf(path, sizeof path, "%s%d", PM_CONTROL_SOCKET_PREFIX, child);
    g_unlink(path);
}

struct fake {
    int listener;
    const char *answer; /* NULL: none, but never hangs up */
    int kept;
};

static gpointer serve_once(gpointer data)
{
    struct fake *fake = data;
    char request[256];
    int fd = accept(fake->listener, NULL, NULL);
    g_assert_cmpint(read(fd, request, sizeof request), >, 0);
    if (fake->answer) {
        g_assert_cmpint(write(fd, fake->answer, strlen(fake->answer)), >=, 0);
        close(fd);
    } else {
        fake->kept = fd;
    }
    return NULL;
}

static void run_fake(const char *answer, int64_t timeout_ns, int code, const char *words)
{
    char path[108];
    struct fake fake = {.listener = listen_as(getpid(), path, sizeof path), .answer = answer};
    fake.kept = -1;
    if (fake.listener < 0) {
        g_test_skip("another process has this pid's name in /tmp");
        return;
    }
    GThread *thread = g_thread_new("fake", serve_once, &fake);
    struct pm_control_reply reply = {.fd = -7};
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_control_request(getpid(), "hello", timeout_ns, &reply, &info), ==, code);
    if (code) {
        g_assert_nonnull(strstr(info.text, words));
    } else {
        g_assert_cmpstr(reply.text, ==, words);
        pm_control_reply_clear(&reply);
    }
    g_thread_join(thread);
    if (fake.kept >= 0)
        close(fake.kept);
    close(fake.listener);
    g_unlink(path);
}

#define LONG_NS 120000000000

static void test_strange_answers(void)
{
    run_fake("ok\n{\"a\":1}\n", LONG_NS, 0, "{\"a\":1}\n");
    run_fake("error it is late\n", LONG_NS, 0, "it is late");
    run_fake("", LONG_NS, PM_ERROR_IO, "without an answer");
    run_fake("HTTP/1.1 400 Bad Request\r\n", LONG_NS, PM_ERROR_IO, "not a recorder");
    run_fake("ok", LONG_NS, PM_ERROR_IO, "not a recorder");
    run_fake(NULL, 200000000, PM_ERROR_IO, "did not answer");
}

static void test_endless_answer_is_refused(void)
{
    char *answer = g_strnfill(2 * PM_CONTROL_MAX_REPLY, 'x');
    /* The fake's write ends when we hang up: with an error, which it may. */
    signal(SIGPIPE, SIG_IGN);
    char path[108];
    int listener = listen_as(getpid(), path, sizeof path);
    if (listener < 0) {
        g_test_skip("another process has this pid's name in /tmp");
        g_free(answer);
        return;
    }
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        char request[256];
        int fd = accept(listener, NULL, NULL);
        ssize_t n = read(fd, request, sizeof request);
        n = write(fd, answer, 2 * PM_CONTROL_MAX_REPLY);
        _exit(n < 0);
    }
    struct pm_control_reply reply = {.fd = -7};
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_control_request(getpid(), "hello", LONG_NS, &reply, &info), ==, PM_ERROR_IO);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    close(listener);
    g_unlink(path);
    g_free(answer);
}

static bool squat(void *parent)
{
    char path[108];
    return listen_as(*(pid_t *)parent, path, sizeof path) >= 0;
}

/* The socket of another process under our name is not believed. */
static void test_squatter_is_not_believed(void)
{
    char path[108];
    bool listens;
    pid_t self = getpid(), child = start_child(squat, &self, &listens);
    if (listens) {
        assert_no_answer(self, "hello", PM_ERROR_ARGUMENT, "not a JVM");
        g_snprintf(path, sizeof path, "%s%d", PM_CONTROL_SOCKET_PREFIX, self);
        g_unlink(path);
    }
    end_child(child);
}

/* It was started by root, as daemons are, and became somebody else. */
static void test_who_was_root_is_believed(void)
{
    static const char answer[] = "ok\nhere\n";
    char path[108], byte, request[256];
    int pipe_fds[2];
    if (geteuid() != 0) {
        g_test_skip("only root can become somebody else");
        return;
    }
    g_assert_cmpint(pipe(pipe_fds), ==, 0);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        int listener = listen_as(getpid(), path, sizeof path);
        byte = listener >= 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0 ? 'y' : 'n';
        ssize_t n = write(pipe_fds[1], &byte, 1);
        int fd = accept(listener, NULL, NULL);
        n = read(fd, request, sizeof request);
        n = write(fd, answer, sizeof answer - 1);
        _exit(n < 0);
    }
    struct pm_control_reply reply = {.fd = -1};
    struct pm_error_info info = {0};
    g_assert_cmpint(read(pipe_fds[0], &byte, 1), ==, 1);
    if (byte == 'y') {
        g_assert_cmpint(pm_control_request(child, "hello", LONG_NS, &reply, &info), ==, 0);
        g_assert_cmpstr(reply.text, ==, "here\n");
        pm_control_reply_clear(&reply);
    }
    kill(child, SIGKILL);
    g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
    g_snprintf(path, sizeof path, "%s%d", PM_CONTROL_SOCKET_PREFIX, child);
    g_unlink(path);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static int count_jvm(void *context, int pid, const char *path)
{
    g_assert_cmpint(pid, >, 0);
    g_assert_cmpint(pid, !=, getpid());
    return 0;
}

static void test_list_walks_proc(void)
{
    g_assert_cmpint(pm_control_list(count_jvm, NULL), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/control/client/no-such-process", test_no_such_process);
    g_test_add_func("/control/client/ended-process-is-said-to-have-ended",
                    test_ended_process_is_said_to_have_ended);
    g_test_add_func("/control/client/closed-process-is-not-permitted",
                    test_closed_process_is_not_permitted);
    g_test_add_func("/control/client/not-a-jvm", test_not_a_jvm);
    g_test_add_func("/control/client/request-of-two-lines-is-refused",
                    test_request_of_two_lines_is_refused);
    g_test_add_func("/control/client/attach-says-why-not", test_attach_says_why_not);
    g_test_add_func("/control/client/attach-says-what-to-copy-into-a-container",
                    test_library_that_the_jvm_does_not_see);
    g_test_add_func("/control/client/late-jvm-prints-nothing", test_late_jvm_prints_nothing);
    g_test_add_func("/control/client/jvm-that-ends-did-not-refuse",
                    test_jvm_that_ends_did_not_refuse);
    g_test_add_func("/control/client/stopped-recorder-is-said-to-be-stopped",
                    test_stopped_recorder_is_said_to_be_stopped);
    g_test_add_func("/control/client/endless-answer-is-refused", test_endless_answer_is_refused);
    g_test_add_func("/control/client/squatter-is-not-believed", test_squatter_is_not_believed);
    g_test_add_func("/control/client/who-was-root-is-believed", test_who_was_root_is_believed);
    g_test_add_func("/control/client/strange-answers", test_strange_answers);
    g_test_add_func("/control/client/list-walks-proc", test_list_walks_proc);
    return g_test_run();
}

/* The table at exit, made of names as hostile as a program may choose: nothing that acts on the
 * terminal of whoever reads the log, nothing that is no UTF-8, no line that is not ours. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/agent/base/output.h"
#include "recorder/agent/counters/print.h"
#include "tests/attacks/hostile-text.h"

static const char *name; /* of everything */

static struct pm_text text(const char *string)
{
    return (struct pm_text){string, (uint32_t)strlen(string)};
}

static int get_class(void *context, pm_class_id id, struct pm_class *ret)
{
    *ret = (struct pm_class){id, text(name)};
    return 0;
}

static int get_method(void *context, pm_method_id id, struct pm_method *ret)
{
    *ret = (struct pm_method){id, {1}, text(name), text(name)};
    return 0;
}

static int get_chain(void *context, pm_chain_id id, struct pm_chain *ret)
{
    static const struct pm_frame frames[] = {{{1}, 7}, {{2}, 0}, {{3}, -1}};
    *ret = (struct pm_chain){id, 3, frames, false};
    return 0;
}

static int get_thread(void *context, pm_thread_id id, struct pm_thread *ret)
{
    *ret = (struct pm_thread){.id = id, .name = text(name)};
    return 0;
}

static int get_blocker(void *context, pm_blocker_id id, struct pm_blocker *ret)
{
    *ret = (struct pm_blocker){
        .id = id, .class_id = {1}, .hash = 0xabc, .first_chain = {1}, .first_thread = {1}};
    return 0;
}

static const struct pm_dictionary dictionary = {NULL,      get_class,  get_method,
                                                get_chain, get_thread, get_blocker};

/* What is printed when everything is called `called`. Owned. */
static char *report_of(const char *called)
{
    struct pm_ledger *ledger;
    g_autofree char *folder = g_dir_make_tmp("print-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "report", NULL);
    char *printed;

    name = called;
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    const struct pm_wait waits[] = {
        {.begin_ns = 10, .duration_ns = 999990, .blocker = {1}, .kind = PM_KIND_PARK},
        {.begin_ns = 10, .duration_ns = 499990, .blocker = {2}, .kind = PM_KIND_ENTER}};
    pm_ledger_waits(ledger, waits, 2);
    pm_ledger_sweep(ledger, 2000000);
    struct pm_print_options options = {.run_time_ns = 2000000, .main = text(called), .pid = 7};
    g_assert_cmpint(pm_print_report(path, ledger, &dictionary, &options), ==, 0);
    g_assert_true(g_file_get_contents(path, &printed, NULL, NULL));
    pm_ledger_free(ledger);
    g_unlink(path);
    g_rmdir(folder);
    return printed;
}

static guint lines(const char *printed)
{
    guint n = 0;

    for (; *printed; printed++)
        n += *printed == '\n';
    return n;
}

static void test_names_act_on_nothing(void)
{
    g_autofree char *plain = report_of("orders.Cart");
    const char *const *const kinds[] = {hostile_marks, hostile_bytes, hostile_formulas};

    g_assert_nonnull(strstr(plain, "    at orders.Cart.orders.Cart (orders.Cart:7)\n"));
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        for (guint i = 0; kinds[k][i]; i++) {
            g_autofree char *printed = report_of(kinds[k][i]);
            hostile_assert_none(kinds[k][i], printed);
            g_assert_cmpuint(lines(printed), ==, lines(plain));
        }
    }
}

/* Long names are cut between two characters, wherever the cut falls. */
static void test_long_names_are_cut_between_characters(void)
{
    for (guint first = 0; first < 4; first++) {
        g_autoptr(GString) called = g_string_new(NULL);
        for (guint i = 0; i < first; i++)
            g_string_append_c(called, 'a');
        while (called->len < 70000)
            g_string_append(called, "😀");
        g_autofree char *printed = report_of(called->str);
        hostile_assert_none("a long name", printed);
        g_assert_null(strchr(printed, '?'));
        g_assert_cmpuint(strlen(printed), <, 20000);
    }
}

static void fill(int fd)
{
    char bytes[4096] = {0};

    for (size_t n = sizeof bytes; n > 0; n /= 2)
        while (write(fd, bytes, n) > 0) {
        }
}

/* Nobody reads stderr: it may be a pipe that the program's parent forgot. */
static void test_nobody_reads(void)
{
    int kept = dup(STDERR_FILENO);
    int ends[2];
    struct pm_ledger *ledger;
    struct pm_print_options options = {.run_time_ns = 2000000, .pid = 7};

    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    g_assert_cmpint(fcntl(ends[1], F_SETFL, O_NONBLOCK), ==, 0);
    fill(ends[1]);
    g_assert_cmpint(fcntl(ends[1], F_SETFL, 0), ==, 0);
    dup2(ends[1], STDERR_FILENO);
    int error = pm_print_report("stderr", ledger, &dictionary, &options);
    dup2(kept, STDERR_FILENO);
    g_assert_cmpint(error, ==, PM_ERROR_IO);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    pm_ledger_free(ledger);
}

static int64_t soon(void)
{
    return g_get_monotonic_time() * 1000 + 1000000000;
}

/* In a program that leaves these signals to the system, each of them ends it. */
static void write_where_nobody_can(void)
{
    const struct rlimit small = {4, 4};
    sigset_t pending, blocked;
    int ends[2];
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    close(ends[0]);
    g_assert_cmpint(pm_output_write(ends[1], "text", 4, soon()), ==, PM_ERROR_IO);

    int file = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    g_assert_cmpint(file, >=, 0);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    g_assert_cmpint(pm_output_write(file, "too long", 8, soon()), ==, PM_ERROR_IO);

    /* Nothing is left that would come later. */
    sigpending(&pending);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    g_assert_false(sigismember(&pending, SIGPIPE) || sigismember(&pending, SIGXFSZ));
    g_assert_false(sigismember(&blocked, SIGPIPE) || sigismember(&blocked, SIGXFSZ));

    /* … but for the program's own. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    raise(SIGPIPE);
    g_assert_cmpint(pm_output_write(ends[1], "text", 4, soon()), ==, PM_ERROR_IO);
    sigpending(&pending);
    g_assert_true(sigismember(&pending, SIGPIPE));
}

static void test_raises_no_signal(void)
{
    int status;
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        write_where_nobody_can();
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/print/names-act-on-nothing", test_names_act_on_nothing);
    g_test_add_func("/agent/print/long-names-are-cut-between-characters",
                    test_long_names_are_cut_between_characters);
    g_test_add_func("/agent/print/nobody-reads", test_nobody_reads);
    g_test_add_func("/agent/print/raises-no-signal", test_raises_no_signal);
    return g_test_run();
}

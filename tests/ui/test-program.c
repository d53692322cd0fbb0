/* The program as scripts use it: pictures, exit codes, words on stderr. */
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gtk/gtk.h>

#include "tests/attacks/hostile-text.h"
#include "tests/format/synthetic.h"

static char *folder, *recording;

typedef struct {
    int status;
    char *out, *err;
} Run;

static void run_clear(Run *run)
{
    g_free(run->out);
    g_free(run->err);
}

/* Runs parkmeter with the arguments, NULL at the end. */
static void run(Run *ret_run, gboolean display, ...)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GSubprocessLauncher) launcher =
        g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
    g_autoptr(GError) error = NULL;
    va_list arguments;
    char *argument;

    g_ptr_array_add(argv, (char *)g_getenv("PM_PARKMETER"));
    va_start(arguments, display);
    while ((argument = va_arg(arguments, char *)))
        g_ptr_array_add(argv, argument);
    va_end(arguments);
    g_ptr_array_add(argv, NULL);
    if (!display) {
        g_subprocess_launcher_unsetenv(launcher, "DISPLAY");
        g_subprocess_launcher_unsetenv(launcher, "WAYLAND_DISPLAY");
    }
    g_autoptr(GSubprocess) process =
        g_subprocess_launcher_spawnv(launcher, (const char *const *)argv->pdata, &error);
    g_assert_no_error(error);
    g_subprocess_communicate_utf8(process, NULL, NULL, &ret_run->out, &ret_run->err, &error);
    g_assert_no_error(error);
    g_assert_true(g_subprocess_get_if_exited(process));
    ret_run->status = g_subprocess_get_exit_status(process);
}

/* Nothing but what a machine without a desktop's services says about itself. */
static void assert_silent(const char *err)
{
    static const char *const of_the_machine[] = {"session bus", "portal", "dconf",    "Vulkan",
                                                 "libEGL",      "at-spi", "XSETTINGS"};
    g_auto(GStrv) lines = g_strsplit(err, "\n", -1);

    for (guint i = 0; lines[i]; i++) {
        gboolean known = *lines[i] == '\0';
        for (guint j = 0; j < G_N_ELEMENTS(of_the_machine); j++)
            known |= strstr(lines[i], of_the_machine[j]) != NULL;
        if (!known) {
            g_test_message("stderr: %s", lines[i]);
            g_test_fail();
        }
    }
}

static void assert_picture(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GdkPixbuf) picture = gdk_pixbuf_new_from_file(path, &error);

    g_assert_no_error(error);
    g_assert_cmpint(gdk_pixbuf_get_width(picture), >, 800);
    g_assert_cmpint(gdk_pixbuf_get_height(picture), >, 500);
    g_unlink(path);
}

static void test_pictures_of_every_page(void)
{
    static const char *const pages[] = {"summary", "tree", "blockers", "threads"};

    for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
        g_autofree char *png = g_strdup_printf("%s/%s.png", folder, pages[i]);
        g_autofree char *png_option = g_strconcat("--png=", png, NULL);
        g_autofree char *page_option = g_strconcat("--page=", pages[i], NULL);
        Run result;
        run(&result, TRUE, png_option, page_option, i % 2 ? "--dark" : "--idle",
            i < 2 ? "--size=1280x800" : "--size=960x600", "--range=+1s,+2s", recording, NULL);
        assert_silent(result.err);
        g_assert_cmpint(result.status, ==, 0);
        assert_picture(png);
        run_clear(&result);
    }
}

static void test_a_bad_file_fails_and_is_shown(void)
{
    g_autofree char *bad = g_build_filename(folder, "photo.jpg", NULL);
    g_autofree char *png = g_build_filename(folder, "bad.png", NULL);
    g_autofree char *option = g_strconcat("--png=", png, NULL);
    Run result;

    g_assert_true(
        g_file_set_contents(bad, "this is no recording at all, whatever its name", -1, NULL));
    run(&result, TRUE, option, bad, NULL);
    g_assert_cmpint(result.status, ==, 1);
    g_assert_nonnull(strstr(result.err, "photo.jpg"));
    g_assert_true(g_str_has_prefix(result.err, "parkmeter: "));
    assert_picture(png);
    run_clear(&result);
}

/* "-": what comes through a pipe, until its end. */
static void test_standard_input_is_shown(void)
{
    g_autofree char *png = g_build_filename(folder, "input.png", NULL);
    g_autofree char *option = g_strconcat("--png=", png, NULL);
    g_autofree char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    gsize size;

    g_assert_true(g_file_get_contents(recording, &bytes, &size, NULL));
    g_autoptr(GBytes) input = g_bytes_new_static(bytes, size);
    g_autoptr(GSubprocess) process =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error,
                         g_getenv("PM_PARKMETER"), option, "-", NULL);
    g_assert_no_error(error);
    g_assert_true(g_subprocess_communicate(process, input, NULL, NULL, NULL, &error));
    g_assert_no_error(error);
    g_assert_true(g_subprocess_get_successful(process));
    assert_picture(png);
}

static void test_a_jvm_elsewhere_needs_a_pid(void)
{
    Run result;

    run(&result, TRUE, "--via=env", recording, NULL);
    g_assert_cmpint(result.status, ==, 1);
    g_assert_nonnull(strstr(result.err, "a pid is needed"));
    run_clear(&result);
}

static void test_wrong_options_are_usage_errors(void)
{
    static const char *const wrong[] = {"--page=sumary", "--size=big", "--size=1280x",
                                        "--size=9x9"};

    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        Run result;
        run(&result, TRUE, wrong[i], recording, NULL);
        g_assert_cmpint(result.status, ==, 2);
        g_assert_true(g_str_has_prefix(result.err, "parkmeter: --"));
        run_clear(&result);
    }
}

static void test_what_is_not_found_is_named(void)
{
    static const char *const options[] = {"--select=blocker=no such thing", "--select=nonsense",
                                          "--range=yesterday", "--range=a,b"};

    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autofree char *png = g_build_filename(folder, "not-found.png", NULL);
        g_autofree char *option = g_strconcat("--png=", png, NULL);
        Run result;
        run(&result, TRUE, option, options[i], recording, NULL);
        g_assert_cmpint(result.status, ==, 1);
        g_assert_true(g_str_has_prefix(result.err, "parkmeter: --"));
        run_clear(&result);
    }
}

/* A file or an option may be called anything: what is said of it is one line that acts on nothing.
 */
static void test_what_it_says_acts_on_nothing(void)
{
    static const char evil[] = "e\033[31m\n\xc2\x9b\xe2\x80\xae";
    g_autofree char *bad = g_build_filename(folder, evil, NULL);
    g_autofree char *page = g_strconcat("--page=", evil, NULL);
    g_autofree char *size = g_strconcat("--size=", evil, NULL);
    g_autofree char *select = g_strconcat("--select=blocker=", evil, NULL);
    g_autofree char *png = g_strdup_printf("--png=%s/not-there/x.png", folder);
    const char *const lines[][2] = {
        {png, bad}, {page, recording}, {size, recording}, {select, recording}};

    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        Run result;
        run(&result, TRUE, png, lines[i][0], lines[i][1], NULL);
        g_assert_cmpint(result.status, >, 0);
        hostile_assert_none(lines[i][0], result.err);
        g_assert_true(g_str_has_prefix(result.err, "parkmeter: "));
        const char *name = strstr(result.err, "e\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd");
        g_assert_nonnull(name);
        run_clear(&result);
    }
}

static void test_without_a_display_it_says_so(void)
{
    Run result;

    run(&result, FALSE, recording, NULL);
    g_assert_cmpint(result.status, ==, 1);
    g_assert_nonnull(strstr(result.err, "no display"));
    run_clear(&result);
    run(&result, FALSE, "--keys", NULL);
    g_assert_cmpint(result.status, ==, 0);
    g_assert_nonnull(strstr(result.out, "Ctrl+O"));
    run_clear(&result);
    run(&result, FALSE, "--help", NULL);
    g_assert_cmpint(result.status, ==, 0);
    g_assert_nonnull(strstr(result.out, "--png"));
    run_clear(&result);
}

int main(int argc, char **argv)
{
    struct syn_shape shape = {.waits = 5000, .threads = 16, .seed = 2};
    struct syn_totals *totals = g_new0(struct syn_totals, 1);

    g_test_init(&argc, &argv, NULL);
    if (!g_getenv("PM_PARKMETER")) {
        g_print("1..0 # SKIP PM_PARKMETER is not set\n");
        return 0;
    }
    folder = g_dir_make_tmp("pm-program-XXXXXX", NULL);
    g_assert_nonnull(folder);
    recording = g_build_filename(folder, "made.park", NULL);
    syn_generate_file(&shape, recording, totals);
    g_free(totals);
    g_test_add_func("/ui/program/pictures-of-every-page", test_pictures_of_every_page);
    g_test_add_func("/ui/program/a-bad-file-fails-and-is-shown",
                    test_a_bad_file_fails_and_is_shown);
    g_test_add_func("/ui/program/standard-input-is-shown", test_standard_input_is_shown);
    g_test_add_func("/ui/program/a-jvm-elsewhere-needs-a-pid", test_a_jvm_elsewhere_needs_a_pid);
    g_test_add_func("/ui/program/wrong-options-are-usage-errors",
                    test_wrong_options_are_usage_errors);
    g_test_add_func("/ui/program/what-is-not-found-is-named", test_what_is_not_found_is_named);
    g_test_add_func("/ui/program/what-it-says-acts-on-nothing", test_what_it_says_acts_on_nothing);
    g_test_add_func("/ui/program/without-a-display-it-says-so", test_without_a_display_it_says_so);
    int status = g_test_run();
    g_autofree char *bad = g_build_filename(folder, "photo.jpg", NULL);
    g_autofree char *png = g_build_filename(folder, "not-found.png", NULL);
    g_unlink(bad);
    g_unlink(png);
    g_unlink(recording);
    g_rmdir(folder);
    return status;
}

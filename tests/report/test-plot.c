#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "viewer/report/plot.h"

static char *folder;

static void ticks_are_round_and_inside(void)
{
    static const struct {
        double min, max;
        gboolean log;
        guint n;
        double first, last;
    } cases[] = {
        {0, 1, FALSE, 6, 0, 1},        {0, 97, FALSE, 5, 0, 80},    {-3, 3, FALSE, 7, -3, 3},
        {100, 1e6, TRUE, 5, 100, 1e6}, {0.1, 10, TRUE, 3, 0.1, 10},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        double ticks[32];
        guint n = pm_plot_ticks(cases[i].min, cases[i].max, cases[i].log, 6, ticks, 32);
        g_assert_cmpuint(n, ==, cases[i].n);
        g_assert_cmpfloat_with_epsilon(ticks[0], cases[i].first, 1e-9);
        g_assert_cmpfloat_with_epsilon(ticks[n - 1], cases[i].last, 1e-3);
    }
}

static void numbers_are_short(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},    {0.5, "0.5"},     {20, "20"}, {1000, "1k"},
                 {2e6, "2M"}, {-1500, "-1.5k"}, {1e9, "1G"}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = pm_plot_number(cases[i].value);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void draws(const char *name, const char *magic)
{
    static const double x[] = {100, 1000, 10000, NAN, 0, 1e5}, y[] = {0.1, 0.2, 1, 1, 2, 9};
    const PmPlotSeries series[] = {{"base", 6, x, y}, {"none", 0, NULL, NULL}};
    PmPlot plot = {"Loss", "of throughput", "waits/s", "%", TRUE, NAN, NAN, 2, series};
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    gsize size;

    g_assert_true(pm_plot_write(&plot, path, &error));
    g_assert_no_error(error);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    g_assert_cmpuint(size, >, 500);
    g_assert_nonnull(g_strstr_len(bytes, 100, magic));
    g_unlink(path);
}

static void draws_svg(void)
{
    draws("a.svg", "<svg");
}

static void draws_png(void)
{
    draws("a.png", "PNG");
}

static void refuses_nothing_and_nowhere(void)
{
    static const double x[] = {-1, 0}, y[] = {1, 2}, one[] = {1};
    const PmPlotSeries none = {"none", 2, x, y}, some = {"some", 1, one, one};
    PmPlot plot = {.x_log = TRUE, .y_min = NAN, .y_max = NAN, .n_series = 1, .series = &none};
    g_autofree char *path = g_build_filename(folder, "b.svg", NULL);
    g_autofree char *nowhere = g_build_filename(folder, "nowhere", "c.svg", NULL);
    g_autoptr(GError) error = NULL;

    g_assert_false(pm_plot_write(&plot, path, &error));
    g_assert_nonnull(strstr(error->message, "no point"));
    g_clear_error(&error);
    plot.series = &some;
    g_assert_false(pm_plot_write(&plot, nowhere, &error));
    g_assert_nonnull(strstr(error->message, nowhere));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("parkmeter-plot-XXXXXX", NULL);
    g_test_add_func("/report/plot/ticks-are-round-and-inside", ticks_are_round_and_inside);
    g_test_add_func("/report/plot/numbers-are-short", numbers_are_short);
    g_test_add_func("/report/plot/draws-svg", draws_svg);
    g_test_add_func("/report/plot/draws-png", draws_png);
    g_test_add_func("/report/plot/refuses-nothing-and-nowhere", refuses_nothing_and_nowhere);
    int status = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    return status;
}

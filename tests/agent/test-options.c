/* recorder/agent/base/options.h */
#include <glib.h>
#include <string.h>

#include "recorder/agent/base/options.h"

static void test_defaults(void)
{
    struct pm_options o;
    pm_options_default(&o);
    g_assert_cmpuint(o.maxsize, ==, 256u << 20);
    g_assert_cmpint(o.flush_ns, ==, 1000000000);
    g_assert_cmpint(o.snapshot_ns, ==, 1000000000);
    g_assert_cmpint(o.maxage_ns, ==, 0);
    g_assert_cmpuint(o.stackdepth, ==, 64);
    g_assert_cmpuint(o.keep, ==, 2);
    g_assert_true(o.events && o.monitors && o.vthreads && o.idle && o.enders);
    g_assert_false(o.paused || o.strict || o.help || o.freeonprint);
    g_assert_cmpstr(o.report, ==, "off");
    g_assert_cmpstr(o.file, ==, "");
}

static void test_reads_values(void)
{
    struct pm_options o;
    pm_options_default(&o);
    const char *text = "file=/x/a=b.park,maxsize=64M,maxage=2h,mintime=500us,flush=20ms,events=off,"
                       "minparks=7,paused,,strict=off,stackdepth=512,accounts=com.acme.*;org.foo";
    g_assert_cmpint(pm_options_parse(&o, text, NULL), ==, 0);
    g_assert_cmpstr(o.file, ==, "/x/a=b.park");
    g_assert_cmpuint(o.maxsize, ==, 64u << 20);
    g_assert_cmpint(o.maxage_ns, ==, 7200 * INT64_C(1000000000));
    g_assert_cmpint(o.mintime_ns, ==, 500000);
    g_assert_cmpint(o.flush_ns, ==, 20000000);
    g_assert_false(o.events);
    g_assert_cmpuint(o.minparks, ==, 7);
    g_assert_true(o.paused);
    g_assert_false(o.strict);
    g_assert_cmpuint(o.stackdepth, ==, 512);
    g_assert_cmpstr(o.accounts, ==, "com.acme.*;org.foo");
    /* over what is set: the rest stays */
    g_assert_cmpint(pm_options_parse(&o, "maxage=none", NULL), ==, 0);
    g_assert_cmpint(o.maxage_ns, ==, 0);
    g_assert_cmpuint(o.minparks, ==, 7);
    g_assert_cmpint(pm_options_parse(&o, "", NULL), ==, 0);
    g_assert_cmpint(pm_options_parse(&o, NULL, NULL), ==, 0);
}

static void test_names_wrong_option(void)
{
    static const struct {
        const char *text, *says, *also;
    } cases[] = {
        {"maxsixe=1m", "'maxsixe'", "did you mean 'maxsize'"},
        {"fil=x", "'fil'", "did you mean 'file'"},
        {"zzzzzzzz", "'zzzzzzzz'", "options: file keep maxsize"},
        {"maxsize=64", "'64'", "1m"},
        {"maxsize=12x", "'maxsize'", "256m"},
        {"maxsize=-5m", "'-5m'", "size"},
        {"maxsize", "'maxsize' needs a value", "maxsize=SIZE"},
        {"flush=1", "'flush'", "10ms"},
        {"mintime=5", "'mintime'", "500us"},
        {"mintime=99999999999999999999s", "'mintime'", "time"},
        {"mintime=9999999999999d", "'mintime'", "time"},
        {"events=maybe", "'events'", "on or off"},
        {"stackdepth=0", "'stackdepth'", "from 1 to 512"},
        {"stackdepth=9999999999", "'stackdepth'", "from 1 to 512"},
        {"keep=two", "'keep'", "whole number"},
        {"=x", "''", "options"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct pm_options o, before;
        struct pm_error_info info = {0};
        pm_options_default(&o);
        before = o;
        g_autofree char *text = g_strconcat("events=off,", cases[i].text, NULL);
        g_assert_cmpint(pm_options_parse(&o, text, &info), ==, PM_ERROR_ARGUMENT);
        g_assert_nonnull(strstr(info.text, cases[i].says));
        g_assert_nonnull(strstr(info.text, cases[i].also));
        g_assert_cmpmem(&o, sizeof o, &before, sizeof before);
    }
}

static void test_survives_long_values(void)
{
    struct pm_options o;
    struct pm_error_info info;
    pm_options_default(&o);
    g_autofree char *x = g_strnfill(100000, 'x');
    g_autofree char *text = g_strconcat("file=", x, NULL);
    g_assert_cmpint(pm_options_parse(&o, text, &info), ==, PM_ERROR_ARGUMENT);
    g_assert_cmpint(pm_options_parse(&o, x, &info), ==, PM_ERROR_ARGUMENT);
    x[PM_OPTIONS_PATH_MAX] = '\0';
    g_autofree char *just_too_long = g_strconcat("file=", x, NULL);
    g_assert_cmpint(pm_options_parse(&o, just_too_long, &info), ==, PM_ERROR_ARGUMENT);
    x[PM_OPTIONS_PATH_MAX - 1] = '\0';
    g_autofree char *fits = g_strconcat("file=", x, NULL);
    g_assert_cmpint(pm_options_parse(&o, fits, &info), ==, 0);
    g_assert_cmpstr(o.file, ==, x);
}

static void test_help_lists_all(void)
{
    g_auto(GStrv) names = g_strsplit(pm_options_names(), " ", -1);
    g_assert_cmpuint(g_strv_length(names), ==, 22);
    for (char **name = names; *name; name++)
        g_assert_nonnull(strstr(pm_options_help(), *name));
    g_assert_null(strstr(pm_options_help(), "test_"));
}

static void test_live(void)
{
    static const struct {
        const char *text;
        const char *fixed; /* NULL = may change */
    } cases[] = {
        {"maxsize=64m,maxage=5m,snapshot=2s,flush=2s,events=off,mintime=1ms,minparks=3", NULL},
        {"idle=off,printminparks=2,freeonprint=on,report=stderr", NULL},
        {"report=off,stackdepth=64", NULL}, /* as it is */
        {"file=/tmp/b.park", "file"},
        {"keep=3", "keep"},
        {"stackdepth=65", "stackdepth"},
        {"flush=2s,vthreads=off", "vthreads"},
        {"paused", "paused"},
        {"accounts=a.*", "accounts"},
        {"test_buffer=5", "test_buffer"},
    };
    struct pm_options now, changed;
    pm_options_default(&now);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct pm_error_info info = {0};
        changed = now;
        g_assert_cmpint(pm_options_parse(&changed, cases[i].text, &info), ==, 0);
        int error = pm_options_check_live(&now, &changed, &info);
        g_assert_cmpint(error, ==, cases[i].fixed ? PM_ERROR_ARGUMENT : 0);
        if (cases[i].fixed) {
            g_assert_true(g_str_has_prefix(info.text, cases[i].fixed));
            g_assert_nonnull(strstr(info.text, "maxsize maxage"));
            g_assert_nonnull(strstr(info.text, "freeonprint"));
            g_assert_null(strstr(info.text, "monitors"));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/options/defaults-are-the-documented-ones", test_defaults);
    g_test_add_func("/agent/options/reads-sizes-times-counts-and-switches", test_reads_values);
    g_test_add_func("/agent/options/names-the-wrong-option-and-the-right-ones",
                    test_names_wrong_option);
    g_test_add_func("/agent/options/survives-long-values", test_survives_long_values);
    g_test_add_func("/agent/options/help-lists-all", test_help_lists_all);
    g_test_add_func("/agent/options/some-change-while-recording", test_live);
    return g_test_run();
}

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
    g_assert_true(o.events && o.monitors && o.vthreads && o.idle && o.enders && o.census);
    g_assert_false(o.paused || o.strict || o.help || o.freeonprint);
    g_assert_cmpstr(o.report, ==, "off");
    g_assert_cmpstr(o.file, ==, "");
}

static void test_reads_values(void)
{
    struct pm_options o;
    pm_options_default(&o);
    const char *text =
        "file=/x/a=b.park,maxsize=64M,maxage=2h,mintime=500us,flush=20ms,events=off,"
        "minparks=7,paused,,strict=off,stackdepth=512,accounts=com.acme.*;db=org.foo";
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
    g_assert_cmpstr(o.accounts, ==, "com.acme.*;db=org.foo");
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
        {"accounts=com/acme", "'com/acme'", "com.acme.*;db=org.h2.*"},
        {"accounts=com.acme.*:org", "'accounts'", "packages"},
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
    g_assert_cmpint(pm_options_parse(&o, text, &info), ==, PM_ERROR_LIMIT);
    g_assert_cmpint(pm_options_parse(&o, x, &info), ==, PM_ERROR_LIMIT);
    x[PM_OPTIONS_PATH_MAX] = '\0';
    g_autofree char *just_too_long = g_strconcat("file=", x, NULL);
    g_assert_cmpint(pm_options_parse(&o, just_too_long, &info), ==, PM_ERROR_LIMIT);
    g_assert_cmpstr(info.text, ==, "option 'file' takes at most 1023 bytes");
    g_autofree char *strict = g_strconcat(just_too_long, ",strict", NULL);
    g_assert_cmpint(pm_options_parse(&o, strict, &info), ==, PM_ERROR_LIMIT);
    g_assert_true(o.strict);
    g_autofree char *malformed = g_strconcat(just_too_long, ",events=maybe", NULL);
    g_assert_cmpint(pm_options_parse(&o, malformed, &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "'events'"));
    x[PM_OPTIONS_PATH_MAX - 1] = '\0';
    g_autofree char *fits = g_strconcat("file=", x, NULL);
    g_assert_cmpint(pm_options_parse(&o, fits, &info), ==, 0);
    g_assert_cmpstr(o.file, ==, x);
}

/* Another value than the initial one. */
static const char *other_value(const struct pm_option *row)
{
    static const struct {
        const char *takes, *value;
    } values[] = {
        {"PATH", "/x"},     {"SIZE", "5m"},     {"TIME", "20ms"}, {"N", "7"},
        {"P;P", "a.*"},     {"", "on"},         {"NAME", "x"},    {"off|stderr|PATH", "stderr"},
        {"PATH|off", "/x"}, {"off|SIZE", "64k"}};
    if (strcmp(row->value, "on|off") == 0)
        return strcmp(row->initial, "on") == 0 ? "off" : "on";
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
        if (strcmp(values[i].takes, row->value) == 0)
            return values[i].value;
    g_error("%s takes '%s'", row->name, row->value);
}

/* Of each row: its value reaches a member of its own, its help and its default are told, and so
 * does the page of the guide. */
static void test_rows_are_whole(void)
{
    g_autofree char *path = g_build_filename(g_getenv("PM_SOURCE"), "docs/guide/options.md", NULL);
    g_autofree char *page = NULL;
    g_auto(GStrv) names = g_strsplit(pm_options_names(), " ", -1);
    struct pm_options initial, changed;
    struct pm_option row;
    gsize n = 0;
    g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
    pm_options_default(&initial);
    for (gsize i = 0; pm_options_row(i, &row); i++) {
        struct pm_error_info info = {0};
        g_autofree char *text = g_strdup_printf("%s=%s", row.name, other_value(&row));
        g_autofree char *back = g_strdup_printf("%s=%s", row.name, row.initial);
        g_autofree char *start = g_strdup_printf("\n  %s%s", row.name, *row.value ? "=" : " ");
        g_autofree char *help = g_strconcat("\n", pm_options_help(), NULL);
        changed = initial;
        g_assert_cmpint(pm_options_parse(&changed, text, NULL), ==, 0);
        g_assert_true(memcmp(&changed, &initial, sizeof changed) != 0);
        g_assert_cmpint(pm_options_check_live(&initial, &changed, &info), ==,
                        row.is_live ? 0 : PM_ERROR_ARGUMENT);
        g_assert_true(row.is_live || g_str_has_prefix(info.text, row.name));
        g_assert_cmpint(pm_options_parse(&changed, back, NULL), ==, 0);
        if (changed.file[0] == 0 && *row.initial) /* a text keeps bytes behind its end */
            g_assert_cmpint(pm_options_check_live(&initial, &changed, NULL), ==, 0);
        g_assert_cmpint(strstr(help, start) != NULL, ==, !row.is_hidden);
        if (row.is_hidden)
            continue;
        g_assert_cmpstr(names[n++], ==, row.name);
        g_assert_cmpuint(strlen(row.help), >, 10);
        g_assert_nonnull(strstr(help, row.help));
        if (strcmp(row.name, "help") == 0)
            continue;
        g_auto(GStrv) parts = g_strsplit(row.value, "|", -1);
        g_autofree char *value = g_strjoinv("\\|", parts);
        g_autofree char *line = g_strdup_printf("\n| `%s=%s` |", row.name, value);
        const char *told = strstr(page, line);
        g_assert_nonnull(told);
        told += strlen(line);
        g_autofree char *cell = g_strndup(told, strcspn(told, "\n"));
        g_auto(GStrv) plain = g_strsplit(cell, "`", -1);
        g_autofree char *means = g_strjoinv("", plain);
        g_autofree char *begins = g_strndup(row.help, strcspn(row.help, ";:("));
        g_assert_nonnull(strstr(means, g_strstrip(begins)));
        g_autofree char *ends =
            g_strdup_printf("| %s | %s |", row.initial, row.is_live ? "yes" : "no");
        g_assert_true(g_str_has_suffix(means, *row.initial ? ends : strrchr(ends, ' ') - 3));
    }
    g_assert_null(names[n]);
}

/* All of them at their longest are kept; more is refused, not cut. */
static void test_long_text(void)
{
    struct pm_options o;
    struct pm_error_info info;
    pm_options_default(&o);
    g_autofree char *fits = g_strnfill(PM_OPTIONS_TEXT_MAX - 1, ',');
    g_autofree char *too_long = g_strnfill(PM_OPTIONS_TEXT_MAX, ',');
    g_assert_cmpuint(PM_OPTIONS_TEXT_MAX, >, sizeof o + 1000);
    g_assert_cmpint(pm_options_parse(&o, fits, &info), ==, 0);
    g_assert_cmpint(pm_options_parse(&o, too_long, &info), ==, PM_ERROR_LIMIT);
    g_assert_nonnull(strstr(info.text, "8191 bytes"));
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
    g_test_add_func("/agent/options/rows-are-whole-and-in-the-guide", test_rows_are_whole);
    g_test_add_func("/agent/options/no-text-is-cut", test_long_text);
    g_test_add_func("/agent/options/some-change-while-recording", test_live);
    return g_test_run();
}

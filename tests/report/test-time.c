#include "viewer/report/time-text.h"

#include "tests/analysis/made.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

/* 2026-11-21 14:00:00 UTC, shown in UTC+1, five minutes long. */
static PmRecording *five_minutes(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.begin_unix_ns = 1795269600 * SECOND;
    m.assembly->facts.utc_offset_s = 3600;
    m.assembly->duration = 300 * SECOND;
    return pm_assembly_finish(m.assembly);
}

static void times_as_users_write_them(void)
{
    g_autoptr(PmRecording) r = five_minutes();
    static const struct {
        const char *text;
        gint64 at_ms;
    } cases[] = {
        {"+90s", 90000},
        {"+1m30s", 90000},
        {"+1.5m", 90000},
        {"+250ms", 250},
        {"+2", 2000},
        {"-5m", 0},
        {"-1s", 299000},
        {"15:00:00", 0},
        {"15:02:10.5", 130500},
        {"15:01", 60000},
        {"2026-11-21T14:02:10Z", 130000},
        {"2026-11-21T15:02:10+01:00", 130000},
        {"2026-11-21T15:02:10", 130000},
        {"2026-11-21 15:02:10.118", 130118},
        {"14:59:59", -1000},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gint64 at = -1;
        const char *why = NULL;
        if (!pm_time_parse(r, cases[i].text, &at, &why))
            g_error("%s: %s", cases[i].text, why);
        if (at != cases[i].at_ms * 1000000)
            g_error("%s: %" G_GINT64_FORMAT, cases[i].text, at);
    }
}

static void nonsense_is_refused(void)
{
    g_autoptr(PmRecording) r = five_minutes();
    static const char *const texts[] = {"",           "-",
                                        "5m",         "+5x",
                                        "25:00:00",   "24:00:00",
                                        "14:61",      "14:02:10x",
                                        "2026-11-21", "+-3s",
                                        "1795269600", "14:2:1",
                                        "+1e400s",    "2026-13-01T00:00:00Z",
                                        "+nan"};
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        gint64 at = 42;
        const char *why = NULL;
        if (pm_time_parse(r, texts[i], &at, &why))
            g_error("%s was taken", texts[i]);
        g_assert_cmpint(at, ==, 42);
        g_assert_nonnull(why);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/time/as-users-write-them", times_as_users_write_them);
    g_test_add_func("/report/time/nonsense-is-refused", nonsense_is_refused);
    return g_test_run();
}

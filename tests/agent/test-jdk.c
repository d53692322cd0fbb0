/* recorder/agent/hotspot/jdk.h */
#include <glib.h>
#include <string.h>

#include "recorder/agent/hotspot/jdk.h"

/* The loss of each part is told, once, wherever several have the same. */
static void test_each_loss_is_told(void)
{
    for (int part = 0; part < PM_N_JDK_PARTS; part++) {
        const struct pm_jdk_row *row = pm_jdk_row(part);
        char list[PM_NOT_RECORDED_MAX] = "Object.wait";
        g_assert_true(row->class && *row->class && row->member && row->signature);
        g_assert_true(row->lost && *row->lost);
        /* What the oldest supported release lacks is no loss there. */
        g_assert_cmpint(row->from > 17, ==, row->matters_from > 17);
        pm_jdk_clear();
        pm_jdk_list_losses(list, sizeof list);
        g_assert_cmpstr(list, ==, "Object.wait");
        g_assert_true(pm_jdk_note_missing(part));
        g_assert_false(pm_jdk_note_missing(part));
        pm_jdk_list_losses(list, sizeof list);
        g_autofree char *expected = g_strconcat("Object.wait, ", row->lost, NULL);
        g_assert_cmpstr(list, ==, expected);
        pm_jdk_list_losses(list, sizeof list);
        g_assert_cmpstr(list, ==, expected);
    }
    char all[PM_NOT_RECORDED_MAX] = "";
    for (int part = 0; part < PM_N_JDK_PARTS; part++)
        pm_jdk_note_missing(part);
    pm_jdk_list_losses(all, sizeof all);
    g_assert_cmpuint(strlen(all), <, sizeof all / 2);
    for (int part = 0; part < PM_N_JDK_PARTS; part++)
        g_assert_nonnull(strstr(all, pm_jdk_row(part)->lost));
}

/* What a release is not expected to have is lost, if there is something to lose in it. */
static void test_releases(void)
{
    static const struct {
        enum pm_jdk_part part;
        int version;
        gboolean is_expected;
        const char *lost;
    } cases[] = {
        {PM_JDK_INTERRUPTED, 17, TRUE, ""}, {PM_JDK_INTERRUPTED, 11, FALSE, "interrupts"},
        {PM_JDK_MOUNT, 17, FALSE, ""},      {PM_JDK_MOUNT, 21, FALSE, "virtual threads"},
        {PM_JDK_MOUNT, 25, TRUE, ""},       {PM_JDK_MOUNT, 0, TRUE, ""},
        {PM_JDK_OWNER, 99, TRUE, ""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char list[PM_NOT_RECORDED_MAX] = "";
        pm_jdk_clear();
        g_assert_cmpint(pm_jdk_expects(cases[i].part, cases[i].version), ==, cases[i].is_expected);
        pm_jdk_list_losses(list, sizeof list);
        g_assert_cmpstr(list, ==, cases[i].lost);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/jdk/each-loss-is-told", test_each_loss_is_told);
    g_test_add_func("/agent/jdk/each-release-has-what-it-is-expected-to", test_releases);
    return g_test_run();
}

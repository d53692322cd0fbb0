/* Fifty hangs of many kinds, from before the recorder was attached: `now` names the code of each
 * within a second. Beside other tests that would not hold. */
#include "tests/jvm/jvm.h"

#include <string.h>

/* The threads of the lines "HANG thread code" whose code an answer of `now` does not name. Owned.
 */
static char *unnamed(const char *hangs, const char *now)
{
    g_auto(GStrv) lines = g_strsplit(hangs, "\n", -1);
    GString *missing = g_string_new(NULL);
    for (guint i = 0; lines[i]; i++) {
        g_auto(GStrv) words = g_strsplit(lines[i], " ", 3);
        if (g_strv_length(words) != 3 || strcmp(words[0], "HANG") != 0)
            continue;
        g_auto(GStrv) halves = g_strsplit(words[2], ".", 2);
        g_autofree char *pattern = g_strdup_printf("\\b%s\\.%s\\b", halves[0], halves[1]);
        if (!g_regex_match_simple(pattern, now, 0, 0))
            g_string_append_printf(missing, "%s ", words[1]);
    }
    return g_string_free(missing, FALSE);
}

/* Of many kinds, each with the code that is to be named: who holds it, else who waits. A second
 * after the attach was asked for; on a machine that stalls a later attempt holds. */
static char *hangs_are_named(void)
{
    g_autofree char *recording = pm_jvm_path("hangs-%d.park", g_random_int_range(0, 1 << 30));
    g_autofree char *arguments =
        g_strdup_printf("%sHangs", pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "");
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    int pid = pm_jvm_pid(jvm);
    gint64 begin_us = g_get_monotonic_time(), answered_us;
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pid, recording));
    g_autofree char *hangs = pm_jvm_stdout(jvm), *missing = NULL;
    do {
        g_auto(PmRun) now = {0};
        pm_parkctl(&now, "%d now --limit=0", pid);
        answered_us = g_get_monotonic_time();
        g_assert_cmpint(now.status, ==, 0);
        g_free(missing);
        missing = unnamed(hangs, now.out);
        guint deadlocks = 0;
        for (const char *at = now.out; (at = strstr(at, "DEADLOCK  ")); at++)
            deadlocks++;
        /* Two monitors, two locks, one of each, three locks: and before everything else. */
        if (!*missing && deadlocks == 4 && strstr(now.out, "DEADLOCK") < strstr(now.out, "Waiting"))
            break;
        g_usleep(50000);
        if (answered_us - begin_us > 10 * G_USEC_PER_SEC)
            g_error("not named: %s; %u deadlocks\n%s", missing, deadlocks, now.out);
    } while (true);
    double seconds = (double)(answered_us - begin_us) / G_USEC_PER_SEC;
    g_test_message("named after %.2f s", seconds);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    return seconds <= 1 ? NULL : g_strdup_printf("named after %.2f s", seconds);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add_attempts("/hangs/each-is-named-within-a-second", 4, hangs_are_named);
    return pm_jvm_run();
}

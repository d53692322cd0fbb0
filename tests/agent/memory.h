/* What the kernel says of the memory of this process, and limits on it, for tests that bound what
 * the agent takes. */
#pragma once

#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* First in a test of the memory of the whole process: FALSE, and the test is skipped, where a
 * sanitizer adds its own. */
static inline gboolean pm_memory_is_ours(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    g_test_skip("a sanitizer's memory is not told from ours");
    return FALSE;
#else
    return TRUE;
#endif
}

/* Of /proc/self/status, in KiB: VmRSS, VmData, VmLck. */
static inline long pm_memory_kib(const char *name)
{
    g_autofree char *text = NULL;
    g_autofree char *label = g_strdup_printf("\n%s:", name);
    g_assert_true(g_file_get_contents("/proc/self/status", &text, NULL, NULL));
    const char *at = strstr(text, label);
    g_assert_nonnull(at);
    return (long)g_ascii_strtoll(at + strlen(label), NULL, 10);
}

/* What of [base, base + size) has this flag in /proc/self/smaps ("ac": charged, "lo": locked, "rd":
 * readable), in KiB. */
static inline long pm_memory_flagged_kib(const void *base, size_t size, const char *flag)
{
    g_autofree char *text = NULL;
    g_autofree char *word = g_strdup_printf(" %s ", flag);
    guint64 from = 0, to = 0, first = (guintptr)base, last = first + size, bytes = 0;
    g_assert_true(g_file_get_contents("/proc/self/smaps", &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *end;
        guint64 start = g_ascii_strtoull(*line, &end, 16);
        if (end > *line && *end == '-') {
            from = MAX(start, first);
            to = MIN(g_ascii_strtoull(end + 1, NULL, 16), last);
        } else if (g_str_has_prefix(*line, "VmFlags:") && from < to && strstr(*line, word)) {
            bytes += to - from;
        }
    }
    return (long)(bytes >> 10);
}

/* What a test does to its whole process it does in one of its own: true there, and false in the
 * test itself once that has passed. */
static inline gboolean pm_memory_in_process_of_its_own(void)
{
    if (g_test_subprocess())
        return TRUE;
    if (!pm_memory_is_ours())
        return FALSE;
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
    return FALSE;
}

/* The same, where a process may lock its memory; else the test is skipped. */
static inline gboolean pm_memory_in_process_that_locks(void)
{
    if (g_test_subprocess())
        return TRUE;
    if (!pm_memory_is_ours())
        return FALSE;
    if (mlockall(MCL_CURRENT)) {
        g_test_skip("this process may not lock its memory");
        return FALSE;
    }
    munlockall();
    return pm_memory_in_process_of_its_own();
}

/* From now on so many KiB more become writable, and no others. */
static inline void pm_memory_allow_more(long kib)
{
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_DATA, &limit), ==, 0);
    limit.rlim_cur = (rlim_t)(pm_memory_kib("VmData") + kib) << 10;
    g_assert_cmpint(setrlimit(RLIMIT_DATA, &limit), ==, 0);
}

static inline void pm_memory_allow_all(void)
{
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_DATA, &limit), ==, 0);
    limit.rlim_cur = limit.rlim_max;
    g_assert_cmpint(setrlimit(RLIMIT_DATA, &limit), ==, 0);
    g_usleep(1100000); /* who was refused asks again after a second */
}

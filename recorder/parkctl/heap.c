/* `heap`: how many objects of each class there are, counted exactly by the JVM's own heap walk; and
 * what keeps one of them alive (--path), found by the recorder's heap walks. Both stop the program:
 * without --yes, `heap` only estimates the pause. */
#include "viewer/report/heap.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/target.h"
#include "viewer/analysis/code/account.h"
#include "viewer/report/heap-path.h"
#include "viewer/report/reply.h"

#define MAX_INFO      65536
#define MAX_HISTOGRAM (64u << 20)
#define INFO_NS       (G_GINT64_CONSTANT(10) * 1000000000)
#define WALK_NS       (G_GINT64_CONSTANT(600) * 1000000000)
#define PATH_US       (G_GINT64_CONSTANT(180) * 1000000)
#define PATH_WAIT_US  20000
#define MAX_SAMPLES   32
#define SHORTEST_STOP 2.0 /* seconds, all walks together */
#define LONGEST_STOP  60.0

/* FALSE after a complaint. */
static gboolean ask(int pid, const char *command, const char *argument, gsize max,
                    gint64 timeout_ns, char **ret_text)
{
    const char *const arguments[3] = {argument};
    struct pm_error_info info = {0};
    if (pm_control_ask_jvm(pid, command, arguments, max, timeout_ns, ret_text, &info) == 0)
        return TRUE;
    pm_complain(PM_EXIT_FAILED, "heap: %s", info.text);
    return FALSE;
}

/* Bytes; -1 after a complaint. */
static gint64 ask_used(int pid)
{
    char *text = NULL;
    if (!ask(pid, "jcmd", "GC.heap_info", MAX_INFO, INFO_NS, &text))
        return -1;
    const gint64 used = pm_heap_used(text);
    free(text);
    return used;
}

static int say_pause(int pid)
{
    const gint64 used = ask_used(pid);
    if (used < 0)
        return PM_EXIT_FAILED;
    const PmHeapPause pause = pm_heap_pause(used);
    return pm_complain(PM_EXIT_FAILED,
                       "heap: walking %.0f MiB stops the program for about %.2f s (%.2f to %.2f s, "
                       "depending on object sizes); to proceed: parkctl %d heap --yes",
                       (double)used / 1048576, pause.likely, pause.low, pause.high, pid);
}

/* ---- a path ---- */

/* For how long all walks may stop the program: two of the longest that were told of. */
static double stop_of(const PmHeapPause *pause)
{
    return CLAMP(2 * pause->high, SHORTEST_STOP, LONGEST_STOP);
}

static int say_path_pause(int pid, const char *what, gint64 used)
{
    const PmHeapPause pause = pm_heap_path_pause(used);
    g_autofree char *word = g_shell_quote(what);
    return pm_complain(PM_EXIT_FAILED,
                       "heap: a walk along the references in %.0f MiB stops the program for about "
                       "%.2f s (%.2f to %.2f s); it takes one or several, %.1f s in total at most; "
                       "to proceed: parkctl %d heap --path=%s --yes",
                       (double)used / 1048576, pause.likely, pause.low, pause.high, stop_of(&pause),
                       pid, word);
}

/* What the recorder found for `wanted`, a class or samples. NULL after a complaint. */
static PmHeapPath *look_for(const PmInvocation *invocation, const char *wanted, gint64 used)
{
    const PmHeapPause pause = pm_heap_path_pause(used);
    const gint64 until = g_get_monotonic_time() + PATH_US;
    g_autofree char *request = g_strdup_printf("path %.0f %s", stop_of(&pause) * 1000, wanted);
    g_autofree char *text = NULL;
    if (!pm_target_ask(invocation, request, &text))
        return NULL;
    do {
        g_usleep(PATH_WAIT_US);
        g_clear_pointer(&text, g_free);
        if (!pm_target_ask(invocation, "path", &text))
            return NULL;
    } while (g_str_has_prefix(text, "running") && g_get_monotonic_time() < until);
    g_autoptr(PmHeapPath) path = pm_heap_path_parse(text);
    if (path && !path->refused)
        return g_steal_pointer(&path);
    pm_complain(PM_EXIT_FAILED, "heap: %d: %s", invocation->pid,
                path ? "this JVM allows no walk over its heap"
                     : "the recorder found nothing in time");
    return NULL;
}

static gboolean samples_allocations(const PmInvocation *invocation)
{
    g_autofree char *text = NULL;
    if (!pm_target_ask(invocation, "status", &text))
        return FALSE;
    JsonObject *status = pm_reply_parse(text, strlen(text), NULL);
    const gboolean does = status && pm_reply_has_int(status, "alloc_bytes");
    if (status)
        json_object_unref(status);
    return does;
}

/* When the oldest sampled objects of an account that live were born, as the recorder takes it.
 * NULL after a complaint. */
static char *samples_of(const PmInvocation *invocation, const char *name)
{
    if (!pm_target_categories(invocation))
        return NULL;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    if (!recording || !pm_target_accounts(invocation, recording))
        return NULL;
    const PmAccounts *accounts = pm_recording_accounts(recording, NULL);
    g_autoptr(GString) births = g_string_new("@");
    guint account = 0, n = 0;
    for (guint i = 1; i <= pm_accounts_n(accounts) && account == 0; i++)
        account = strcmp(pm_accounts_name(accounts, i), name) == 0 ? i : 0;
    if (account == 0) {
        pm_complain(
            PM_EXIT_FAILED,
            "heap: %s is not a loaded class (parkctl %d heap --yes lists them), and no account",
            name, invocation->pid);
        return NULL;
    }
    for (guint32 i = 0; i < recording->n_live && n < MAX_SAMPLES; i++) {
        const PmAllocation *sample = &recording->live[i];
        if (pm_recording_account(recording, sample->chain) == account)
            g_string_append_printf(births, "%s%" G_GINT64_FORMAT, n++ > 0 ? "," : "", sample->at);
    }
    if (n > 0 && samples_allocations(invocation))
        return g_string_free(g_steal_pointer(&births), FALSE);
    pm_complain(PM_EXIT_FAILED,
                "heap: %s is an account, and no sampled object of it is known to be live; to "
                "sample objects: parkctl %d set alloc=512k; or name a class",
                name, invocation->pid);
    return NULL;
}

static int find_path(const PmInvocation *invocation, const PmOutput *output, GString *out)
{
    const char *what = pm_invocation_value(invocation, PM_OPTION_PATH);
    const gint64 used = ask_used(invocation->pid);
    if (used < 0)
        return PM_EXIT_FAILED;
    if (!pm_invocation_value(invocation, PM_OPTION_YES))
        return say_path_pause(invocation->pid, what, used);
    g_autoptr(PmHeapPath) path = look_for(invocation, what, used);
    if (!path)
        return PM_EXIT_FAILED;
    const gboolean is_account = !path->is_known;
    if (is_account) {
        g_autofree char *samples = samples_of(invocation, what);
        g_clear_pointer(&path, pm_heap_path_free);
        path = samples ? look_for(invocation, samples, used) : NULL;
        if (!path)
            return PM_EXIT_FAILED;
    }
    pm_heap_path_write(path, invocation->pid, what, is_account, output, out);
    return PM_EXIT_OK;
}

int pm_command_heap(const PmInvocation *invocation, GString *out)
{
    static const char *const no_keys[] = {NULL};
    PmOutput output;
    char *text = NULL;
    if (!pm_target_output(invocation, no_keys, &output))
        return PM_EXIT_USAGE;
    if (pm_invocation_value(invocation, PM_OPTION_PATH))
        return find_path(invocation, &output, out);
    if (!pm_invocation_value(invocation, PM_OPTION_YES))
        return say_pause(invocation->pid);
    const gint64 begin_us = g_get_monotonic_time();
    if (!ask(invocation->pid, "inspectheap", "-all", MAX_HISTOGRAM, WALK_NS, &text))
        return PM_EXIT_FAILED;
    const gint64 took_ns = (g_get_monotonic_time() - begin_us) * 1000;
    g_autoptr(PmHeap) heap = pm_heap_parse(text);
    free(text);
    if (!heap)
        return pm_complain(PM_EXIT_FAILED, "heap: %d: the JVM's answer is not a histogram",
                           invocation->pid);
    pm_heap_write(heap, invocation->pid, took_ns, &output, out);
    return PM_EXIT_OK;
}

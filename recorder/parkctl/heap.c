/* `heap`: how many objects of each class there are, exactly: the JVM's own walk over its heap,
 * which stops the program; so it is asked for with --yes, after its pause was told. */
#include "viewer/report/heap.h"

#include <stdlib.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/target.h"

#define MAX_INFO      65536
#define MAX_HISTOGRAM (64u << 20)
#define INFO_NS       (G_GINT64_CONSTANT(10) * 1000000000)
#define WALK_NS       (G_GINT64_CONSTANT(600) * 1000000000)

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

static int say_pause(int pid)
{
    char *text = NULL;
    if (!ask(pid, "jcmd", "GC.heap_info", MAX_INFO, INFO_NS, &text))
        return PM_EXIT_FAILED;
    const gint64 used = pm_heap_used(text);
    const PmHeapPause pause = pm_heap_pause(used);
    free(text);
    return pm_complain(PM_EXIT_FAILED,
                       "heap: walking %.0f MiB stops the program for about %.2f s (%.2f to %.2f "
                       "s, by how large its objects are); if it may: parkctl %d heap --yes",
                       (double)used / 1048576, pause.likely, pause.low, pause.high, pid);
}

int pm_command_heap(const PmInvocation *invocation, GString *out)
{
    static const char *const no_keys[] = {NULL};
    PmOutput output;
    char *text = NULL;
    if (!pm_target_output(invocation, no_keys, &output))
        return PM_EXIT_USAGE;
    if (!pm_invocation_value(invocation, PM_OPTION_YES))
        return say_pause(invocation->pid);
    const gint64 begin_us = g_get_monotonic_time();
    if (!ask(invocation->pid, "inspectheap", "-all", MAX_HISTOGRAM, WALK_NS, &text))
        return PM_EXIT_FAILED;
    const gint64 took_ns = (g_get_monotonic_time() - begin_us) * 1000;
    g_autoptr(PmHeap) heap = pm_heap_parse(text);
    free(text);
    if (!heap)
        return pm_complain(PM_EXIT_FAILED, "heap: %d: what the JVM said is no histogram",
                           invocation->pid);
    pm_heap_write(heap, invocation->pid, took_ns, &output, out);
    return PM_EXIT_OK;
}

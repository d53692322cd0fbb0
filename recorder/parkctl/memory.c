/* `memory`: what was allocated and what of it lives, aggregated by any sequence of aspects. */
#include "viewer/report/memory.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/target.h"
#include "viewer/report/time-text.h"

#define DEFAULT_BY   "class,site"
#define FOLDED_BY    "chain,class"
#define GC_NS        (G_GINT64_CONSTANT(600) * 1000000000)
#define MAX_GC_REPLY 4096

static gboolean read_aspects(const char *text, PmMemoryAspect *aspects, guint *ret_n)
{
    g_auto(GStrv) names = g_strsplit(text, ",", -1);
    *ret_n = 0;
    for (guint i = 0; names[i]; i++) {
        PmMemoryAspect aspect;
        if (!pm_memory_aspect_parse(names[i], &aspect)) {
            g_autofree char *all = pm_memory_aspect_names();
            pm_complain(PM_EXIT_USAGE, "memory: allocations have no aspect \"%s\"; they have: %s",
                        names[i], all);
            return FALSE;
        }
        for (guint k = 0; k < *ret_n; k++) {
            if (aspects[k] == aspect) {
                pm_complain(PM_EXIT_USAGE, "memory: --by names %s twice", names[i]);
                return FALSE;
            }
        }
        if (*ret_n < PM_MEMORY_MOST)
            aspects[(*ret_n)++] = aspect;
    }
    return TRUE;
}

/* --between=T1,T2. FALSE after a complaint. */
static gboolean read_between(const PmInvocation *invocation, PmRecording *recording,
                             PmFilter *filter)
{
    const char *text = pm_invocation_value(invocation, PM_OPTION_BETWEEN);
    g_auto(GStrv) instants = text ? g_strsplit(text, ",", 2) : NULL;
    if (!text)
        return TRUE;
    for (guint i = 0; i < 2; i++) {
        const char *why = "there is only one";
        if (instants[i] &&
            pm_time_parse(recording, instants[i], i == 0 ? &filter->from : &filter->to, &why))
            continue;
        pm_complain(PM_EXIT_USAGE, "memory: --between takes two times, such as -10m,-1m: %s", why);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_filter(const PmInvocation *invocation, PmRecording *recording,
                            PmFilter *filter)
{
    const gboolean cut = pm_invocation_value(invocation, PM_OPTION_FROM) != NULL ||
                         pm_invocation_value(invocation, PM_OPTION_TO) != NULL;
    if (cut)
        filter->to = recording->duration;
    if (!pm_target_time(invocation, recording, PM_OPTION_FROM, &filter->from) ||
        !pm_target_time(invocation, recording, PM_OPTION_TO, &filter->to) ||
        !read_between(invocation, recording, filter))
        return FALSE;
    if ((cut || pm_invocation_value(invocation, PM_OPTION_BETWEEN)) && filter->from >= filter->to) {
        pm_complain(PM_EXIT_USAGE,
                    "memory: nothing is in that range; the recording covers +0s to +%.3fs",
                    (double)recording->duration / 1e9);
        return FALSE;
    }
    return pm_target_chips(invocation, filter) && pm_target_accounts(invocation, recording);
}

/* Has the JVM collect all garbage, so that what is not referred to lives no more. The exit status.
 */
static int collect(const PmInvocation *invocation)
{
    static const char *const arguments[3] = {"GC.run"};
    struct pm_error_info info = {0};
    char *text = NULL;
    if (!pm_invocation_value(invocation, PM_OPTION_GC))
        return PM_EXIT_OK;
    if (!invocation->pid || invocation->via)
        return pm_complain(PM_EXIT_USAGE, "memory: --gc is for a JVM that runs on this machine: "
                                          "parkctl PID memory --gc");
    if (pm_control_ask_jvm(invocation->pid, "jcmd", arguments, MAX_GC_REPLY, GC_NS, &text, &info))
        return pm_complain(PM_EXIT_FAILED, "memory: %s", info.text);
    free(text);
    return PM_EXIT_OK;
}

int pm_command_memory(const PmInvocation *invocation, GString *out)
{
    const char *by = pm_invocation_value(invocation, PM_OPTION_BY);
    const char *folded = pm_invocation_value(invocation, PM_OPTION_COLLAPSED);
    const gboolean live = folded && strcmp(folded, "live") == 0;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    PmOutput output;
    guint n;
    if (folded && !live && strcmp(folded, "allocated") != 0)
        return pm_complain(PM_EXIT_USAGE, "memory: --collapsed=live or allocated: not \"%s\"",
                           folded);
    if (!read_aspects(by       ? by
                      : folded ? FOLDED_BY
                               : DEFAULT_BY,
                      aspects, &n) ||
        !pm_target_output(invocation, pm_memory_sort_keys(), &output))
        return PM_EXIT_USAGE;
    const int status = collect(invocation);
    if (status != PM_EXIT_OK)
        return status;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(GError) error = NULL;
    if (!recording)
        return PM_EXIT_FAILED;
    if (!read_filter(invocation, recording, filter))
        return PM_EXIT_USAGE;
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(recording, filter, aspects, n, &error);
    if (!tree)
        return pm_complain(PM_EXIT_USAGE, "memory: %s", error->message);
    if (folded && !tree->snapshot)
        return pm_complain(PM_EXIT_FAILED, "memory: no allocations are recorded");
    if (folded) {
        pm_memory_write_folded(tree, live, out);
        return PM_EXIT_OK;
    }
    const gboolean growth = pm_invocation_value(invocation, PM_OPTION_BETWEEN) != NULL;
    pm_memory_write(tree, growth, &output, out);
    if (invocation->pid && output.format == PM_FORMAT_TEXT && tree->snapshot)
        g_string_append_printf(out,
                               "\nWhat keeps objects of a class: parkctl %d heap --path=CLASS\n",
                               invocation->pid);
    return PM_EXIT_OK;
}

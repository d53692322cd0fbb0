/* `diff`: two recordings side by side. */
#include "viewer/report/diff.h"

#include "recorder/parkctl/target.h"

int pm_command_diff(const PmInvocation *invocation, GString *out)
{
    PmAspect aspects[PM_N_ASPECTS];
    PmOutput output;
    guint n;
    int status;

    if (!pm_target_aspects(invocation, "blocker,site", aspects, &n) ||
        !pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmRecording) before = pm_target_load_file(invocation->files->pdata[0]);
    if (!before)
        return PM_EXIT_FAILED;
    g_autoptr(PmRecording) after = pm_target_load_file(invocation->files->pdata[1]);
    if (!after)
        return PM_EXIT_FAILED;
    /* Times of day differ; -5m and +90s mean the same in both. */
    g_autoptr(PmFilter) first = pm_target_filter(invocation, before, &status);
    if (!first)
        return status;
    g_autoptr(PmFilter) second = pm_target_filter(invocation, after, &status);
    if (!second)
        return status;
    g_autoptr(PmView) one = pm_view_new(before, first, NULL);
    g_autoptr(PmView) two = pm_view_new(after, second, NULL);
    g_autoptr(PmDiff) diff = pm_diff_new(one, two, aspects, n, NULL);
    if (!diff)
        return pm_complain(PM_EXIT_FAILED, "diff: not enough memory");
    pm_diff_write(diff, &output, out);
    return PM_EXIT_OK;
}

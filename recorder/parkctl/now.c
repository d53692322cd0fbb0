/* `now`: the waits in progress, of a file or of a running JVM. */
#include "viewer/report/now.h"

#include "recorder/parkctl/target.h"

int pm_command_now(const PmInvocation *invocation, GString *out)
{
    PmOutput output;
    int status;

    if (!pm_target_output(invocation, pm_now_sort_keys(), &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmView) view = pm_target_view(invocation, &status);
    if (!view)
        return status;
    PmRecording *recording = view->recording;
    gint64 at = view->to;
    if (!pm_target_time(invocation, recording, PM_OPTION_AT, &at))
        return PM_EXIT_USAGE;
    if (at < view->from || at > view->to)
        return pm_complain(PM_EXIT_USAGE,
                           "now: --at=%s is outside the recording, which covers +%.3fs to +%.3fs",
                           pm_invocation_value(invocation, PM_OPTION_AT), (double)view->from / 1e9,
                           (double)view->to / 1e9);
    g_autoptr(PmSummary) summary = pm_summary_new(view, at, NULL);
    pm_now_write(summary, &output, out);
    return PM_EXIT_OK;
}

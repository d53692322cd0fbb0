#include "viewer/report/findings.h"

#include <string.h>

#include "recorder/parkctl/target.h"

/* How the user named what is read, as the commands in the answer repeat it. */
static char *target_of(const PmInvocation *invocation)
{
    if (invocation->pid)
        return g_strdup_printf("%d %%s", invocation->pid);
    const char *path = invocation->files->pdata[0];
    gboolean plain =
        path[strspn(path, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-+./,:@%")] == '\0';
    g_autofree char *quoted = plain ? g_strdup(path) : g_shell_quote(path);
    return g_strdup_printf("%%s %s", quoted);
}

int pm_command_findings(const PmInvocation *invocation, GString *out)
{
    PmOutput output;
    int status;

    if (!pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmView) view = pm_target_view(invocation, &status);
    if (!view)
        return status;
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    const PmContention *contention = pm_recording_contention(view->recording, NULL);
    g_autoptr(PmFindings) findings = pm_findings_new(summary, contention, NULL);
    g_autofree char *target = target_of(invocation);
    pm_findings_write(findings, target, &output, out);
    return PM_EXIT_OK;
}

/* `findings`: what is wrong in a recording, with evidence and advice; its exit status says whether
 * anything is. */
#include "viewer/report/findings.h"

#include <string.h>

#include "recorder/parkctl/target.h"

/* As a shell takes it. Owned. */
static char *quoted(const char *text)
{
    gboolean plain =
        text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-+./,:@%")] == '\0';

    return plain ? g_strdup(text) : g_shell_quote(text);
}

/* How the user named what is read, as the commands in the answer repeat it: with the span and the
 * rules that the findings were made by. */
static char *target_of(const PmInvocation *invocation)
{
    static const PmOptionId kept[] = {PM_OPTION_FROM, PM_OPTION_TO, PM_OPTION_CATEGORIES};
    g_autofree char *file = invocation->pid ? NULL : quoted(invocation->files->pdata[0]);
    GString *target = g_string_new(NULL);

    if (file)
        g_string_printf(target, "%%s %s", file);
    else
        g_string_printf(target, "%d %%s", invocation->pid);
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
        const char *value = pm_invocation_value(invocation, kept[i]);
        g_autofree char *word = value ? quoted(value) : NULL;
        if (word)
            g_string_append_printf(target, " --%s=%s", pm_option_row(kept[i]).name, word);
    }
    return g_string_free(target, FALSE);
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
    g_autoptr(PmFindings) findings = pm_findings_new_bounded(summary, NULL);
    g_autofree char *target = target_of(invocation);
    pm_findings_write(findings, target, &output, out);
    return PM_EXIT_OK;
}

#include "viewer/report/report.h"

#include "recorder/parkctl/target.h"

/* Totals cannot be cut to a part of the time or to some threads. */
static gboolean refuse_filters(const PmInvocation *invocation)
{
    static const PmOptionId refused[] = {PM_OPTION_FROM,     PM_OPTION_TO,     PM_OPTION_KIND,
                                         PM_OPTION_CATEGORY, PM_OPTION_CLASS,  PM_OPTION_THREAD,
                                         PM_OPTION_GROUP,    PM_OPTION_BLOCKER};

    for (guint i = 0; i < G_N_ELEMENTS(refused); i++) {
        if (invocation->values[refused[i]]) {
            pm_complain(PM_EXIT_USAGE,
                        "report: --since-start prints totals, which --%s cannot cut; leave one out",
                        pm_options_table[refused[i]].name);
            return FALSE;
        }
    }
    return TRUE;
}

static int since_start(PmRecording *recording, const PmOutput *output, GString *out)
{
    g_autoptr(PmMetrics) metrics = pm_metrics_since_start(recording);

    pm_report_write(metrics, NULL, NULL, TRUE, output, out);
    return PM_EXIT_OK;
}

int pm_command_report(const PmInvocation *invocation, GString *out)
{
    gboolean ledger = invocation->values[PM_OPTION_SINCE_START] != NULL;
    PmOutput output;
    int status;

    if (!pm_target_output(invocation, pm_report_sort_keys(), &output) ||
        (ledger && !refuse_filters(invocation)))
        return PM_EXIT_USAGE;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    if (!recording)
        return PM_EXIT_FAILED;
    if (ledger)
        return since_start(recording, &output, out);
    g_autoptr(PmFilter) filter = pm_target_filter(invocation, recording, &status);
    if (!filter)
        return status;
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    /* Measured holds are in no text but that of one blocker. */
    gboolean holds = output.full || output.format != PM_FORMAT_TEXT;
    g_autoptr(PmContention) contention = holds ? pm_contention_new(recording, NULL) : NULL;
    pm_report_write(summary->metrics, summary, contention, FALSE, &output, out);
    return PM_EXIT_OK;
}

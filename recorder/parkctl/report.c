/* `report`: the metrics of every blocker, of a range of time or since the start; with --pools, the
 * pools of threads. */
#include "viewer/report/report.h"

#include "recorder/parkctl/target.h"
#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/report/pool.h"

/* Options that an answer would have to pass over in silence: filters by aspects, and these. */
static gboolean refuse(const PmInvocation *invocation, const PmOptionId *refused, guint n,
                       const char *why)
{
    int given = -1;

    for (int i = PM_OPTION_FIRST_ASPECT; i < PM_N_OPTIONS && given < 0; i++)
        given = invocation->values[i] ? i : -1;
    for (guint i = 0; i < n && given < 0; i++)
        given = invocation->values[refused[i]] ? (int)refused[i] : -1;
    if (given < 0)
        return TRUE;
    pm_complain(PM_EXIT_USAGE, "report: %s, to which --%s does not apply; omit one", why,
                pm_option_row(given).name);
    return FALSE;
}

/* Totals cannot be cut to a part of the time or to some threads. */
static gboolean refuse_filters(const PmInvocation *invocation)
{
    static const PmOptionId refused[] = {PM_OPTION_FROM, PM_OPTION_TO};

    return refuse(invocation, refused, G_N_ELEMENTS(refused), "--since-start prints totals");
}

/* A pool is all of its threads and their waits. */
static gboolean refuse_parts(const PmInvocation *invocation)
{
    static const PmOptionId refused[] = {PM_OPTION_SORT, PM_OPTION_SINCE_START};

    return refuse(invocation, refused, G_N_ELEMENTS(refused), "--pools prints whole pools");
}

static int since_start(PmRecording *recording, const PmOutput *output, GString *out)
{
    g_autoptr(PmMetrics) metrics = pm_metrics_since_start(recording);

    pm_report_write(metrics, NULL, NULL, NULL, TRUE, output, out);
    return PM_EXIT_OK;
}

int pm_command_report(const PmInvocation *invocation, GString *out)
{
    gboolean pools = invocation->values[PM_OPTION_POOLS] != NULL;
    gboolean ledger = invocation->values[PM_OPTION_SINCE_START] != NULL;
    PmOutput output;
    int status;

    if (!pm_target_output(invocation, pm_report_sort_keys(), &output) ||
        (pools && !refuse_parts(invocation)) || (ledger && !refuse_filters(invocation)))
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
    if (pools) {
        g_autoptr(PmPools) table = pm_pools_new(view, NULL);
        pm_pools_write(table, &output, out);
        return PM_EXIT_OK;
    }
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    /* The verdict is the first finding, as everywhere. */
    gboolean table = output.format == PM_FORMAT_TEXT && !output.full;
    g_autoptr(PmFindings) findings = table ? pm_findings_new_bounded(summary, NULL) : NULL;
    const PmContention *contention =
        table && pm_recording_is_huge(recording) ? NULL : pm_recording_contention(recording, NULL);
    pm_report_write(summary->metrics, summary, findings ? &findings->verdict : NULL, contention,
                    FALSE, &output, out);
    return PM_EXIT_OK;
}

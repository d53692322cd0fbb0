/* `whatif`: predicts the effect of holding a lock for less time. */
#include "viewer/report/whatif.h"

#include <string.h>

#include "recorder/parkctl/target.h"
#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/recording/category.h"

#define TEXT_LIMIT  3
#define MOST_FACTOR 100.0

/* The factors of --hold, else 0.5 and 0.25. NULL after a complaint. */
static GArray *factors_of(const PmInvocation *invocation)
{
    const GPtrArray *values = invocation->values[PM_OPTION_HOLD];
    g_autoptr(GArray) factors = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; values && i < values->len; i++) {
        const char *text = values->pdata[i];
        char *end = NULL;
        double factor = g_ascii_strtod(text, &end);
        if (end == text || *end || !(factor >= 0 && factor <= MOST_FACTOR)) {
            pm_complain(PM_EXIT_USAGE,
                        "whatif: --hold=%s: a factor is a number from 0 to %.0f; 0.5 is half as "
                        "long",
                        text, MOST_FACTOR);
            return NULL;
        }
        g_array_append_val(factors, factor);
    }
    if (factors->len == 0) {
        const double usual[] = {0.5, 0.25};
        g_array_append_vals(factors, usual, G_N_ELEMENTS(usual));
    }
    return g_steal_pointer(&factors);
}

int pm_command_whatif(const PmInvocation *invocation, GString *out)
{
    PmOutput output;
    int status;

    g_autoptr(GArray) factors = factors_of(invocation);
    if (!factors || !pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmView) view = pm_target_view(invocation, &status);
    if (!view)
        return status;
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
    const PmContention *contention = pm_recording_contention(view->recording, NULL);
    g_autoptr(GArray) locks = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (gsize i = 0; i < metrics->n; i++)
        if (pm_category_family(metrics->rows[i].category) == PM_FAMILY_LOCK)
            g_array_append_val(locks, metrics->rows[i].blocker);
    g_autoptr(GArray) predictions = pm_whatif_first(
        view, contention, locks, output.limit > 0 ? output.limit : TEXT_LIMIT, factors);
    pm_whatif_write(view, (const PmWhatIf *)predictions->data, predictions->len, &output, out);
    return PM_EXIT_OK;
}

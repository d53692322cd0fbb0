#include "viewer/report/tree.h"

#include <string.h>

#include "recorder/parkctl/target.h"

#define DEFAULT_BY "class,blocker,site"

static gboolean parse_by(const char *text, PmAspect *aspects, guint *ret_n)
{
    g_auto(GStrv) names = g_strsplit(text, ",", -1);
    const char *known[PM_N_ASPECTS + 1] = {NULL};
    guint n = 0, n_known = 0;

    for (guint i = 0; i < PM_N_ASPECTS; i++) {
        if (pm_aspect_available(i))
            known[n_known++] = pm_aspect_name(i);
    }
    for (guint i = 0; names[i]; i++) {
        PmAspect aspect;
        if (!pm_aspect_parse(names[i], &aspect) || !pm_aspect_available(aspect)) {
            g_autofree char *guess = pm_did_you_mean(names[i], known, "");
            g_autofree char *all = g_strjoinv(", ", (char **)known);
            pm_complain(PM_EXIT_USAGE, "tree: unknown aspect \"%s\"%s; aspects: %s", names[i],
                        guess, all);
            return FALSE;
        }
        for (guint k = 0; k < n; k++) {
            if (aspects[k] == aspect) {
                pm_complain(PM_EXIT_USAGE, "tree: --by names %s twice", names[i]);
                return FALSE;
            }
        }
        aspects[n++] = aspect;
    }
    *ret_n = n;
    return TRUE;
}

int pm_command_tree(const PmInvocation *invocation, GString *out)
{
    const char *by = pm_invocation_value(invocation, PM_OPTION_BY);
    PmAspect aspects[PM_N_ASPECTS];
    PmOutput output;
    guint n;
    int status;

    if (!parse_by(by ? by : DEFAULT_BY, aspects, &n) ||
        !pm_target_output(invocation, pm_tree_sort_keys(), &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    if (!recording)
        return PM_EXIT_FAILED;
    g_autoptr(PmFilter) filter = pm_target_filter(invocation, recording, &status);
    if (!filter)
        return status;
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmTree) tree = pm_tree_new(view, aspects, n, NULL);
    if (!tree)
        return pm_complain(PM_EXIT_FAILED, "tree: %s cannot be aggregated so",
                           recording->facts.file);
    pm_tree_write(tree, &output, out);
    return PM_EXIT_OK;
}

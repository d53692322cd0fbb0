/* `tree`: waits aggregated by any sequence of aspects. */
#include "viewer/report/tree.h"

#include <string.h>

#include "recorder/parkctl/target.h"

int pm_command_tree(const PmInvocation *invocation, GString *out)
{
    PmAspect aspects[PM_N_ASPECTS];
    PmOutput output;
    guint n;
    int status;

    if (!pm_target_aspects(invocation, "class,blocker,site", aspects, &n) ||
        !pm_target_output(invocation, pm_tree_sort_keys(), &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmView) view = pm_target_view(invocation, &status);
    if (!view)
        return status;
    g_autoptr(PmTree) tree = pm_tree_new_bounded(view, aspects, n, NULL);
    if (!tree)
        return pm_complain(PM_EXIT_FAILED, "tree: %s cannot be aggregated so",
                           view->recording->facts.file);
    pm_tree_write(tree, &output, out);
    return PM_EXIT_OK;
}

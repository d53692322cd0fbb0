#include "recorder/parkctl/agent-path.h"

#include <unistd.h>

#include "recorder/parkctl/command.h"

/* From the folder of parkctl. */
static const char *const places[] = {
    "../agent/libparkmeter.so", /* build tree */
    PM_AGENT_FROM_BIN,          /* installed */
    "../lib/parkmeter/libparkmeter.so",
    "libparkmeter.so",
    NULL,
};

char *pm_agent_path_find(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = g_path_get_dirname(self ? self : ".");

    for (guint i = 0; places[i]; i++) {
        g_autofree char *joined = g_build_filename(folder, places[i], NULL);
        if (access(joined, R_OK) == 0)
            return g_canonicalize_filename(joined, NULL);
    }
    pm_complain(PM_EXIT_FAILED,
                "libparkmeter.so is not beside parkctl (%s/../agent, ../lib/parkmeter)", folder);
    return NULL;
}

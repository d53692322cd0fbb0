/* Starting a JVM with the recorder, and loading it into a running one. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/agent-path.h"
#include "recorder/parkctl/command.h"

int pm_command_run(const PmInvocation *invocation, GString *out)
{
    const GPtrArray *line = invocation->rest;

    if (line->len == 0)
        return pm_complain(PM_EXIT_USAGE,
                           "run: no command given; usage: parkctl run [KEY=VALUE…] -- java …");

    const char *java = line->pdata[0];
    g_autofree char *base = g_path_get_basename(java);
    if (!g_str_has_prefix(base, "java"))
        return pm_complain(PM_EXIT_USAGE,
                           "run: \"%s\" is not java; for a launcher script set "
                           "JAVA_TOOL_OPTIONS=-agentpath:/path/libparkmeter.so instead",
                           java);
    g_autofree char *library = pm_agent_path_find();
    if (!library)
        return PM_EXIT_FAILED;

    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autofree char *agent =
        g_strconcat("-agentpath:", library, invocation->recorder->len > 0 ? "=" : "",
                    invocation->recorder->str, NULL);
    g_ptr_array_add(argv, (char *)java);
    g_ptr_array_add(argv, agent);
    for (guint i = 1; i < line->len; i++)
        g_ptr_array_add(argv, line->pdata[i]);
    g_ptr_array_add(argv, NULL);
    execvp(java, (char *const *)argv->pdata);
    return pm_complain(PM_EXIT_FAILED, "run: %s: %s", java, g_strerror(errno));
}

int pm_command_attach(const PmInvocation *invocation, GString *out)
{
    struct pm_error_info info = {0};
    g_autofree char *library = pm_agent_path_find();

    if (!library)
        return PM_EXIT_FAILED;
    if (pm_control_attach(invocation->pid, library, invocation->recorder->str, &info) < 0)
        return pm_complain(PM_EXIT_FAILED, "%s", info.text);
    g_string_append_printf(out, "%d: the recorder is loaded; see: parkctl %d status\n",
                           invocation->pid, invocation->pid);
    return PM_EXIT_OK;
}

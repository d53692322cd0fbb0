/* parkctl: one call is one invocation of one command of the table. */
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "recorder/parkctl/target.h"

/* A full disk or a closed pipe must not look like an answer. */
static int print(const PmInvocation *invocation, const GString *out)
{
    g_autofree char *encoded = invocation->format == PM_FORMAT_TEXT
                                   ? pm_terminal_encode(&invocation->terminal, out->str)
                                   : g_strdup(out->str);

    if (fputs(encoded, stdout) == EOF || fflush(stdout) == EOF)
        return pm_complain(PM_EXIT_FAILED, "cannot write the output: %s", g_strerror(errno));
    return PM_EXIT_OK;
}

int main(int argc, char **argv)
{
    PmInvocation invocation;
    g_autofree char *error = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    int status;

    /* Only which characters can be shown depends on the locale; numbers never do. */
    setlocale(LC_CTYPE, "");
    if (pm_invocation_parse(&invocation, argc - 1, argv + 1, &error)) {
        pm_terminal_init(&invocation.terminal, stdout);
        if (invocation.help)
            status = pm_command_help(&invocation, out);
        else if (pm_target_categories(&invocation))
            status = invocation.command->run(&invocation, out);
        else
            status = PM_EXIT_FAILED;
        if (out->len > 0) {
            int printed = print(&invocation, out);
            status = status ? status : printed;
        }
    } else {
        status = pm_complain(PM_EXIT_USAGE, "%s", error);
    }
    pm_invocation_clear(&invocation);
    return status;
}

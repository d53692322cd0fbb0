/* `export`: waits for other programs, as a table or folded by stack trace. */
#include "viewer/report/export.h"

#include <errno.h>
#include <string.h>

#include "recorder/parkctl/target.h"

static gboolean to_stdout(const char *bytes, gsize size, gpointer data)
{
    return fwrite(bytes, 1, size, stdout) == size;
}

int pm_command_export(const PmInvocation *invocation, GString *out)
{
    const char *to = pm_invocation_value(invocation, PM_OPTION_TO_FORMAT);
    const char *by = pm_invocation_value(invocation, PM_OPTION_BY);
    PmAspect aspects[PM_N_ASPECTS];
    guint n_aspects = 0;
    const char *const *names = pm_export_names();
    g_autofree char *all = g_strjoinv(", ", (char **)names);
    guint format = 0;
    int status;

    if (!to)
        return pm_complain(PM_EXIT_USAGE, "export: to which format? --to=… is one of %s", all);
    while (names[format] && strcmp(to, names[format]) != 0)
        format++;
    if (!names[format]) {
        g_autofree char *guess = pm_did_you_mean(to, names, "");
        return pm_complain(PM_EXIT_USAGE, "export: unknown format \"%s\"%s; formats: %s", to, guess,
                           all);
    }
    if (by && format != PM_EXPORT_COLLAPSED)
        return pm_complain(PM_EXIT_USAGE,
                           "export: --by selects the frames of stacks; it only works with --to=%s",
                           names[PM_EXPORT_COLLAPSED]);
    if (by && !pm_target_aspects(invocation, by, aspects, &n_aspects))
        return PM_EXIT_USAGE;
    g_autoptr(PmView) view = pm_target_view(invocation, &status);
    if (!view)
        return status;
    if (!pm_export_write(view, format, by ? aspects : NULL, n_aspects, to_stdout, NULL) ||
        fflush(stdout) == EOF)
        return pm_complain(PM_EXIT_FAILED, "cannot write the output: %s", g_strerror(errno));
    return PM_EXIT_OK;
}

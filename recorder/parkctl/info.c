/* `info` and `verify`: what a recording is, and whether it is whole. */
#include "viewer/report/info.h"

#include "format/input.h"
#include "recorder/parkctl/target.h"

int pm_command_info(const PmInvocation *invocation, GString *out)
{
    PmOutput output;

    if (!pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    if (!recording)
        return PM_EXIT_FAILED;
    pm_info_write(recording, &output, out);
    return PM_EXIT_OK;
}

int pm_command_verify(const PmInvocation *invocation, GString *out)
{
    const char *path = invocation->files->pdata[0];
    struct pm_error_info info = {0};
    struct pm_verify_result result;
    struct pm_source source;
    PmOutput output;

    if (!pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    if (pm_input_open(path, &source, &info) < 0)
        return pm_complain(PM_EXIT_FAILED, "%s", info.text);
    int code = pm_verify(source, &result, &info);
    if (source.close)
        source.close(source.context);
    if (code < 0)
        return pm_complain(PM_EXIT_FAILED, "%s: %s", path, info.text);
    pm_verify_write(path, &result, &output, out);
    return result.ok ? PM_EXIT_OK : PM_EXIT_FAILED;
}

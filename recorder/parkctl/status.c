/* `status`: the recorder's own account of itself. */
#include "viewer/report/status.h"

#include <string.h>

#include "recorder/parkctl/target.h"
#include "viewer/analysis/memory/quota.h"
#include "viewer/report/reply.h"

/* How many of the recorder's accounts keep more than their quota is counted here, as accounts are
 * matched where recordings are read: only where a quota is given and what lives is known. */
static void count_over_quota(const PmInvocation *invocation, char **json)
{
    g_autoptr(JsonObject) status = pm_reply_parse(*json, strlen(*json), NULL);
    const char *accounts = status ? pm_reply_text(status, "accounts") : NULL;
    if (!accounts || !strstr(accounts, "quota=") || !pm_reply_has_int(status, "alloc_bytes"))
        return;
    g_autoptr(PmRecording) recording = pm_target_load(invocation);
    if (!recording)
        return;
    g_autoptr(GArray) over = pm_quota_find(recording, 0, recording->duration);
    g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
    json_object_set_int_member(status, "over_quota", over->len);
    json_node_set_object(node, status);
    g_free(*json);
    *json = json_to_string(node, FALSE);
}

int pm_command_status(const PmInvocation *invocation, GString *out)
{
    g_autofree char *json = NULL;
    g_autoptr(GError) error = NULL;
    PmOutput output;

    if (!pm_target_output(invocation, NULL, &output))
        return PM_EXIT_USAGE;
    if (!pm_target_ask(invocation, "status", &json))
        return PM_EXIT_FAILED;
    count_over_quota(invocation, &json);
    if (!pm_status_write(json, &output, out, &error))
        return pm_complain(PM_EXIT_FAILED, "%d: its status cannot be read: %s", invocation->pid,
                           error->message);
    return PM_EXIT_OK;
}

/* start, stop, set: the recorder answers a sentence. */
int pm_command_switch(const PmInvocation *invocation, GString *out)
{
    const char *name = invocation->command->name;
    const char *options = invocation->recorder->str;
    g_autofree char *request = g_strconcat(name, *options ? " " : "", options, NULL);
    g_autofree char *text = NULL;

    if (g_str_equal(name, "set") && !*options)
        return pm_complain(PM_EXIT_USAGE, "set: what? parkctl %d set maxsize=64m", invocation->pid);
    if (strpbrk(request, "\r\n"))
        return pm_complain(PM_EXIT_USAGE, "%s: a line feed in an option", name);
    if (!pm_target_ask(invocation, request, &text))
        return PM_EXIT_FAILED;
    g_autofree char *sentence = pm_target_sentence(text);
    if (*sentence)
        g_string_append_printf(out, "%s\n", sentence);
    else
        g_string_append_printf(out, "%d: %s\n", invocation->pid,
                               g_str_equal(name, "start")  ? "recording"
                               : g_str_equal(name, "stop") ? "stopped"
                                                           : "set");
    return PM_EXIT_OK;
}

/* `follow`: keeps a copy of a JVM's recording: each line of standard input brings it up to date,
 * and a line of standard output reports the result. The window's live view uses it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/parkctl/remote.h"
#include "recorder/parkctl/target.h"

static void update(PmRemote *remote, int pid, gint64 maxage_ns, int fd)
{
    static const char *const words[] = {
        [PM_REMOTE_REFUSED] = "error", [PM_REMOTE_ENDED] = "ended", [PM_REMOTE_BROKEN] = "broken"};
    g_autofree char *text = NULL;
    guint64 bytes = 0;
    const PmRemoteOutcome outcome = pm_remote_update(remote, pid, maxage_ns, fd, &bytes, &text);

    if (outcome == PM_REMOTE_OK) {
        printf("ok %" G_GUINT64_FORMAT "\n", bytes);
        return;
    }
    g_autofree char *sentence = pm_target_sentence(text);
    printf("%s %s\n", words[outcome], sentence);
}

int pm_command_follow(const PmInvocation *invocation, GString *out)
{
    const char *path = pm_invocation_value(invocation, PM_OPTION_FILENAME);
    char line[64];
    gint64 maxage_ns;

    if (!pm_target_maxage(invocation, &maxage_ns))
        return PM_EXIT_USAGE;
    if (!path)
        return pm_complain(PM_EXIT_USAGE, "follow: to which file? filename=a.park");
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return pm_complain(PM_EXIT_FAILED, "follow: %s cannot be written: %s", path,
                           g_strerror(errno));
    PmRemote *remote = pm_remote_new(invocation->via);
    while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin))
        if (strchr(line, '\n')) /* a longer line is one request too */
            update(remote, invocation->pid, maxage_ns, fd);
    pm_remote_free(remote);
    close(fd);
    return PM_EXIT_OK;
}

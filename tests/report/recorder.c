#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "recorder/control/protocol.h"

off_t pm_recorder_cut = -1;

static const char status_json[] =
    "{\"schema\":1,\"pid\":1,\"main\":\"Orders\",\"recording\":true,\"file\":\"/x.park\","
    "\"size\":1,\"maxsize\":2,\"begin_unix_ns\":1,\"waits\":3,\"dropped\":0,\"deadlocks\":2}";

static const char *recording;
static int server = -1;

static void answer_with_file(int client)
{
    struct iovec iov = {.iov_base = (char *)"ok\n", .iov_len = 3};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int fd = open(recording, O_RDONLY | O_CLOEXEC);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (pm_recorder_cut >= 0)
        g_assert_cmpint(truncate(recording, pm_recorder_cut), ==, 0);
    sendmsg(client, &message, MSG_NOSIGNAL);
    close(fd);
}

static void answer(int client, const char *request)
{
    g_autofree char *text = NULL;

    if (g_str_has_prefix(request, "dump")) {
        answer_with_file(client);
        return;
    }
    if (g_str_has_prefix(request, "status"))
        text = g_strdup_printf("ok\n%s\n", status_json);
    else if (g_str_has_prefix(request, "set maxsize=64m"))
        text = g_strdup("ok\nmaxsize=64m\033[31m\n");
    else if (g_str_has_prefix(request, "start") || g_str_has_prefix(request, "stop"))
        text = g_strdup("ok\n");
    else
        text = g_strdup("error unknown option 'mintme', did you mean 'mintime'?\n");
    if (send(client, text, strlen(text), MSG_NOSIGNAL) < 0)
        return;
}

static gpointer serve(gpointer data)
{
    for (;;) {
        char request[PM_CONTROL_MAX_REQUEST + 1] = "";
        gsize size = 0;
        int client = accept(server, NULL, NULL);
        if (client < 0)
            return NULL;
        while (size < sizeof request - 1 && !memchr(request, '\n', size)) {
            ssize_t n = recv(client, request + size, sizeof request - 1 - size, 0);
            if (n <= 0)
                break;
            size += (gsize)n;
        }
        answer(client, request);
        close(client);
    }
}

gboolean pm_recorder_start(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    recording = path;
    g_snprintf(address.sun_path, sizeof address.sun_path, "%s%d", PM_CONTROL_SOCKET_PREFIX,
               (int)getpid());
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(server, >=, 0);
    /* Left over by a process that had this pid before. */
    g_unlink(address.sun_path);
    if (bind(server, (struct sockaddr *)&address, sizeof address) < 0)
        return FALSE;
    g_assert_cmpint(g_chmod(address.sun_path, 0600), ==, 0);
    g_assert_cmpint(listen(server, 8), ==, 0);
    g_thread_unref(g_thread_new("recorder", serve, NULL));
    return TRUE;
}

void pm_recorder_stop(void)
{
    g_autofree char *path = g_strdup_printf("%s%d", PM_CONTROL_SOCKET_PREFIX, (int)getpid());

    shutdown(server, SHUT_RDWR);
    g_unlink(path);
}

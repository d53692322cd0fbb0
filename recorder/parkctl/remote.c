#include "recorder/parkctl/remote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/mirror.h"
#include "format/wire.h"
#include "recorder/parkctl/serve.h"
#include "recorder/parkctl/target.h"

#define GREETING_TIMEOUT_MS 60000 /* somebody may have to type a password */
#define ANSWER_TIMEOUT_MS   30000 /* without a byte */
#define NOISE_MAX           65536 /* what a login shell may say before the greeting */
#define LEAVE_MS            500

struct PmRemote {
    char *via; /* NULL: this machine */
    PmServe *serve;
    GPid child; /* 0 = none */
    int fd;     /* both of its streams, -1 = none */
};

/* ---- the pipe ---- */

/* Waits for its end, with patience at first. Returns the status as of waitpid, -1 = not known. */
static int leave(PmRemote *remote)
{
    int status = -1;

    if (remote->fd >= 0)
        close(remote->fd);
    remote->fd = -1;
    for (guint i = 0; remote->child && i <= LEAVE_MS / 10; i++) {
        if (waitpid(remote->child, &status, WNOHANG) != 0) {
            remote->child = 0;
            return status;
        }
        g_usleep(10000);
    }
    if (remote->child) {
        kill(remote->child, SIGTERM);
        for (guint i = 0; i < 100 && waitpid(remote->child, &status, WNOHANG) == 0; i++)
            g_usleep(10000);
        remote->child = 0;
        status = -1;
    }
    return status;
}

static char *broken(PmRemote *remote, const char *why)
{
    const int status = leave(remote);

    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return g_strdup_printf("%s: no parkctl on the PATH there (set it with env PATH=…)",
                               remote->via);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return g_strdup_printf("%s: %s, with exit status %d", remote->via, why,
                               WEXITSTATUS(status));
    return g_strdup_printf("%s: %s", remote->via, why);
}

/* 0, or -errno: ETIMEDOUT, ECONNRESET for the end of the stream. */
static int receive(int fd, void *bytes, gsize size, int timeout_ms)
{
    guint8 *at = bytes;

    while (size > 0) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        const int ready = poll(&poll_fd, 1, timeout_ms);
        if (ready == 0)
            return -ETIMEDOUT;
        const ssize_t n = ready > 0 ? recv(fd, at, size, 0) : -1;
        if (n == 0)
            return -ECONNRESET;
        if (n < 0 && errno != EINTR)
            return -errno;
        at += MAX(n, 0);
        size -= (gsize)MAX(n, 0);
    }
    return 0;
}

static const char *why_not(int error)
{
    return error == -ETIMEDOUT ? "no answer" : "the connection ended";
}

/* The greeting may follow what a login shell has to say, of which `said` becomes the last line. */
static int receive_greeting(PmRemote *remote, GString *said)
{
    const char *const greeting = PM_SERVE_GREETING;
    const gsize length = strlen(greeting);
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint i = 0; i < NOISE_MAX; i++) {
        char c;
        const int error = receive(remote->fd, &c, 1, GREETING_TIMEOUT_MS);
        if (error)
            return error;
        g_string_append_c(line, c);
        if (strspn(line->str, " \r\n") < line->len)
            g_string_assign(said, line->str);
        if (c != '\n')
            continue;
        if (line->len >= length && g_str_has_suffix(line->str, greeting))
            return 0;
        g_string_truncate(line, 0);
    }
    return -EPROTO;
}

/* `kubectl exec` and `docker exec` pass their input on only with -i. */
static void add_interactive(GPtrArray *argv)
{
    g_autofree char *program = g_path_get_basename(argv->pdata[0]);
    static const char *const programs[] = {"kubectl", "oc", "docker", "podman", "nerdctl", NULL};

    for (guint i = 1; i < argv->len && g_strv_contains(programs, program); i++) {
        if (g_str_equal(argv->pdata[i], "exec")) {
            g_ptr_array_insert(argv, (int)i + 1, g_strdup("-i"));
            return;
        }
    }
}

static gboolean connect_to(PmRemote *remote, char **ret_why)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = NULL;
    int pair[2];

    if (remote->fd >= 0)
        return TRUE;
    if (!g_shell_parse_argv(remote->via, NULL, &words, &error)) {
        *ret_why = g_strdup_printf("--via=%s: %s", remote->via, error->message);
        return FALSE;
    }
    for (guint i = 0; words[i]; i++)
        g_ptr_array_add(argv, g_strdup(words[i]));
    add_interactive(argv);
    g_ptr_array_add(argv, g_strdup("parkctl"));
    g_ptr_array_add(argv, g_strdup("serve"));
    g_ptr_array_add(argv, NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        *ret_why = g_strdup_printf("%s: %s", remote->via, g_strerror(errno));
        return FALSE;
    }
    const gboolean begun = g_spawn_async_with_fds(
        NULL, (char **)argv->pdata, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
        NULL, &remote->child, pair[1], pair[1], -1, &error);
    close(pair[1]);
    remote->fd = pair[0];
    if (!begun) {
        remote->child = 0;
        leave(remote);
        *ret_why = g_strdup_printf("%s: %s", remote->via, error->message);
        return FALSE;
    }
    g_autoptr(GString) said = g_string_new(NULL);
    const int code = receive_greeting(remote, said);
    if (code == 0)
        return TRUE;
    g_autofree char *why =
        broken(remote, code == -EPROTO      ? "the answer is not from a compatible parkctl"
                       : code == -ETIMEDOUT ? "no answer"
                                            : "ended before parkctl answered");
    g_autofree char *line = pm_target_sentence(said->str);
    *ret_why = g_strdup_printf("%s%s%s%s; try it by hand: %s parkctl list", why,
                               *line ? " (it said: " : "", line, *line ? ")" : "", remote->via);
    return FALSE;
}

static gboolean send_line(PmRemote *remote, const char *request)
{
    g_autofree char *line = g_strconcat(request, "\n", NULL);
    const char *at = line;

    while (*at) {
        const ssize_t n = send(remote->fd, at, strlen(at), MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return FALSE;
        at += MAX(n, 0);
    }
    return TRUE;
}

/* ---- requests ---- */

/* Where the frames of an answer go. */
typedef struct {
    int (*take)(gpointer data, const void *bytes, gsize size); /* pieces; NULL: none is asked for */
    gpointer data;
    PmRemoteOutcome outcome;
    char *text; /* NULL: no last frame yet */
} Taking;

static int take_frame(gpointer data, int type, const void *bytes, gsize size)
{
    Taking *taking = data;

    if (type == PM_FRAME_PIECE)
        return taking->take ? taking->take(taking->data, bytes, size) : -1;
    taking->outcome = type == PM_FRAME_OK      ? PM_REMOTE_OK
                      : type == PM_FRAME_ENDED ? PM_REMOTE_ENDED
                                               : PM_REMOTE_REFUSED;
    taking->text = g_strndup(bytes, size);
    return 0;
}

static int receive_answer(PmRemote *remote, Taking *taking)
{
    g_autofree guint8 *bytes = NULL;
    gsize capacity = 0;

    while (!taking->text) {
        guint8 head[5];
        int error = receive(remote->fd, head, sizeof head, ANSWER_TIMEOUT_MS);
        const gsize size = error ? 0 : pm_get_u32(head + 1);
        if (error || size > PM_MIRROR_PIECE_MAX)
            return error ? error : -EPROTO;
        if (size + 1 > capacity) {
            capacity = size + 1;
            g_free(g_steal_pointer(&bytes));
            bytes = g_malloc(capacity);
        }
        error = receive(remote->fd, bytes, size, ANSWER_TIMEOUT_MS);
        if (!error && take_frame(taking, head[0], bytes, size) != 0)
            error = -EPROTO;
        if (error)
            return error;
    }
    return 0;
}

static PmRemoteOutcome request(PmRemote *remote, const char *line, Taking *taking, char **ret_text)
{
    if (!remote->via) {
        pm_serve_answer(remote->serve, line, take_frame, taking);
        *ret_text = taking->text ? taking->text : g_strdup("the copy cannot be written");
        return taking->text ? taking->outcome : PM_REMOTE_REFUSED;
    }
    if (!connect_to(remote, ret_text))
        return PM_REMOTE_BROKEN;
    int error = send_line(remote, line) ? 0 : -ECONNRESET;
    if (!error)
        error = receive_answer(remote, taking);
    if (error) {
        *ret_text = broken(remote, error == -EPROTO ? "the answer cannot be used" : why_not(error));
        return PM_REMOTE_BROKEN;
    }
    *ret_text = taking->text;
    return taking->outcome;
}

PmRemote *pm_remote_new(const char *via)
{
    PmRemote *remote = g_new0(PmRemote, 1);

    remote->via = g_strdup(via);
    remote->fd = -1;
    if (!via)
        remote->serve = pm_serve_new();
    return remote;
}

void pm_remote_free(PmRemote *remote)
{
    if (!remote)
        return;
    leave(remote);
    pm_serve_free(remote->serve);
    g_free(remote->via);
    g_free(remote);
}

PmRemoteOutcome pm_remote_list(PmRemote *remote, gboolean all, char **ret_text)
{
    Taking taking = {0};

    return request(remote, all ? "list all" : "list", &taking, ret_text);
}

PmRemoteOutcome pm_remote_ask(PmRemote *remote, int pid, const char *what, char **ret_text)
{
    Taking taking = {0};
    g_autofree char *line = g_strdup_printf("ask %d %s", pid, what);

    return request(remote, line, &taking, ret_text);
}

typedef struct {
    struct pm_sink copy;
    guint64 bytes;
} Copying;

static int take_piece(gpointer data, const void *bytes, gsize size)
{
    Copying *copying = data;

    copying->bytes += size;
    return pm_mirror_apply(copying->copy, bytes, size, NULL);
}

PmRemoteOutcome pm_remote_update(PmRemote *remote, int pid, gint64 maxage_ns, int fd,
                                 guint64 *ret_bytes, char **ret_text)
{
    g_autoptr(GString) line = g_string_new(NULL);
    Copying copying = {0};
    Taking taking = {.take = take_piece, .data = &copying};
    struct pm_mirror_mark mark;
    struct pm_source source;

    if (pm_sink_from_fd(fd, &copying.copy) < 0 || pm_source_from_fd(fd, &source) < 0) {
        *ret_text = g_strdup("the copy cannot be written");
        return PM_REMOTE_REFUSED;
    }
    pm_mirror_mark_of(source, &mark);
    g_string_printf(
        line, "news %d %" G_GINT64_FORMAT " %" G_GINT64_MODIFIER "x %x %x %" G_GINT64_MODIFIER "x",
        pid, maxage_ns, mark.file_id, mark.slot_size, mark.n_slots, mark.below);
    for (gsize i = 0; i < mark.n_open; i++)
        g_string_append_printf(line, " %" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x",
                               mark.open[i].number, mark.open[i].used);
    const PmRemoteOutcome outcome = request(remote, line->str, &taking, ret_text);
    *ret_bytes = copying.bytes;
    return outcome;
}

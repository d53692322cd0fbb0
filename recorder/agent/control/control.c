#include "recorder/agent/control/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/allocation/cells.h"
#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/allocation/memory-log.h"
#include "recorder/agent/allocation/path-request.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/allocation/wish.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/descriptor.h"
#include "recorder/agent/base/json.h"
#include "recorder/agent/base/native-thread.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/drain/drain.h"
#include "recorder/agent/hotspot/collections.h"
#include "recorder/agent/hotspot/jdk.h"
#include "recorder/agent/storage/inode.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/refusal.h"
#include "recorder/control/protocol.h"

#define MAX_CLIENTS     16
#define REPLY_SIZE      16384
#define CLIENT_NS       ((int64_t)PM_CONTROL_SERVER_TIMEOUT_MS * 1000000)
#define FLUSH_NS        5000000000
#define SAMPLE_NS       3000000000
#define STOP_NS         1000000000
#define OPEN_NS         10000000000 /* for the socket's folder */
#define WISH_NS         3000000000  /* to speak to the JVM about allocations */
#define LOOK_NS         2000000000
#define DEAD_AGE_S      60
#define CHECK_MS        2000 /* is the socket still there? */
#define PAUSE_US        100000
#define MAX_SOCKET_PATH (sizeof(((struct sockaddr_un *)0)->sun_path))

/* A socket of ours. A program may close descriptors that are not its own, and open others of these
 * numbers: such a one is neither read nor written nor closed. */
struct own_socket {
    int fd; /* -1 = none */
    struct pm_inode inode;
};

/* A client is read, answered and hung up on without ever waiting for it. */
struct client {
    struct own_socket socket;
    int64_t until_ns;
    bool answering;
    int pass_fd; /* goes with the first byte; -1 = none */
    size_t n_in, n_out, out_at;
    struct text *text;
};

/* What a client said and is told. In a reservation, not on the heap: the C library would set 64 MiB
 * of address space apart for a heap of this thread's. */
struct text {
    char in[PM_CONTROL_MAX_REQUEST];
    char out[REPLY_SIZE];
};

static struct {
    bool runs;
    _Atomic bool stopping;
    struct pm_native_thread thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool opened, ended; /* its thread has tried to listen; is over */
    int error;          /* what came of it */
    struct pm_error_info info;
    struct own_socket listener;
    char path[PM_OPTIONS_PATH_MAX];
    char link[64];    /* the usual path, when it only points to `path`; else empty */
    struct stat made; /* of the socket, so that nobody else's is unlinked */
    struct client clients[MAX_CLIENTS];
    struct pm_reservation texts; /* theirs */
} control = {.lock = PTHREAD_MUTEX_INITIALIZER, .listener = {.fd = -1}};

static bool is_ours(const struct own_socket *own)
{
    struct pm_inode now;
    return own->fd >= 0 && pm_inode_of_fd(own->fd, &now) == 0 &&
           pm_inode_is_same(&now, &own->inode);
}

/* False: it is closed again, as nothing can be known of it. */
static bool own(struct own_socket *own, int fd)
{
    struct own_socket opened = {.fd = pm_descriptor_keep(fd)};
    if (opened.fd < 0)
        return false;
    if (pm_inode_of_fd(opened.fd, &opened.inode)) {
        close(opened.fd);
        return false;
    }
    *own = opened;
    return true;
}

static void close_own(struct own_socket *own)
{
    if (is_ours(own))
        close(own->fd);
    own->fd = -1;
}

/* -- answers -- */

struct answer {
    char *text; /* of REPLY_SIZE, "ok\n" or "error SENTENCE\n" first */
    size_t length;
    int fd;
};

static void say_error(struct answer *answer, const char *sentence)
{
    /* It may repeat what was asked. */
    char plain[1000];
    pm_text_plain(plain, sizeof plain, (struct pm_text){sentence, (uint32_t)strlen(sentence)});
    answer->length = (size_t)snprintf(answer->text, REPLY_SIZE, "error %s\n", plain);
}

static void say_ok(struct answer *answer, const char *text)
{
    int length = snprintf(answer->text, REPLY_SIZE, "ok\n%s", text);
    answer->length = length < REPLY_SIZE ? (size_t)length : REPLY_SIZE - 1;
}

static void begin_json(struct answer *answer, struct pm_json *json)
{
    memcpy(answer->text, "ok\n", 3);
    pm_json_begin(json, answer->text + 3, REPLY_SIZE - 3);
}

static void end_json(struct answer *answer, struct pm_json *json)
{
    pm_json_end(json);
    answer->length = 3 + json->length;
}

static void add_begin(struct pm_json *json, int64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    char day[32];
    char text[48];
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, sizeof text, "%s.%03dZ", day, (int)(unix_ns / 1000000 % 1000));
    pm_json_add_string(json, "begin", text);
    pm_json_add_int(json, "begin_unix_ns", unix_ns);
}

static void answer_hello(const char *arguments, struct answer *answer)
{
    const struct pm_facts *facts = pm_drain_facts();
    struct pm_status status;
    pm_drain_get_status(&status);
    struct pm_json json;
    begin_json(answer, &json);
    pm_json_add_int(&json, "pid", getpid());
    if (facts) {
        pm_json_add_text(&json, "main", facts->main);
        pm_json_add_text(&json, "jvm", facts->jvm);
        add_begin(&json, facts->begin_unix_ns);
    }
    pm_json_add_bool(&json, "recording", status.recording);
    pm_json_add_string(&json, "file", status.file);
    pm_json_add_int(&json, "size", (int64_t)status.file_size);
    end_json(answer, &json);
}

static void answer_status(const char *arguments, struct answer *answer)
{
    const struct pm_facts *facts = pm_drain_facts();
    struct pm_status status;
    struct pm_options options;
    bool is_late = pm_drain_flush(FLUSH_NS) != 0; /* so that the numbers are those of now */
    pm_drain_get_status(&status);
    if (is_late && !status.error[0])
        snprintf(status.warning, sizeof status.warning,
                 "the recorder's thread has not answered for 5 s, as when the disk does not: these "
                 "numbers are older");
    pm_drain_get_options(&options);
    struct pm_json json;
    begin_json(answer, &json);
    pm_json_add_int(&json, "pid", getpid());
    pm_json_add_bool(&json, "recording", status.recording);
    pm_json_add_string(&json, "file", status.file);
    pm_json_add_int(&json, "size", (int64_t)status.file_size);
    pm_json_add_int(&json, "maxsize", (int64_t)status.max_size);
    if (facts) {
        add_begin(&json, facts->begin_unix_ns);
        pm_json_add_text(&json, "main", facts->main);
        pm_json_add_text(&json, "jvm", facts->jvm);
        /* What was found to be missing since, as virtual threads are met, comes to it. */
        char not_recorded[PM_NOT_RECORDED_MAX];
        snprintf(not_recorded, sizeof not_recorded, "%.*s", (int)facts->not_recorded.length,
                 facts->not_recorded.bytes);
        pm_jdk_list_losses(not_recorded, sizeof not_recorded);
        pm_json_add_string(&json, "not_recorded", not_recorded);
    }
    if (facts) /* by the clock that nobody sets, as all times are */
        pm_json_add_int(&json, "now_unix_ns",
                        facts->begin_unix_ns + pm_clock_now() - facts->begin_ns);
    int64_t oldest_ns = status.oldest_ns - status.begin_ns;
    pm_json_add_int(&json, "oldest_ns", oldest_ns > 0 ? oldest_ns : 0);
    pm_json_add_int(&json, "waits", (int64_t)status.waits);
    pm_json_add_int(&json, "wait_bytes", (int64_t)status.wait_bytes);
    pm_json_add_int(&json, "dropped", (int64_t)status.dropped);
    pm_json_add_int(&json, "in_progress", (int64_t)status.in_progress);
    pm_json_add_int(&json, "longest_in_progress_ns", status.longest_in_progress_ns);
    pm_json_add_int(&json, "deadlocks", status.deadlocks);
    pm_json_add_int(&json, "blockers", (int64_t)status.blockers);
    pm_json_add_int(&json, "chains", pm_tables_n_chains());
    pm_json_add_int(&json, "chain_hits", (int64_t)pm_self_metrics.chain_hits);
    pm_json_add_int(&json, "chain_misses", (int64_t)pm_self_metrics.chain_misses);
    pm_json_add_int(&json, "chain_mismatches", (int64_t)pm_self_metrics.chain_mismatches);
    pm_json_add_int(&json, "chain_epochs", pm_chain_cache.epochs);
    pm_json_add_bool(&json, "chain_cache", pm_chain_cache.is_on);
    pm_json_add_int(&json, "threads", pm_tables_n_threads());
    pm_json_add_int(&json, "slots", status.slots);
    pm_json_add_int(&json, "stops", (int64_t)pm_self_metrics.stops);
    pm_json_add_int(&json, "stopped_ns", (int64_t)pm_self_metrics.stopped_ns);
    pm_json_add_int(&json, "longest_stop_ns", (int64_t)pm_self_metrics.longest_stop_ns);
    pm_json_add_int(&json, "monitor_events", pm_self_metrics.monitor_events);
    pm_json_add_int(&json, "hooks_rebound", pm_self_metrics.hooks_rebound);
    pm_json_add_int(&json, "parks_unseen", pm_self_metrics.parks_unseen);
    for (int reason = 0; reason < PM_N_REFUSALS; reason++) {
        char key[40];
        snprintf(key, sizeof key, "refused_%s", pm_refusal_names[reason]);
        pm_json_add_int(&json, key, (int64_t)pm_refusal_count(reason));
    }
    if (pm_thinning_interval() >= 0)
        pm_json_add_int(&json, "alloc_bytes", pm_thinning_interval());
    else
        pm_json_add_null(&json, "alloc_bytes");
    pm_json_add_int(&json, "alloc_wanted_bytes", options.alloc_bytes);
    pm_json_add_int(&json, "alloc_base_bytes", pm_thinning_base());
    pm_json_add_int(&json, "alloc_reported", (int64_t)pm_thinning_reported());
    pm_json_add_int(&json, "alloc_cells", pm_cells_count());
    pm_json_add_int(&json, "alloc_followed", pm_followed_count());
    pm_json_add_int(&json, "alloc_followed_most", pm_followed_most());
    pm_json_add_int(&json, "young_pause_ns", pm_collections_young_pause());
    pm_json_add_string(&json, "accounts", options.accounts);
    pm_json_add_int(&json, "drain_cpu_ns", status.cpu_ns);
    pm_json_add_int(&json, "memory_bytes", (int64_t)status.memory_bytes);
    pm_json_add_bool(&json, "monitors", options.monitors);
    pm_json_add_bool(&json, "vthreads", options.vthreads);
    const char *virtual_parks = atomic_load(&pm_self_metrics.virtual_parks);
    pm_json_add_string(&json, "virtual_parks", virtual_parks ? virtual_parks : "none");
    pm_json_add_int(&json, "parks_undone", pm_self_metrics.parks_undone);
    pm_json_add_bool(&json, "events", options.events);
    pm_json_add_int(&json, "snapshot_ns", options.snapshot_ns);
    pm_json_add_int(&json, "flush_ns", options.flush_ns);
    pm_json_add_int(&json, "mintime_ns", options.mintime_ns);
    pm_json_add_int(&json, "minparks", (int64_t)options.minparks);
    pm_json_add_int(&json, "maxage_ns", options.maxage_ns);
    pm_json_add_int(&json, "files", status.files);
    pm_json_add_int(&json, "lost", (int64_t)status.lost_waits);
    pm_json_add_bool(&json, "storing", status.storing);
    if (status.error[0])
        pm_json_add_string(&json, "error", status.error);
    else
        pm_json_add_null(&json, "error");
    if (status.error[0] || status.warning[0])
        pm_json_add_string(&json, "warning", status.error[0] ? status.error : status.warning);
    end_json(answer, &json);
}

/* Before a flush that is to hold all of memory, as fresh as can be: of a program without samples of
 * allocations there is nothing to wait for. */
static void look_at_memory(void)
{
    if (pm_cells_count() == 0)
        return;
    pm_wish_look(LOOK_NS);
    pm_memory_log_want_all();
}

static void answer_flush(const char *arguments, struct answer *answer)
{
    if (pm_drain_flush(FLUSH_NS))
        say_error(answer, "the recorder did not flush within 5 s");
    else
        say_ok(answer, "");
}

static void answer_dump(const char *arguments, struct answer *answer)
{
    look_at_memory();
    if (pm_drain_sample_owners(SAMPLE_NS) && pm_drain_flush(FLUSH_NS)) {
        say_error(answer, "the recorder did not flush within 5 s");
        return;
    }
    int fd = pm_drain_open_fd();
    if (fd < 0) {
        int error = errno;
        struct pm_status status;
        char sentence[PM_OPTIONS_PATH_MAX + 100];
        pm_drain_get_status(&status);
        if (status.storing) {
            snprintf(sentence, sizeof sentence, "cannot open %.1000s: %s", status.file,
                     strerror(error));
        } else {
            snprintf(sentence, sizeof sentence, "there is no file: %s", status.error);
        }
        say_error(answer, sentence);
        return;
    }
    answer->fd = fd;
    say_ok(answer, "");
}

/* Only the JVM can say whether it does. `before`: what stays when it does not. */
static int set_alloc(struct pm_options *options, int64_t before, struct pm_error_info *ret_info)
{
    int error = pm_wish_interval(options->alloc_bytes, WISH_NS);
    if (!error)
        return 0;
    options->alloc_bytes = error == PM_ERROR_ARGUMENT ? PM_THINNING_OFF : before;
    pm_drain_set(options, NULL);
    if (error == PM_ERROR_ARGUMENT)
        return pm_error_set(ret_info, error, -1,
                            "alloc stays off: another tool in this JVM uses its allocation sampler "
                            "(can_generate_sampled_object_alloc_events); end that tool first");
    return pm_error_set(ret_info, error, -1, "the JVM did not answer within 3 s");
}

/* Options that can change while recording; PM_OK without any. */
static int take_options(const char *arguments, struct answer *answer)
{
    if (!*arguments)
        return 0;
    struct pm_options options;
    struct pm_error_info info = {0};
    pm_drain_get_options(&options);
    int64_t alloc_bytes = options.alloc_bytes;
    int error = pm_options_parse(&options, arguments, &info);
    if (!error)
        error = pm_drain_set(&options, &info);
    if (!error && options.alloc_bytes != alloc_bytes)
        error = set_alloc(&options, alloc_bytes, &info);
    if (error)
        say_error(answer, info.code ? info.text : pm_error_name(error));
    return error;
}

static void answer_set(const char *arguments, struct answer *answer)
{
    if (!*arguments)
        say_error(answer, "set needs KEY=VALUE, as in: set maxsize=64m");
    else if (take_options(arguments, answer) == 0)
        say_ok(answer, "");
}

static void answer_start(const char *arguments, struct answer *answer)
{
    if (take_options(arguments, answer))
        return;
    if (pm_drain_set_recording(true))
        say_error(answer, "the recorder did not answer within 10 s");
    else
        say_ok(answer, "");
}

static void answer_stop(const char *arguments, struct answer *answer)
{
    if (pm_drain_set_recording(false))
        say_error(answer, "the recorder did not answer within 10 s");
    else
        say_ok(answer, "");
}

/* Asked anew until it is done: nobody else waits for it. */
static void answer_path(const char *arguments, struct answer *answer)
{
    static char text[PM_PATH_TEXT_MAX + 16];
    const char *why;
    struct pm_status status;
    pm_drain_get_status(&status);
    if (!*arguments) {
        pm_path_read(text, sizeof text);
        say_ok(answer, text);
    } else if (pm_path_ask(arguments, status.begin_ns, &why)) {
        pm_wish_hurry();
        say_ok(answer, "");
    } else {
        say_error(answer, why);
    }
}

static void answer_help(const char *arguments, struct answer *answer);

static const struct command {
    const char *name;
    void (*answer)(const char *arguments, struct answer *answer);
    const char *help;
} commands[] = {
    {"help", answer_help, "this list"},
    {"hello", answer_hello, "identity of this JVM, as JSON"},
    {"status", answer_status, "what is recorded and its cost, as JSON"},
    {"flush", answer_flush, "make everything up to now readable in the file"},
    {"dump", answer_dump, "flush, sample owners, pass a descriptor of the file"},
    {"start", answer_start, "start recording; options as for `set`"},
    {"stop", answer_stop, "stop recording until `start`; waits in progress are cut"},
    {"path", answer_path,
     "MILLISECONDS CLASS: find what keeps an object alive; without arguments: the result"},
    {"set", answer_set, "KEY=VALUE,…: change options while recording"},
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static void answer_help(const char *arguments, struct answer *answer)
{
    char text[REPLY_SIZE - 64];
    size_t length = 0;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%-8s %s\n",
                                   commands[i].name, commands[i].help);
    }
    snprintf(text + length, sizeof text - length, "\noptions:\n%s", pm_options_help());
    say_ok(answer, text);
}

static void answer_line(const char *line, struct answer *answer)
{
    size_t length = strcspn(line, " ");
    const char *arguments = line + length;
    arguments += strspn(arguments, " ");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strlen(commands[i].name) == length && memcmp(commands[i].name, line, length) == 0) {
            commands[i].answer(arguments, answer);
            return;
        }
    }
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "unknown command '%.*s'; commands: help, hello, status, flush, dump, start, stop, "
             "path, set",
             length < 40 ? (int)length : 40, line);
    say_error(answer, sentence);
}

/* -- clients -- */

static void hang_up(struct client *client)
{
    if (client->pass_fd >= 0)
        close(client->pass_fd);
    client->pass_fd = -1;
    close_own(&client->socket);
}

/* Sends what the socket takes; hangs up when all is sent or it fails. */
static void send_more(struct client *client)
{
    while (client->out_at < client->n_out) {
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } ancillary;
        struct iovec part = {.iov_base = client->text->out + client->out_at,
                             .iov_len = client->n_out - client->out_at};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (client->pass_fd >= 0) {
            memset(&ancillary, 0, sizeof ancillary);
            message.msg_control = &ancillary;
            message.msg_controllen = sizeof ancillary;
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(header), &client->pass_fd, sizeof(int));
        }
        if (!is_ours(&client->socket))
            break;
        ssize_t n = sendmsg(client->socket.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            break;
        if (client->pass_fd >= 0) {
            close(client->pass_fd);
            client->pass_fd = -1;
        }
        client->out_at += (size_t)n;
    }
    hang_up(client);
}

static void answer_client(struct client *client, size_t line_length)
{
    client->text->in[line_length] = 0;
    if (line_length > 0 && client->text->in[line_length - 1] == '\r')
        client->text->in[line_length - 1] = 0;
    struct answer answer = {.text = client->text->out, .fd = -1};
    answer_line(client->text->in, &answer);
    client->n_out = answer.length;
    client->out_at = 0;
    client->pass_fd = answer.fd;
    client->answering = true;
    client->until_ns = pm_clock_now() + CLIENT_NS;
    send_more(client);
}

static void refuse_client(struct client *client, const char *sentence)
{
    struct answer answer = {.text = client->text->out, .fd = -1};
    say_error(&answer, sentence);
    client->n_out = answer.length;
    client->out_at = 0;
    client->answering = true;
    send_more(client);
}

static void read_more(struct client *client)
{
    size_t room = PM_CONTROL_MAX_REQUEST - client->n_in;
    if (!is_ours(&client->socket)) {
        hang_up(client);
        return;
    }
    ssize_t n = recv(client->socket.fd, client->text->in + client->n_in, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        hang_up(client);
        return;
    }
    char *end = memchr(client->text->in + client->n_in, '\n', (size_t)n);
    client->n_in += (size_t)n;
    if (end)
        answer_client(client, (size_t)(end - client->text->in));
    else if (client->n_in == PM_CONTROL_MAX_REQUEST)
        refuse_client(client, "the request is longer than 4096 bytes");
}

static struct client *find_place(void)
{
    struct client *oldest = &control.clients[0];
    for (size_t i = 0; i < MAX_CLIENTS; i++) {
        struct client *client = &control.clients[i];
        if (client->socket.fd < 0)
            return client;
        if (client->until_ns < oldest->until_ns)
            oldest = client;
    }
    hang_up(oldest); /* who connects and says nothing must not keep others out */
    return oldest;
}

static void accept_client(void)
{
    int fd =
        pm_descriptor_keep(accept4(control.listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            usleep(PAUSE_US); /* the program has used up its descriptors: not our loop to spin */
        return;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
        (peer.uid != 0 && peer.uid != geteuid())) {
        close(fd);
        return;
    }
    struct client *client = find_place();
    size_t place = (size_t)(client - control.clients);
    if (!pm_reservation_open(&control.texts, (place + 1) * sizeof(struct text))) {
        close(fd);
        return;
    }
    if (!own(&client->socket, fd))
        return;
    client->text = (struct text *)(void *)control.texts.base + place;
    client->pass_fd = -1;
    client->answering = false;
    client->n_in = client->n_out = client->out_at = 0;
    client->until_ns = pm_clock_now() + CLIENT_NS;
}

/* -- what dead JVMs left -- */

static bool is_answered(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool answered =
        fd >= 0 &&
        (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EAGAIN);
    if (fd >= 0)
        close(fd);
    return answered;
}

static void remove_if_dead(int folder, const char *name, const char *prefix)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    const char *pid = name + strlen(prefix);
    if (strncmp(name, prefix, strlen(prefix)) != 0 || !*pid || pid[strspn(pid, "0123456789.")] ||
        strlen(pid) > 12 || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !(S_ISSOCK(status.st_mode) || S_ISLNK(status.st_mode)) || status.st_uid != geteuid() ||
        status.st_mtim.tv_sec > time(NULL) - DEAD_AGE_S)
        return;
    snprintf(address.sun_path, sizeof address.sun_path, "%s%s", PM_CONTROL_SOCKET_PREFIX, pid);
    if (!is_answered(&address))
        unlink(address.sun_path);
}

/* A JVM that was killed could not remove its socket. What is of this user, not young (between bind
 * and listen nobody answers either) and not answered goes, as a recording beyond `keep` does. Read
 * without the C library's directories, which lie on the heap. */
static void remove_dead_sockets(void)
{
    char path[] = PM_CONTROL_SOCKET_PREFIX;
    size_t length = (size_t)(strrchr(path, '/') + 1 - path);
    const char *prefix = &PM_CONTROL_SOCKET_PREFIX[length];
    path[length] = 0;
    _Alignas(struct dirent64) char entries[4096];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n;
    while (folder >= 0 && (n = getdents64(folder, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < n && !control.stopping;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
            remove_if_dead(folder, entry->d_name, prefix);
            at += entry->d_reclen;
        }
    }
    if (folder >= 0)
        close(folder);
}

/* A socket or link that a process with our pid left behind. */
static void remove_stale(const char *path, const struct sockaddr_un *address)
{
    struct stat status;
    if (lstat(path, &status) == 0 && status.st_uid == geteuid() &&
        (S_ISLNK(status.st_mode) || (S_ISSOCK(status.st_mode) && !is_answered(address))))
        unlink(path);
}

/* -- the socket -- */

static int listen_at(const char *path, struct pm_error_info *ret_info)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= MAX_SOCKET_PATH) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "socket=%.60s… is longer than %zu bytes", path, MAX_SOCKET_PATH - 1);
    }
    strcpy(address.sun_path, path);
    remove_stale(path, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "no control socket: %s", strerror(errno));
    fchmod(fd, 0600); /* Linux gives the path this mode, with no moment in between */
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        lstat(path, &control.made) < 0 ||
        ((control.made.st_mode & 0777) != 0600 && chmod(path, 0600) < 0) || listen(fd, 64) < 0) {
        int error = errno;
        close(fd);
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "no control socket at %.120s: %s", path,
                            strerror(error));
    }
    pthread_mutex_lock(&control.lock);
    bool owned = own(&control.listener, fd);
    pthread_mutex_unlock(&control.lock);
    if (!owned)
        return pm_error_set(ret_info, PM_ERROR_IO, -1,
                            "no control socket: it cannot be told from "
                            "the program's");
    return 0;
}

/* At the first of the usual names that is not somebody else's. */
static int listen_as_usual(struct pm_error_info *ret_info)
{
    struct pm_error_info info;
    pm_control_name(getpid(), 0, control.path, sizeof control.path);
    int error = listen_at(control.path, ret_info);
    for (int number = 1; error && number < PM_CONTROL_N_NAMES; number++) {
        pm_control_name(getpid(), number, control.path, sizeof control.path);
        error = listen_at(control.path, &info);
    }
    return error;
}

/* Where parkctl looks for it by the pid, when it is elsewhere. */
static void make_link(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char usual[64];
    pm_control_name(getpid(), 0, usual, sizeof usual);
    if (control.path[0] != '/' || strcmp(control.path, usual) == 0)
        return;
    strcpy(address.sun_path, usual);
    remove_stale(usual, &address);
    if (symlink(control.path, usual) == 0)
        strcpy(control.link, usual);
}

static void close_listener(void)
{
    pthread_mutex_lock(&control.lock);
    close_own(&control.listener);
    pthread_mutex_unlock(&control.lock);
}

static bool is_in_place(void)
{
    struct stat status;
    return is_ours(&control.listener) && lstat(control.path, &status) == 0 &&
           status.st_dev == control.made.st_dev && status.st_ino == control.made.st_ino;
}

/* The program closed it, or somebody tidied its folder: there is another one as soon as can be. */
static void listen_again(void)
{
    struct pm_error_info info;
    struct stat status;
    if (!is_in_place()) {
        close_listener();
        (void)listen_at(control.path, &info);
    }
    if (control.link[0] && lstat(control.link, &status) < 0)
        make_link();
}

static void unlink_socket(void)
{
    struct stat status;
    if (lstat(control.path, &status) == 0 && status.st_dev == control.made.st_dev &&
        status.st_ino == control.made.st_ino)
        unlink(control.path);
    if (control.link[0]) {
        unlink(control.link);
        control.link[0] = 0;
    }
}

/* -- the thread -- */

/* As poll, which takes no more descriptors than the program may have open, and which a filter of
 * system calls may refuse: then all are looked at, now and then; none of them makes us wait. */
static int await(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    int ready = poll(fds, n, timeout_ms);
    if (ready >= 0 || errno == EINTR)
        return ready;
    usleep(PAUSE_US);
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = fds[i].events;
    return (int)n;
}

static void note(bool *done)
{
    pthread_mutex_lock(&control.lock);
    *done = true;
    pthread_cond_broadcast(&control.changed);
    pthread_mutex_unlock(&control.lock);
}

static void serve(void)
{
    while (!control.stopping) {
        struct pollfd fds[MAX_CLIENTS + 1];
        struct client *of[MAX_CLIENTS + 1];
        nfds_t n = 0;
        listen_again();
        if (control.stopping)
            return; /* whoever stopped us knew another socket */
        fds[n++] = (struct pollfd){.fd = control.listener.fd, .events = POLLIN};
        int64_t now_ns = pm_clock_now();
        int64_t until_ns = now_ns + CHECK_MS * INT64_C(1000000);
        for (size_t i = 0; i < MAX_CLIENTS; i++) {
            struct client *client = &control.clients[i];
            if (client->socket.fd >= 0 && client->until_ns <= now_ns)
                hang_up(client);
            if (client->socket.fd >= 0) {
                of[n] = client;
                fds[n++] = (struct pollfd){.fd = client->socket.fd,
                                           .events = client->answering ? POLLOUT : POLLIN};
                until_ns = client->until_ns < until_ns ? client->until_ns : until_ns;
            }
        }
        if (await(fds, n, (int)((until_ns - now_ns) / 1000000 + 1)) <= 0)
            continue;
        for (nfds_t i = 1; i < n && !control.stopping; i++) {
            if (fds[i].revents == 0 || of[i]->socket.fd != fds[i].fd)
                continue;
            if (of[i]->answering)
                send_more(of[i]);
            else
                read_more(of[i]);
        }
        if (fds[0].revents && !control.stopping && is_ours(&control.listener))
            accept_client();
    }
}

/* All that looks at the socket's folder, which may not answer, is done here. */
static void *run(void *context)
{
    bool is_usual = !control.path[0];
    control.error =
        is_usual ? listen_as_usual(&control.info) : listen_at(control.path, &control.info);
    if (!control.error && !is_usual)
        make_link();
    note(&control.opened);
    if (!control.error) {
        remove_dead_sockets();
        serve();
        for (size_t i = 0; i < MAX_CLIENTS; i++)
            hang_up(&control.clients[i]);
        unlink_socket();
        close_listener();
    }
    note(&control.ended);
    return NULL;
}

static bool await_change(const bool *ret_done, int64_t ns)
{
    int64_t until_ns = pm_clock_now() + ns;
    pthread_mutex_lock(&control.lock);
    while (!*ret_done && pm_native_thread_wait(&control.changed, &control.lock, until_ns) == 0) {
    }
    bool done = *ret_done;
    pthread_mutex_unlock(&control.lock);
    return done;
}

static int start_thread(const struct pm_options *options, struct pm_error_info *ret_info)
{
    control.link[0] = 0;
    snprintf(control.path, sizeof control.path, "%s", options->socket);
    for (size_t i = 0; i < MAX_CLIENTS; i++)
        control.clients[i].socket.fd = control.clients[i].pass_fd = -1;
    control.stopping = control.opened = control.ended = false;
    pm_native_thread_condition_init(&control.changed);
    if (pm_reservation_init(&control.texts, MAX_CLIENTS * sizeof(struct text)) ||
        pm_native_thread_start(&control.thread, "parkmeter-ctl", 128 << 10, run, NULL))
        return pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no thread for the control socket");
    control.runs = true;
    return 0;
}

int pm_control_start(const struct pm_options *options, struct pm_error_info *ret_info)
{
    if (strcmp(options->socket, "off") == 0)
        return 0;
    int error = control.runs ? 0 : start_thread(options, ret_info);
    if (error)
        return error;
    if (!await_change(&control.opened, OPEN_NS))
        return pm_error_set(ret_info, PM_ERROR_IO, -1,
                            "no control socket: its folder does not answer");
    if (!control.error)
        return 0;
    *ret_info = control.info;
    pm_native_thread_join(&control.thread);
    control.runs = false;
    return control.error;
}

/* The thread sleeps on the socket even if the program has closed its descriptor meanwhile. */
static void wake(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, control.path);
    pthread_mutex_lock(&control.lock);
    bool is_lost = control.opened && !is_ours(&control.listener);
    if (is_ours(&control.listener))
        shutdown(control.listener.fd, SHUT_RDWR);
    pthread_mutex_unlock(&control.lock);
    if (is_lost)
        (void)is_answered(&address);
}

void pm_control_stop(void)
{
    if (!control.runs)
        return;
    control.runs = false;
    control.stopping = true;
    wake();
    if (await_change(&control.ended, STOP_NS))
        pm_native_thread_join(&control.thread);
    else
        pm_native_thread_detach(&control.thread); /* it waits for a disk */
}

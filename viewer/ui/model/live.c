#include "viewer/ui/model/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "format/copy.h"
#include "format/input.h"

/* The next update comes this long after the last at the earliest, and so late that following takes
 * no more than SHARE of a core: what an update costs is measured, from asking for it until it is
 * shown and drawn. A user who works in the window meanwhile makes it look dearer: at most that
 * long.
 */
#define LEAST_PAUSE_MS 1000
#define MOST_PAUSE_MS  60000
#define DRAWN_MS       300
#define SHARE          0.08

/* `parkctl PID follow` that keeps a file up to date, and is asked by a line. */
struct PmLive {
    PmState *state;
    PmLoader *loader;
    guint pid;
    char *via; /* NULL = this machine */
    char *folder, *path;
    char *shown_path; /* of a child before, until this one's file is shown */
    guint n_files;
    GSubprocess *child; /* NULL = none, or it ended */
    GDataInputStream *answers;
    char *said; /* its last line on stderr */
    gboolean asked, shown, over;
    guint awaited; /* PmChange that says that an update is shown; 0 = none is read or computed */
    gint64 began_us, began_cpu_us;
    guint timer;
    gulong changed;
    GCancellable *cancel; /* of the child's streams */
};

static const char *given_parkctl;

void pm_live_use_parkctl(const char *path)
{
    given_parkctl = path;
}

char *pm_live_parkctl(void)
{
    static const char *const places[] = {"parkctl", "../../recorder/parkctl/parkctl"};
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = g_path_get_dirname(self ? self : ".");

    if (given_parkctl)
        return g_strdup(given_parkctl);
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *path = g_build_filename(folder, places[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
            return g_steal_pointer(&path);
    }
    return g_find_program_in_path("parkctl");
}

static void forget_file(char **path)
{
    if (*path) {
        g_unlink(*path);
        g_clear_pointer(path, g_free);
    }
}

/* Closing its input ends it. */
static void leave_child(PmLive *live)
{
    if (live->cancel) {
        g_cancellable_cancel(live->cancel);
        g_clear_object(&live->cancel);
    }
    if (live->child)
        g_output_stream_close(g_subprocess_get_stdin_pipe(live->child), NULL, NULL);
    g_clear_object(&live->child);
    g_clear_object(&live->answers);
    g_clear_pointer(&live->said, g_free);
    live->asked = FALSE;
}

static void ask(PmLive *live);

static gboolean timer_cb(gpointer data)
{
    PmLive *live = data;

    live->timer = 0;
    ask(live);
    return G_SOURCE_REMOVE;
}

/* That this program has used so far, all its threads. */
static gint64 cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void ask_later(PmLive *live)
{
    const gint64 passed_ms = (g_get_monotonic_time() - live->began_us) / 1000;
    const double cost_ms = (double)(cpu_us() - live->began_cpu_us) / 1000;
    const gint64 due_ms = MIN((gint64)(cost_ms / SHARE), MOST_PAUSE_MS) - passed_ms;

    if (pm_state_get_live(live->state) == PM_LIVE_FOLLOWING && live->timer == 0)
        live->timer = g_timeout_add((guint)MAX(due_ms, LEAST_PAUSE_MS), timer_cb, live);
}

static gboolean drawn_cb(gpointer data)
{
    PmLive *live = data;

    live->timer = 0;
    ask_later(live);
    return G_SOURCE_REMOVE;
}

/* What was read is computed, and shown with the next frames. */
static void changed_cb(PmState *state, guint mask, gpointer data)
{
    PmLive *live = data;

    const PmLoadingState loading = pm_state_get_loading(state)->state;

    if (!(mask & live->awaited))
        return;
    if (!(mask & PM_CHANGE_RENEWED) && loading != PM_LOADING_FAILED &&
        (loading == PM_LOADING_READING || pm_state_is_busy(state)))
        return; /* the first, not there yet */
    live->awaited = 0;
    if (pm_state_get_live(state) == PM_LIVE_FOLLOWING && live->timer == 0 && !live->over)
        live->timer = g_timeout_add(DRAWN_MS, drawn_cb, live);
}

static void end(PmLive *live)
{
    pm_state_set_live_trouble(live->state, NULL);
    pm_state_set_live(live->state, PM_LIVE_ENDED, live->pid);
    leave_child(live);
}

static void read_cb(PmRecording *recording, gpointer data)
{
    PmLive *live = data;

    if (!live->path) /* stopped meanwhile */
        return;
    if (recording)
        forget_file(&live->shown_path);
    if (live->over) {
        end(live);
    } else if (!recording) {
        live->awaited = 0;
        ask_later(live);
    }
}

/* What was received is shown on, and asked for again; with nothing to show there is no use in it.
 */
static void failed(PmLive *live, const char *why)
{
    if (live->shown) {
        pm_state_set_live_trouble(live->state, why);
        ask_later(live);
        return;
    }
    g_autoptr(GError) error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_FAILED, why);
    g_autofree char *name = g_strdup_printf("JVM %u", live->pid);
    PmLoading loading = {.state = PM_LOADING_FAILED, .path = name, .error = error};
    pm_live_stop(live);
    pm_state_set_recording(live->state, NULL);
    pm_state_set_loading(live->state, &loading);
}

static void show(PmLive *live)
{
    pm_state_set_live_trouble(live->state, NULL);
    live->awaited = pm_state_get_recording(live->state) && live->shown
                        ? PM_CHANGE_RENEWED
                        : PM_CHANGE_BUSY | PM_CHANGE_LOADING;
    if (live->shown) {
        gint64 since, until;
        if (live->over || pm_state_get_live(live->state) == PM_LIVE_PAUSED)
            since = G_MININT64;
        else if (!pm_state_get_range(live->state, &since, &until))
            since = G_MAXINT64; /* else what is looked at stays */
        pm_loader_renew(live->loader, live->path, since, read_cb, live);
        return;
    }
    live->shown = TRUE; /* the first: with progress, and errors on the screen */
    pm_loader_read_newest(live->loader, live->path);
}

/* "ok BYTES", "error …", "ended …", "broken …". */
static void answered(PmLive *live, const char *line)
{
    const char *rest = strchr(line, ' ');

    rest = rest ? rest + 1 : "";
    if (g_str_has_prefix(line, "ok ")) {
        show(live);
    } else if (g_str_has_prefix(line, "ended ") && live->shown) {
        live->over = TRUE; /* once what it wrote last is shown */
        show(live);
    } else if (g_str_has_prefix(line, "broken ") && live->said) {
        g_autofree char *both = g_strdup_printf("%s (%s)", rest, live->said);
        failed(live, both);
    } else {
        failed(live, rest);
    }
}

static void answer_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *line =
        g_data_input_stream_read_line_finish(G_DATA_INPUT_STREAM(source), result, NULL, &error);

    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; /* the follower may be gone */
    PmLive *live = data;
    live->asked = FALSE;
    if (line) {
        answered(live, line);
        return;
    }
    g_autofree char *why = g_strdup(live->said ? live->said : "parkctl did not answer");
    leave_child(live); /* the next begins anew */
    failed(live, why);
}

static void said_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    GDataInputStream *stream = G_DATA_INPUT_STREAM(source);
    char *line = g_data_input_stream_read_line_finish(stream, result, NULL, &error);

    if (!line || error) {
        g_free(line);
        return;
    }
    PmLive *live = data;
    g_free(live->said);
    live->said = g_strchomp(line); /* ssh ends its own with \r\n */
    g_data_input_stream_read_line_async(stream, G_PRIORITY_DEFAULT, live->cancel, said_cb, live);
}

static gboolean start_child(PmLive *live, GError **error)
{
    g_autofree char *parkctl = pm_live_parkctl(), *pid = g_strdup_printf("%u", live->pid);

    if (!parkctl) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                    "parkctl is neither next to this program nor on the PATH");
        return FALSE;
    }
    if (live->shown && !live->shown_path)
        live->shown_path = g_steal_pointer(&live->path);
    forget_file(&live->path);
    live->path = g_strdup_printf("%s/jvm-%u-%u.park", live->folder, live->pid, ++live->n_files);
    g_autofree char *file = g_strconcat("filename=", live->path, NULL);
    g_autofree char *via = g_strconcat("--via=", live->via, NULL);
    const char *argv[] = {parkctl, via, pid, "follow", file, NULL};
    const char *here[] = {parkctl, pid, "follow", file, NULL};
    live->child = g_subprocess_newv(live->via ? argv : here,
                                    G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                        G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                    error);
    if (!live->child)
        return FALSE;
    live->cancel = g_cancellable_new();
    live->answers = g_data_input_stream_new(g_subprocess_get_stdout_pipe(live->child));
    g_autoptr(GDataInputStream) said =
        g_data_input_stream_new(g_subprocess_get_stderr_pipe(live->child));
    g_data_input_stream_read_line_async(said, G_PRIORITY_DEFAULT, live->cancel, said_cb, live);
    return TRUE;
}

static void ask(PmLive *live)
{
    g_autoptr(GError) error = NULL;

    if (live->asked || live->awaited)
        return;
    live->began_us = g_get_monotonic_time();
    live->began_cpu_us = cpu_us();
    if (!live->child && !start_child(live, &error)) {
        failed(live, error->message);
        return;
    }
    /* When it has ended, the answer is that. */
    g_output_stream_write_all(g_subprocess_get_stdin_pipe(live->child), "\n", 1, NULL, NULL, NULL);
    live->asked = TRUE;
    g_data_input_stream_read_line_async(live->answers, G_PRIORITY_DEFAULT, live->cancel, answer_cb,
                                        live);
}

PmLive *pm_live_new(PmState *state, PmLoader *loader)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLive *live = g_new0(PmLive, 1);

    signal(SIGPIPE, SIG_IGN); /* a parkctl that ended must not end this program */
    live->state = state;
    live->loader = loader;
    live->changed = g_signal_connect(state, "changed", G_CALLBACK(changed_cb), live);
    return live;
}

void pm_live_stop(PmLive *live)
{
    g_return_if_fail(live);
    g_clear_handle_id(&live->timer, g_source_remove);
    leave_child(live);
    forget_file(&live->path);
    forget_file(&live->shown_path);
    if (live->folder) {
        g_rmdir(live->folder);
        g_clear_pointer(&live->folder, g_free);
    }
    g_clear_pointer(&live->via, g_free);
    live->pid = 0;
    live->shown = live->over = FALSE;
    live->awaited = 0;
    pm_state_set_live_trouble(live->state, NULL);
    pm_state_set_live(live->state, PM_LIVE_OFF, 0);
}

void pm_live_free(PmLive *live)
{
    if (live) {
        pm_live_stop(live);
        g_signal_handler_disconnect(live->state, live->changed);
        g_free(live);
    }
}

void pm_live_start(PmLive *live, guint pid, const char *via)
{
    g_return_if_fail(live);
    g_autoptr(GError) error = NULL;

    pm_live_stop(live);
    live->pid = pid;
    live->via = via && *via ? g_strdup(via) : NULL;
    live->folder = g_dir_make_tmp("parkmeter-live-XXXXXX", &error);
    if (!live->folder) {
        failed(live, error->message);
        return;
    }
    pm_state_set_live(live->state, PM_LIVE_FOLLOWING, pid);
    ask(live);
}

static int copy(const char *path, int fd, struct pm_error_info *ret_info)
{
    struct pm_copy_result copied;
    struct pm_reader *reader;
    struct pm_source source;
    struct pm_sink sink;
    int result = pm_input_open(path, &source, ret_info);

    if (result != PM_OK)
        return result;
    result = pm_reader_open(source, &reader, ret_info);
    if (result != PM_OK) {
        source.close(source.context);
        return result;
    }
    result = pm_sink_from_fd(fd, &sink);
    if (result == PM_OK)
        result = pm_copy(reader, 0, sink, &copied, ret_info);
    pm_reader_free(reader);
    return result;
}

static void keep_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancel)
{
    const char *path = data;
    g_autofree char *to = g_file_get_path(g_object_get_data(G_OBJECT(task), "to"));
    struct pm_error_info info = {0};
    const int fd = to ? g_open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    const int result =
        fd < 0 ? pm_error_set(&info, PM_ERROR_IO, -1, "%s", g_strerror(to ? errno : ENOTSUP))
               : copy(path, fd, &info);

    if (fd >= 0)
        close(fd);
    if (result == PM_OK)
        g_task_return_boolean(task, TRUE);
    else
        g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", info.text);
}

void pm_live_keep(const char *path, GFile *to, GAsyncReadyCallback done, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(NULL, NULL, done, data);

    g_task_set_task_data(task, g_strdup(path), g_free);
    g_object_set_data_full(G_OBJECT(task), "to", g_object_ref(to), g_object_unref);
    g_task_run_in_thread(task, keep_thread);
}

gboolean pm_live_keep_finish(GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean(G_TASK(result), error);
}

void pm_live_toggle(PmLive *live)
{
    g_return_if_fail(live);
    PmLiveState now = pm_state_get_live(live->state);

    if (now == PM_LIVE_FOLLOWING) {
        g_clear_handle_id(&live->timer, g_source_remove);
        pm_state_set_live(live->state, PM_LIVE_PAUSED, live->pid);
        if (pm_state_get_loading(live->state)->newest_only)
            show(live); /* all of it */
    } else if (now == PM_LIVE_PAUSED) {
        pm_state_set_live(live->state, PM_LIVE_FOLLOWING, live->pid);
        ask(live);
    }
}

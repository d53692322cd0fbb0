#include "viewer/ui/model/live.h"

#include <errno.h>
#include <signal.h>

#include <glib/gstdio.h>

/* The next dump comes this long after the last was shown, and not before the machine has had four
 * times as long as that took to do other things. */
#define LEAST_PAUSE_MS 1000
#define PAUSE_FACTOR   4

struct PmLive {
    PmState *state;
    PmLoader *loader;
    guint pid;
    char *folder, *path; /* path: of the newest dump that was read */
    char *fetching;      /* what is being written or read */
    guint n_fetched;
    gint64 began_us;
    guint timer;
    GCancellable *cancel; /* of the dump that runs */
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

static void fetch(PmLive *live);

static gboolean timer_cb(gpointer data)
{
    PmLive *live = data;

    live->timer = 0;
    fetch(live);
    return G_SOURCE_REMOVE;
}

static void fetch_later(PmLive *live)
{
    gint64 took_ms = (g_get_monotonic_time() - live->began_us) / 1000;

    if (pm_state_get_live(live->state) == PM_LIVE_FOLLOWING && live->timer == 0) {
        live->timer =
            g_timeout_add((guint)MAX(took_ms * PAUSE_FACTOR, LEAST_PAUSE_MS), timer_cb, live);
    }
}

static void read_cb(PmRecording *recording, gpointer data)
{
    PmLive *live = data;

    if (!live->fetching) /* stopped meanwhile */
        return;
    if (recording) {
        forget_file(&live->path);
        live->path = g_steal_pointer(&live->fetching);
    } else {
        forget_file(&live->fetching);
    }
    fetch_later(live);
}

static gboolean is_alive(guint pid)
{
    return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

static void failed(PmLive *live, const char *why)
{
    /* Its recorder may be without a file for a while, or its machine be busy. */
    if (live->path && is_alive(live->pid)) {
        fetch_later(live);
        return;
    }
    if (!live->path) {
        g_autoptr(GError) error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_FAILED, why);
        g_autofree char *name = g_strdup_printf("JVM %u", live->pid);
        PmLoading loading = {.state = PM_LOADING_FAILED, .path = name, .error = error};
        pm_live_stop(live);
        pm_state_set_recording(live->state, NULL);
        pm_state_set_loading(live->state, &loading);
        return;
    }
    pm_state_set_live(live->state, PM_LIVE_ENDED, live->pid);
}

static void dumped_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree char *out = NULL, *err = NULL;
    g_autoptr(GError) error = NULL;

    gboolean over =
        g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &out, &err, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; /* the follower may be gone */
    PmLive *live = data;
    g_clear_object(&live->cancel);
    if (!over || !g_subprocess_get_successful(G_SUBPROCESS(source))) {
        forget_file(&live->fetching);
        failed(live, err && *err ? g_strstrip(err) : "parkctl did not answer");
        return;
    }
    if (live->path) {
        pm_loader_renew(live->loader, live->fetching, read_cb, live);
    } else { /* the first: with progress, and errors on the screen */
        live->path = g_steal_pointer(&live->fetching);
        pm_loader_read(live->loader, live->path);
        fetch_later(live);
    }
}

static void fetch(PmLive *live)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *parkctl = pm_live_parkctl(), *pid = g_strdup_printf("%u", live->pid);

    if (live->fetching)
        return;
    if (!parkctl) {
        failed(live, "parkctl is neither beside this program nor on the PATH");
        return;
    }
    live->began_us = g_get_monotonic_time();
    live->fetching =
        g_strdup_printf("%s/jvm-%u-%u.park", live->folder, live->pid, ++live->n_fetched);
    g_autofree char *file = g_strconcat("filename=", live->fetching, NULL);
    g_autoptr(GSubprocess) child =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                         parkctl, pid, "dump", file, NULL);
    if (!child) {
        g_clear_pointer(&live->fetching, g_free);
        failed(live, error->message);
        return;
    }
    live->cancel = g_cancellable_new();
    g_subprocess_communicate_utf8_async(child, NULL, live->cancel, dumped_cb, live);
}

PmLive *pm_live_new(PmState *state, PmLoader *loader)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLive *live = g_new0(PmLive, 1);

    live->state = state;
    live->loader = loader;
    return live;
}

void pm_live_stop(PmLive *live)
{
    g_return_if_fail(live);
    g_clear_handle_id(&live->timer, g_source_remove);
    if (live->cancel) {
        g_cancellable_cancel(live->cancel);
        g_clear_object(&live->cancel);
    }
    forget_file(&live->fetching);
    forget_file(&live->path);
    if (live->folder) {
        g_rmdir(live->folder);
        g_clear_pointer(&live->folder, g_free);
    }
    live->pid = 0;
    pm_state_set_live(live->state, PM_LIVE_OFF, 0);
}

void pm_live_free(PmLive *live)
{
    if (live) {
        pm_live_stop(live);
        g_free(live);
    }
}

void pm_live_start(PmLive *live, guint pid)
{
    g_return_if_fail(live);
    g_autoptr(GError) error = NULL;

    pm_live_stop(live);
    live->pid = pid;
    live->folder = g_dir_make_tmp("parkmeter-live-XXXXXX", &error);
    if (!live->folder) {
        failed(live, error->message);
        return;
    }
    pm_state_set_live(live->state, PM_LIVE_FOLLOWING, pid);
    fetch(live);
}

void pm_live_toggle(PmLive *live)
{
    g_return_if_fail(live);
    PmLiveState now = pm_state_get_live(live->state);

    if (now == PM_LIVE_FOLLOWING) {
        g_clear_handle_id(&live->timer, g_source_remove);
        pm_state_set_live(live->state, PM_LIVE_PAUSED, live->pid);
    } else if (now == PM_LIVE_PAUSED) {
        pm_state_set_live(live->state, PM_LIVE_FOLLOWING, live->pid);
        fetch(live);
    }
}

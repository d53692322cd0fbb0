#include "viewer/ui/model/loader.h"

#include "viewer/analysis/loading/load.h"

#define NEWEST_NS (300 * G_GINT64_CONSTANT(1000000000))

guint64 pm_loader_end_waits = 2000000, pm_loader_newest_waits = 250000;

typedef struct {
    int ref_count;
    PmLoader *loader; /* NULL once its outcome is not wanted; main thread only */
    char *path;
    PmLoadNewest newest; /* cut: NULL = all is read */
    gboolean cut;
    gint stop;         /* atomic */
    PmLoaderDone done; /* of a renewal */
    gpointer done_data;
    /* progress, under the mutex */
    GMutex mutex;
    GCond computed; /* the numbers of the end, before the rest wants the cores */
    guint64 done_bytes, total_bytes;
    PmOutline *outline; /* the newest */
    gboolean told;      /* an idle source is under way */
    PmRecording *end;   /* read before the rest; until it is shown */
    gboolean go_on;     /* with the rest */
    gsize end_shown;    /* so many waits of it; main thread only, as the next */
    gboolean computing; /* all is read and its numbers are computed, while the end is shown */
    /* outcome, written before the last idle source is added */
    PmRecording *recording;
    gboolean cancelled;
    GError *error;
} PmReading;

struct PmLoader {
    PmState *state;
    PmReading *reading; /* until its recording is read; where its end was shown, is shown */
    gulong changed;
};

static void reading_unref(gpointer data)
{
    PmReading *reading = data;

    if (!g_atomic_int_dec_and_test(&reading->ref_count))
        return;
    g_clear_pointer(&reading->recording, pm_recording_unref);
    g_clear_pointer(&reading->end, pm_recording_unref);
    g_clear_error(&reading->error);
    pm_outline_unref(reading->outline);
    g_mutex_clear(&reading->mutex);
    g_cond_clear(&reading->computed);
    g_free(reading->path);
    g_free(reading);
}

/* How far it is; the outline is borrowed. */
static PmLoading loading_of(const PmReading *reading, PmLoadingState state)
{
    return (PmLoading){.state = state,
                       .path = reading->path,
                       .partial = state == PM_LOADING_NONE && reading->cancelled,
                       .newest_only = reading->cut,
                       .end_only = state == PM_LOADING_READING && reading->end_shown > 0,
                       .done_bytes = reading->done_bytes,
                       .total_bytes = reading->total_bytes,
                       .outline = reading->outline};
}

static void show_end(PmReading *reading, PmRecording *end)
{
    reading->end_shown = end->waits.n;
    pm_state_set_recording(reading->loader->state, end);
}

static gboolean told_cb(gpointer data)
{
    PmReading *reading = data;

    g_mutex_lock(&reading->mutex);
    reading->told = FALSE;
    g_autoptr(PmRecording) end = g_steal_pointer(&reading->end);
    PmLoading loading = loading_of(reading, PM_LOADING_READING);
    if (loading.outline)
        pm_outline_ref(loading.outline);
    g_mutex_unlock(&reading->mutex);
    if (reading->loader && end)
        show_end(reading, end);
    loading.end_only = reading->end_shown > 0;
    if (reading->loader)
        pm_state_set_loading(reading->loader->state, &loading);
    pm_outline_unref(loading.outline);
    return G_SOURCE_REMOVE;
}

/* With the rest. */
static void go_on(PmReading *reading)
{
    g_mutex_lock(&reading->mutex);
    reading->go_on = TRUE;
    g_cond_signal(&reading->computed);
    g_mutex_unlock(&reading->mutex);
}

/* Called under the mutex. */
static void tell(PmReading *reading)
{
    const gboolean first = !reading->told;

    reading->told = TRUE;
    if (first) {
        g_atomic_int_inc(&reading->ref_count);
        g_idle_add_full(G_PRIORITY_DEFAULT, told_cb, reading, reading_unref);
    }
}

static void end_done(PmRecording *end, gpointer data)
{
    PmReading *reading = data;

    g_mutex_lock(&reading->mutex);
    reading->end = end;
    g_clear_pointer(&reading->outline, pm_outline_unref);
    tell(reading);
    while (!reading->go_on)
        g_cond_wait(&reading->computed, &reading->mutex);
    g_mutex_unlock(&reading->mutex);
}

static gboolean progress(guint64 done_bytes, guint64 total_bytes, PmOutline *outline, gpointer data)
{
    PmReading *reading = data;

    g_mutex_lock(&reading->mutex);
    reading->done_bytes = done_bytes;
    reading->total_bytes = total_bytes;
    if (outline) {
        pm_outline_unref(reading->outline);
        reading->outline = pm_outline_ref(outline);
    }
    tell(reading);
    g_mutex_unlock(&reading->mutex);
    return !g_atomic_int_get(&reading->stop);
}

/* The loader's reading is over. */
static void leave(PmReading *reading)
{
    reading->loader->reading = NULL;
    reading->loader = NULL;
    reading_unref(reading);
}

static void renew(PmReading *reading)
{
    PmState *state = reading->loader->state;
    const PmLoading loading = loading_of(reading, PM_LOADING_NONE);

    if (reading->recording) {
        pm_state_renew_recording(state, reading->recording);
        pm_state_set_loading(state, &loading);
    }
    leave(reading);
    reading->done(reading->recording, reading->done_data);
}

static void show(PmReading *reading)
{
    PmState *state = reading->loader->state;
    PmLoading loading = loading_of(reading, PM_LOADING_NONE); /* the outline until there are curves
                                                               */
    if (!reading->recording) {
        loading.state = PM_LOADING_FAILED;
        loading.error = reading->error;
    }
    leave(reading);
    pm_state_set_recording(state, reading->recording);
    pm_state_set_loading(state, &loading);
}

/* What is shown of it stays until all of it can be; or for good, if no more could be read. */
static void follow_end(PmReading *reading)
{
    PmState *state = reading->loader->state;
    const gboolean more = reading->recording && reading->recording->waits.n > reading->end_shown;
    PmLoading loading = loading_of(reading, more ? PM_LOADING_READING : PM_LOADING_NONE);

    if (more) {
        reading->computing = TRUE;
        pm_state_renew_recording(state, reading->recording);
    } else {
        loading.partial = TRUE;
        leave(reading);
    }
    pm_state_set_loading(state, &loading);
}

static gboolean done_cb(gpointer data)
{
    PmReading *reading = data;

    if (!reading->loader)
        return G_SOURCE_REMOVE;
    g_atomic_int_inc(&reading->ref_count); /* whoever is told may read another */
    g_autoptr(PmState) state = g_object_ref(reading->loader->state);
    if (reading->done)
        renew(reading);
    else if (reading->end_shown > 0)
        follow_end(reading);
    else
        show(reading);
    reading_unref(reading);
    return G_SOURCE_REMOVE;
}

/* All that is asked about the end is known, or all of the recording is shown instead of it. */
static void changed_cb(PmState *state, guint mask, gpointer data)
{
    PmLoader *loader = data;
    PmReading *reading = loader->reading;

    if (!reading || reading->end_shown == 0)
        return;
    if ((mask & PM_CHANGE_BUSY) && !pm_state_is_busy(state))
        go_on(reading);
    if (!(mask & PM_CHANGE_RENEWED) || !reading->computing)
        return;
    const PmLoading loading = loading_of(reading, PM_LOADING_NONE);
    g_atomic_int_inc(&reading->ref_count);
    leave(reading);
    pm_state_set_loading(state, &loading);
    reading_unref(reading);
}

static gpointer read_thread(gpointer data)
{
    PmReading *reading = data;

    const PmLoadEnd end = {pm_loader_end_waits, end_done};

    reading->recording =
        reading->newest.cut
            ? pm_recording_load_newest(reading->path, 0, &reading->newest,
                                       reading->done ? NULL : progress, reading,
                                       reading->done ? NULL : &reading->cancelled, &reading->error)
        : reading->done
            ? pm_recording_load(reading->path, 0, NULL, NULL, NULL, &reading->error)
            : pm_recording_load_end_first(reading->path, 0, end.waits > 0 ? &end : NULL, progress,
                                          reading, &reading->cancelled, &reading->error);
    g_idle_add_full(G_PRIORITY_DEFAULT, done_cb, reading, reading_unref);
    return NULL;
}

PmLoader *pm_loader_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLoader *loader = g_new0(PmLoader, 1);

    loader->state = state;
    loader->changed = g_signal_connect(state, "changed", G_CALLBACK(changed_cb), loader);
    return loader;
}

static void drop(PmLoader *loader)
{
    PmReading *reading = g_steal_pointer(&loader->reading);

    if (reading) {
        g_atomic_int_set(&reading->stop, TRUE);
        go_on(reading);
        if (reading->computing)
            pm_state_renew_recording(loader->state, NULL);
        reading->loader = NULL;
        reading_unref(reading);
    }
}

void pm_loader_free(PmLoader *loader)
{
    if (loader) {
        drop(loader);
        g_signal_handler_disconnect(loader->state, loader->changed);
        g_free(loader);
    }
}

/* `since`: of the newest; G_MININT64 = all. */
static void start(PmLoader *loader, const char *path, gint64 since, PmLoaderDone done,
                  gpointer data)
{
    PmReading *reading = g_new0(PmReading, 1);

    drop(loader);
    reading->ref_count = 2; /* the loader's and the thread's */
    reading->loader = loader;
    reading->path = g_strdup(path);
    if (since != G_MININT64)
        reading->newest = (PmLoadNewest){NEWEST_NS, pm_loader_newest_waits,
                                         4 * pm_loader_newest_waits, since, &reading->cut};
    reading->done = done;
    reading->done_data = data;
    g_mutex_init(&reading->mutex);
    g_cond_init(&reading->computed);
    loader->reading = reading;
    g_thread_unref(g_thread_new("reading", read_thread, reading));
}

static void read_first(PmLoader *loader, const char *path, gint64 since)
{
    g_return_if_fail(loader);
    PmLoading loading = {.state = PM_LOADING_READING, .path = path};

    start(loader, path, since, NULL, NULL);
    pm_state_set_loading(loader->state, &loading);
}

void pm_loader_read(PmLoader *loader, const char *path)
{
    read_first(loader, path, G_MININT64);
}

void pm_loader_read_newest(PmLoader *loader, const char *path)
{
    read_first(loader, path, G_MAXINT64);
}

void pm_loader_renew(PmLoader *loader, const char *path, gint64 since, PmLoaderDone done,
                     gpointer data)
{
    g_return_if_fail(loader);
    start(loader, path, since, done, data);
}

void pm_loader_cancel(PmLoader *loader)
{
    g_return_if_fail(loader);
    PmReading *reading = loader->reading;

    if (!reading)
        return;
    g_atomic_int_set(&reading->stop, TRUE);
    go_on(reading);
    if (!reading->computing)
        return;
    PmLoading loading = loading_of(reading, PM_LOADING_NONE);
    loading.partial = TRUE;
    pm_state_set_loading(loader->state, &loading);
    drop(loader);
}

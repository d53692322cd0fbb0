#include "viewer/ui/model/loader.h"

typedef struct {
    int ref_count;
    PmLoader *loader; /* NULL once its outcome is not wanted; main thread only */
    char *path;
    gint stop;         /* atomic */
    PmLoaderDone done; /* of a renewal */
    gpointer done_data;
    /* progress, under the mutex */
    GMutex mutex;
    guint64 done_bytes, total_bytes;
    PmOutline *outline; /* the newest */
    gboolean told;      /* an idle source is under way */
    /* outcome, written before the last idle source is added */
    PmRecording *recording;
    gboolean cancelled;
    GError *error;
} PmReading;

struct PmLoader {
    PmState *state;
    PmReading *reading;
};

static void reading_unref(gpointer data)
{
    PmReading *reading = data;

    if (!g_atomic_int_dec_and_test(&reading->ref_count))
        return;
    g_clear_pointer(&reading->recording, pm_recording_unref);
    g_clear_error(&reading->error);
    pm_outline_unref(reading->outline);
    g_mutex_clear(&reading->mutex);
    g_free(reading->path);
    g_free(reading);
}

static gboolean told_cb(gpointer data)
{
    PmReading *reading = data;
    PmLoading loading = {.state = PM_LOADING_READING, .path = reading->path};

    g_mutex_lock(&reading->mutex);
    reading->told = FALSE;
    loading.done_bytes = reading->done_bytes;
    loading.total_bytes = reading->total_bytes;
    loading.outline = reading->outline ? pm_outline_ref(reading->outline) : NULL;
    g_mutex_unlock(&reading->mutex);
    if (reading->loader)
        pm_state_set_loading(reading->loader->state, &loading);
    pm_outline_unref(loading.outline);
    return G_SOURCE_REMOVE;
}

static gboolean progress(guint64 done_bytes, guint64 total_bytes, PmOutline *outline, gpointer data)
{
    PmReading *reading = data;
    gboolean tell;

    g_mutex_lock(&reading->mutex);
    reading->done_bytes = done_bytes;
    reading->total_bytes = total_bytes;
    if (outline) {
        pm_outline_unref(reading->outline);
        reading->outline = pm_outline_ref(outline);
    }
    tell = !reading->told;
    reading->told = TRUE;
    g_mutex_unlock(&reading->mutex);
    if (tell) {
        g_atomic_int_inc(&reading->ref_count);
        g_idle_add_full(G_PRIORITY_DEFAULT, told_cb, reading, reading_unref);
    }
    return !g_atomic_int_get(&reading->stop);
}

static gboolean done_cb(gpointer data)
{
    PmReading *reading = data;
    PmLoader *loader = reading->loader;
    PmLoading loading = {.path = reading->path,
                         .partial = reading->cancelled,
                         .done_bytes = reading->done_bytes,
                         .total_bytes = reading->total_bytes};

    if (!loader)
        return G_SOURCE_REMOVE;
    PmState *state = g_object_ref(loader->state);
    loader->reading = NULL;
    reading->loader = NULL;
    if (reading->done) {
        if (reading->recording) {
            pm_state_renew_recording(state, reading->recording);
            pm_state_set_loading(state, &loading);
        }
        reading->done(reading->recording, reading->done_data);
        g_object_unref(state);
        reading_unref(reading);
        return G_SOURCE_REMOVE;
    }
    if (reading->recording) {
        loading.outline = reading->outline; /* until there are curves */
        pm_state_set_recording(state, reading->recording);
    } else {
        loading.state = PM_LOADING_FAILED;
        loading.error = reading->error;
        pm_state_set_recording(state, NULL);
    }
    pm_state_set_loading(state, &loading);
    g_object_unref(state);
    reading_unref(reading); /* the loader's */
    return G_SOURCE_REMOVE;
}

static gpointer read_thread(gpointer data)
{
    PmReading *reading = data;

    reading->recording =
        pm_recording_load(reading->path, 0, reading->done ? NULL : progress, reading,
                          reading->done ? NULL : &reading->cancelled, &reading->error);
    g_idle_add_full(G_PRIORITY_DEFAULT, done_cb, reading, reading_unref);
    return NULL;
}

PmLoader *pm_loader_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLoader *loader = g_new0(PmLoader, 1);

    loader->state = state;
    return loader;
}

static void drop(PmLoader *loader)
{
    PmReading *reading = g_steal_pointer(&loader->reading);

    if (reading) {
        g_atomic_int_set(&reading->stop, TRUE);
        reading->loader = NULL;
        reading_unref(reading);
    }
}

void pm_loader_free(PmLoader *loader)
{
    if (loader) {
        drop(loader);
        g_free(loader);
    }
}

static void start(PmLoader *loader, const char *path, PmLoaderDone done, gpointer data)
{
    PmReading *reading = g_new0(PmReading, 1);

    drop(loader);
    reading->ref_count = 2; /* the loader's and the thread's */
    reading->loader = loader;
    reading->path = g_strdup(path);
    reading->done = done;
    reading->done_data = data;
    g_mutex_init(&reading->mutex);
    loader->reading = reading;
    g_thread_unref(g_thread_new("reading", read_thread, reading));
}

void pm_loader_read(PmLoader *loader, const char *path)
{
    g_return_if_fail(loader);
    PmLoading loading = {.state = PM_LOADING_READING, .path = path};

    start(loader, path, NULL, NULL);
    pm_state_set_loading(loader->state, &loading);
}

void pm_loader_renew(PmLoader *loader, const char *path, PmLoaderDone done, gpointer data)
{
    g_return_if_fail(loader);
    start(loader, path, done, data);
}

void pm_loader_cancel(PmLoader *loader)
{
    g_return_if_fail(loader);
    if (loader->reading)
        g_atomic_int_set(&loader->reading->stop, TRUE);
}

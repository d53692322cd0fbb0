/* Reads the chunks of a file twice, in parallel. First everything but the waits, of which only the
 * times are looked at, each chunk into lists of its own; one thread joins what they define. Then
 * the waits, whose ids can now become indices, sorted and packed as they come (column-builder.h).
 */
#include <string.h>

#include "format/input.h"
#include "viewer/analysis/recording/load-private.h"

#define PROGRESS_US 50000
/* So long the first picture may take that is made of counters; then the waits are read. */
#define ESTIMATE_US 1000000

static gboolean tell(PmLoading *l, gint64 now_us)
{
    guint64 done = (guint64)(gsize)g_atomic_pointer_get((gpointer *)&l->done_kib) << 10;
    PmOutline *outline = NULL;

    l->told_us = now_us;
    g_mutex_lock(&l->lock);
    if (l->sums && l->n_outlined != l->n_summed)
        outline = pm_outline_new(l->sums, (double)l->n_summed / (double)l->n_chunks);
    l->n_outlined = l->n_summed;
    g_mutex_unlock(&l->lock);
    const gboolean more = l->progress(MIN(done, l->total_bytes), l->total_bytes, outline, l->data);
    pm_outline_unref(outline);
    if (more)
        return TRUE;
    g_atomic_int_set(&l->cancelled, 1);
    g_mutex_lock(&l->lock);
    if (l->first_begun < l->n_chunks) /* else nothing of the waits was begun yet */
        l->first_wanted = l->first_begun;
    g_mutex_unlock(&l->lock);
    return FALSE;
}

gboolean pm_loading_go_on(PmLoading *l)
{
    if (g_atomic_int_get(&l->cancelled) != 0)
        return FALSE;
    if (!l->progress || g_thread_self() != l->caller)
        return TRUE;
    gint64 now = g_get_monotonic_time();
    return now - l->told_us < PROGRESS_US || tell(l, now);
}

void pm_loading_add_done(PmLoading *l, guint index, guint eighths)
{
    g_atomic_pointer_add(&l->done_kib,
                         (gssize)((pm_reader_chunk(l->reader, index)->size >> 13) * eighths));
}

/* ---- errors as sentences ---- */

static void set_error(GError **error, const char *name, int code, const struct pm_error_info *info)
{
    const char *text = info->code != 0 ? info->text : pm_error_name(code);
    g_autofree char *sentence = NULL;

    switch (code) {
    case PM_ERROR_NOT_A_RECORDING:
        sentence =
            g_strdup(" is not a Parkmeter recording: its first bytes are not a recording's.");
        break;
    case PM_ERROR_EMPTY:
        sentence = g_strconcat(info->offset == 0
                                   ? " is empty (0 bytes): the recorder had written nothing yet."
                                   : " holds no waits yet: it ends after its header.",
                               " Is the JVM still running? parkctl PID dump", NULL);
        break;
    case PM_ERROR_NEWER:
        sentence = g_strdup_printf(" needs a newer Parkmeter: it was %s.",
                                   info->text[0] != 0 ? info->text : "written by a newer one");
        break;
    case PM_ERROR_TRUNCATED:
        sentence = g_strdup_printf(" is cut off: %s.", text);
        break;
    case PM_ERROR_MEMORY:
        sentence = g_strdup(" is too big for this machine's memory; dump less of it: parkctl PID "
                            "dump maxage=5m");
        break;
    case PM_ERROR_CANCELLED:
        g_set_error(error, PM_RECORDING_ERROR, -code, "Reading %s was stopped.", name);
        return;
    default:
        sentence = g_strdup_printf(" cannot be read: %s.", text);
    }
    g_set_error(error, PM_RECORDING_ERROR, -code, "%s%s", name, sentence);
}

/* ---- loading ---- */

/* From far apart to near, so that what was read so far is spread over the whole: 0, 1/2, 1/4, 3/4,
 * 1/8 … */
static void order_chunks(PmLoading *l)
{
    guint bits = 0, n = 0;
    l->order = g_new(guint, MAX(l->n_chunks, 1));
    while (1u << bits < l->n_chunks)
        bits++;
    for (guint i = 0; i < 1u << bits; i++) {
        guint index = 0;
        for (guint b = 0; b < bits; b++)
            index |= (i >> b & 1) << (bits - 1 - b);
        if (index < l->n_chunks)
            l->order[n++] = index;
    }
}

static void outline_init(PmLoading *l)
{
    gint64 from = G_MAXINT64, to = G_MININT64;
    for (guint k = 0; k < l->n_chunks; k++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (chunk->overview)
            continue;
        from = MIN(from, pm_loading_since_begin(l, chunk->begin_ns));
        to = MAX(to, pm_loading_since_begin(l, chunk->end_ns));
    }
    if (from >= to)
        return;
    l->sums = pm_outline_sums_new(from, to);
    l->idle = pm_chunk_load_idle_new();
}

/* A first picture of all, before any wait is read. */
static void estimate(PmLoading *l)
{
    const gint64 until_us = g_get_monotonic_time() + ESTIMATE_US;

    l->last_counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (guint k = 0; k < l->n_chunks && g_get_monotonic_time() < until_us; k++) {
        if (!pm_loading_go_on(l))
            break;
        pm_chunk_load_estimate(l, k);
        l->n_outlined = G_MAXUINT; /* there is a new one */
    }
    g_clear_pointer(&l->last_counts, g_hash_table_unref);
    if (g_atomic_int_get(&l->cancelled) == 0)
        tell(l, g_get_monotonic_time());
}

PmRecording *pm_recording_load_source(struct pm_source source, const char *name, guint n_threads,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    struct pm_error_info info = {.offset = -1};
    PmLoading l = {.caller = g_thread_self(), .progress = progress, .data = data};
    int result = pm_reader_open(source, &l.reader, &info);
    if (result != PM_OK) {
        if (source.close)
            source.close(source.context);
        set_error(error, name, result, &info);
        return NULL;
    }
    g_mutex_init(&l.lock);
    l.n_threads = n_threads;
    l.base = pm_reader_info(l.reader)->facts.begin_ns;
    l.n_chunks = l.first_begun = (guint)pm_reader_n_chunks(l.reader);
    l.chunks = g_new0(PmChunkLoad, l.n_chunks);
    for (guint k = 0; k < l.n_chunks; k++)
        l.total_bytes += pm_reader_chunk(l.reader, k)->size;
    pm_id_map_init(&l.classes);
    pm_id_map_init(&l.methods);
    pm_id_map_init(&l.chains);
    pm_id_map_init(&l.threads);
    pm_id_map_init(&l.blockers);

    order_chunks(&l);
    if (progress)
        outline_init(&l);
    if (l.sums)
        estimate(&l);
    pm_workers_run(n_threads, l.n_chunks, pm_chunk_load_read, &l);
    if (progress && g_atomic_int_get(&l.cancelled) == 0)
        tell(&l, g_get_monotonic_time()); /* the whole outline */

    PmRecording *recording = NULL;
    gboolean cancelled = g_atomic_int_get(&l.cancelled) != 0;
    if (l.no_memory == 0 && (!cancelled || ret_cancelled != NULL))
        recording = pm_loading_join(&l, name);
    cancelled = g_atomic_int_get(&l.cancelled) != 0;
    if (cancelled && !ret_cancelled)
        g_clear_pointer(&recording, pm_recording_unref);
    if (!recording)
        set_error(error, name, cancelled ? PM_ERROR_CANCELLED : PM_ERROR_MEMORY, &info);
    else if (progress) /* what was begun has been read to its end */
        progress(cancelled ? MIN((guint64)l.done_kib << 10, l.total_bytes) : l.total_bytes,
                 l.total_bytes, NULL, data);
    if (recording && ret_cancelled)
        *ret_cancelled = cancelled;

    for (guint k = 0; k < l.n_chunks; k++)
        pm_chunk_load_clear(&l.chunks[k]);
    g_free(l.chunks);
    pm_id_map_clear(&l.classes);
    pm_id_map_clear(&l.methods);
    pm_id_map_clear(&l.chains);
    pm_id_map_clear(&l.threads);
    pm_id_map_clear(&l.blockers);
    pm_last_begins_clear(&l.last_begins);
    pm_outline_sums_free(l.sums);
    g_clear_pointer(&l.idle, g_hash_table_unref);
    g_free(l.order);
    g_mutex_clear(&l.lock);
    pm_reader_free(l.reader);
    return recording;
}

PmRecording *pm_recording_load(const char *path, guint n_threads, PmLoadProgress progress,
                               gpointer data, gboolean *ret_cancelled, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    struct pm_source source;
    struct pm_error_info info = {.offset = -1};
    int result = pm_input_open(path, &source, &info);
    if (result != PM_OK) {
        const char *text = info.code != 0 ? info.text : pm_error_name(result);
        if (strstr(text, path))
            g_set_error(error, PM_RECORDING_ERROR, -result, "%s.", text);
        else
            g_set_error(error, PM_RECORDING_ERROR, -result, "cannot open %s: %s.", path, text);
        return NULL;
    }
    return pm_recording_load_source(source, path, n_threads, progress, data, ret_cancelled, error);
}

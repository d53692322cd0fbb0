/* Reads the chunks of a file twice, in parallel. First everything but the waits, of which only the
 * times are looked at, each chunk into lists of its own; one thread joins what they define. Then
 * the waits, whose ids can now become indices, sorted and packed as they come (column-builder.h).
 */
#include <string.h>

#include "format/input.h"
#include "viewer/analysis/loading/load-private.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/workers.h"

#define PROGRESS_US 50000

/* More than a recorder's file has by default. What is computed of so much takes minutes; following
 * a JVM, whose recording is loaded again each second, is to stay small. */
#define MANY_BYTES (320u << 20)
/* So long the first picture may take that is made of counters; then the waits are read. */
#define ESTIMATE_US 1000000
/* The end of a recording is read before all of it only if all has so many times the waits. */
#define WORTH_END 8

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
    guint bits = 0;
    l->order = g_new(guint, MAX(l->n_chunks, 1));
    while (1u << bits < l->n_chunks)
        bits++;
    for (guint i = 0; i < 1u << bits; i++) {
        guint index = 0;
        for (guint b = 0; b < bits; b++)
            index |= (i >> b & 1) << (bits - 1 - b);
        if (index < l->n_chunks && index >= l->first_wanted)
            l->order[l->n_order++] = index;
    }
}

/* The chunks at the end that together have `most` waits. FALSE: they are not much less than all. */
static gboolean choose_end(PmLoading *l, guint64 most)
{
    guint64 all = 0, taken = 0;
    for (guint k = 0; k < l->n_chunks; k++)
        all += (guint64)MAX(pm_reader_chunk(l->reader, k)->waits, 0);
    if (all / WORTH_END < most)
        return FALSE;
    for (l->first_wanted = l->n_chunks; l->first_wanted > 0 && taken < most;) {
        l->first_wanted--;
        taken += (guint64)MAX(pm_reader_chunk(l->reader, l->first_wanted)->waits, 0);
    }
    return l->first_wanted > 0;
}

/* Since when the last `n` waits were stored, about: those of a chunk are spread evenly over it.
 * G_MININT64: there are no more. */
static gint64 begin_of_last(const PmLoading *l, guint64 n)
{
    for (guint k = l->n_chunks; k > 0; k--) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k - 1);
        const guint64 waits = chunk->overview ? 0 : (guint64)MAX(chunk->waits, 0);
        if (waits > n) {
            const double part = (double)n / (double)waits;
            const double length = (double)(chunk->end_ns - chunk->begin_ns);
            return pm_loading_since_begin(l, chunk->end_ns - (gint64)(part * length));
        }
        n -= waits;
    }
    return G_MININT64;
}

static void choose_newest(PmLoading *l, const PmLoadNewest *newest)
{
    gint64 end = 0;
    for (guint k = 0; k < l->n_chunks; k++)
        end = MAX(end, pm_loading_since_begin(l, pm_reader_chunk(l->reader, k)->end_ns));
    const gint64 from = MIN(end - newest->ns, begin_of_last(l, newest->least));
    l->from = MIN(MAX(from, begin_of_last(l, newest->most)), newest->since);
    *newest->cut = FALSE;
    for (guint k = 0; k < l->n_chunks; k++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        *newest->cut |= !chunk->overview && pm_loading_since_begin(l, chunk->begin_ns) < l->from;
        if (l->first_wanted == k && pm_loading_since_begin(l, chunk->end_ns) <= l->from)
            l->first_wanted++;
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

static void loading_init(PmLoading *l, struct pm_reader *reader, guint n_threads)
{
    l->caller = g_thread_self();
    l->reader = reader;
    l->n_threads = n_threads;
    l->base = pm_reader_info(reader)->facts.begin_ns;
    l->from = G_MININT64;
    l->n_chunks = l->first_begun = (guint)pm_reader_n_chunks(reader);
    l->chunks = g_new0(PmChunkLoad, l->n_chunks);
    for (guint k = 0; k < l->n_chunks; k++)
        l->total_bytes += pm_reader_chunk(reader, k)->size;
    g_mutex_init(&l->lock);
    pm_id_map_init(&l->classes);
    pm_id_map_init(&l->methods);
    pm_id_map_init(&l->chains);
    pm_id_map_init(&l->threads);
    pm_id_map_init(&l->blockers);
}

static void loading_clear(PmLoading *l)
{
    for (guint k = 0; k < l->n_chunks; k++)
        pm_chunk_load_clear(&l->chunks[k]);
    g_free(l->chunks);
    pm_id_map_clear(&l->classes);
    pm_id_map_clear(&l->methods);
    pm_id_map_clear(&l->chains);
    pm_id_map_clear(&l->threads);
    pm_id_map_clear(&l->blockers);
    pm_last_begins_clear(&l->last_begins);
    pm_outline_sums_free(l->sums);
    g_clear_pointer(&l->idle, g_hash_table_unref);
    g_free(l->order);
    g_mutex_clear(&l->lock);
}

/* The chunks from the first that is wanted on. NULL: no memory, or cancelled before anything could
 * be kept. */
static PmRecording *read_all(PmLoading *l, const char *name, gboolean keep_cancelled)
{
    order_chunks(l);
    if (l->progress && l->outlined)
        outline_init(l);
    if (l->sums)
        estimate(l);
    pm_workers_run(l->n_threads, l->n_order, pm_chunk_load_read, l);
    if (l->progress && g_atomic_int_get(&l->cancelled) == 0)
        tell(l, g_get_monotonic_time()); /* the whole outline */

    PmRecording *recording = NULL;
    if (l->no_memory == 0 && (g_atomic_int_get(&l->cancelled) == 0 || keep_cancelled))
        recording = pm_loading_join(l, name);
    if (g_atomic_int_get(&l->cancelled) != 0 && !keep_cancelled)
        g_clear_pointer(&recording, pm_recording_unref);
    return recording;
}

/* The same of the end alone, for the one who waits. FALSE: it is not much less than all, or is not
 * there. */
static gboolean read_end(struct pm_reader *reader, const char *name, guint n_threads,
                         const PmLoadEnd *end, PmLoadProgress progress, gpointer data)
{
    PmLoading l = {.progress = progress, .data = data, .outlined = TRUE};
    PmRecording *recording = NULL;

    loading_init(&l, reader, n_threads);
    if (choose_end(&l, end->waits))
        recording = read_all(&l, name, FALSE);
    loading_clear(&l);
    if (recording)
        end->done(recording, data);
    return recording != NULL;
}

static PmRecording *load(struct pm_source source, const char *name, guint n_threads,
                         const PmLoadEnd *end, const PmLoadNewest *newest, PmLoadProgress progress,
                         gpointer data, gboolean *ret_cancelled, GError **error)
{
    struct pm_error_info info = {.offset = -1};
    struct pm_reader *reader;
    int result = pm_reader_open(source, &reader, &info);
    if (result != PM_OK) {
        if (source.close)
            source.close(source.context);
        set_error(error, name, result, &info);
        return NULL;
    }
    PmLoading l = {.progress = progress, .data = data, .outlined = TRUE};
    if (end && read_end(reader, name, n_threads, end, progress, data))
        l.outlined = FALSE; /* there is something better to look at */
    loading_init(&l, reader, n_threads);
    if (newest)
        choose_newest(&l, newest);
    else if (l.total_bytes >= MANY_BYTES)
        pm_region_keep_freed();
    PmRecording *recording = read_all(&l, name, ret_cancelled != NULL);
    const gboolean cancelled = g_atomic_int_get(&l.cancelled) != 0;
    if (!recording)
        set_error(error, name, cancelled ? PM_ERROR_CANCELLED : PM_ERROR_MEMORY, &info);
    else if (progress) /* what was begun has been read to its end */
        progress(cancelled ? MIN((guint64)l.done_kib << 10, l.total_bytes) : l.total_bytes,
                 l.total_bytes, NULL, data);
    if (recording && ret_cancelled)
        *ret_cancelled = cancelled;
    loading_clear(&l);
    pm_reader_free(reader);
    return recording;
}

PmRecording *pm_recording_load_source(struct pm_source source, const char *name, guint n_threads,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    return load(source, name, n_threads, NULL, NULL, progress, data, ret_cancelled, error);
}

static PmRecording *load_path(const char *path, guint n_threads, const PmLoadEnd *end,
                              const PmLoadNewest *newest, PmLoadProgress progress, gpointer data,
                              gboolean *ret_cancelled, GError **error)
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
    return load(source, path, n_threads, end, newest, progress, data, ret_cancelled, error);
}

PmRecording *pm_recording_load_end_first(const char *path, guint n_threads, const PmLoadEnd *end,
                                         PmLoadProgress progress, gpointer data,
                                         gboolean *ret_cancelled, GError **error)
{
    return load_path(path, n_threads, end, NULL, progress, data, ret_cancelled, error);
}

PmRecording *pm_recording_load_newest(const char *path, guint n_threads, const PmLoadNewest *newest,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error)
{
    return load_path(path, n_threads, NULL, newest, progress, data, ret_cancelled, error);
}

PmRecording *pm_recording_load(const char *path, guint n_threads, PmLoadProgress progress,
                               gpointer data, gboolean *ret_cancelled, GError **error)
{
    return load_path(path, n_threads, NULL, NULL, progress, data, ret_cancelled, error);
}

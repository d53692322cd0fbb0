#include "viewer/analysis/code/row-lists.h"

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/workers.h"

/* Lists are made in groups, each in a pass over all waits on all cores: as many at once as there is
 * memory for. */
gsize pm_row_lists_most = 36u << 20;
gsize pm_row_lists_most_read = 96u << 20;

#define MOST_COUNTED (1u << 20) /* lists */
#define BATCHES_EACH 16         /* of a group, for each worker */
#define STRETCH      (1u << 16) /* rows of the recording, all lists of which are read together */
#define AT_ONCE      512        /* rows of which a column is read */

typedef struct {
    const PmRecording *recording;
    const PmRowTask *task;
    guint32 n_keys;
    gpointer data;
    const gint *cancel;
    guint n_workers;
    guint n_parts;                        /* of the rows; each has counters of its own */
    guint32 *counts[PM_MOST_ROW_WORKERS]; /* by list; while a group is made, where its next goes */
    guint32 *rows, *ends;                 /* of the group; by list of it, where its rows end */
    guint32 first, end;                   /* lists of the group */
    GArray *batches;                      /* of guint32: where each ends, among lists */
    gint next;                            /* of them */
    gsize n_read;                         /* rows of the biggest of them that is read */
    guint8 *read[PM_MOST_ROW_WORKERS];    /* room for so many; NULL: there is none yet */
} Lists;

static gsize part_begin(const Lists *l, guint part)
{
    const gsize n = l->recording->waits.n;
    return part < l->n_parts ? n / l->n_parts * part : n;
}

/* The keys of the part's rows from `row` on. Their number; 0: there are no more, or it was
 * cancelled.
 */
static gsize read_keys(const Lists *l, guint part, gsize row, guint32 *keys)
{
    const gsize n = MIN(part_begin(l, part + 1) - row, PM_ROW_KEYS);

    if (n == 0 || pm_cancelled(l->cancel))
        return 0;
    pm_region_look();
    l->task->keys_of(l->recording, row, n, keys, l->data);
    return n;
}

static void count_part(gpointer data, guint part)
{
    const Lists *l = data;
    guint32 keys[PM_ROW_KEYS];

    for (gsize n, i = part_begin(l, part); (n = read_keys(l, part, i, keys)) > 0; i += n)
        for (gsize k = 0; k < n; k++)
            if (keys[k] != G_MAXUINT32)
                l->counts[part][keys[k]]++;
}

static void fill_part(gpointer data, guint part)
{
    const Lists *l = data;
    const guint32 n_lists = l->end - l->first;
    guint32 keys[PM_ROW_KEYS], *at = l->counts[part];

    for (gsize n, i = part_begin(l, part); (n = read_keys(l, part, i, keys)) > 0; i += n)
        for (gsize k = 0; k < n; k++)
            if (keys[k] - l->first < n_lists)
                l->rows[at[keys[k]]++] = (guint32)(i + k);
}

static gsize list_size(const Lists *l, guint32 key)
{
    gsize n = 0;
    for (guint part = 0; part < l->n_parts; part++)
        n += l->counts[part][key];
    return n;
}

static gsize list_begin(const Lists *l, guint32 nth)
{
    return nth > 0 ? l->ends[nth - 1] : 0;
}

/* Rows that a worker reads at once. */
static gsize most_read(const Lists *l)
{
    return l->task->read ? pm_row_lists_most_read / l->task->size / l->n_workers : 0;
}

/* Of lists that follow each other, which are read together; one that is too long is a batch alone.
 */
static void make_batches(Lists *l)
{
    const guint32 n_lists = l->end - l->first;
    const gsize most = MIN(most_read(l), list_begin(l, n_lists) / (BATCHES_EACH * l->n_workers));
    g_array_set_size(l->batches, 0);
    l->n_read = 0;
    for (guint32 first = 0, end; first < n_lists; first = end) {
        end = first + 1;
        while (end < n_lists && l->ends[end] - list_begin(l, first) <= most)
            end++;
        const gsize n = l->ends[end - 1] - list_begin(l, first);
        if (n <= most_read(l))
            l->n_read = MAX(l->n_read, n);
        g_array_append_val(l->batches, end);
    }
}

/* The next group, from its first list on; makes places out of counts. Returns how many rows it has.
 */
static gsize begin_group(Lists *l)
{
    gsize n_rows = 0;

    for (l->end = l->first; l->end < l->n_keys; l->end++) {
        const gsize n = list_size(l, l->end);
        if (n_rows > 0 && n_rows + n > pm_row_lists_most)
            break;
        n_rows += n;
    }
    l->ends = g_new(guint32, MAX(l->end - l->first, 1));
    guint32 at = 0;
    for (guint32 key = l->first; key < l->end; key++) {
        for (guint part = 0; part < l->n_parts; part++) {
            const guint32 n = l->counts[part][key];
            l->counts[part][key] = at;
            at += n;
        }
        l->ends[key - l->first] = at;
    }
    return n_rows;
}

/* Of the lists from `first` to `end`, stretch by stretch: what lies in a file is mapped once for
 * all of them. */
static void read_lists(const Lists *l, guint32 first, guint32 end, guint8 *to)
{
    const PmRowTask *task = l->task;
    const PmWaits *w = &l->recording->waits;
    const gsize begin = list_begin(l, first), n_rows = l->ends[end - 1] - begin;
    const gsize stretch = MAX(STRETCH, 4 * w->n / n_rows * (end - first)); /* a few rows of each */
    g_autofree guint32 *at = g_new(guint32, end - first);
    for (guint32 i = first; i < end; i++)
        at[i - first] = (guint32)list_begin(l, i);
    for (gsize until = stretch; until < w->n + stretch; until += stretch) {
        if (pm_cancelled(l->cancel))
            return;
        for (guint32 i = first; i < end; i++) {
            const guint32 from = at[i - first];
            guint32 *to_row = &at[i - first];
            while (*to_row < l->ends[i] && l->rows[*to_row] < until)
                ++*to_row;
            if (*to_row > from)
                task->read(w, l->rows + from, *to_row - from, to + (from - begin) * task->size);
        }
        pm_region_look();
    }
}

/* NULL: nothing is read, or it is too much. */
static const guint8 *read_batch(Lists *l, guint worker, guint32 first, guint32 end)
{
    const gsize n = l->ends[end - 1] - list_begin(l, first);
    if (n == 0 || n > most_read(l))
        return NULL;
    if (!l->read[worker])
        l->read[worker] = pm_region_malloc(l->n_read * l->task->size);
    read_lists(l, first, end, l->read[worker]);
    return l->read[worker];
}

static void run_worker(gpointer data, guint worker)
{
    Lists *l = data;

    while (!pm_cancelled(l->cancel)) {
        const guint nth = (guint)g_atomic_int_add(&l->next, 1);
        if (nth >= l->batches->len)
            return;
        const guint32 first = nth > 0 ? g_array_index(l->batches, guint32, nth - 1) : 0,
                      end = g_array_index(l->batches, guint32, nth);
        const guint8 *read = read_batch(l, worker, first, end);
        for (guint32 i = first; i < end && !pm_cancelled(l->cancel); i++) {
            const gsize begin = list_begin(l, i), n = l->ends[i] - begin;
            if (n > 0)
                l->task->work(worker, l->first + i, l->rows + begin, n,
                              read ? read + (begin - list_begin(l, first)) * l->task->size : NULL,
                              l->data);
        }
    }
}

#define READ(COLUMN, type, field)                                                                  \
    pm_row_values(w, PM_WAIT_COLUMN_##COLUMN, rows, n, values);                                    \
    for (gsize i = 0; i < n; i++)                                                                  \
        to[i].field = (type)values[i];

/* At most AT_ONCE. */
static void read_wakes(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *to)
{
    gint64 values[AT_ONCE];
    READ(BEGIN, gint64, begin)
    READ(LENGTH, gint64, end)
    READ(WAKE, gint64, wake)
    READ(WAKER, guint32, waker)
    for (gsize i = 0; i < n; i++) {
        to[i].end += to[i].begin;
        to[i].wake = pm_wake_of(to[i].wake, to[i].end);
    }
}

static void read_others(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *to)
{
    gint64 values[AT_ONCE];
    READ(THREAD, guint32, thread)
    READ(CHAIN, guint32, chain)
    READ(OWNER, guint32, owner)
    READ(WAKER_CHAIN, guint32, waker_chain)
    READ(FLAGS, guint16, flags)
    READ(KIND, guint8, kind)
    READ(WAKE_CAUSE, guint8, wake_cause)
}
#undef READ

void pm_row_wakes_read(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *ret_waits)
{
    for (gsize i = 0; i < n; i += AT_ONCE)
        read_wakes(w, rows + i, MIN(n - i, AT_ONCE), ret_waits + i);
}

void pm_row_waits_read(const PmWaits *w, const guint32 *rows, gsize n, gpointer ret_read)
{
    PmRowWait *to = ret_read;
    for (gsize i = 0; i < n; i += AT_ONCE) {
        read_wakes(w, rows + i, MIN(n - i, AT_ONCE), to + i);
        read_others(w, rows + i, MIN(n - i, AT_ONCE), to + i);
    }
}

gboolean pm_row_lists_run(const PmRecording *recording, const PmRowTask *task, guint32 n_keys,
                          gpointer data, const gint *cancel)
{
    const guint n_workers = CLAMP(g_get_num_processors(), 1, PM_MOST_ROW_WORKERS);
    Lists l = {.recording = recording,
               .task = task,
               .n_keys = n_keys,
               .data = data,
               .cancel = cancel,
               .n_workers = n_workers,
               .n_parts = n_keys < MOST_COUNTED ? n_workers : 1,
               .batches = g_array_new(FALSE, FALSE, sizeof(guint32))};

    for (guint part = 0; part < l.n_parts; part++)
        l.counts[part] = g_new0(guint32, MAX(n_keys, 1));
    pm_workers_run(l.n_parts, l.n_parts, count_part, &l);
    for (; l.first < n_keys && !pm_cancelled(l.cancel); l.first = l.end) {
        const gsize n_rows = begin_group(&l);
        if (n_rows > 0) {
            l.rows = pm_region_malloc(n_rows * sizeof *l.rows);
            l.next = 0;
            make_batches(&l);
            pm_workers_run(l.n_parts, l.n_parts, fill_part, &l);
            pm_workers_run(n_workers, n_workers, run_worker, &l);
            g_free(l.rows);
            for (guint worker = 0; worker < n_workers; worker++)
                g_clear_pointer(&l.read[worker], g_free);
        }
        g_free(l.ends);
    }
    for (guint part = 0; part < l.n_parts; part++)
        g_free(l.counts[part]);
    g_array_unref(l.batches);
    return !pm_cancelled(l.cancel);
}

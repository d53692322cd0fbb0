#include "viewer/analysis/code/row-lists.h"

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"

/* Lists are made in groups, each in a pass over all waits on all cores: as many at once as there is
 * memory for. */
gsize pm_row_lists_most = 36u << 20;

#define MOST_COUNTED (1u << 20) /* lists */

typedef struct {
    const PmRecording *recording;
    PmRowKeys keys_of;
    guint32 n_keys;
    PmRowWork work;
    gpointer data;
    const gint *cancel;
    guint n_parts;                        /* of the rows; each has counters of its own */
    guint32 *counts[PM_MOST_ROW_WORKERS]; /* by list; while a group is made, where its next goes */
    guint32 *rows, *ends;                 /* of the group; by list of it, where its rows end */
    guint32 first, end;                   /* lists of the group */
    gint next;                            /* of them */
} Lists;

static gsize part_begin(const Lists *l, guint part)
{
    const gsize n = l->recording->waits.n;
    return part < l->n_parts ? n / l->n_parts * part : n;
}

static void count_part(gpointer data, guint part)
{
    const Lists *l = data;
    guint32 keys[PM_ROW_KEYS];

    for (gsize i = part_begin(l, part); i < part_begin(l, part + 1); i += PM_ROW_KEYS) {
        const gsize n = MIN(part_begin(l, part + 1) - i, PM_ROW_KEYS);
        if (pm_cancelled(l->cancel))
            return;
        l->keys_of(l->recording, i, n, keys, l->data);
        for (gsize k = 0; k < n; k++)
            if (keys[k] != G_MAXUINT32)
                l->counts[part][keys[k]]++;
    }
}

static void fill_part(gpointer data, guint part)
{
    const Lists *l = data;
    const guint32 n_lists = l->end - l->first;
    guint32 keys[PM_ROW_KEYS], *at = l->counts[part];

    for (gsize i = part_begin(l, part); i < part_begin(l, part + 1); i += PM_ROW_KEYS) {
        const gsize n = MIN(part_begin(l, part + 1) - i, PM_ROW_KEYS);
        if (pm_cancelled(l->cancel))
            return;
        l->keys_of(l->recording, i, n, keys, l->data);
        for (gsize k = 0; k < n; k++)
            if (keys[k] - l->first < n_lists)
                l->rows[at[keys[k]]++] = (guint32)(i + k);
    }
}

static gsize list_size(const Lists *l, guint32 key)
{
    gsize n = 0;
    for (guint part = 0; part < l->n_parts; part++)
        n += l->counts[part][key];
    return n;
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

static void run_worker(gpointer data, guint worker)
{
    Lists *l = data;
    const guint32 n_lists = l->end - l->first;

    while (!pm_cancelled(l->cancel)) {
        const guint32 i = (guint32)g_atomic_int_add(&l->next, 1);
        if (i >= n_lists)
            return;
        const guint32 begin = i > 0 ? l->ends[i - 1] : 0;
        if (l->ends[i] > begin)
            l->work(worker, l->first + i, l->rows + begin, l->ends[i] - begin, l->data);
    }
}

gboolean pm_row_lists_run(const PmRecording *recording, PmRowKeys keys_of, guint32 n_keys,
                          PmRowWork work, gpointer data, const gint *cancel)
{
    const guint n_workers = CLAMP(g_get_num_processors(), 1, PM_MOST_ROW_WORKERS);
    Lists l = {.recording = recording,
               .keys_of = keys_of,
               .n_keys = n_keys,
               .work = work,
               .data = data,
               .cancel = cancel,
               .n_parts = n_keys < MOST_COUNTED ? n_workers : 1};

    for (guint part = 0; part < l.n_parts; part++)
        l.counts[part] = g_new0(guint32, MAX(n_keys, 1));
    pm_workers_run(l.n_parts, l.n_parts, count_part, &l);
    for (; l.first < n_keys && !pm_cancelled(l.cancel); l.first = l.end) {
        const gsize n_rows = begin_group(&l);
        if (n_rows > 0) {
            l.rows = g_new(guint32, n_rows);
            l.next = 0;
            pm_workers_run(l.n_parts, l.n_parts, fill_part, &l);
            pm_workers_run(n_workers, n_workers, run_worker, &l);
            g_free(l.rows);
        }
        g_free(l.ends);
    }
    for (guint part = 0; part < l.n_parts; part++)
        g_free(l.counts[part]);
    return !pm_cancelled(l.cancel);
}

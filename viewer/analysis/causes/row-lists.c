#include "viewer/analysis/causes/row-lists.h"

#include "viewer/analysis/recording/recording-private.h"

/* Lists are made in groups, one a worker at a time: each group costs a pass over all waits. */
#define MOST_ROWS    (32u << 20)
#define GROUPS_EACH  2
#define CANCEL_EVERY 65536

typedef struct {
    const PmRecording *recording;
    PmRowKey key_of;
    guint32 n_keys;
    PmRowWork work;
    gpointer data;
    const gint *cancel;
    guint32 *counts; /* by list */
    GArray *groups;  /* of guint32: where each begins; and the end of the last */
    gint next;       /* group */
} Lists;

static gboolean is_cancelled(const Lists *l, gsize row)
{
    return l->cancel && row % CANCEL_EVERY == 0 && g_atomic_int_get(l->cancel);
}

static gboolean count(Lists *l)
{
    const gsize n = l->recording->waits.n;

    for (gsize i = 0; i < n; i++) {
        const guint32 key = l->key_of(l->recording, i, l->data);
        if (is_cancelled(l, i))
            return FALSE;
        if (key != G_MAXUINT32)
            l->counts[key]++;
    }
    return TRUE;
}

static void make_groups(Lists *l, guint n_workers)
{
    const gsize most = CLAMP(l->recording->waits.n / (n_workers * GROUPS_EACH), 1, MOST_ROWS);
    gsize rows = 0;
    guint32 key = 0;

    g_array_append_val(l->groups, key);
    for (; key < l->n_keys; key++) {
        if (rows > 0 && rows + l->counts[key] > most) {
            g_array_append_val(l->groups, key);
            rows = 0;
        }
        rows += l->counts[key];
    }
    g_array_append_val(l->groups, key);
}

/* The lists from `first` to `end`. */
static void run_group(Lists *l, guint worker, guint32 first, guint32 end)
{
    const gsize n = l->recording->waits.n;
    g_autofree gsize *at = g_new(gsize, end - first + 1);
    gsize n_rows = 0;

    for (guint32 key = first; key < end; key++) {
        at[key - first] = n_rows;
        n_rows += l->counts[key];
    }
    if (n_rows == 0)
        return;
    g_autofree guint32 *rows = g_new(guint32, n_rows);
    for (gsize i = 0; i < n; i++) {
        const guint32 key = l->key_of(l->recording, i, l->data);
        if (is_cancelled(l, i))
            return;
        if (key >= first && key < end)
            rows[at[key - first]++] = (guint32)i;
    }
    gsize begin = 0;
    for (guint32 key = first; key < end; key++) {
        if (l->cancel && g_atomic_int_get(l->cancel))
            return;
        if (l->counts[key] > 0)
            l->work(worker, key, rows + begin, l->counts[key], l->data);
        begin += l->counts[key];
    }
}

static void run_worker(gpointer data, guint worker)
{
    Lists *l = data;

    for (;;) {
        const guint group = (guint)g_atomic_int_add(&l->next, 1);
        if (group + 1 >= l->groups->len)
            return;
        run_group(l, worker, g_array_index(l->groups, guint32, group),
                  g_array_index(l->groups, guint32, group + 1));
    }
}

gboolean pm_row_lists_run(const PmRecording *recording, PmRowKey key_of, guint32 n_keys,
                          PmRowWork work, gpointer data, const gint *cancel)
{
    const guint n_workers = CLAMP(g_get_num_processors(), 1, PM_MOST_ROW_WORKERS);
    g_autofree guint32 *counts = g_new0(guint32, MAX(n_keys, 1));
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(guint32));
    Lists l = {.recording = recording,
               .key_of = key_of,
               .n_keys = n_keys,
               .work = work,
               .data = data,
               .cancel = cancel,
               .counts = counts,
               .groups = groups};

    if (!count(&l))
        return FALSE;
    make_groups(&l, n_workers);
    pm_workers_run(n_workers, n_workers, run_worker, &l);
    return !cancel || !g_atomic_int_get(cancel);
}

#include "viewer/analysis/causes/row-lists.h"

#include "viewer/analysis/recording/recording-private.h"

/* Lists are made in groups, one a worker at a time: each group costs a pass over all waits. */
#define MOST_ROWS    (32u << 20)
#define GROUPS_EACH  2
#define FEW_OF       4
#define CANCEL_EVERY 65536
#define MOST_COUNTED (1u << 20) /* lists */

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

/* Rows are counted in parts, each with counters of its own, where there are few lists. */
typedef struct {
    Lists *lists;
    guint n;
    guint32 *counts[PM_MOST_ROW_WORKERS];
} Counting;

static void count_part(gpointer data, guint index)
{
    const Counting *c = data;
    const Lists *l = c->lists;
    const gsize n = l->recording->waits.n;
    const gsize end = index + 1 < c->n ? n / c->n * (index + 1) : n;

    for (gsize i = n / c->n * index; i < end; i++) {
        const guint32 key = l->key_of(l->recording, i, l->data);
        if (is_cancelled(l, i))
            return;
        if (key != G_MAXUINT32)
            c->counts[index][key]++;
    }
}

/* FALSE: cancelled. */
static gboolean count(Lists *l, guint n_workers)
{
    Counting c = {.lists = l, .n = l->n_keys < MOST_COUNTED ? n_workers : 1};

    c.counts[0] = l->counts;
    for (guint i = 1; i < c.n; i++)
        c.counts[i] = g_new0(guint32, MAX(l->n_keys, 1));
    pm_workers_run(c.n, c.n, count_part, &c);
    for (guint i = 1; i < c.n; i++) {
        for (guint32 key = 0; key < l->n_keys; key++)
            l->counts[key] += c.counts[i][key];
        g_free(c.counts[i]);
    }
    return !l->cancel || !g_atomic_int_get(l->cancel);
}

static void make_groups(Lists *l, guint n_workers)
{
    const gsize n = l->recording->waits.n;
    gsize n_listed = 0;

    for (guint32 k = 0; k < l->n_keys; k++)
        n_listed += l->counts[k];
    /* Of few rows the passes cost more than workers that wait for the last one. */
    const guint n_groups = n_workers * (n_listed < n / FEW_OF ? 1 : GROUPS_EACH);
    const gsize most = CLAMP(n_listed / n_groups + 1, 1, MOST_ROWS);
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

    if (!count(&l, n_workers))
        return FALSE;
    make_groups(&l, n_workers);
    pm_workers_run(n_workers, n_workers, run_worker, &l);
    return !cancel || !g_atomic_int_get(cancel);
}

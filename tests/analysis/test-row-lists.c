/* The lists that rows are of, beside a look at every row for every list. */
#include "viewer/analysis/code/row-lists.h"

#include "tests/analysis/made.h"

typedef struct {
    guint32 left_out; /* rows of this thread are of no list */
    GArray **lists;   /* of guint32; each is filled at once */
    GMutex lock;
    guint n_calls;
    gint n_read; /* of them with what was read */
    gint within[PM_MOST_ROW_WORKERS];
} Lists;

static void keys_of(const PmRecording *r, gsize first, gsize n, guint32 *keys, gconstpointer data)
{
    g_assert_cmpuint(n, <=, PM_ROW_KEYS);
    g_assert_cmpuint(first + n, <=, r->waits.n);
    for (gsize i = 0; i < n; i++) {
        const guint32 thread = pm_wait_thread(&r->waits, first + i);
        keys[i] = thread == ((const Lists *)data)->left_out ? G_MAXUINT32 : thread;
    }
}

static void read_twice(const PmWaits *waits, const guint32 *rows, gsize n, gpointer ret_read)
{
    for (gsize i = 0; i < n; i++)
        ((guint64 *)ret_read)[i] = 2 * rows[i];
}

static void take(guint worker, guint32 key, const guint32 *rows, gsize n, gconstpointer read,
                 gpointer data)
{
    const guint64 *twice = read;
    for (gsize i = 0; i < n && twice; i++)
        g_assert_cmpuint(twice[i], ==, 2 * rows[i]);
    g_atomic_int_add(&((Lists *)data)->n_read, twice != NULL);
    Lists *lists = data;
    g_assert_cmpint(g_atomic_int_add(&lists->within[worker], 1), ==, 0);
    g_mutex_lock(&lists->lock);
    lists->n_calls++;
    g_assert_cmpuint(lists->lists[key]->len, ==, 0);
    g_array_append_vals(lists->lists[key], rows, (guint)n);
    g_mutex_unlock(&lists->lock);
    g_atomic_int_add(&lists->within[worker], -1);
}

typedef struct {
    gsize listed, read; /* pm_row_lists_most, pm_row_lists_most_read */
} Limits;

static void check(guint seed, guint n_waits, guint n_threads, Limits most, gboolean reads)
{
    g_autoptr(PmRecording) r = pm_made_random(seed, n_waits, n_threads, 100000);
    Lists lists = {.left_out = 2, .lists = g_new(GArray *, r->n_threads)};
    const Limits before = {pm_row_lists_most, pm_row_lists_most_read};
    const PmRowTask task = {keys_of, reads ? read_twice : NULL, sizeof(guint64), take};
    guint n_lists = 0;

    g_mutex_init(&lists.lock);
    for (guint32 t = 0; t < r->n_threads; t++)
        lists.lists[t] = g_array_new(FALSE, FALSE, sizeof(guint32));
    pm_row_lists_most = most.listed;
    pm_row_lists_most_read = most.read;
    g_assert_true(pm_row_lists_run(r, &task, r->n_threads, &lists, NULL));
    pm_row_lists_most = before.listed;
    pm_row_lists_most_read = before.read;
    for (guint32 t = 0; t < r->n_threads; t++) {
        guint n = 0;
        for (gsize i = 0; i < r->waits.n; i++)
            if (t != lists.left_out && pm_wait_thread(&r->waits, i) == t)
                g_assert_cmpuint(g_array_index(lists.lists[t], guint32, n++), ==, i);
        g_assert_cmpuint(n, ==, lists.lists[t]->len);
        n_lists += n > 0;
        g_array_unref(lists.lists[t]);
    }
    g_assert_cmpuint(lists.n_calls, ==, n_lists);
    if (!reads || most.read == 0)
        g_assert_cmpint(lists.n_read, ==, 0);
    else if (most.read == G_MAXSIZE)
        g_assert_cmpint(lists.n_read, ==, (gint)n_lists);
    g_free(lists.lists);
    g_mutex_clear(&lists.lock);
}

static void lists_hold_their_rows_in_order(void)
{
    static const Limits most[] = {
        {1, 0}, {100, 1000}, {2500, 4000}, {1u << 20, 20000}, {1u << 20, G_MAXSIZE}};

    for (guint i = 0; i < 2 * G_N_ELEMENTS(most); i++) {
        check(1 + i, 5000, 23, most[i / 2], i % 2 != 0);
        check(11 + i, 1, 3, most[i / 2], i % 2 != 0);
        check(21 + i, 1000, 400, most[i / 2], i % 2 != 0);
    }
}

static void stops_when_it_is_cancelled(void)
{
    g_autoptr(PmRecording) r = pm_made_random(5, 1000, 7, 10000);
    const gint cancel = 1;
    const PmRowTask task = {keys_of, read_twice, sizeof(guint64), take};
    Lists lists = {0};

    g_assert_false(pm_row_lists_run(r, &task, r->n_threads, &lists, &cancel));
    g_assert_cmpuint(lists.n_calls, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/row-lists/lists-hold-their-rows-in-order",
                    lists_hold_their_rows_in_order);
    g_test_add_func("/analysis/row-lists/stops-when-it-is-cancelled", stops_when_it_is_cancelled);
    return g_test_run();
}

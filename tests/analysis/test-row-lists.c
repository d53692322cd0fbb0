/* The lists that rows are of, beside a look at every row for every list. */
#include "viewer/analysis/code/row-lists.h"

#include "tests/analysis/made.h"

typedef struct {
    const PmRecording *recording;
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

/* What was dealt out of each row is what the recording says of it. */
static void check_read(const PmWaits *w, const guint32 *rows, gsize n, const PmRowWait *read)
{
    for (gsize i = 0; i < n; i++) {
        g_assert_cmpint(read[i].begin, ==, pm_wait_begin(w, rows[i]));
        g_assert_cmpint(read[i].end, ==, pm_wait_end(w, rows[i]));
        g_assert_cmpint(read[i].wake, ==, pm_wait_wake(w, rows[i]));
        g_assert_cmpuint(read[i].thread, ==, pm_wait_thread(w, rows[i]));
        g_assert_cmpuint(read[i].chain, ==, pm_wait_chain(w, rows[i]));
        g_assert_cmpuint(read[i].owner, ==, pm_wait_owner(w, rows[i]));
        g_assert_cmpuint(read[i].waker, ==, pm_wait_waker(w, rows[i]));
        g_assert_cmpuint(read[i].waker_chain, ==, pm_wait_waker_chain(w, rows[i]));
        g_assert_cmpuint(read[i].flags, ==, pm_wait_flags(w, rows[i]));
        g_assert_cmpuint(read[i].kind, ==, pm_wait_kind(w, rows[i]));
        g_assert_cmpuint(read[i].wake_cause, ==, pm_wait_wake_cause(w, rows[i]));
    }
}

static void take(guint worker, guint32 key, const guint32 *rows, gsize n, const PmRowWait *read,
                 gpointer data)
{
    Lists *lists = data;
    if (read)
        check_read(&lists->recording->waits, rows, n, read);
    g_atomic_int_add(&lists->n_read, read != NULL);
    g_assert_cmpint(g_atomic_int_add(&lists->within[worker], 1), ==, 0);
    g_mutex_lock(&lists->lock);
    lists->n_calls++;
    g_assert_cmpuint(lists->lists[key]->len, ==, 0);
    g_array_append_vals(lists->lists[key], rows, (guint)n);
    g_mutex_unlock(&lists->lock);
    g_atomic_int_add(&lists->within[worker], -1);
}

static void check(guint seed, guint n_waits, guint n_threads, gsize most, gboolean reads)
{
    g_autoptr(PmRecording) r = pm_made_random(seed, n_waits, n_threads, 100000);
    Lists lists = {.recording = r, .left_out = 2, .lists = g_new(GArray *, r->n_threads)};
    const gsize before = pm_row_lists_most_read;
    const PmRowTask task = {keys_of, take, reads};
    guint n_lists = 0;

    g_mutex_init(&lists.lock);
    for (guint32 t = 0; t < r->n_threads; t++)
        lists.lists[t] = g_array_new(FALSE, FALSE, sizeof(guint32));
    pm_row_lists_most_read = most;
    g_assert_true(pm_row_lists_run(r, &task, r->n_threads, &lists, NULL));
    pm_row_lists_most_read = before;
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
    if (!reads || most == 0)
        g_assert_cmpint(lists.n_read, ==, 0);
    else if (most == G_MAXSIZE)
        g_assert_cmpint(lists.n_read, ==, (gint)n_lists);
    g_free(lists.lists);
    g_mutex_clear(&lists.lock);
}

static void lists_hold_their_rows_in_order(void)
{
    static const gsize most[] = {0, 1000, 20000, 200000, G_MAXSIZE};

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
    const PmRowTask task = {keys_of, take, TRUE};
    Lists lists = {.recording = r};

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

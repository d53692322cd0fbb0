/* Rows that were added part by part are those that one sort of all of them gives. */
#include "viewer/analysis/recording/column-builder.h"

#include <string.h>

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/workers.h"

typedef struct {
    gint64 begin, length;
    guint32 thread, blocker, chain;
} Row;

typedef struct {
    PmColumnBuilder *builder;
    const Row *rows; /* as they end */
    const guint *cuts;
    const gint64 *limits;
    guint n_parts;
} Parts;

static void fill(PmColumnRows *rows, const Row *from, gsize n)
{
    g_assert_true(pm_column_rows_reserve(rows, n));
    for (gsize i = 0; i < n; i++) {
        const gsize at = rows->n++;
        for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) /* all but the named ones are zero */
            memset((guint8 *)rows->columns[c] + at * pm_column_builder_width(c), 0,
                   pm_column_builder_width(c));
        PM_BUILDER_COLUMN(rows, gint64, BEGIN)[at] = from[i].begin;
        PM_BUILDER_COLUMN(rows, gint64, LENGTH)[at] = from[i].length;
        PM_BUILDER_COLUMN(rows, guint32, THREAD)[at] = from[i].thread;
        PM_BUILDER_COLUMN(rows, guint32, BLOCKER)[at] = from[i].blocker;
        PM_BUILDER_COLUMN(rows, guint32, CHAIN)[at] = from[i].chain;
        PM_BUILDER_COLUMN(rows, gint32, AQS_STATE)[at] = -(gint32)from[i].chain;
    }
}

static void add_part(gpointer data, guint nth)
{
    const Parts *parts = data;
    const guint part = parts->n_parts - 1 - nth;
    PmColumnPart *columns = pm_column_builder_part(parts->builder);
    fill(pm_column_part_rows(columns), parts->rows + parts->cuts[part],
         parts->cuts[part + 1] - parts->cuts[part]);
    pm_column_builder_add(parts->builder, nth, columns,
                          part > 0 ? parts->limits[part - 1] : G_MININT64);
}

static gint compare_ends(gconstpointer a, gconstpointer b)
{
    const Row *x = a, *y = b;
    const gint64 x_end = x->begin + x->length, y_end = y->begin + y->length;
    return (x_end > y_end) - (x_end < y_end);
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if ((x->length == 0) != (y->length == 0))
        return x->length == 0 ? 1 : -1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

static gint compare_cuts(gconstpointer a, gconstpointer b)
{
    return (gint)(*(const guint *)a) - (gint)(*(const guint *)b);
}

/* Waits of all lengths, a few from the first instant to the last; some at equal instants. */
static void check(guint32 seed, guint n, guint n_parts, guint n_threads)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autofree Row *rows = g_new(Row, n + 1);
    g_autofree guint *cuts = g_new0(guint, n_parts + 1);
    g_autofree gint64 *limits = g_new(gint64, n_parts);
    const gint64 duration = 40 * (gint64)n + 1;

    for (guint i = 0; i < n; i++) {
        gint64 length = g_rand_int_range(rand, 0, 200);
        if (g_rand_int_range(rand, 0, 50) == 0)
            length = (gint64)(g_rand_double(rand) * (double)duration);
        const gint64 end = (gint64)(g_rand_double(rand) * (double)duration);
        /* Threads are distinct, so that no two rows are equal in all that orders them. */
        rows[i] = (Row){end - length, length, i + 1, (guint32)g_rand_int_range(rand, 1, 6), i};
    }
    qsort(rows, n, sizeof *rows, compare_ends);
    for (guint k = 1; k < n_parts; k++)
        cuts[k] = (guint)g_rand_int_range(rand, 0, (gint32)n + 1);
    cuts[n_parts] = n;
    qsort(cuts, n_parts + 1, sizeof *cuts, compare_cuts);
    for (guint k = 0; k < n_parts; k++)
        limits[k] = cuts[k + 1] > 0 ? rows[cuts[k + 1] - 1].begin + rows[cuts[k + 1] - 1].length
                                    : G_MININT64 + 1;

    Parts parts = {pm_column_builder_new(), rows, cuts, limits, n_parts};
    pm_workers_run(n_threads, n_parts, add_part, &parts);
    PmWaits waits;
    g_autofree gint64 *block_end = NULL;
    g_autoptr(GArray) stores = NULL;
    g_assert_true(pm_column_builder_end(parts.builder, &waits, &block_end, &stores));
    pm_column_builder_free(parts.builder);

    qsort(rows, n, sizeof *rows, compare_rows);
    g_assert_cmpuint(waits.n, ==, n);
    for (guint i = 0; i < n; i++) {
        g_assert_cmpint(pm_wait_begin(&waits, i), ==, rows[i].begin);
        g_assert_cmpint(pm_wait_length(&waits, i), ==, rows[i].length);
        g_assert_cmpuint(pm_wait_thread(&waits, i), ==, rows[i].thread);
        g_assert_cmpuint(pm_wait_blocker(&waits, i), ==, rows[i].blocker);
        g_assert_cmpuint(pm_wait_chain(&waits, i), ==, rows[i].chain);
        g_assert_cmpint(pm_wait_aqs_state(&waits, i), ==, -(gint32)rows[i].chain);
    }
    const gsize pad = waits.columns[0].pad;
    for (gsize b = 0; b < waits.columns[0].n_blocks; b++) {
        gint64 last = G_MININT64;
        for (gsize i = MAX(b << PM_PACKED_BITS, pad); i < (b + 1) << PM_PACKED_BITS; i++)
            last = MAX(last, rows[i - pad].begin + rows[i - pad].length);
        g_assert_cmpint(block_end[b], ==, last);
    }
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        pm_packed_clear(&waits.columns[c]);
    for (guint i = 0; i < stores->len; i++)
        pm_packed_store_clear(&g_array_index(stores, PmPackedStore, i));
}

static void parts_give_what_one_sort_gives(void)
{
    static const guint sizes[] = {0, 1, 2, 100, 4095, 4096, 4097, 8192, 8191, 9000, 20000};
    guint32 seed = 1;

    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (guint n_parts = 1; n_parts <= 30; n_parts += 5)
            check(seed++, sizes[k], n_parts, n_parts % 2 == 0 ? 1 : 4);
    check(seed, 50000, 300, 3);
}

/* A row that breaks what was promised for it is left out, and the others are in order. */
static void late_rows_are_left_out(void)
{
    const Row rows[] = {{10, 5, 1, 1, 1}, {400, 1, 2, 1, 2}, {300, 7, 3, 1, 3}};
    const guint cuts[] = {0, 2, 3};
    const gint64 limits[] = {15};
    Parts parts = {pm_column_builder_new(), rows, cuts, limits, 2};
    pm_workers_run(1, 2, add_part, &parts);
    PmWaits waits;
    g_autofree gint64 *block_end = NULL;
    g_autoptr(GArray) stores = NULL;
    g_assert_true(pm_column_builder_end(parts.builder, &waits, &block_end, &stores));
    pm_column_builder_free(parts.builder);
    g_assert_cmpuint(waits.n, ==, 2);
    g_assert_cmpint(pm_wait_begin(&waits, 0), ==, 10);
    g_assert_cmpint(pm_wait_begin(&waits, 1), ==, 300);
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        pm_packed_clear(&waits.columns[c]);
    for (guint i = 0; i < stores->len; i++)
        pm_packed_store_clear(&g_array_index(stores, PmPackedStore, i));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/builder/parts-give-what-one-sort-gives",
                    parts_give_what_one_sort_gives);
    g_test_add_func("/analysis/builder/late-rows-are-left-out", late_rows_are_left_out);
    return g_test_run();
}

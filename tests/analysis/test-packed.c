/* A packed list reads as the plain array that it was made of, wherever it is kept. */
#include "viewer/analysis/base/packed.h"
#include "viewer/analysis/base/region.h"

/* One block of each width, with the greatest and the least value in it, and a last one that is not
 * full. */
static void test_reads_what_was_appended(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GArray) plain = g_array_new(FALSE, FALSE, sizeof(gint64));
    PmPacked list = {0};

    for (guint width = 0; width <= 64; width++) {
        const guint64 mask = width == 0 ? 0 : G_MAXUINT64 >> (64 - width);
        const gint64 base =
            width == 64 ? G_MININT64 : (gint64)g_rand_int(rand) * (width % 2 ? -1000 : 1000);
        const gsize n = width == 64 ? 100 : PM_PACKED_BLOCK;
        gint64 values[PM_PACKED_BLOCK];
        for (gsize i = 0; i < n; i++) {
            guint64 random = (guint64)g_rand_int(rand) << 32 | g_rand_int(rand);
            random = i == 1 ? 0 : i == 2 ? G_MAXUINT64 : random;
            values[i] = (gint64)((guint64)base + (random & mask));
        }
        g_array_append_vals(plain, values, (guint)n);
        g_assert_true(pm_packed_append(&list, values, n));
    }
    pm_packed_trim(&list);
    g_assert_cmpuint(list.n, ==, plain->len);
    for (gsize i = 0; i < list.n; i++)
        g_assert_cmpint(pm_packed_get(&list, i), ==, g_array_index(plain, gint64, i));
    /* In any order. */
    for (guint k = 0; k < 100000; k++) {
        const guint i = (guint)g_rand_int_range(rand, 0, (gint32)plain->len);
        g_assert_cmpint(pm_packed_get(&list, i), ==, g_array_index(plain, gint64, i));
    }
    /* Many at once; as a recording's columns, with some before the first. */
    list.pad = 1234;
    list.n -= list.pad;
    g_array_remove_range(plain, 0, (guint)list.pad);
    for (guint k = 0; k < 1000; k++) {
        gint64 values[2 * PM_PACKED_BLOCK];
        const guint first = (guint)g_rand_int_range(rand, 0, (gint32)plain->len);
        const guint n = (guint)g_rand_int_range(rand, 0, G_N_ELEMENTS(values));
        const guint its = MIN(n, plain->len - first);
        pm_packed_read(&list, first, its, values);
        g_assert_true(memcmp(values, &g_array_index(plain, gint64, first), its * sizeof *values) ==
                      0);
    }
    pm_packed_clear(&list);
    g_assert_cmpuint(list.store.room + list.blocks_room, ==, 0);
}

static void test_a_writer_fills_blocks(void)
{
    static const gsize lengths[] = {
        0, 1, PM_PACKED_BLOCK - 1, PM_PACKED_BLOCK, PM_PACKED_BLOCK + 1, 3 * PM_PACKED_BLOCK + 7};

    for (guint k = 0; k < G_N_ELEMENTS(lengths); k++) {
        PmPacked list = {0};
        g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
        writer->list = &list;
        for (gsize i = 0; i < lengths[k]; i++)
            pm_packed_put(writer, (gint64)(i * i) - 1000);
        g_assert_true(pm_packed_end(writer));
        g_assert_cmpuint(list.n, ==, lengths[k]);
        for (gsize i = 0; i < list.n; i++)
            g_assert_cmpint(pm_packed_get(&list, i), ==, (gint64)(i * i) - 1000);
        pm_packed_clear(&list);
    }
}

static void test_the_same_is_put_in_blocks(void)
{
    static const gsize runs[] = {1, 5000, 3, 4096, 0, 8192, 4095, 1, 20000, 7};
    PmPacked list = {0};
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
    gsize n = 0;

    writer->list = &list;
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
        pm_packed_put_same(writer, (gint64)i * 1000, runs[i]);
    g_assert_true(pm_packed_end(writer));
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
        for (gsize k = 0; k < runs[i]; k++)
            g_assert_cmpint(pm_packed_get(&list, n++), ==, (gint64)i * 1000);
    g_assert_cmpuint(list.n, ==, n);
    pm_packed_clear(&list);
}

static void test_takes_the_bits_of_the_spread(void)
{
    PmPacked list = {0};
    gint64 values[PM_PACKED_BLOCK];

    for (guint block = 0; block < 64; block++) {
        for (guint i = 0; i < PM_PACKED_BLOCK; i++)
            values[i] = (gint64)block * G_GINT64_CONSTANT(1000000000000) + i % 1024;
        g_assert_true(pm_packed_append(&list, values, PM_PACKED_BLOCK));
    }
    pm_packed_trim(&list);
    /* 10 bits a value, and a page at the most. */
    g_assert_cmpuint(list.store.used, ==, 64 * PM_PACKED_BLOCK * 10 / 8);
    g_assert_cmpuint(list.store.room, <=, list.store.used + (4096 + 8) * list.store.regions->len);
    pm_packed_clear(&list);
}

/* Instants in order of time take the bits of what is off their line; whatever rises reads as it
 * was, also where there is no number next to it. */
static void test_what_rises_takes_the_bits_off_its_line(void)
{
    static const gint64 firsts[] = {0, -5000000, G_MININT64, G_MAXINT64 - 4095 * 100000 - 64};
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    PmPacked list = {0};
    gint64 values[G_N_ELEMENTS(firsts) * PM_PACKED_BLOCK];

    for (guint block = 0; block < G_N_ELEMENTS(firsts); block++) {
        gint64 *its = values + block * PM_PACKED_BLOCK;
        for (gint64 i = 0; i < PM_PACKED_BLOCK; i++)
            its[i] = firsts[block] + i * 100000 + g_rand_int_range(rand, 0, 60);
        g_assert_true(pm_packed_append(&list, its, PM_PACKED_BLOCK));
    }
    pm_packed_trim(&list);
    for (gsize i = 0; i < list.n; i++)
        g_assert_cmpint(pm_packed_get(&list, i), ==, values[i]);
    /* Off by less than 60, and by up to 4095 as the line rises by whole numbers. */
    g_assert_cmpuint(list.store.used, <=, list.n * 13 / 8);
    pm_packed_clear(&list);
}

/* Of lists that rise here and there, or far: what they are made of is what they read as. */
static void test_reads_whatever_rises(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);

    for (guint k = 0; k < 400; k++) {
        PmPacked list = {0};
        gint64 values[PM_PACKED_BLOCK];
        const gsize n = k % 3 == 0 ? PM_PACKED_BLOCK : (gsize)g_rand_int_range(rand, 1, 50);
        const guint64 mask = G_MAXUINT64 >> g_rand_int_range(rand, 0, 64);
        const guint64 step = (guint64)g_rand_int(rand) << g_rand_int_range(rand, 0, 31);
        guint64 at = (guint64)g_rand_int(rand) << 32 | g_rand_int(rand);
        for (gsize i = 0; i < n; i++) {
            at += step;
            values[i] =
                (gint64)(at + (((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)) & mask));
        }
        g_assert_true(pm_packed_append(&list, values, n));
        for (gsize i = 0; i < n; i++)
            g_assert_cmpint(pm_packed_get(&list, i), ==, values[i]);
        pm_packed_clear(&list);
    }
}

/* Resident of files, in bytes. */
static gsize resident_of_files(void)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    g_auto(GStrv) parts = g_strsplit(text, " ", -1);
    return (gsize)g_ascii_strtoull(parts[2], NULL, 10) * 4096;
}

/* More than what is resident of it at the least. */
#define MUCH (4400 * PM_PACKED_BLOCK)

static gint64 nth_of_much(gsize i)
{
    return (gint64)((guint64)i * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15));
}

/* Around where huge pages begin. */
static void test_big_blocks_are_written_all_over(void)
{
    static const gsize sizes[] = {1, 4096, (2u << 20) - 1, 2u << 20, (4u << 20) + 1, 9u << 20};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        guint8 *block = pm_region_malloc(sizes[i]);
        memset(block, (int)i, sizes[i]);
        g_assert_cmpuint(block[0], ==, i);
        g_assert_cmpuint(block[sizes[i] - 1], ==, i);
        g_free(block);
    }
}

static void check_much(const PmPacked *list)
{
    gint64 values[PM_PACKED_BLOCK];
    for (gsize first = 0; first < MUCH; first += PM_PACKED_BLOCK) {
        pm_packed_read(list, first, PM_PACKED_BLOCK, values);
        for (gsize i = 0; i < PM_PACKED_BLOCK; i++)
            g_assert_cmpint(values[i], ==, nth_of_much(first + i));
    }
}

static void test_what_is_much_lies_in_a_file(void)
{
    const gsize most = pm_region_most;
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
    PmPacked list = {0}, few = {0};

    pm_region_most = 0;
    writer->list = &list;
    for (gsize i = 0; i < MUCH; i++)
        pm_packed_put(writer, nth_of_much(i));
    g_assert_true(pm_packed_end(writer));
    writer->list = &few;
    pm_packed_put(writer, 7);
    g_assert_true(pm_packed_end(writer));
    const guint64 in_file = pm_region_file_bytes();
    if (in_file == 0)
        g_test_skip("no disk, or no room on it, for $TMPDIR or /var/tmp");
    else
        g_assert_cmpuint(in_file, >=, list.store.room / 2);
    check_much(&list);
    const gsize read = resident_of_files();
    g_assert_cmpuint(read, >=, in_file / 8 * 7); /* there is room for all of it */
    pm_region_release();
    g_assert_cmpuint(resident_of_files() + in_file / 2, <=, MAX(read, in_file / 2));
    /* What is read here and there is resident alone, or with what is in the same huge page. */
    const gsize before = resident_of_files();
    for (gsize i = 0; i < MUCH; i += MUCH / 8)
        g_assert_cmpint(pm_packed_get(&list, i), ==, nth_of_much(i));
    g_assert_cmpuint(resident_of_files(), <=, before + 8 * (2u << 20) + in_file / 64);
    check_much(&list);
    g_assert_cmpint(pm_packed_get(&few, 0), ==, 7);
    pm_packed_clear(&list);
    pm_packed_clear(&few);
    g_assert_cmpuint(pm_region_file_bytes(), ==, 0);
    pm_region_most = most;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/packed/reads-what-was-appended", test_reads_what_was_appended);
    g_test_add_func("/analysis/packed/a-writer-fills-blocks", test_a_writer_fills_blocks);
    g_test_add_func("/analysis/packed/takes-the-bits-of-the-spread",
                    test_takes_the_bits_of_the_spread);
    g_test_add_func("/analysis/packed/what-rises-takes-the-bits-off-its-line",
                    test_what_rises_takes_the_bits_off_its_line);
    g_test_add_func("/analysis/packed/reads-whatever-rises", test_reads_whatever_rises);
    g_test_add_func("/analysis/packed/the-same-is-put-in-blocks", test_the_same_is_put_in_blocks);
    g_test_add_func("/analysis/packed/what-is-much-lies-in-a-file",
                    test_what_is_much_lies_in_a_file);
    g_test_add_func("/analysis/packed/big-blocks-are-written-all-over",
                    test_big_blocks_are_written_all_over);
    return g_test_run();
}

/* Numbers as bytes and back, whatever way the encoder takes. */
#include <glib.h>

#include "format/block.h"
#include "format/column.h"
#include "tests/format/synthetic.h"

static void check(const uint64_t *values, size_t n)
{
    struct pm_bytes bytes = {0};
    pm_column_encode(&bytes, values, n);
    g_assert_false(bytes.failed);
    size_t size = bytes.size;
    g_assert_nonnull(pm_bytes_reserve(&bytes, PM_COLUMN_SLACK));
    g_autofree uint64_t *back = g_new(uint64_t, n + 1);
    struct pm_cursor cursor = {bytes.data, bytes.data + size, false};
    pm_column_decode_u64(&cursor, n, back);
    g_assert_false(cursor.bad);
    g_assert_true(cursor.at == cursor.end);
    for (size_t i = 0; i < n; i++)
        g_assert_cmpuint(values[i], ==, back[i]);
    /* Each shorter input is found to be too short. */
    for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
        cursor = (struct pm_cursor){bytes.data, bytes.data + cut, false};
        pm_column_decode_u64(&cursor, n, back);
        g_assert_true(cursor.bad);
    }
    pm_bytes_clear(&bytes);
}

static void test_shapes(void)
{
    uint64_t state = 7;
    g_autofree uint64_t *values = g_new(uint64_t, 5000);
    for (guint round = 0; round < 400; round++) {
        size_t n = 1 + (size_t)syn_random_spread(&state, 12);
        unsigned bits = (unsigned)syn_random_below(&state, 65);
        unsigned palette = 1 + (unsigned)syn_random_spread(&state, 9);
        uint64_t base = syn_random_spread(&state, 64), sum = base;
        for (size_t i = 0; i < n; i++) {
            uint64_t random = syn_random_spread(&state, bits);
            sum += random;
            values[i] = round % 5 == 0   ? base
                        : round % 5 == 1 ? random
                        : round % 5 == 2 ? sum
                        : round % 5 == 3 ? base + syn_random_below(&state, palette)
                                         : (i % 100 == 0 ? UINT64_MAX : 0);
        }
        check(values, n);
    }
}

/* The most rows a block can have, in every width of palette. */
static void test_longest(void)
{
    size_t n = PM_BLOCK_ROWS_MAX;
    uint64_t state = 3;
    g_autofree uint64_t *values = g_new(uint64_t, n);
    for (uint64_t most = 2; most <= 256; most *= 2) {
        for (size_t i = 0; i < n; i++)
            values[i] = syn_random_below(&state, most) << 40;
        check(values, n);
        check(values, n - 1);
    }
}

/* The way of a long column is chosen from a sample: of rows unlike the others, or of zeros. */
static void test_samples_that_mislead(void)
{
    static const size_t lengths[] = {1100, 4096, PM_BLOCK_ROWS_MAX - 1, PM_BLOCK_ROWS_MAX};
    uint64_t state = 11;
    for (guint l = 0; l < G_N_ELEMENTS(lengths); l++) {
        size_t n = lengths[l];
        g_autofree uint64_t *values = g_new(uint64_t, n);
        for (guint shape = 0; shape < 16; shape++) {
            for (size_t i = 0; i < n; i++) {
                bool sampled = i % 277 < 32;
                uint64_t random = syn_random(&state);
                values[i] = shape == 0   ? (sampled ? i % 2 : random)
                            : shape == 1 ? (sampled ? random : i % 1000)
                            : shape == 2 ? (i < 700 ? i : 0)
                            : shape == 3 ? (i == n - 1 ? UINT64_MAX : random >> 40)
                                         : (!sampled && i % (140 + 9 * shape) == 0 ? i : 0);
            }
            check(values, n);
        }
    }
}

static void test_edges(void)
{
    uint64_t values[] = {
        0,       UINT64_MAX, 1,         UINT64_MAX - 1, UINT64_C(1) << 63, 0xff, 0x100, 0xffff,
        0x10000, 0xffffff,   0x1000000, UINT32_MAX,     UINT64_C(1) << 32};
    for (size_t n = 0; n <= G_N_ELEMENTS(values); n++)
        check(values, n);
}

/* Narrow outputs refuse what does not fit them. */
static void test_limits(void)
{
    for (guint mode = 0; mode < 3; mode++) {
        uint64_t values[64];
        for (guint i = 0; i < 64; i++)
            values[i] = mode == 0 ? 10 : mode == 1 ? 5 + i % 6 : i == 63 ? 10 : i % 3 * 3 + i % 2;
        struct pm_bytes bytes = {0};
        pm_column_encode(&bytes, values, 64);
        size_t size = bytes.size;
        pm_bytes_reserve(&bytes, PM_COLUMN_SLACK);
        uint8_t narrow[64];
        uint16_t middle[64];
        uint32_t wide[64];
        struct pm_cursor cursor = {bytes.data, bytes.data + size, false};
        pm_column_decode_u8(&cursor, 64, 10, narrow);
        g_assert_false(cursor.bad);
        cursor = (struct pm_cursor){bytes.data, bytes.data + size, false};
        pm_column_decode_u8(&cursor, 64, 9, narrow);
        g_assert_true(cursor.bad);
        cursor = (struct pm_cursor){bytes.data, bytes.data + size, false};
        pm_column_decode_u16(&cursor, 64, 9, middle);
        g_assert_true(cursor.bad);
        cursor = (struct pm_cursor){bytes.data, bytes.data + size, false};
        pm_column_decode_u32(&cursor, 64, 9, wide);
        g_assert_true(cursor.bad);
        pm_bytes_clear(&bytes);
    }
}

/* Any bytes at all are decoded or refused. */
static void test_noise(void)
{
    uint64_t state = 8;
    uint64_t values[256];
    for (guint round = 0; round < 20000; round++) {
        uint8_t noise[300 + PM_COLUMN_SLACK] = {0};
        size_t size = syn_random_below(&state, 300);
        for (size_t i = 0; i < size; i++)
            noise[i] = (uint8_t)syn_random(&state);
        noise[0] &= 7;
        struct pm_cursor cursor = {noise, noise + size, false};
        pm_column_decode_u64(&cursor, 1 + syn_random_below(&state, 255), values);
        g_assert_true(cursor.at <= cursor.end);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/column/round-trip-of-every-shape", test_shapes);
    g_test_add_func("/format/column/round-trip-of-the-longest", test_longest);
    g_test_add_func("/format/column/round-trip-where-a-sample-misleads", test_samples_that_mislead);
    g_test_add_func("/format/column/round-trip-of-the-edges", test_edges);
    g_test_add_func("/format/column/values-over-the-limit-are-refused", test_limits);
    g_test_add_func("/format/column/survives-any-bytes", test_noise);
    return g_test_run();
}

/* Recordings that claim what cannot be, with checksums that are right: the fuzz target of the
 * reader (tests/fuzz/reader.c) over files made to that end. Random ones are the fuzzer's. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "tests/format/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is copied to a block of its very size, so that a sanitizer sees each step beyond. */
static void run(const uint8_t *data, size_t size)
{
    g_autofree uint8_t *exact = g_memdup2(data, size);
    LLVMFuzzerTestOneInput(exact, size);
}

/* A recording of the fuzz target's corpus. */
static GBytes *seed(const char *name)
{
    g_autofree char *path =
        g_build_filename(g_getenv("PM_SOURCE"), "tests/fuzz/corpus/reader", name, NULL);
    g_autoptr(GError) error = NULL;
    char *contents;
    gsize size;
    g_file_get_contents(path, &contents, &size, &error);
    g_assert_no_error(error);
    return g_bytes_new_take(contents, size);
}

/* Whole files in every other way, with times and counts that no clock has. */
static void test_extremes(void)
{
    uint64_t state = 101;
    gsize room = 1 << 20;
    g_autofree uint8_t *broken = g_malloc(room);
    static const char *const names[] = {"compact-small", "compact-counted", "rolling-small",
                                        "rolling-counted"};
    for (guint number = 0; number < G_N_ELEMENTS(names); number++) {
        g_autoptr(GBytes) bytes = seed(names[number]);
        gsize size;
        const uint8_t *data = g_bytes_get_data(bytes, &size);
        for (guint round = 0; round < 500; round++)
            run(broken, repair_reshaped(data, size, broken, room, &state));
    }
}

/* A file full of headers that each look right and claim megabytes must not take for ever. */
static void test_many_claims(void)
{
    g_autoptr(GBytes) bytes = seed("compact-small");
    gsize size, large = 4u << 20;
    const uint8_t *data = g_bytes_get_data(bytes, &size);
    g_autofree uint8_t *hostile = g_malloc0(large);
    memcpy(hostile, data, size);
    uint64_t file_id = pm_get_u64(data + 24);
    struct pm_chunk_head head;
    g_assert_cmpint(pm_chunk_head_decode(data + PM_FILE_HEADER_SIZE, file_id, &head), ==, 0);
    head.size = head.used = large - PM_FILE_HEADER_SIZE;
    pm_chunk_head_encode(&head, hostile + PM_FILE_HEADER_SIZE);
    static const uint8_t payload[8];
    for (gsize at = PM_FILE_HEADER_SIZE + PM_CHUNK_HEAD_SIZE; at + 4096 < large; at += 64) {
        struct pm_block_header header = {
            .type = PM_BLOCK_WAITS,
            .file_id = file_id,
            .chunk = head.number,
            .index = 1,
            .rows = PM_BLOCK_ROWS_MAX,
        };
        pm_block_header_encode(&header, payload, hostile + at);
        uint32_t claim = (uint32_t)(large - at - PM_BLOCK_HEADER_SIZE) & ~7u;
        pm_put_u32(hostile + at + 28, claim);
        pm_put_u32(hostile + at + 32, claim);
    }
    run(hostile, large);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/claims/survives-extremes", test_extremes);
    g_test_add_func("/format/claims/many-false-claims-end-soon", test_many_claims);
    return g_test_run();
}

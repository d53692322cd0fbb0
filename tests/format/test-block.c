/* Headers whose checksum is right and whose fields are not: a reader that trusts nothing refuses
 * each of them just beyond its bound, and takes it at the bound. */
#include "format/block.h"

#include <glib.h>
#include <string.h>

#include "format/error.h"

static struct pm_file_header rolling_header(void)
{
    return (struct pm_file_header){.version = PM_FORMAT_VERSION,
                                   .header_size = PM_FILE_HEADER_SIZE,
                                   .file_id = 5,
                                   .max_size = 1 << 20,
                                   .slot_size = PM_SLOT_SIZE_MIN,
                                   .n_slots = 16};
}

static int decode_file(const struct pm_file_header *header)
{
    uint8_t bytes[PM_FILE_HEADER_FIELDS] = {0};
    struct pm_file_header decoded;
    pm_file_header_encode(header, bytes);
    return pm_file_header_decode(bytes, &decoded);
}

static void test_file_header_bounds(void)
{
    static const struct {
        size_t field;
        uint32_t good, bad;
    } cases[] = {
#define FIELD(name) offsetof(struct pm_file_header, name)
        {FIELD(header_size), PM_FILE_HEADER_SIZE, PM_FILE_HEADER_SIZE - PM_BLOCK_ALIGNMENT},
        {FIELD(header_size), PM_FILE_HEADER_MAX, PM_FILE_HEADER_MAX + PM_BLOCK_ALIGNMENT},
        {FIELD(header_size), PM_FILE_HEADER_SIZE + 8, PM_FILE_HEADER_SIZE + 4},
        {FIELD(n_slots), PM_SLOTS_MAX, PM_SLOTS_MAX + 1},
        {FIELD(n_slots), 1, 0},
        {FIELD(slot_size), PM_SLOT_SIZE_MIN, PM_SLOT_SIZE_MIN - PM_BLOCK_ALIGNMENT},
        {FIELD(slot_size), PM_SLOT_SIZE_MAX, PM_SLOT_SIZE_MAX + PM_BLOCK_ALIGNMENT},
        {FIELD(slot_size), PM_SLOT_SIZE_MIN + 8, PM_SLOT_SIZE_MIN + 4},
#undef FIELD
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct pm_file_header header = rolling_header();
        uint32_t *field = (uint32_t *)((char *)&header + cases[i].field);
        *field = cases[i].good;
        g_assert_cmpint(decode_file(&header), ==, PM_OK);
        *field = cases[i].bad;
        g_assert_cmpint(decode_file(&header), ==, PM_ERROR_MALFORMED);
    }
}

static void test_block_header_bounds(void)
{
    static const struct {
        size_t at; /* docs/format.md */
        uint32_t most;
    } cases[] = {{28, PM_BLOCK_RAW_MAX}, {32, PM_BLOCK_STORED_MAX}, {36, PM_BLOCK_ROWS_MAX}};
    const struct pm_block_header header = {.type = 1, .flags = PM_BLOCK_FLAG_LZ4};
    uint8_t bytes[PM_BLOCK_HEADER_SIZE];
    struct pm_block_header decoded;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        pm_block_header_encode(&header, bytes, bytes);
        for (int k = 0; k < 4; k++)
            bytes[cases[i].at + k] = (uint8_t)(cases[i].most >> 8 * k);
        g_assert_true(pm_block_header_decode(bytes, &decoded));
        for (int k = 0; k < 4; k++)
            bytes[cases[i].at + k] = (uint8_t)((cases[i].most + 1) >> 8 * k);
        g_assert_false(pm_block_header_decode(bytes, &decoded));
    }
}

static void test_chunk_head_bounds(void)
{
    const struct pm_chunk_head whole = {.file_id = 5,
                                        .number = 1,
                                        .size = PM_SLOT_SIZE_MAX,
                                        .used = PM_SLOT_SIZE_MAX,
                                        .begin_ns = 7,
                                        .end_ns = 7};
    struct pm_chunk_head heads[10];
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        heads[i] = whole;
    heads[1].used = PM_SLOT_SIZE_MAX + PM_BLOCK_ALIGNMENT; /* more than there is room for */
    heads[2].size = PM_SLOT_SIZE_MAX + PM_BLOCK_ALIGNMENT;
    heads[3].used = PM_CHUNK_HEAD_SIZE - PM_BLOCK_ALIGNMENT;
    heads[4].end_ns = 6;
    heads[5].waits = -1;
    heads[6].begin_ns = -1; /* no time: what counts from it would overflow */
    heads[7].begin_ns = heads[7].end_ns = PM_TIME_LIMIT;
    heads[8].clock.monotonic_ns = INT64_MIN;
    heads[9].clock.monotonic_ns = PM_TIME_LIMIT;
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        uint8_t bytes[PM_CHUNK_HEAD_SIZE];
        struct pm_chunk_head decoded;
        pm_chunk_head_encode(&heads[i], bytes);
        g_assert_cmpint(pm_chunk_head_decode(bytes, 5, &decoded), ==,
                        i == 0 ? PM_OK : PM_ERROR_MALFORMED);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/block/file-headers-beyond-their-bounds-are-refused",
                    test_file_header_bounds);
    g_test_add_func("/format/block/block-headers-beyond-their-bounds-are-refused",
                    test_block_header_bounds);
    g_test_add_func("/format/block/chunk-heads-beyond-their-bounds-are-refused",
                    test_chunk_head_bounds);
    return g_test_run();
}

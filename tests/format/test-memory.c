/* How much memory reader and writer take. The allocator is wrapped (see meson.build) and counts
 * what is held at once. */
#include <glib.h>
#include <malloc.h>
#include <string.h>

#include "format/block.h"
#include "format/reader.h"
#include "format/rows.h"
#include "format/verify.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static size_t held, most;

static void *count(void *block)
{
    held += block == NULL ? 0 : malloc_usable_size(block);
    most = MAX(most, held);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return count(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    size_t before = old == NULL ? 0 : malloc_usable_size(old);
    void *block = __real_realloc(old, size);
    if (block != NULL) {
        held -= before;
        count(block);
    }
    return block;
}

void __wrap_free(void *block)
{
    held -= block == NULL ? 0 : malloc_usable_size(block);
    __real_free(block);
}

static size_t begin_counting(void)
{
    most = held;
    return held;
}

/* As many rows, as large a payload, as a block may claim: within the cap that reader.h names. */
static void test_reader_cap(void)
{
    g_autofree struct pm_wait *waits = g_new0(struct pm_wait, PM_BLOCK_ROWS_MAX);
    uint64_t state = 3;
    for (guint i = 0; i < PM_BLOCK_ROWS_MAX; i++) {
        waits[i] = (struct pm_wait){
            .begin_ns = (int64_t)(syn_random(&state) >> 3),
            .duration_ns = (int64_t)(syn_random(&state) >> 3),
            .wake_ns = (int64_t)(syn_random(&state) >> 3),
            .thread = {1 + (uint32_t)(syn_random(&state) >> 34)},
            .blocker = {1 + (uint32_t)(syn_random(&state) >> 34)},
            .chain = {(uint32_t)syn_random(&state)},
            .owner = {(uint32_t)syn_random(&state)},
            .waker = {(uint32_t)syn_random(&state)},
            .waker_chain = {(uint32_t)syn_random(&state)},
            .aqs_state = (int32_t)syn_random(&state),
        };
    }
    struct pm_bytes file = {0}, payload = {0};
    struct pm_rows_scratch scratch = {0};
    const struct pm_wait *rows;
    pm_rows_encode_head(&payload, true, 1);
    g_assert_cmpint(pm_rows_encode_waits(&payload, waits, PM_BLOCK_ROWS_MAX, &scratch, &rows), ==,
                    PM_OK);
    g_assert_cmpuint(payload.size, <, PM_BLOCK_RAW_MAX);
    uint64_t block_size = pm_block_size(payload.size);
    size_t total = PM_FILE_HEADER_SIZE + PM_CHUNK_HEAD_SIZE + block_size;
    uint8_t *bytes = pm_bytes_reserve(&file, total);
    memset(bytes, 0, total);
    struct pm_file_header header = {.version = 1, .header_size = PM_FILE_HEADER_SIZE, .file_id = 9};
    pm_file_header_encode(&header, bytes);
    struct pm_chunk_head head = {.file_id = 9,
                                 .number = 1,
                                 .size = PM_CHUNK_HEAD_SIZE + block_size,
                                 .used = PM_CHUNK_HEAD_SIZE + block_size};
    pm_chunk_head_encode(&head, bytes + PM_FILE_HEADER_SIZE);
    uint8_t *at = bytes + PM_FILE_HEADER_SIZE + PM_CHUNK_HEAD_SIZE;
    memcpy(at + PM_BLOCK_HEADER_SIZE, payload.data, payload.size);
    struct pm_block_header block = {
        .type = PM_BLOCK_PROGRESS,
        .file_id = 9,
        .chunk = 1,
        .index = 1,
        .raw_length = (uint32_t)payload.size,
        .stored_length = (uint32_t)payload.size,
        .rows = PM_BLOCK_ROWS_MAX,
    };
    pm_block_header_encode(&block, at + PM_BLOCK_HEADER_SIZE, at);
    struct pm_source source;
    struct pm_verify_result result;
    g_assert_cmpint(pm_source_from_memory(bytes, total, &source), ==, PM_OK);
    size_t before = begin_counting();
    g_assert_cmpint(pm_verify(source, &result, NULL), ==, PM_OK);
    g_assert_cmpuint(result.damaged_blocks, ==, 0);
    g_assert_cmpuint(most - before, >, 3u << 20);
    g_assert_cmpuint(most - before, <, PM_READER_BLOCK_CAP);
    g_assert_cmpuint(held, ==, before);
    source.close(source.context);
    pm_bytes_clear(&file);
    pm_bytes_clear(&payload);
    pm_rows_scratch_clear(&scratch);
}

static int discard_write(void *context, uint64_t offset, const void *bytes, size_t size)
{
    return PM_OK;
}
static int discard_size(void *context, uint64_t size)
{
    return PM_OK;
}
static void discard_close(void *context)
{
}

/* Millions of threads, each waiting once: memory follows what one chunk mentions, not time; and the
 * statistics tell the truth about it. */
static void test_writer_does_not_grow(void)
{
    struct pm_sink sink = {
        .write_at = discard_write,
        .allocate = discard_size,
        .truncate = discard_size,
        .close = discard_close,
    };
    struct syn *s = syn_new();
    pm_blocker_id blocker = syn_blocker(s, syn_class(s, "demo.Lock"), 1);
    struct pm_writer_options options = {.max_size = 8u << 20};
    size_t before = begin_counting();
    struct pm_writer *writer = syn_writer(s, sink, &options);
    size_t early = 0;
    for (uint32_t i = 1; i <= 1000000; i++) {
        struct pm_wait wait = {.begin_ns = SYN_BEGIN_NS + i,
                               .duration_ns = i % 1000,
                               .thread = {i},
                               .blocker = blocker};
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
        early = i == 100000 ? most : early;
    }
    struct pm_writer_stats stats;
    pm_writer_get_stats(writer, &stats);
    g_assert_cmpuint(most, ==, early);
    g_assert_cmpuint(most - before, <, 4u << 20);
    g_assert_cmpuint(stats.memory_bytes, <=, held - before + 4096);
    g_assert_cmpuint(stats.memory_bytes, >=, (held - before) / 2);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    g_assert_cmpuint(held, ==, before);
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/memory/a-block-stays-within-the-reader-cap", test_reader_cap);
    g_test_add_func("/format/memory/a-writer-does-not-grow", test_writer_does_not_grow);
    return g_test_run();
}

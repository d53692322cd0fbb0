/* Replays the fuzzer's entry over recordings that are broken in every way a fixed seed finds, and
 * over the files of the folder $PM_FUZZ_CORPUS, when it is set. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "tests/format/repair.h"
#include "tests/format/synthetic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is copied to a block of its very size, so that a sanitizer sees each step beyond. */
static void run(const uint8_t *data, size_t size)
{
    g_autofree uint8_t *exact = g_memdup2(data, size);
    LLVMFuzzerTestOneInput(exact, size);
}

static GBytes *seed(guint number)
{
    struct syn *s = number % 2 == 0 ? syn_small() : syn_new();
    syn_options(s)->max_size = number & 2 ? 1u << 20 : 0;
    if (number % 2 == 1) {
        uint64_t state = number;
        syn_class(s, "demo.Lock");
        for (guint i = 0; i < 10; i++) {
            syn_thread(s, "worker");
            syn_blocker(s, (pm_class_id){1}, i);
        }
        for (guint i = 0; i < 400; i++) {
            struct pm_wait *w =
                syn_wait(s, (pm_thread_id){1 + i % 10}, (pm_blocker_id){1 + i * 7 % 10}, i * SYN_MS,
                         (int64_t)syn_random_spread(&state, 40));
            w->waker.n = (uint32_t)syn_random_below(&state, 11);
            w->wake_ns = (int64_t)syn_random_spread(&state, 60);
        }
    }
    syn_finish(s, 10 * SYN_S);
    size_t size;
    const void *bytes = syn_bytes(s, &size);
    GBytes *seed_bytes = g_bytes_new(bytes, size);
    syn_free(s);
    return seed_bytes;
}

static void test_mutations(void)
{
    uint64_t state = 99;
    for (guint number = 0; number < 4; number++) {
        g_autoptr(GBytes) bytes = seed(number);
        gsize size;
        const uint8_t *data = g_bytes_get_data(bytes, &size);
        run(data, size);
        g_autofree uint8_t *broken = g_malloc(size + 256);
        for (guint round = 0; round < 2500; round++) {
            memcpy(broken, data, size);
            gsize length = size;
            guint n = 1 + (guint)syn_random_below(&state, 6);
            for (guint i = 0; i < n; i++) {
                gsize count;
                /* Mostly in the blocks, seldom in the header. */
                gsize at = syn_random_below(&state, 10) == 0
                               ? syn_random_below(&state, size)
                               : PM_FILE_HEADER_SIZE +
                                     syn_random_below(&state, size - PM_FILE_HEADER_SIZE);
                switch (syn_random_below(&state, 6)) {
                case 0:
                    broken[at] ^= (uint8_t)(1u << syn_random_below(&state, 8));
                    break;
                case 1:
                    broken[at] = (uint8_t)syn_random(&state);
                    break;
                case 2:
                    count = 1 + syn_random_below(&state, 16);
                    memset(broken + at, syn_random_below(&state, 2) ? 0xff : 0,
                           MIN(size - at, count));
                    break;
                case 3: {
                    gsize from = syn_random_below(&state, size);
                    count = 1 + syn_random_below(&state, 300);
                    count = MIN(count, MIN(size - at, size - from));
                    memmove(broken + at, data + from, count);
                    break;
                }
                case 4:
                    length = syn_random_below(&state, 4) == 0 ? at : length;
                    break;
                default:
                    pm_put_u32(broken + (at & ~(gsize)3), (uint32_t)syn_random_spread(&state, 32));
                    break;
                }
            }
            run(broken, length);
        }
    }
}

/* Whole files in every other way, with times and counts that no clock has. */
static void test_extremes(void)
{
    uint64_t state = 101;
    for (guint number = 0; number < 4; number++) {
        g_autoptr(GBytes) bytes = seed(number);
        gsize size;
        const uint8_t *data = g_bytes_get_data(bytes, &size);
        for (guint round = 0; round < 500; round++) {
            g_autofree uint8_t *broken = g_memdup2(data, size);
            repair_to_extremes(broken, size, &state);
            run(broken, size);
        }
    }
}

static void test_noise(void)
{
    uint64_t state = 100;
    static uint8_t noise[20000];
    for (guint round = 0; round < 200; round++) {
        size_t size = syn_random_below(&state, sizeof noise);
        for (size_t i = 0; i < size; i++) {
            noise[i] = (uint8_t)syn_random(&state);
        }
        if (size > 8) {
            memcpy(noise, PM_FILE_MAGIC, 8);
        }
        run(noise, size);
    }
    run(noise, 0);
}

/* A file full of headers that each look right and claim megabytes must not take for ever. */
static void test_many_claims(void)
{
    g_autoptr(GBytes) bytes = seed(0);
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

static void test_corpus(void)
{
    const char *folder = g_getenv("PM_FUZZ_CORPUS");
    g_autoptr(GDir) dir = folder == NULL ? NULL : g_dir_open(folder, 0, NULL);
    if (dir == NULL) {
        g_test_skip("PM_FUZZ_CORPUS names no folder");
        return;
    }
    for (const char *name; (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *contents = NULL;
        gsize size;
        if (g_file_get_contents(path, &contents, &size, NULL)) {
            run((const uint8_t *)contents, size);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/fuzz/survives-mutations", test_mutations);
    g_test_add_func("/format/fuzz/survives-extremes", test_extremes);
    g_test_add_func("/format/fuzz/survives-noise", test_noise);
    g_test_add_func("/format/fuzz/many-false-claims-end-soon", test_many_claims);
    g_test_add_func("/format/fuzz/corpus", test_corpus);
    return g_test_run();
}

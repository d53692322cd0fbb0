/* Cut anywhere, a bit flipped anywhere: what is delivered was written, and loss is told. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

static struct syn *small(gboolean rolling)
{
    struct syn *s = syn_small();
    syn_options(s)->max_size = rolling ? 1u << 20 : 0;
    syn_options(s)->block_waits = 16; /* several blocks */
    syn_finish(s, SYN_SMALL_END);
    return s;
}

static struct collected *collect(const void *bytes, size_t size, int *ret_result)
{
    struct pm_source source;
    struct collected *c = collected_new();
    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, PM_OK);
    *ret_result = collected_read_source(c, source);
    return c;
}

static gboolean verifies(const void *bytes, size_t size)
{
    struct pm_source source;
    struct pm_verify_result result = {0};
    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, PM_OK);
    gboolean ok = pm_verify(source, &result, NULL) == PM_OK && result.ok;
    source.close(source.context);
    return ok;
}

static gboolean contains(const GArray *all, const struct pm_wait *wait)
{
    for (guint i = 0; i < all->len; i++)
        if (memcmp(&g_array_index(all, struct pm_wait, i), wait, sizeof *wait) == 0)
            return TRUE;
    return FALSE;
}

static void assert_part_of(const struct collected *part, const struct collected *whole)
{
    g_assert_cmpuint(part->waits->len, <=, whole->waits->len);
    for (guint i = 0; i < part->waits->len; i++)
        g_assert_true(contains(whole->waits, &g_array_index(part->waits, struct pm_wait, i)));
    for (guint i = 0; i < part->progress->len; i++)
        g_assert_true(contains(whole->progress, &g_array_index(part->progress, struct pm_wait, i)));
    GHashTableIter iter;
    gpointer id, text;
    g_hash_table_iter_init(&iter, part->blockers);
    while (g_hash_table_iter_next(&iter, &id, &text))
        g_assert_cmpstr(text, ==, g_hash_table_lookup(whole->blockers, id));
    g_hash_table_iter_init(&iter, part->chains);
    while (g_hash_table_iter_next(&iter, &id, &text))
        g_assert_cmpstr(text, ==, g_hash_table_lookup(whole->chains, id));
}

static gboolean same(const struct collected *a, const struct collected *b)
{
    return a->waits->len == b->waits->len && a->progress->len == b->progress->len &&
           a->samples->len == b->samples->len && a->spans->len == b->spans->len &&
           a->gaps->len == b->gaps->len && a->counters->len == b->counters->len &&
           a->footers->len == b->footers->len &&
           g_hash_table_size(a->threads) == g_hash_table_size(b->threads) &&
           g_hash_table_size(a->blockers) == g_hash_table_size(b->blockers) &&
           g_hash_table_size(a->chains) == g_hash_table_size(b->chains) &&
           g_hash_table_size(a->methods) == g_hash_table_size(b->methods) && a->end_ns == b->end_ns;
}

static const uint8_t *syn_collected(struct syn *s, size_t *ret_size, struct collected **ret_whole)
{
    int result;
    const uint8_t *bytes = syn_bytes(s, ret_size);
    *ret_whole = collect(bytes, *ret_size, &result);
    g_assert_cmpint(result, ==, PM_OK);
    return bytes;
}

static void test_truncation(gconstpointer rolling)
{
    struct syn *s = small(rolling != NULL);
    size_t size;
    int result;
    g_autoptr(collected) whole = NULL;
    const uint8_t *bytes = syn_collected(s, &size, &whole);
    g_assert_true(verifies(bytes, size));
    guint best = 0;
    for (size_t cut = 0; cut < size; cut++) {
        g_autofree uint8_t *copy = g_memdup2(bytes, cut);
        g_autoptr(collected) part = collect(copy, cut, &result);
        g_assert_false(verifies(copy, cut));
        if (cut == 0) {
            g_assert_cmpint(result, ==, PM_ERROR_EMPTY);
        } else if (cut < PM_FILE_HEADER_FIELDS) {
            g_assert_cmpint(result, ==, PM_ERROR_TRUNCATED);
        } else if (cut < PM_FILE_HEADER_SIZE + PM_CHUNK_HEAD_SIZE) {
            g_assert_cmpint(result, ==, PM_ERROR_EMPTY);
        } else {
            g_assert_cmpint(result, ==, PM_OK);
            g_assert_cmpuint(part->damage->len, ==, 1);
            g_assert_cmpuint(part->failed, ==, 0);
            assert_part_of(part, whole);
            /* More of the file never gives less. */
            g_assert_cmpuint(part->waits->len, >=, best);
            best = part->waits->len;
        }
    }
    g_assert_cmpuint(best, ==, whole->waits->len);
    syn_free(s);
}

static void test_flips(gconstpointer rolling)
{
    struct syn *s = small(rolling != NULL);
    size_t size;
    const uint8_t *bytes = syn_bytes(s, &size);
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    int result;
    g_autoptr(collected) whole = collect(bytes, size, &result);
    guint found = 0;
    for (size_t at = 0; at < size; at++) {
        for (guint bit = at % 2; bit < 8; bit += 2) {
            copy[at] ^= (uint8_t)(1u << bit);
            g_autoptr(collected) part = collect(copy, size, &result);
            gboolean ok = verifies(copy, size);
            if (result == PM_OK) {
                assert_part_of(part, whole);
                if (ok)
                    g_assert_true(same(part, whole)); /* harmless */
            } else {
                g_assert_false(ok);
            }
            found += !ok;
            copy[at] ^= (uint8_t)(1u << bit);
        }
    }
    /* Every byte that is in use is guarded. */
    g_assert_cmpuint(found, >=, 4 * (size - PM_FILE_HEADER_SIZE));
    syn_free(s);
}

/* A damaged block costs its own rows only. */
static void test_one_block(void)
{
    struct syn *s = small(FALSE);
    size_t size;
    const uint8_t *bytes = syn_bytes(s, &size);
    int result;
    g_autoptr(collected) whole = collect(bytes, size, &result);
    guint blocks = 0;
    for (size_t at = PM_FILE_HEADER_SIZE; at + PM_BLOCK_HEADER_SIZE <= size;) {
        struct pm_block_header header;
        g_assert_true(pm_block_header_decode(bytes + at, &header));
        if (header.type == PM_BLOCK_WAITS) {
            /* In its payload, then in its header. */
            for (guint where = 0; where < 2; where++) {
                g_autofree uint8_t *copy = g_memdup2(bytes, size);
                copy[at + (where == 0 ? PM_BLOCK_HEADER_SIZE + 5 : 33)] ^= 0x10;
                g_autoptr(collected) part = collect(copy, size, &result);
                g_assert_cmpuint(part->waits->len, ==, whole->waits->len - header.rows);
                g_assert_cmpuint(part->damage->len, ==, 1);
                const struct pm_damage *damage = &g_array_index(part->damage, struct pm_damage, 0);
                g_assert_cmpuint(damage->offset, ==, at);
                g_assert_cmpuint(damage->length, ==, pm_block_size(header.stored_length));
                g_assert_cmpint(damage->code, ==, PM_ERROR_CHECKSUM);
            }
            blocks++;
        }
        at += pm_block_size(header.stored_length);
    }
    g_assert_cmpuint(blocks, ==, 3);
    syn_free(s);
}

/* Without its head a chunk is still read; only the head is lost. */
static void test_headless(gconstpointer rolling)
{
    struct syn *s = small(rolling != NULL);
    size_t size;
    int result;
    g_autoptr(collected) whole = NULL;
    const uint8_t *bytes = syn_collected(s, &size, &whole);
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    memset(copy + PM_FILE_HEADER_SIZE, 0xee, PM_CHUNK_HEAD_SIZE);
    g_autoptr(collected) part = collect(copy, size, &result);
    g_assert_cmpint(result, ==, PM_OK);
    g_assert_cmpuint(part->waits->len, ==, whole->waits->len);
    g_assert_cmpuint(part->damage->len, ==, 1);
    g_assert_false(verifies(copy, size));
    syn_free(s);
}

/* Without its head and the facts behind it, the only chunk does not begin at zero, which would be
 * how long the machine had been running, but with what is left. */
static void test_no_facts(void)
{
    struct syn *s = small(TRUE);
    size_t size;
    struct pm_source source;
    struct pm_reader *reader;
    g_autoptr(collected) whole = NULL;
    const uint8_t *bytes = syn_collected(s, &size, &whole);
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    memset(copy + PM_FILE_HEADER_SIZE, 0xee, PM_CHUNK_HEAD_SIZE + 16);
    g_assert_cmpint(pm_source_from_memory(copy, size, &source), ==, PM_OK);
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, PM_OK);
    g_assert_cmpuint(pm_reader_n_chunks(reader), ==, 1);
    int64_t earliest = G_MAXINT64;
    for (guint i = 0; i < whole->waits->len; i++)
        earliest = MIN(earliest, g_array_index(whole->waits, struct pm_wait, i).begin_ns);
    const int64_t begin = pm_reader_info(reader)->facts.begin_ns;
    g_assert_cmpint(begin, >=, SYN_BEGIN_NS);
    g_assert_cmpint(begin, <=, earliest);
    pm_reader_free(reader);
    syn_free(s);
}

static void set_header(uint8_t *bytes, guint field, guint length, uint64_t value)
{
    struct pm_file_header header;
    for (guint copy = 0; copy < 2; copy++) {
        uint8_t *at = bytes + copy * PM_FILE_HEADER_COPY;
        g_assert_cmpint(pm_file_header_decode(at, &header), ==, PM_OK);
        switch (field) {
        case 8:
            header.version = (uint16_t)value;
            break;
        case 16:
            header.compatible = (uint32_t)value;
            break;
        default:
            header.incompatible = (uint32_t)value;
        }
        pm_file_header_encode(&header, at);
    }
}

static int open_result(const void *bytes, size_t size, struct pm_error_info *info)
{
    struct pm_source source;
    struct pm_reader *reader;
    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, PM_OK);
    int result = pm_reader_open(source, &reader, info);
    if (result == PM_OK)
        pm_reader_free(reader);
    else
        source.close(source.context);
    return result;
}

static void test_versions(void)
{
    struct syn *s = small(FALSE);
    size_t size;
    const uint8_t *bytes = syn_bytes(s, &size);
    struct pm_error_info info = {0};
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    set_header(copy, 16, 4, 0x80000000u);
    g_assert_cmpint(open_result(copy, size, &info), ==, PM_OK);
    memcpy(copy, bytes, size);
    set_header(copy, 20, 4, PM_INCOMPATIBLE_KNOWN + 1);
    g_assert_cmpint(open_result(copy, size, &info), ==, PM_ERROR_NEWER);
    g_assert_nonnull(strstr(info.text, "newer Parkmeter"));
    memcpy(copy, bytes, size);
    set_header(copy, 8, 2, PM_FORMAT_VERSION + 1);
    g_assert_cmpint(open_result(copy, size, &info), ==, PM_ERROR_NEWER);
    /* A block type of a later version is passed over. */
    memcpy(copy, bytes, size);
    guint passed = 0;
    for (size_t at = PM_FILE_HEADER_SIZE; at + PM_BLOCK_HEADER_SIZE <= size;) {
        struct pm_block_header header;
        g_assert_true(pm_block_header_decode(copy + at, &header));
        if (header.type == PM_BLOCK_GAPS) {
            header.type = PM_BLOCK_HOLDS;
            pm_block_header_encode(&header, copy + at + PM_BLOCK_HEADER_SIZE, copy + at);
            passed++;
        }
        at += pm_block_size(header.stored_length);
    }
    g_assert_cmpuint(passed, ==, 1);
    int result;
    g_autoptr(collected) part = collect(copy, size, &result);
    g_assert_cmpuint(part->damage->len, ==, 0);
    g_assert_cmpuint(part->gaps->len, ==, 0);
    g_assert_true(verifies(copy, size));
    syn_free(s);
}

static void test_no_recording(void)
{
    struct pm_error_info info = {0};
    char text[] = "#!/bin/sh\necho this is no recording but it is longer than a file header's "
                  "fields, which are a hundred and twenty-eight bytes\n";
    g_assert_cmpint(open_result(text, 5, &info), ==, PM_ERROR_NOT_A_RECORDING);
    g_assert_cmpint(open_result(text, sizeof text, &info), ==, PM_ERROR_NOT_A_RECORDING);
    g_assert_cmpstr(info.text, ==, "not a Parkmeter recording");
    g_assert_cmpint(open_result(text, 0, &info), ==, PM_ERROR_EMPTY);
    struct syn *s = small(FALSE);
    size_t size;
    const uint8_t *bytes = syn_bytes(s, &size);
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    copy[50] ^= 1;
    g_assert_cmpint(open_result(copy, size, &info), ==, PM_OK); /* the second copy */
    copy[PM_FILE_HEADER_COPY + 50] ^= 1;
    g_assert_cmpint(open_result(copy, size, &info), ==, PM_ERROR_CHECKSUM);
    syn_free(s);
}

static int stop_after(void *context, const struct pm_wait_columns *columns)
{
    return --*(int *)context == 0 ? PM_ERROR_CANCELLED : 0;
}

static void test_stop(void)
{
    struct syn *s = syn_small();
    syn_options(s)->block_waits = 16;
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(syn_finish(s, SYN_SMALL_END), &reader, NULL), ==, PM_OK);
    int left = 2;
    int64_t end_ns = -7;
    struct pm_visitor visitor = {.context = &left, .on_waits = stop_after};
    g_assert_cmpint(pm_reader_read_chunk(reader, 0, &visitor, &end_ns, NULL), ==,
                    PM_ERROR_CANCELLED);
    g_assert_cmpint(left, ==, 0);
    g_assert_cmpint(end_ns, ==, -7);
    g_assert_cmpint(pm_reader_read_chunk(reader, 1, &visitor, &end_ns, NULL), ==,
                    PM_ERROR_ARGUMENT);
    pm_reader_free(reader);
    syn_free(s);
}

/* The check finds what reading in full finds, and more: every byte of a chunk counts. */
static void test_check(void)
{
    struct syn *s = small(TRUE);
    size_t size;
    const void *bytes = syn_bytes(s, &size);
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    for (size_t i = PM_FILE_HEADER_SIZE; i <= size; i++) {
        struct pm_source source;
        struct pm_reader *reader;
        if (i < size)
            copy[i] ^= 0x10;
        g_assert_cmpint(pm_source_from_memory(copy, size, &source), ==, PM_OK);
        int result = pm_reader_open(source, &reader, NULL);
        if (result == PM_OK) {
            result = pm_reader_check_chunk(reader, 0, NULL);
            g_assert_cmpint(pm_reader_check_chunk(reader, 9, NULL), ==, PM_ERROR_ARGUMENT);
            pm_reader_free(reader);
        } else {
            source.close(source.context);
        }
        if (i < size) {
            g_assert_cmpint(result, !=, PM_OK);
            copy[i] ^= 0x10;
        } else {
            g_assert_cmpint(result, ==, PM_OK);
        }
    }
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/format/reader/survives-truncation-at-every-byte", NULL, test_truncation);
    g_test_add_data_func("/format/reader/survives-truncation-at-every-byte-rolling",
                         GUINT_TO_POINTER(1), test_truncation);
    g_test_add_data_func("/format/reader/finds-or-bears-a-flip-of-every-byte", NULL, test_flips);
    g_test_add_data_func("/format/reader/finds-or-bears-a-flip-of-every-byte-rolling",
                         GUINT_TO_POINTER(1), test_flips);
    g_test_add_func("/format/reader/a-damaged-block-costs-its-own-rows-only", test_one_block);
    g_test_add_data_func("/format/reader/a-chunk-without-head-is-read", NULL, test_headless);
    g_test_add_data_func("/format/reader/a-chunk-without-head-is-read-rolling", GUINT_TO_POINTER(1),
                         test_headless);
    g_test_add_func("/format/reader/without-facts-it-begins-with-what-is-left", test_no_facts);
    g_test_add_func("/format/reader/versions-and-flags", test_versions);
    g_test_add_func("/format/reader/what-is-no-recording-is-refused", test_no_recording);
    g_test_add_func("/format/reader/a-callback-stops-it", test_stop);
    g_test_add_func("/format/reader/checks-every-byte-of-a-chunk", test_check);
    return g_test_run();
}

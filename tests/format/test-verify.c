/* What verify finds beyond damage, and that a copy is the recording. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "format/copy.h"
#include "format/rows.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

/* A compact file of one chunk, block by block, as no writer would write it. */
struct forged {
    bool without_roles;
    struct pm_bytes bytes;
    struct pm_chunk_head head;
    uint32_t n_blocks;
};

static void forge_block(struct forged *f, enum pm_block_type type, uint32_t rows,
                        struct pm_bytes *payload)
{
    struct pm_block_header header = {
        .type = (uint8_t)type,
        .file_id = f->head.file_id,
        .chunk = f->head.number,
        .index = f->n_blocks++,
        .raw_length = (uint32_t)payload->size,
        .stored_length = (uint32_t)payload->size,
        .rows = rows,
    };
    uint8_t bytes[PM_BLOCK_HEADER_SIZE];
    static const uint8_t zeros[PM_BLOCK_ALIGNMENT];
    pm_block_header_encode(&header, payload->data, bytes);
    pm_bytes_add(&f->bytes, bytes, sizeof bytes);
    pm_bytes_add(&f->bytes, payload->data, payload->size);
    pm_bytes_add(&f->bytes, zeros,
                 pm_block_size(payload->size) - PM_BLOCK_HEADER_SIZE - payload->size);
    f->head.used = f->head.size = f->bytes.size - PM_FILE_HEADER_SIZE;
    pm_bytes_clear(payload);
}

static struct forged *forged_new(void)
{
    struct forged *f = g_new0(struct forged, 1);
    static const uint8_t zeros[PM_FILE_HEADER_SIZE + PM_CHUNK_HEAD_SIZE];
    struct pm_bytes payload = {0};
    pm_bytes_add(&f->bytes, zeros, sizeof zeros);
    f->head = (struct pm_chunk_head){.file_id = 77, .number = 1, .end_ns = 1000};
    f->n_blocks = 1;
    const struct pm_text none = {"", 0};
    struct pm_facts facts = {.jvm = none,
                             .main = none,
                             .host = none,
                             .options = none,
                             .zone = none,
                             .not_recorded = none};
    pm_rows_encode_facts(&payload, &facts);
    forge_block(f, PM_BLOCK_FACTS, 1, &payload);
    return f;
}

static struct pm_verify_result forged_verify(struct forged *f)
{
    struct pm_file_header header = {.version = 1,
                                    .header_size = PM_FILE_HEADER_SIZE,
                                    .incompatible = f->without_roles ? PM_INCOMPATIBLE_UNSEEN
                                                                     : PM_INCOMPATIBLE_KNOWN,
                                    .file_id = 77,
                                    .end = f->bytes.size};
    pm_file_header_encode(&header, f->bytes.data);
    pm_file_header_encode(&header, f->bytes.data + PM_FILE_HEADER_COPY);
    pm_chunk_head_encode(&f->head, f->bytes.data + PM_FILE_HEADER_SIZE);
    struct pm_source source;
    struct pm_verify_result result = {0};
    g_assert_cmpint(pm_source_from_memory(f->bytes.data, f->bytes.size, &source), ==, PM_OK);
    g_assert_cmpint(pm_verify(source, &result, NULL), ==, PM_OK);
    source.close(source.context);
    pm_bytes_clear(&f->bytes);
    g_free(f);
    return result;
}

static void forge_wait(struct forged *f)
{
    struct pm_rows_scratch scratch = {0};
    struct pm_bytes payload = {0};
    struct pm_wait wait = {.begin_ns = 1, .duration_ns = 1, .thread = {5}, .blocker = {6}};
    const struct pm_wait *rows;
    g_assert_cmpint(pm_rows_encode_waits(&payload, &wait, 1, &scratch, &rows), ==, PM_OK);
    forge_block(f, PM_BLOCK_WAITS, 1, &payload);
    pm_rows_scratch_clear(&scratch);
}

static void forge_definitions(struct forged *f)
{
    struct pm_bytes payload = {0};
    struct pm_thread thread = {.id = {5}, .name = {"t", 1}};
    struct pm_blocker blocker = {.id = {6}};
    struct pm_method method = {.id = {7}};
    struct pm_chain chain = {.id = {8}};
    pm_rows_encode_method(&payload, &method);
    pm_rows_encode_chain(&payload, &chain);
    pm_rows_encode_thread(&payload, &thread);
    pm_rows_encode_blocker(&payload, &blocker);
    forge_block(f, PM_BLOCK_DEFINITIONS, 4, &payload);
}

static void forge_footer(struct forged *f, int64_t waits)
{
    struct pm_bytes payload = {0};
    struct pm_footer footer = {.chunk = 1, .end_ns = 1000, .waits = waits};
    pm_rows_encode_footer(&payload, &footer);
    forge_block(f, PM_BLOCK_FOOTER, 1, &payload);
    f->head.waits = waits;
    f->head.flags = PM_CHUNK_FLAG_CLOSED;
}

#define ASSERT_PROBLEM(result, part)                                                               \
    g_assert_false((result).ok);                                                                   \
    g_assert_nonnull(strstr((result).first_problem, part))

static void test_rules(void)
{
    struct forged *f = forged_new();
    forge_definitions(f);
    forge_wait(f);
    forge_footer(f, 1);
    struct pm_verify_result result = forged_verify(f);
    g_assert_cmpstr(result.first_problem, ==, "");
    g_assert_true(result.ok);
    g_assert_cmpuint(result.waits, ==, 1);
    g_assert_cmpint(result.last_ns, ==, 1000);

    f = forged_new();
    forge_wait(f);
    forge_definitions(f); /* too late */
    result = forged_verify(f);
    ASSERT_PROBLEM(result, "thread 5");

    f = forged_new();
    forge_definitions(f);
    forge_wait(f);
    forge_footer(f, 2);
    result = forged_verify(f);
    ASSERT_PROBLEM(result, "footer says 2");

    f = forged_new();
    forge_definitions(f);
    f->n_blocks++;
    forge_wait(f);
    result = forged_verify(f);
    ASSERT_PROBLEM(result, "follows block");

    f = forged_new();
    f->head.flags = PM_CHUNK_FLAG_CLOSED;
    result = forged_verify(f);
    ASSERT_PROBLEM(result, "no footer");

    f = forged_new();
    struct pm_bytes payload = {0};
    pm_bytes_add(&payload, "\x7f\x01", 2);
    forge_block(f, PM_BLOCK_DEFINITIONS, 1, &payload);
    result = forged_verify(f);
    ASSERT_PROBLEM(result, "rules");
    g_assert_cmpuint(result.damaged_blocks, ==, 1);
}

/* A later writer's reason is read as its number. */
static void test_unknown_gap_reason(void)
{
    struct pm_rows_scratch scratch = {0};
    struct pm_bytes bytes = {0};
    struct pm_rows rows = {0};
    const struct pm_gap gap = {.begin_ns = 1, .end_ns = 2, .reason = 9, .waits = 3};
    const void *found;
    g_assert_cmpint(pm_rows_encode(&bytes, PM_BLOCK_GAPS, &gap, 1, &scratch), ==, PM_OK);
    struct pm_cursor cursor = {.at = bytes.data, .end = bytes.data + bytes.size};
    g_assert_cmpint(pm_rows_decode(&cursor, PM_BLOCK_GAPS, 1, &rows, &found), ==, PM_OK);
    const struct pm_gap *read = found;
    g_assert_cmpint(read[0].reason, ==, 9);
    g_assert_cmpint(read[0].waits, ==, 3);

    struct forged *f = forged_new();
    forge_definitions(f);
    forge_block(f, PM_BLOCK_GAPS, 1, &bytes);
    g_assert_true(forged_verify(f).ok);
    pm_rows_clear(&rows);
    pm_rows_scratch_clear(&scratch);
    pm_bytes_clear(&bytes);
}

/* Every payload cut short, or with a byte too many, is against the rules. */
static void test_lengths(void)
{
    struct pm_wait wait = {.begin_ns = 1, .duration_ns = 1, .thread = {5}, .blocker = {6}};
    struct pm_counters counters = {.blocker = {6}};
    struct pm_owner_sample sample = {.at_ns = 1};
    struct pm_span span = {.begin_ns = 1};
    struct pm_gap gap = {.begin_ns = 1};
    struct pm_census_row census = {.since_ns = 1, .at_ns = 2};
    struct pm_allocation allocation = {.at_ns = 1, .thread = {5}};
    struct pm_memory_head memory = {.at_ns = 1};
    struct pm_memory_cell cell = {.total = {.bytes = 1}};
    const struct pm_reached reached = {{8}, 300, {7}};
    struct pm_thread thread = {.id = {5}, .name = {"t", 1}};
    const struct {
        enum pm_block_type type;
        const void *row;
    } kinds[] = {
        {PM_BLOCK_WAITS, &wait},
        {PM_BLOCK_PROGRESS, &wait},
        {PM_BLOCK_SNAPSHOT, &counters},
        {PM_BLOCK_OWNER_SAMPLES, &sample},
        {PM_BLOCK_SPANS, &span},
        {PM_BLOCK_GAPS, &gap},
        {PM_BLOCK_DEFINITIONS, NULL},
        {PM_BLOCK_CENSUS, &census},
        {PM_BLOCK_ALLOCATIONS, &allocation},
        {PM_BLOCK_MEMORY_SNAPSHOT, &cell},
        {PM_BLOCK_LIVE_OBJECTS, &allocation},
        {PM_BLOCK_REACHED, NULL},
    };
    for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        struct pm_rows_scratch scratch = {0};
        struct pm_bytes whole = {0};
        const struct pm_wait *rows;
        const enum pm_block_type type = kinds[kind].type;
        int result = PM_OK;
        if (type == PM_BLOCK_PROGRESS || type == PM_BLOCK_SNAPSHOT || type == PM_BLOCK_LIVE_OBJECTS)
            pm_rows_encode_head(&whole, 1, 1);
        if (type == PM_BLOCK_MEMORY_SNAPSHOT)
            pm_rows_encode_memory_head(&whole, &memory);
        if (type == PM_BLOCK_DEFINITIONS)
            pm_rows_encode_thread(&whole, &thread);
        else if (type == PM_BLOCK_REACHED)
            pm_rows_encode_reached(&whole, &reached);
        else if (type == PM_BLOCK_WAITS || type == PM_BLOCK_PROGRESS)
            result = pm_rows_encode_waits(&whole, &wait, 1, &scratch, &rows);
        else
            result = pm_rows_encode(&whole, type, kinds[kind].row, 1, &scratch);
        g_assert_cmpint(result, ==, PM_OK);
        pm_bytes_add_u8(&whole, 0);
        for (size_t size = 0; size <= whole.size; size++) {
            struct forged *f = forged_new();
            forge_definitions(f);
            struct pm_bytes payload = {0};
            pm_bytes_add_u8(&payload, 0);
            pm_bytes_reset(&payload);
            pm_bytes_add(&payload, whole.data, size);
            forge_block(f, type, 1, &payload);
            g_assert_cmpuint(forged_verify(f).ok, ==, size == whole.size - 1);
        }
        pm_bytes_clear(&whole);
        pm_rows_scratch_clear(&scratch);
    }
}

/* A file from before samples had roles has two columns less, and must have. */
static void test_samples_without_roles(void)
{
    for (guint cut = 0; cut < 2; cut++) {
        struct pm_rows_scratch scratch = {0};
        struct pm_bytes payload = {0};
        struct pm_owner_sample sample = {.at_ns = 1};
        struct forged *f = forged_new();
        f->without_roles = true;
        forge_definitions(f);
        g_assert_cmpint(pm_rows_encode(&payload, PM_BLOCK_OWNER_SAMPLES, &sample, 1, &scratch), ==,
                        PM_OK);
        payload.size -= cut ? 4 : 0; /* of one row each a mode and a value */
        forge_block(f, PM_BLOCK_OWNER_SAMPLES, 1, &payload);
        g_assert_cmpuint(forged_verify(f).ok, ==, cut);
        pm_rows_scratch_clear(&scratch);
    }
}

static struct pm_memory *generated(uint64_t max_size)
{
    struct pm_memory *memory = syn_new_memory();
    struct syn_shape shape = {.waits = 150000,
                              .options = {.max_size = max_size, .slot_size = 128u << 10}};
    syn_generate(&shape, pm_memory_sink(memory), NULL);
    return memory;
}

static void test_copy(gconstpointer max_size)
{
    struct pm_memory *memory = generated(GPOINTER_TO_SIZE(max_size));
    struct pm_memory *copy = syn_new_memory();
    struct pm_reader *reader;
    struct pm_copy_result copied;
    struct pm_verify_result verified;
    g_assert_cmpint(pm_reader_open(pm_memory_source(memory), &reader, NULL), ==, PM_OK);
    g_assert_cmpint(pm_copy(reader, 0, pm_memory_sink(copy), &copied, NULL), ==, PM_OK);
    size_t size;
    pm_memory_bytes(copy, &size);
    g_assert_cmpuint(copied.bytes, ==, size);
    g_assert_cmpuint(copied.chunks, ==, pm_reader_n_chunks(reader));
    g_assert_cmpuint(copied.skipped_chunks, ==, 0);
    g_assert_cmpint(pm_verify(pm_memory_source(copy), &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
    g_autoptr(collected) a = collected_new();
    g_autoptr(collected) b = collected_new();
    collected_read(a, reader, COLLECT_ALL);
    g_assert_cmpint(collected_read_source(b, pm_memory_source(copy)), ==, PM_OK);
    collected_assert_waits_equal(a->waits, b->waits);
    g_assert_cmpuint(a->counters->len, ==, b->counters->len);
    g_assert_cmpuint(a->footers->len, ==, b->footers->len);
    g_assert_cmpint(a->end_ns, ==, b->end_ns);
    g_assert_cmpuint(verified.waits, ==, a->waits->len);
    /* A copy of the copy is the copy. */
    struct pm_memory *again = syn_new_memory();
    struct pm_reader *copy_reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(copy), &copy_reader, NULL), ==, PM_OK);
    g_assert_cmpint(pm_copy(copy_reader, 0, pm_memory_sink(again), &copied, NULL), ==, PM_OK);
    size_t again_size;
    const void *again_bytes = pm_memory_bytes(again, &again_size);
    g_assert_cmpmem(again_bytes, again_size, pm_memory_bytes(copy, &size), size);
    pm_reader_free(copy_reader);
    pm_reader_free(reader);
    pm_memory_free(again);
    pm_memory_free(copy);
    pm_memory_free(memory);
}

/* A file cut off loses what is behind the cut and the block that it goes through, once each. */
static void test_cut_off(void)
{
    struct syn *s = syn_small();
    syn_finish(s, SYN_SMALL_END);
    size_t size;
    const uint8_t *bytes = syn_bytes(s, &size);
    guint torn = 0;
    for (size_t cut = size - 1; cut > size / 8; cut -= size / 40 + 1) {
        struct pm_memory *memory = syn_new_memory();
        struct pm_sink sink = pm_memory_sink(memory);
        g_assert_cmpint(sink.write_at(sink.context, 0, bytes, cut), ==, PM_OK);
        struct pm_verify_result result;
        if (pm_verify(pm_memory_source(memory), &result, NULL) == PM_OK) {
            torn++;
            g_assert_false(result.ok);
            g_assert_cmpuint(result.lost_bytes, >=, size - cut);
            g_assert_cmpuint(result.lost_bytes + result.stored_bytes, <=,
                             size - PM_FILE_HEADER_SIZE);
        }
        pm_memory_free(memory);
    }
    g_assert_cmpuint(torn, >, 0);
    syn_free(s);
}

static void test_copy_from(void)
{
    struct pm_memory *memory = generated(0);
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(memory), &reader, NULL), ==, PM_OK);
    size_t n = pm_reader_n_chunks(reader);
    g_assert_cmpuint(n, >, 6);
    struct pm_memory *copy = syn_new_memory();
    struct pm_copy_result copied;
    int64_t from = pm_reader_chunk(reader, n / 2)->end_ns;
    g_assert_cmpint(pm_copy(reader, from, pm_memory_sink(copy), &copied, NULL), ==, PM_OK);
    g_assert_cmpuint(copied.skipped_chunks, ==, n / 2);
    g_assert_cmpuint(copied.chunks, ==, n - n / 2);
    g_autoptr(collected) all = collected_new();
    g_autoptr(collected) part = collected_new();
    collected_read(all, reader, COLLECT_ALL);
    g_assert_cmpint(collected_read_source(part, pm_memory_source(copy)), ==, PM_OK);
    /* Nothing that ended since `from` is missing. */
    guint since[2] = {0, 0};
    for (guint i = 0; i < all->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(all->waits, struct pm_wait, i);
        since[0] += w->begin_ns + w->duration_ns >= from;
    }
    for (guint i = 0; i < part->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(part->waits, struct pm_wait, i);
        since[1] += w->begin_ns + w->duration_ns >= from;
    }
    g_assert_cmpuint(since[0], ==, since[1]);
    g_assert_cmpuint(since[0], >, 0);
    pm_memory_free(copy);
    /* Damage stays behind and is counted. */
    size_t size;
    uint8_t *bytes = (uint8_t *)pm_memory_bytes(memory, &size);
    bytes[pm_reader_chunk(reader, 1)->offset + 40000] ^= 1;
    copy = syn_new_memory();
    g_assert_cmpint(pm_copy(reader, 0, pm_memory_sink(copy), &copied, NULL), ==, PM_OK);
    g_assert_cmpuint(copied.damaged_blocks, ==, 1);
    g_assert_cmpuint(copied.chunks, ==, n);
    pm_memory_free(copy);
    /* A full disk is the copy's failure. */
    g_assert_cmpint(pm_memory_new(100000, &copy), ==, PM_OK);
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_copy(reader, 0, pm_memory_sink(copy), &copied, &info), ==, PM_ERROR_IO);
    g_assert_cmpint(info.text[0], !=, '\0');
    pm_memory_free(copy);
    pm_reader_free(reader);
    pm_memory_free(memory);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/verify/finds-what-breaks-the-rules", test_rules);
    g_test_add_func("/format/verify/samples-without-roles-are-as-they-were",
                    test_samples_without_roles);
    g_test_add_func("/format/verify/a-later-gap-reason-is-read", test_unknown_gap_reason);
    g_test_add_func("/format/verify/finds-payloads-of-a-wrong-length", test_lengths);
    g_test_add_data_func("/format/copy/is-the-recording", GSIZE_TO_POINTER(0), test_copy);
    g_test_add_data_func("/format/copy/is-the-recording-of-a-rolling-file",
                         GSIZE_TO_POINTER(1u << 20), test_copy);
    g_test_add_func("/format/verify/counts-what-was-cut-off-once", test_cut_off);
    g_test_add_func("/format/copy/from-an-instant-on", test_copy_from);
    return g_test_run();
}

/* A sink that fails: the recording goes on, says so once, counts what it lost, and is whole again
 * when the sink is. */
#include <glib.h>
#include <string.h>

#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

struct faulty {
    struct pm_memory *memory;
    gboolean failing;
    gboolean uncut;         /* only what cuts the file fails */
    guint writes, fails_at; /* that write alone; 0 = none */
    guint failures;
    gboolean closed;
};

static int faulty_write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct faulty *f = context;
    struct pm_sink sink = pm_memory_sink(f->memory);
    if (f->failing || ++f->writes == f->fails_at) {
        f->failures++;
        return PM_ERROR_IO;
    }
    return sink.write_at(sink.context, offset, bytes, size);
}

static int faulty_allocate(void *context, uint64_t size)
{
    struct faulty *f = context;
    struct pm_sink sink = pm_memory_sink(f->memory);
    return f->failing ? PM_ERROR_IO : sink.allocate(sink.context, size);
}

static int faulty_truncate(void *context, uint64_t size)
{
    struct faulty *f = context;
    struct pm_sink sink = pm_memory_sink(f->memory);
    return f->failing || f->uncut ? PM_ERROR_IO : sink.truncate(sink.context, size);
}

static void faulty_close(void *context)
{
    ((struct faulty *)context)->closed = TRUE;
}

static struct pm_sink sink_of(struct faulty *faulty)
{
    return (struct pm_sink){
        .context = faulty,
        .write_at = faulty_write_at,
        .allocate = faulty_allocate,
        .truncate = faulty_truncate,
        .close = faulty_close,
    };
}

static struct syn *definitions(void)
{
    struct syn *s = syn_new();
    syn_define_fifty(s);
    return s;
}

static void assert_waits_are_true(const GArray *waits)
{
    for (guint i = 0; i < waits->len; i++) {
        const struct pm_wait *w = &g_array_index(waits, struct pm_wait, i);
        struct pm_wait expected = syn_wait_number((guint)((w->begin_ns - SYN_BEGIN_NS) / SYN_US));
        g_assert_cmpmem(w, sizeof *w, &expected, sizeof expected);
    }
}

/* The disk is full for a while: once in the middle of chunks, once as one begins. */
static void test_a_while(gconstpointer max_size)
{
    struct syn *s = definitions();
    struct faulty faulty = {.memory = syn_new_memory()};
    struct pm_writer_options options = {.max_size = GPOINTER_TO_SIZE(max_size),
                                        .slot_size = 64u << 10};
    struct pm_writer *writer = syn_writer(s, sink_of(&faulty), &options);
    guint n = 60000, told = 0;
    for (guint i = 0; i < n; i++) {
        faulty.failing = (i >= 10000 && i < 20000) || (i >= 30000 && i < 31000);
        struct pm_wait wait = syn_wait_number(i);
        int result = pm_writer_add_wait(writer, &wait);
        if (i % 500 == 499 && result == PM_OK)
            result = pm_writer_flush(writer, wait.begin_ns + wait.duration_ns);
        if (result != PM_OK) {
            g_assert_cmpint(result, ==, PM_ERROR_IO);
            g_assert_true(faulty.failing);
            told++;
        }
    }
    g_assert_cmpuint(told, ==, 2);
    g_assert_cmpuint(faulty.failures, >, 4);
    struct pm_writer_stats stats;
    pm_writer_get_stats(writer, &stats);
    g_assert_cmpuint(stats.waits, ==, n);
    g_assert_cmpuint(stats.lost_rows, >=, 9000);
    g_assert_cmpuint(stats.lost_rows, <=, 13000);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    g_assert_true(faulty.closed);
    struct pm_verify_result verified;
    g_assert_cmpint(pm_verify(pm_memory_source(faulty.memory), &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(faulty.memory)), ==, PM_OK);
    assert_waits_are_true(c->waits);
    g_assert_cmpuint(c->waits->len + stats.lost_rows, ==, n);
    /* What was lost is told as gaps. */
    int64_t lost = 0, time = 0;
    for (guint i = 0; i < c->gaps->len; i++) {
        const struct pm_gap *gap = &g_array_index(c->gaps, struct pm_gap, i);
        g_assert_cmpuint(gap->reason, ==, PM_GAP_WRITE);
        g_assert_cmpint(gap->begin_ns, <, gap->end_ns);
        lost += gap->waits;
        time += gap->thread_time_ns;
    }
    g_assert_cmpint(lost, ==, (int64_t)stats.lost_rows);
    g_assert_cmpint(time, >=, 100 * lost);
    pm_memory_free(faulty.memory);
    syn_free(s);
}

/* As of a file that may only grow, or where a filter of system calls refuses it: all is there. */
static void test_not_cut(void)
{
    struct syn *s = definitions();
    struct faulty faulty = {.memory = syn_new_memory(), .uncut = TRUE};
    struct pm_writer_options options = {
        .max_size = 1u << 20, .slot_size = 64u << 10, .preallocate = true};
    struct pm_writer *writer = syn_writer(s, sink_of(&faulty), &options);
    for (guint i = 0; i < 1000; i++) {
        struct pm_wait wait = syn_wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    }
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    struct pm_verify_result verified;
    g_assert_cmpint(pm_verify(pm_memory_source(faulty.memory), &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(faulty.memory)), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, ==, 1000);
    pm_memory_free(faulty.memory);
    syn_free(s);
}

/* The disk fills up for good after any number of bytes: what was written until then is whole. */
static void test_for_good(gconstpointer max_size)
{
    for (uint64_t after = 1; after < 150000; after = after * 5 / 4 + 50) {
        struct syn *s = definitions();
        struct pm_memory *memory;
        g_assert_cmpint(pm_memory_new(after, &memory), ==, PM_OK);
        struct pm_writer_options options = {
            .max_size = GPOINTER_TO_SIZE(max_size), .slot_size = 64u << 10, .block_waits = 64};
        struct pm_dictionary dictionary = syn_dictionary(s);
        struct pm_writer *writer = NULL;
        struct pm_error_info info = {0};
        int result = pm_writer_open(pm_memory_sink(memory), syn_facts(s), &dictionary, &options,
                                    &writer, &info);
        if (result != PM_OK) {
            g_assert_cmpint(result, ==, PM_ERROR_IO);
            g_assert_cmpint(info.text[0], !=, '\0');
            g_assert_null(writer);
        } else {
            guint told = 0;
            for (guint i = 0; i < 20000; i++) {
                struct pm_wait wait = syn_wait_number(i);
                told += pm_writer_add_wait(writer, &wait) != PM_OK;
                if (i % 1000 == 999)
                    told += pm_writer_flush(writer, wait.begin_ns) != PM_OK;
            }
            g_assert_cmpuint(told, <=, 1);
            g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S) == PM_OK, ==, told == 0);
            g_autoptr(collected) c = collected_new();
            g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
            g_assert_cmpuint(c->damage->len, ==, 0);
            assert_waits_are_true(c->waits);
        }
        pm_memory_free(memory);
        syn_free(s);
    }
}

/* One write fails, each in turn: the file holds or tells of every wait, or does not say that it was
 * closed. */
static void test_each_write(gconstpointer max_size)
{
    for (guint at = 1, n_writes = at; at <= n_writes; at++) {
        struct syn *s = definitions();
        struct faulty faulty = {.memory = syn_new_memory()};
        struct pm_writer_options options = {.max_size = GPOINTER_TO_SIZE(max_size),
                                            .slot_size = 64u << 10};
        struct pm_writer *writer = syn_writer(s, sink_of(&faulty), &options);
        const guint n = 12000;
        faulty.writes = 0;
        faulty.fails_at = at;
        for (guint i = 0; i < n; i++) {
            struct pm_wait wait = syn_wait_number(i);
            pm_writer_add_wait(writer, &wait);
            if (i % 1000 == 999)
                pm_writer_flush(writer, wait.begin_ns + wait.duration_ns);
        }
        int result = pm_writer_close(writer, SYN_BEGIN_NS + SYN_S);
        n_writes = MAX(n_writes, faulty.writes);
        g_autoptr(collected) c = collected_new();
        struct pm_verify_result verified;
        g_assert_cmpint(pm_verify(pm_memory_source(faulty.memory), &verified, NULL), ==, PM_OK);
        g_assert_cmpuint(verified.lost_bytes, ==, 0);
        g_assert_cmpint(collected_read_source(c, pm_memory_source(faulty.memory)), ==, PM_OK);
        assert_waits_are_true(c->waits);
        gint64 told = c->waits->len;
        for (guint i = 0; i < c->gaps->len; i++)
            told += g_array_index(c->gaps, struct pm_gap, i).waits;
        if (result == PM_OK)
            g_assert_cmpint(told, ==, n);
        else
            g_assert_cmpint(told, <=, n);
        pm_memory_free(faulty.memory);
        syn_free(s);
    }
}

/* -- power loss -- */

#define PAGE 4096

struct logged_write {
    uint64_t offset;
    GBytes *bytes;
};

static void clear_write(gpointer write)
{
    g_bytes_unref(((struct logged_write *)write)->bytes);
}

static int log_write(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct logged_write write = {offset, g_bytes_new(bytes, size)};
    g_array_append_val((GArray *)context, write);
    return PM_OK;
}

static int log_size(void *context, uint64_t size)
{
    return PM_OK;
}

static void log_close(void *context)
{
}

/* What is in a page after the first `n` of the writes. */
static void write_page(uint8_t *page, uint64_t at, const GArray *writes, guint n)
{
    for (guint i = 0; i < n; i++) {
        const struct logged_write *write = &g_array_index(writes, struct logged_write, i);
        gsize size;
        const uint8_t *bytes = g_bytes_get_data(write->bytes, &size);
        uint64_t from = MAX(at, write->offset), to = MIN(at + PAGE, write->offset + size);
        if (from < to)
            memcpy(page + (from - at), bytes + (from - write->offset), to - from);
    }
}

/* The power fails: of the last writes some pages came to the disk, others did not. What is read is
 * true and there once, and nothing is missing of what had come there whole; but what a slot that
 * was used again held. */
static void test_power_loss(gconstpointer n_waits)
{
    struct syn *s = definitions();
    g_autoptr(GArray) writes = g_array_new(FALSE, FALSE, sizeof(struct logged_write));
    g_autoptr(GArray) flushed = g_array_new(FALSE, FALSE, sizeof(guint)); /* writes until each */
    g_autoptr(GRand) chance = g_rand_new_with_seed(1);
    const guint n = GPOINTER_TO_UINT(n_waits), step = 250;
    const struct pm_sink sink = {writes, log_write, log_size, log_size, NULL, log_close};
    struct pm_writer_options options = {.max_size = n % 2 == 0 ? 1u << 20 : 0,
                                        .slot_size = 64u << 10};
    g_array_set_clear_func(writes, clear_write);
    struct pm_writer *writer = syn_writer(s, sink, &options);
    const guint n_first = writes->len;
    for (guint i = 0; i < n; i++) {
        struct pm_wait wait = syn_wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
        if (i % step == step - 1) {
            g_assert_cmpint(pm_writer_flush(writer, wait.begin_ns + wait.duration_ns), ==, PM_OK);
            g_array_append_val(flushed, writes->len);
        }
    }
    struct pm_writer_stats stats;
    pm_writer_get_stats(writer, &stats);
    const gboolean reused = options.max_size != 0 && stats.chunks > stats.file_chunks;
    g_assert_true(reused == (n > 200000));
    pm_writer_abandon(writer);
    for (guint round = 0; round < (reused ? 100 : 400); round++) {
        const guint whole = (guint)g_rand_int_range(chance, (gint)n_first, (gint)writes->len);
        const guint n_torn = (guint)g_rand_int_range(chance, 0, (gint)round % 40 + 1);
        const guint last = MIN(whole + n_torn, writes->len);
        g_autofree uint8_t *image = g_malloc0(1u << 20);
        for (uint64_t at = 0; at < 1u << 20; at += PAGE)
            write_page(image + at, at, writes,
                       (guint)g_rand_int_range(chance, (gint)whole, (gint)last + 1));
        guint n_durable = 0;
        for (guint i = 0; i < flushed->len && g_array_index(flushed, guint, i) <= whole; i++)
            n_durable += step;
        g_autoptr(collected) c = collected_new();
        struct pm_source source;
        g_assert_cmpint(pm_source_from_memory(image, 1u << 20, &source), ==, PM_OK);
        g_assert_cmpint(collected_read_source(c, source), ==, PM_OK);
        assert_waits_are_true(c->waits);
        g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
        guint n_kept = 0;
        for (guint i = 0; i < c->waits->len; i++) {
            const struct pm_wait *wait = &g_array_index(c->waits, struct pm_wait, i);
            const guint number = (guint)((wait->begin_ns - SYN_BEGIN_NS) / SYN_US);
            g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(number + 1)));
            n_kept += number < n_durable;
        }
        if (!reused)
            g_assert_cmpuint(n_kept, ==, n_durable);
    }
    syn_free(s);
}

static int no_room(void *context, uint64_t size)
{
    return PM_ERROR_IO;
}

/* Without the reserved bytes there is no recording, and the sink is the caller's still. */
static void test_no_reserve(void)
{
    struct syn *s = definitions();
    struct faulty faulty = {.memory = syn_new_memory()};
    struct pm_sink sink = sink_of(&faulty);
    sink.allocate = no_room;
    struct pm_writer_options options = {.max_size = 1u << 20, .preallocate = true};
    struct pm_dictionary dictionary = syn_dictionary(s);
    struct pm_writer *writer = NULL;
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_writer_open(sink, syn_facts(s), &dictionary, &options, &writer, &info), ==,
                    PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, "reserve"));
    g_assert_false(faulty.closed);
    options.max_size = 1000;
    g_assert_cmpint(pm_writer_open(sink, syn_facts(s), &dictionary, &options, &writer, &info), ==,
                    PM_ERROR_ARGUMENT);
    pm_memory_free(faulty.memory);
    syn_free(s);
}

static int broken_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    if (offset + size > 6000)
        return PM_ERROR_IO;
    struct pm_source source = pm_memory_source(context);
    return source.read_at(source.context, offset, bytes, size);
}

/* A source that cannot be read somewhere is damage there, not the end of everything. */
static void test_broken_source(void)
{
    struct syn *s = definitions();
    for (guint i = 0; i < 3000; i++) {
        struct pm_wait wait = syn_wait_number(i);
        *syn_wait(s, wait.thread, wait.blocker, 0, 0) = wait;
    }
    syn_options(s)->block_waits = 64;
    struct pm_source source = syn_finish(s, SYN_S);
    source.read_at = broken_read_at;
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, source), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, >, 0);
    g_assert_cmpuint(c->waits->len, <, 3000);
    g_assert_cmpuint(c->damage->len, ==, 1);
    g_assert_cmpint(g_array_index(c->damage, struct pm_damage, 0).code, ==, PM_ERROR_IO);
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/writer/that-is-not-cut-is-whole", test_not_cut);
    g_test_add_data_func("/format/writer/bears-a-full-disk-for-a-while", GSIZE_TO_POINTER(4u << 20),
                         test_a_while);
    g_test_add_data_func("/format/writer/bears-a-full-disk-for-a-while-compact",
                         GSIZE_TO_POINTER(0), test_a_while);
    g_test_add_data_func("/format/writer/bears-a-full-disk-for-good", GSIZE_TO_POINTER(1u << 20),
                         test_for_good);
    g_test_add_data_func("/format/writer/bears-a-full-disk-for-good-compact", GSIZE_TO_POINTER(0),
                         test_for_good);
    g_test_add_data_func("/format/writer/bears-each-write-failing", GSIZE_TO_POINTER(1u << 20),
                         test_each_write);
    g_test_add_data_func("/format/writer/bears-each-write-failing-compact", GSIZE_TO_POINTER(0),
                         test_each_write);
    g_test_add_data_func("/format/reader/bears-a-loss-of-power", GUINT_TO_POINTER(12000),
                         test_power_loss);
    g_test_add_data_func("/format/reader/bears-a-loss-of-power-as-slots-are-used-again",
                         GUINT_TO_POINTER(300000), test_power_loss);
    g_test_add_data_func("/format/reader/bears-a-loss-of-power-compact", GUINT_TO_POINTER(11999),
                         test_power_loss);
    g_test_add_func("/format/writer/says-when-nothing-can-be-reserved", test_no_reserve);
    g_test_add_func("/format/reader/an-unreadable-place-is-damage", test_broken_source);
    return g_test_run();
}

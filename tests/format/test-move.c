/* A recording goes on in another sink, after the one before was closed whole or given up: each file
 * stands alone, and together with its gaps they hold every wait once. */
#include <glib.h>
#include <string.h>

#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

#define N_EACH 20000

struct recording {
    struct syn *s;
    struct pm_memory *memory[3];
    struct pm_writer *writer;
    guint n_waits, n_begun;
};

/* What opens a chunk: the counters so far. */
static int on_chunk_begin(void *context, struct pm_writer *writer)
{
    struct recording *r = context;
    struct pm_counters counters = {.blocker = {1}, .times = r->n_waits};
    r->n_begun++;
    return pm_writer_add_snapshot(writer, PM_SNAPSHOT_BASE, SYN_BEGIN_NS, &counters, 1);
}

static void begin(struct recording *r, uint64_t max_size)
{
    *r = (struct recording){.s = syn_new()};
    syn_define_fifty(r->s);
    for (guint i = 0; i < G_N_ELEMENTS(r->memory); i++)
        r->memory[i] = syn_new_memory();
    struct pm_writer_options options = {.max_size = max_size,
                                        .slot_size = 64u << 10,
                                        .preallocate = true,
                                        .context = r,
                                        .on_chunk_begin = on_chunk_begin};
    r->writer = syn_writer(r->s, pm_memory_sink(r->memory[0]), &options);
}

static void clear(struct recording *r)
{
    for (guint i = 0; i < G_N_ELEMENTS(r->memory); i++)
        pm_memory_free(r->memory[i]);
    syn_free(r->s);
}

/* The last ones are only gathered. */
static void add_waits(struct recording *r, guint n)
{
    for (guint i = 0; i < n; i++) {
        struct pm_wait wait = syn_wait_number(r->n_waits++);
        pm_writer_add_wait(r->writer, &wait);
        if (r->n_waits % 1000 == 500)
            pm_writer_flush(r->writer, wait.begin_ns + wait.duration_ns);
    }
}

static int64_t now_of(const struct recording *r)
{
    return SYN_BEGIN_NS + r->n_waits * SYN_US;
}

static struct pm_sink move_to(struct recording *r, guint number)
{
    struct pm_error_info info = {0};
    struct pm_sink sink = pm_memory_sink(r->memory[number]);
    int result = pm_writer_move(r->writer, sink, &info);
    g_assert_cmpstr(result != PM_OK ? info.text : "", ==, "");
    return sink;
}

static struct collected *read_whole(const struct recording *r, guint number)
{
    struct pm_verify_result verified;
    struct pm_source source = pm_memory_source(r->memory[number]);
    g_assert_cmpint(pm_verify(source, &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
    struct collected *c = collected_new();
    g_assert_cmpint(collected_read_source(c, source), ==, PM_OK);
    return c;
}

/* Begin of the first chunk, its number, the end of the last. */
static void look_at(const struct recording *r, guint number, struct pm_chunk_info *ret_first,
                    struct pm_chunk_info *ret_last)
{
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(r->memory[number]), &reader, NULL), ==, PM_OK);
    *ret_first = *pm_reader_chunk(reader, 0);
    *ret_last = *pm_reader_chunk(reader, pm_reader_n_chunks(reader) - 1);
    pm_reader_free(reader);
}

static void assert_waits(const GArray *waits, guint first, guint end)
{
    g_autofree gboolean *seen = g_new0(gboolean, end - first);
    g_assert_cmpuint(waits->len, ==, end - first);
    for (guint i = 0; i < waits->len; i++) {
        const struct pm_wait *w = &g_array_index(waits, struct pm_wait, i);
        guint number = (guint)((w->begin_ns - SYN_BEGIN_NS) / SYN_US);
        struct pm_wait expected = syn_wait_number(number);
        g_assert_cmpmem(w, sizeof *w, &expected, sizeof expected);
        g_assert_cmpuint(number, >=, first);
        g_assert_cmpuint(number, <, end);
        g_assert_false(seen[number - first]);
        seen[number - first] = TRUE;
    }
}

static struct pm_gap sum_of_gaps(const struct collected *c, uint8_t reason)
{
    struct pm_gap sum = {0};
    for (guint i = 0; i < c->gaps->len; i++) {
        const struct pm_gap *gap = &g_array_index(c->gaps, struct pm_gap, i);
        if (gap->reason == reason) {
            sum.waits += gap->waits;
            sum.thread_time_ns += gap->thread_time_ns;
        }
    }
    return sum;
}

static int64_t time_of(guint first, guint end)
{
    int64_t sum = 0;
    for (guint i = first; i < end; i++)
        sum += syn_wait_number(i).duration_ns;
    return sum;
}

static void test_sealed(void)
{
    struct recording r;
    begin(&r, 8u << 20);
    add_waits(&r, N_EACH);
    g_assert_cmpint(pm_writer_seal(r.writer, now_of(&r)), ==, PM_OK);
    gsize size;
    pm_memory_bytes(r.memory[0], &size);
    g_assert_cmpuint(size, <, 4u << 20);
    g_assert_cmpint(pm_writer_seal(r.writer, now_of(&r)), ==, PM_ERROR_ARGUMENT);
    guint n_begun = r.n_begun;
    move_to(&r, 1);
    g_assert_cmpuint(r.n_begun, ==, n_begun + 1);
    add_waits(&r, N_EACH);
    struct pm_writer_stats stats;
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpuint(stats.waits, ==, 2 * N_EACH);
    g_assert_cmpuint(stats.lost_rows, ==, 0);
    g_assert_cmpuint(stats.left_waits, ==, 0);
    g_assert_cmpuint(stats.file_bytes, >, 7u << 20);
    g_assert_cmpint(stats.oldest_ns, ==, SYN_BEGIN_NS + N_EACH * SYN_US);
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_OK);

    g_autoptr(collected) before = read_whole(&r, 0);
    g_autoptr(collected) after = read_whole(&r, 1);
    assert_waits(before->waits, 0, N_EACH);
    assert_waits(after->waits, N_EACH, 2 * N_EACH);
    g_assert_cmpuint(after->gaps->len, ==, 0);
    const struct pm_counters *base = &g_array_index(after->counters, struct pm_counters, 0);
    g_assert_cmpint(base->times, ==, N_EACH);
    struct pm_chunk_info first, last, next;
    look_at(&r, 0, &first, &last);
    look_at(&r, 1, &next, &first);
    g_assert_true(last.closed);
    g_assert_cmpint(next.begin_ns, ==, last.end_ns);
    g_assert_cmpuint(next.number, >, last.number);
    clear(&r);
}

static void test_given_up(void)
{
    struct recording r;
    begin(&r, 8u << 20);
    add_waits(&r, N_EACH + 123);
    /* What was stored is gone with it, what was only gathered is not. */
    struct pm_writer_stats stats;
    g_autoptr(collected) before = collected_new();
    g_assert_cmpint(collected_read_source(before, pm_memory_source(r.memory[0])), ==, PM_OK);
    guint n_stored = before->waits->len;
    g_assert_cmpuint(n_stored, <, N_EACH + 123);
    pm_writer_give_up(r.writer);
    pm_writer_give_up(r.writer);
    move_to(&r, 1);
    add_waits(&r, N_EACH);
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpuint(stats.lost_rows, ==, 0);
    g_assert_cmpuint(stats.left_waits, ==, n_stored);
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_OK);

    g_autoptr(collected) after = read_whole(&r, 1);
    assert_waits(after->waits, n_stored, r.n_waits);
    g_assert_cmpuint(after->gaps->len, ==, 1);
    struct pm_gap gap = g_array_index(after->gaps, struct pm_gap, 0);
    struct pm_chunk_info first, last;
    look_at(&r, 1, &first, &last);
    g_assert_cmpuint(gap.reason, ==, PM_GAP_WRITE);
    g_assert_cmpint(gap.waits, ==, n_stored);
    g_assert_cmpint(gap.thread_time_ns, ==, time_of(0, n_stored));
    g_assert_cmpint(gap.begin_ns, ==, SYN_BEGIN_NS);
    g_assert_cmpint(gap.end_ns, <, first.begin_ns);
    clear(&r);
}

static int no_room(void *context, uint64_t size)
{
    return PM_ERROR_IO;
}

/* What ends while there is no file is counted, and told as soon as there is one. */
static void test_nowhere(void)
{
    struct recording r;
    struct pm_writer_stats stats;
    begin(&r, 8u << 20);
    add_waits(&r, N_EACH);
    g_assert_cmpint(pm_writer_seal(r.writer, now_of(&r)), ==, PM_OK);
    add_waits(&r, N_EACH);
    const struct pm_gap filtered = {now_of(&r), now_of(&r) + 5, PM_GAP_MINTIME, 7, 70};
    pm_writer_add_gap(r.writer, &filtered);
    pm_writer_flush(r.writer, now_of(&r));
    struct pm_sink sink = pm_memory_sink(r.memory[1]);
    sink.allocate = no_room;
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_writer_move(r.writer, sink, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, "reserve"));
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpuint(stats.lost_waits, ==, N_EACH);
    g_assert_cmpuint(stats.file_bytes, ==, 0);
    g_assert_cmpint(pm_writer_resize(r.writer, 2u << 20, NULL), ==, PM_OK);
    move_to(&r, 2);
    add_waits(&r, N_EACH);
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_OK);

    g_autoptr(collected) after = read_whole(&r, 2);
    assert_waits(after->waits, 2 * N_EACH, 3 * N_EACH);
    struct pm_gap gap = sum_of_gaps(after, PM_GAP_WRITE);
    g_assert_cmpint(gap.waits, ==, N_EACH);
    g_assert_cmpint(gap.thread_time_ns, ==, time_of(N_EACH, 2 * N_EACH));
    gap = sum_of_gaps(after, PM_GAP_MINTIME);
    g_assert_cmpint(gap.waits, ==, 7);
    g_assert_cmpint(gap.thread_time_ns, ==, 70);
    gsize size;
    pm_memory_bytes(r.memory[2], &size);
    g_assert_cmpuint(size, <=, 2u << 20);
    clear(&r);
}

/* Files that filled and came round are left like others. */
static void test_rolled(void)
{
    struct recording r;
    begin(&r, 1u << 20);
    add_waits(&r, 40 * N_EACH);
    struct pm_chunk_info first, last;
    g_autoptr(collected) before = collected_new();
    look_at(&r, 0, &first, &last);
    g_assert_cmpuint(first.number, >, 1);
    g_assert_cmpint(collected_read_source(before, pm_memory_source(r.memory[0])), ==, PM_OK);
    pm_writer_give_up(r.writer);
    move_to(&r, 1);
    add_waits(&r, 40 * N_EACH);
    g_assert_cmpint(pm_writer_seal(r.writer, now_of(&r)), ==, PM_OK);
    move_to(&r, 2);
    add_waits(&r, 10);
    struct pm_writer_stats stats;
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpuint(stats.left_waits, ==, before->waits->len);
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_OK);
    collected_free(read_whole(&r, 1));
    g_autoptr(collected) after = read_whole(&r, 2);
    assert_waits(after->waits, 80 * N_EACH, 80 * N_EACH + 10);
    g_assert_cmpuint(after->gaps->len, ==, 0);
    clear(&r);
}

/* A file that is lost takes along what it told of those before. */
static void test_lost_again(void)
{
    struct recording r;
    begin(&r, 8u << 20);
    const struct pm_gap filtered = {SYN_BEGIN_NS + 3, SYN_BEGIN_NS + 5, PM_GAP_MINTIME, 7, 70};
    pm_writer_add_gap(r.writer, &filtered);
    for (guint i = 1; i < 3; i++) {
        add_waits(&r, 500);
        pm_writer_give_up(r.writer);
        add_waits(&r, 500);
        pm_writer_flush(r.writer, now_of(&r));
        move_to(&r, i);
    }
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_OK);
    g_autoptr(collected) after = read_whole(&r, 2);
    struct pm_gap gap = sum_of_gaps(after, PM_GAP_WRITE);
    g_assert_cmpint(gap.waits + after->waits->len, ==, r.n_waits);
    g_assert_cmpint(gap.thread_time_ns, >, 0);
    g_assert_cmpint(sum_of_gaps(after, PM_GAP_MINTIME).waits, ==, 7);
    clear(&r);
}

static void test_closed_nowhere(void)
{
    struct recording r;
    begin(&r, 1u << 20);
    add_waits(&r, 100);
    pm_writer_give_up(r.writer);
    g_assert_cmpint(pm_writer_close(r.writer, now_of(&r)), ==, PM_ERROR_IO);
    clear(&r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/writer/goes-on-after-a-whole-file", test_sealed);
    g_test_add_func("/format/writer/goes-on-after-a-lost-file", test_given_up);
    g_test_add_func("/format/writer/counts-what-has-no-file", test_nowhere);
    g_test_add_func("/format/writer/goes-on-after-files-that-came-round", test_rolled);
    g_test_add_func("/format/writer/goes-on-after-several-lost-files", test_lost_again);
    g_test_add_func("/format/writer/ends-without-a-file", test_closed_nowhere);
    return g_test_run();
}

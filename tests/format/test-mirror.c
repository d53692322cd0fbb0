/* A copy that is kept up to date holds what the original holds, and gets no byte twice. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "format/mirror.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

struct pair {
    struct syn *s;
    struct pm_memory *original, *copy;
    struct pm_writer *writer;
    gint64 at;
    guint64 bytes, pieces; /* that were passed on */
    guint64 fail_after;    /* pieces; 0 = never */
};

static void begin(struct pair *p, guint64 max_size)
{
    struct pm_writer_options options = {
        .max_size = max_size, .slot_size = 64 << 10, .block_waits = 64};

    *p = (struct pair){.s = syn_new()};
    for (guint i = 0; i < 20; i++) {
        syn_thread(p->s, "worker-1");
        syn_blocker(p->s, syn_class(p->s, "demo.Lock"), i);
    }
    p->original = syn_new_memory();
    p->copy = syn_new_memory();
    p->writer = syn_writer(p->s, pm_memory_sink(p->original), &options);
}

static void end(struct pair *p)
{
    if (p->writer)
        pm_writer_abandon(p->writer);
    pm_memory_free(p->original);
    pm_memory_free(p->copy);
    syn_free(p->s);
}

static void record(struct pair *p, guint n)
{
    guint64 noise = (guint64)p->at + 1;

    for (guint i = 0; i < n; i++) {
        struct pm_wait wait = {.begin_ns = SYN_BEGIN_NS + p->at,
                               .duration_ns = (gint64)(syn_random(&noise) >> 40),
                               .thread = {1 + (guint32)(syn_random(&noise) % 20)},
                               .blocker = {1 + (guint32)(syn_random(&noise) % 20)}};
        g_assert_cmpint(pm_writer_add_wait(p->writer, &wait), ==, PM_OK);
        p->at += 50 * SYN_US;
    }
    p->at += SYN_S;
    g_assert_cmpint(pm_writer_flush(p->writer, SYN_BEGIN_NS + p->at), ==, PM_OK);
}

static int take(void *context, const void *bytes, size_t size)
{
    struct pair *p = context;

    if (p->fail_after > 0 && p->pieces >= p->fail_after)
        return 1; /* the pipe broke */
    p->pieces++;
    p->bytes += size;
    return pm_mirror_apply(pm_memory_sink(p->copy), bytes, size, NULL);
}

static int update(struct pair *p)
{
    struct pm_mirror_mark mark;
    struct pm_reader *reader;
    struct pm_source source = pm_memory_source(p->original);

    source.close = NULL;
    pm_mirror_mark_of(pm_memory_source(p->copy), &mark);
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, PM_OK);
    int result = pm_mirror_news(reader, &mark, 0, take, p, NULL);
    pm_reader_free(reader);
    return result;
}

static void assert_equal(struct pair *p)
{
    g_autoptr(collected) a = collected_new();
    g_autoptr(collected) b = collected_new();
    struct pm_verify_result verified;

    g_assert_cmpint(collected_read_source(a, pm_memory_source(p->original)), ==, PM_OK);
    g_assert_cmpint(collected_read_source(b, pm_memory_source(p->copy)), ==, PM_OK);
    g_assert_cmpuint(a->waits->len, >, 0);
    collected_assert_waits_equal(a->waits, b->waits);
    g_assert_cmpint(a->end_ns, ==, b->end_ns);
    g_assert_cmpuint(b->damage->len, ==, 0);
    g_assert_cmpuint(a->data_chunks, ==, b->data_chunks);
    g_assert_cmpuint(a->overview_chunks, ==, b->overview_chunks);
    g_assert_cmpint(pm_verify(pm_memory_source(p->copy), &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
}

/* Through several rounds of the rolling file: slots are reused, and so they are in the copy. */
static void copy_equals_the_original(void)
{
    struct pair p;

    begin(&p, 1 << 20);
    for (guint i = 0; i < 200; i++) {
        record(&p, 700);
        g_assert_cmpint(update(&p), ==, PM_OK);
        if (i % 20 == 0)
            assert_equal(&p);
    }
    assert_equal(&p);
    g_assert_cmpint(pm_writer_close(p.writer, SYN_BEGIN_NS + p.at), ==, PM_OK);
    p.writer = NULL;
    g_assert_cmpint(update(&p), ==, PM_OK);
    assert_equal(&p);
    end(&p);
}

/* What travels is what was written since, and the heads. */
static void no_byte_travels_twice(void)
{
    struct pair p;

    begin(&p, 16 << 20);
    for (guint i = 0; i < 100; i++) {
        record(&p, 500);
        g_assert_cmpint(update(&p), ==, PM_OK);
    }
    assert_equal(&p);
    struct pm_writer_stats stats;
    pm_writer_get_stats(p.writer, &stats);
    g_assert_cmpuint(p.bytes, <, stats.stored_bytes + p.pieces * 512);
    p.bytes = p.pieces = 0;
    g_assert_cmpint(update(&p), ==, PM_OK); /* nothing new: header and open chunks' heads */
    g_assert_cmpuint(p.bytes, <, 1024);
    end(&p);
}

/* The pipe may break after any piece: the next update goes on from there. */
static void goes_on_after_a_break(void)
{
    for (guint after = 1; after < 12; after++) {
        struct pair p;
        begin(&p, 2 << 20);
        for (guint i = 0; i < 12; i++)
            record(&p, 4000);
        p.fail_after = after;
        const int broken = update(&p);
        const guint64 first = p.bytes;
        p.fail_after = 0;
        p.bytes = 0;
        record(&p, 100);
        g_assert_cmpint(update(&p), ==, PM_OK);
        assert_equal(&p);
        if (broken == 1 && after > 3)
            g_assert_cmpuint(first, >, 64 << 10);
        struct pair other; /* another recording in its place: the copy begins anew */
        begin(&other, 2 << 20);
        pm_memory_free(other.copy);
        other.copy = g_steal_pointer(&p.copy);
        end(&p);
        record(&other, 100);
        g_assert_cmpint(update(&other), ==, PM_OK);
        assert_equal(&other);
        end(&other);
    }
}

/* A piece from somebody else changes nothing, or what is not believed later. */
static int keep(void *context, const void *bytes, size_t size)
{
    g_ptr_array_add(context, g_bytes_new(bytes, size));
    return 0;
}

static void hostile_pieces_are_refused(void)
{
    static const struct pm_mirror_mark nothing;
    g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    struct pm_reader *reader;
    struct pair p;
    guint64 noise = 1;

    begin(&p, 1 << 20);
    record(&p, 3000);
    struct pm_source source = pm_memory_source(p.original);
    source.close = NULL;
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, PM_OK);
    g_assert_cmpint(pm_mirror_news(reader, &nothing, 0, keep, pieces, NULL), ==, PM_OK);
    pm_reader_free(reader);
    g_assert_cmpuint(pieces->len, >=, 2);
    g_assert_cmpint(pm_mirror_apply(pm_memory_sink(p.copy), "", 0, NULL), ==, PM_ERROR_MALFORMED);
    for (guint round = 0; round < 20000; round++) {
        gsize size;
        const guint8 *bytes = g_bytes_get_data(pieces->pdata[round % pieces->len], &size);
        g_autofree guint8 *changed = g_memdup2(bytes, size);
        /* Where offsets and lengths lie. */
        changed[syn_random(&noise) % MIN(size, 160)] ^= (guint8)(1 + syn_random(&noise) % 255);
        const gsize cut = syn_random(&noise) % 4 ? size : syn_random(&noise) % size;
        if (round % 7 == 0)
            pm_mirror_apply(pm_memory_sink(p.copy), bytes, size, NULL);
        /* 2^62 bytes of memory are not there; of a file they are a hole. */
        if (changed[0] == 1 && pm_get_u64(changed + 1) > 1 << 24)
            continue;
        if (changed[0] == 2 && cut > 17 && pm_get_u64(changed + 1) > 1 << 24)
            continue;
        pm_mirror_apply(pm_memory_sink(p.copy), changed, cut, NULL);
        g_autoptr(collected) c = collected_new();
        if (round % 100 == 0)
            collected_read_source(c, pm_memory_source(p.copy)); /* whatever it says: no crash */
    }
    end(&p);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/mirror/copy-equals-the-original", copy_equals_the_original);
    g_test_add_func("/format/mirror/no-byte-travels-twice", no_byte_travels_twice);
    g_test_add_func("/format/mirror/goes-on-after-a-break", goes_on_after_a_break);
    g_test_add_func("/format/mirror/hostile-pieces-are-refused", hostile_pieces_are_refused);
    return g_test_run();
}

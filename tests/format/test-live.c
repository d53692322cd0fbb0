/* A recording is read while it is written: whatever is delivered was written. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "format/copy.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

#define N_WAITS 400000

/* Every field follows from the number, so that a wait proves itself. */
static struct pm_wait wait_number(uint64_t i)
{
    uint64_t noise = i;
    noise = syn_random(&noise);
    return (struct pm_wait){
        .begin_ns = SYN_BEGIN_NS + (int64_t)i * SYN_US,
        .duration_ns = (int64_t)(noise >> 40),
        .thread = {1 + (uint32_t)(noise % 50)},
        .blocker = {1 + (uint32_t)(noise / 50 % 50)},
        .waker = {1 + (uint32_t)(noise / 2500 % 50)},
        .aqs_state = (int32_t)(noise >> 20),
    };
}

struct live {
    struct syn *s;
    int fd;
    gint done;
};

static gpointer write_all(gpointer data)
{
    struct live *live = data;
    struct pm_sink sink;
    struct pm_writer_options options = {.max_size = 1u << 20, .block_waits = 256};
    g_assert_cmpint(pm_sink_from_fd(live->fd, &sink), ==, PM_OK);
    struct pm_writer *writer = syn_writer(live->s, sink, &options);
    for (uint64_t i = 0; i < N_WAITS; i++) {
        struct pm_wait wait = wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
        if (i % 1000 == 0)
            g_assert_cmpint(pm_writer_flush(writer, wait.begin_ns), ==, PM_OK);
        if (i % 20000 == 0)
            g_thread_yield();
    }
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    g_atomic_int_set(&live->done, 1);
    return NULL;
}

static void assert_true_waits(const struct collected *c)
{
    for (guint i = 0; i < c->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(c->waits, struct pm_wait, i);
        struct pm_wait expected = wait_number((uint64_t)((w->begin_ns - SYN_BEGIN_NS) / SYN_US));
        g_assert_cmpmem(w, sizeof *w, &expected, sizeof expected);
        g_assert_true(g_hash_table_contains(c->threads, GUINT_TO_POINTER(w->thread.n)));
        g_assert_true(g_hash_table_contains(c->blockers, GUINT_TO_POINTER(w->blocker.n)));
    }
}

static void test_live(void)
{
    g_autofree char *folder = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "live.park", NULL);
    struct live live = {.s = syn_new()};
    for (guint i = 0; i < 50; i++) {
        syn_thread(live.s, "worker-1");
        syn_blocker(live.s, syn_class(live.s, "demo.Lock"), i);
    }
    live.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    g_assert_cmpint(live.fd, >=, 0);
    g_autoptr(GThread) thread = g_thread_new("writer", write_all, &live);
    struct pm_reader *reader = NULL;
    guint rounds = 0;
    gboolean done = FALSE;
    while (!done) {
        done = g_atomic_int_get(&live.done) == 1; /* one more round after the end */
        if (reader == NULL) {
            struct pm_source source;
            struct pm_error_info info;
            g_assert_cmpint(pm_source_open(path, &source, &info), ==, PM_OK);
            int result = pm_reader_open(source, &reader, &info);
            if (result != PM_OK) {
                /* The first bytes are not there yet. */
                g_assert_true(result == PM_ERROR_EMPTY || result == PM_ERROR_NOT_A_RECORDING ||
                              result == PM_ERROR_TRUNCATED);
                source.close(source.context);
                continue;
            }
        }
        g_assert_cmpint(pm_reader_refresh(reader, NULL), ==, PM_OK);
        g_autoptr(collected) c = collected_new();
        collected_read(c, reader, COLLECT_ALL);
        for (guint i = 0; i < c->damage->len; i++) {
            const struct pm_damage *damage = &g_array_index(c->damage, struct pm_damage, i);
            g_test_message("damage at %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " bytes: %s",
                           damage->offset, damage->length, damage->text);
        }
        g_assert_cmpuint(c->damage->len, ==, 0);
        g_assert_cmpuint(c->failed, ==, 0);
        assert_true_waits(c);
        if (rounds++ % 4 == 0) {
            /* A dump of it stands on its own. */
            struct pm_copy_result copied;
            struct pm_memory *memory = syn_new_memory();
            g_assert_cmpint(pm_copy(reader, 0, pm_memory_sink(memory), &copied, NULL), ==, PM_OK);
            g_assert_cmpuint(copied.damaged_blocks, ==, 0);
            if (copied.chunks > 0) {
                struct pm_verify_result verified;
                g_assert_cmpint(pm_verify(pm_memory_source(memory), &verified, NULL), ==, PM_OK);
                g_assert_cmpstr(verified.first_problem, ==, "");
            }
            pm_memory_free(memory);
        }
    }
    g_thread_join(g_steal_pointer(&thread));
    pm_reader_free(reader);
    syn_free(live.s);
    g_unlink(path);
    g_rmdir(folder);
}

/* What was flushed is readable, block by block, and the chunk says how far it is whole; the last
 * state of a file whose recorder was killed reads the same. */
static void test_grows(void)
{
    struct syn *s = syn_new();
    pm_thread_id thread = syn_thread(s, "worker");
    pm_blocker_id blocker = syn_blocker(s, syn_class(s, "demo.Lock"), 1);
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 4u << 20};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(memory), &reader, NULL), ==, PM_OK);
    for (guint i = 1; i <= 20; i++) {
        struct pm_wait wait = {
            .begin_ns = SYN_BEGIN_NS + i * SYN_MS,
            .duration_ns = 1,
            .thread = thread,
            .blocker = blocker,
        };
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
        g_autoptr(collected) before = collected_new();
        collected_read(before, reader, COLLECT_ALL);
        g_assert_cmpuint(before->waits->len, ==, i - 1);
        g_assert_cmpint(pm_writer_flush(writer, wait.begin_ns + SYN_US), ==, PM_OK);
        g_autoptr(collected) after = collected_new();
        collected_read(after, reader, COLLECT_ALL); /* without a refresh */
        g_assert_cmpuint(after->waits->len, ==, i);
        g_assert_cmpint(after->end_ns, ==, wait.begin_ns + SYN_US);
        g_assert_cmpint(pm_reader_refresh(reader, NULL), ==, PM_OK);
        g_assert_cmpint(pm_reader_chunk(reader, 0)->waits, ==, i);
        g_assert_false(pm_reader_chunk(reader, 0)->closed);
        struct pm_verify_result verified;
        g_assert_cmpint(pm_verify(pm_memory_source(memory), &verified, NULL), ==, PM_OK);
        g_assert_true(verified.ok);
        g_assert_cmpuint(verified.waits, ==, i);
    }
    pm_reader_free(reader);
    pm_writer_abandon(writer);
    pm_memory_free(memory);
    syn_free(s);
}

/* A slot that was reused since the chunks were listed says so, and delivers nothing false. */
static void test_overwritten(void)
{
    struct syn *s = syn_new();
    for (guint i = 0; i < 50; i++) {
        syn_thread(s, "worker-1");
        syn_blocker(s, syn_class(s, "demo.Lock"), i);
    }
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 1u << 20};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    uint64_t i = 0;
    for (; i < 20000; i++) {
        struct pm_wait wait = wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    }
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(memory), &reader, NULL), ==, PM_OK);
    size_t n = pm_reader_n_chunks(reader);
    for (; i < 200000; i++) {
        struct pm_wait wait = wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    }
    g_autoptr(collected) c = collected_new();
    collected_read(c, reader, COLLECT_DATA);
    g_assert_cmpuint(c->overwritten, ==, c->data_chunks);
    g_assert_cmpuint(c->damage->len, ==, 0);
    assert_true_waits(c);
    struct pm_copy_result copied;
    struct pm_memory *copy = syn_new_memory();
    g_assert_cmpint(pm_copy(reader, 0, pm_memory_sink(copy), &copied, NULL), ==, PM_OK);
    g_assert_cmpuint(copied.chunks + copied.skipped_chunks, ==, n);
    g_assert_cmpuint(copied.skipped_chunks, >=, c->data_chunks);
    g_assert_cmpint(pm_reader_refresh(reader, NULL), ==, PM_OK);
    g_autoptr(collected) again = collected_new();
    collected_read(again, reader, COLLECT_ALL);
    g_assert_cmpuint(again->overwritten, ==, 0);
    g_assert_cmpuint(again->waits->len, >, 10000);
    assert_true_waits(again);
    pm_memory_free(copy);
    pm_reader_free(reader);
    pm_writer_abandon(writer);
    pm_memory_free(memory);
    syn_free(s);
}

/* A file that others cut or overwrite after so many reads of it. */
struct attacked {
    struct pm_memory *memory;
    guint reads_left;
    size_t cut_to;
    gboolean overwrite;
};

static int attacked_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct attacked *a = context;
    struct pm_sink sink = pm_memory_sink(a->memory);
    struct pm_source source = pm_memory_source(a->memory);
    if (a->reads_left-- == 0) {
        size_t whole;
        pm_memory_bytes(a->memory, &whole);
        g_autofree uint8_t *junk = g_malloc(whole);
        memset(junk, 0xa5, whole);
        g_assert_cmpint(sink.truncate(sink.context, a->cut_to), ==, PM_OK);
        if (a->overwrite)
            sink.write_at(sink.context, a->cut_to, junk, whole - a->cut_to);
    }
    return source.read_at(source.context, offset, bytes, size);
}

static int attacked_size(void *context, uint64_t *ret_size)
{
    struct attacked *a = context;
    struct pm_source source = pm_memory_source(a->memory);
    return source.size(source.context, ret_size);
}

static void attacked_close(void *context)
{
}

static void test_cut_while_read(void)
{
    struct syn *s = syn_new();
    for (guint i = 0; i < 50; i++) {
        syn_thread(s, "worker-1");
        syn_blocker(s, syn_class(s, "demo.Lock"), i);
    }
    struct pm_writer_options options = {.max_size = 1u << 20, .block_waits = 256};
    struct pm_memory *whole = syn_new_memory();
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(whole), &options);
    for (uint64_t i = 0; i < 20000; i++) {
        struct pm_wait wait = wait_number(i);
        g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    }
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    size_t size;
    const void *bytes = pm_memory_bytes(whole, &size);
    const size_t cuts[] = {0, 100, 4096, 70000, size / 2, size - 1};
    guint n_opened = 0, n_cut_in_copy = 0;
    for (guint i = 0; i < 400; i += i < 40 ? 1 : 23) {
        for (guint j = 0; j < 2 * G_N_ELEMENTS(cuts); j++) {
            struct attacked attacked = {.reads_left = i, .cut_to = cuts[j / 2], .overwrite = j % 2};
            attacked.memory = syn_new_memory();
            struct pm_sink sink = pm_memory_sink(attacked.memory);
            g_assert_cmpint(sink.write_at(sink.context, 0, bytes, size), ==, PM_OK);
            struct pm_source source = {&attacked, attacked_read_at, attacked_size, attacked_close};
            struct pm_error_info info = {0};
            struct pm_reader *reader;
            int result = pm_reader_open(source, &reader, &info);
            if (result != PM_OK) {
                g_assert_cmpstr(info.text, !=, "");
            } else {
                n_opened++;
                struct pm_copy_result copied;
                struct pm_memory *copy = syn_new_memory();
                result = pm_copy(reader, 0, pm_memory_sink(copy), &copied, &info);
                if (result != PM_OK) {
                    g_assert_cmpstr(info.text, !=, "");
                } else if (copied.chunks > 0) {
                    g_autoptr(collected) c = collected_new();
                    g_assert_cmpint(collected_read_source(c, pm_memory_source(copy)), ==, PM_OK);
                    g_assert_cmpuint(c->damage->len, ==, 0);
                    assert_true_waits(c);
                    n_cut_in_copy += c->waits->len < 20000;
                }
                pm_memory_free(copy);
                pm_reader_free(reader);
            }
            pm_memory_free(attacked.memory);
        }
    }
    g_assert_cmpuint(n_opened, >, 100);
    g_assert_cmpuint(n_cut_in_copy, >, 50);
    pm_memory_free(whole);
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/live/what-is-flushed-is-readable", test_grows);
    g_test_add_func("/format/live/a-reused-slot-says-so", test_overwritten);
    g_test_add_func("/format/live/survives-a-file-cut-while-it-is-read", test_cut_while_read);
    g_test_add_func("/format/live/reads-while-another-thread-writes", test_live);
    return g_test_run();
}

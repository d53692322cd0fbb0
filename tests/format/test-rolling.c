/* The rolling file: bounded for ever, newest kept, totals exact, overview longer than the waits. */
#include <glib.h>
#include <string.h>

#include "format/slots.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

#define N_BLOCKERS 30
#define N_THREADS  20

/* A recording as an agent would drive it: counters kept beside it by brute force. */
struct drive {
    struct syn *s;
    struct pm_memory *memory;
    struct pm_writer *writer;
    struct pm_counters totals[N_BLOCKERS + 1];
    gboolean changed[N_BLOCKERS + 1];
    GArray *waits; /* all that were added */
    int64_t now_ns;
    uint64_t max_size; /* no write may end beyond */
    uint64_t state;
    guint begun, ended;
    guint image_every; /* 0 = never: check what a death after each so-many-th write leaves */
    guint writes, images;
    guint flushed; /* waits that were added before the last flush */
    struct pm_wait progress;
};

static void check_image(struct drive *d);

static int drive_write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct drive *d = context;
    struct pm_sink sink = pm_memory_sink(d->memory);
    g_assert_cmpuint(offset + size, <=, d->max_size);
    if (d->image_every != 0 && ++d->writes % d->image_every == 0) {
        /* Killed within the write: the kernel had stored some whole pages of it. */
        size_t first = 4096 - offset % 4096;
        if (first < size) {
            size_t pages = (size - first) / 4096;
            sink.write_at(sink.context, offset, bytes,
                          first + 4096 * syn_random_below(&d->state, pages + 1));
            check_image(d);
        }
        int result = sink.write_at(sink.context, offset, bytes, size);
        check_image(d);
        return result;
    }
    return sink.write_at(sink.context, offset, bytes, size);
}

static int drive_allocate(void *context, uint64_t size)
{
    struct drive *d = context;
    struct pm_sink sink = pm_memory_sink(d->memory);
    g_assert_cmpuint(size, <=, d->max_size);
    return sink.allocate(sink.context, size);
}

static int drive_truncate(void *context, uint64_t size)
{
    struct pm_sink sink = pm_memory_sink(((struct drive *)context)->memory);
    return sink.truncate(sink.context, size);
}

static int drive_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct pm_sink sink = pm_memory_sink(((struct drive *)context)->memory);
    return sink.read_at(sink.context, offset, bytes, size);
}

static void drive_close(void *context)
{
}

static int on_chunk_begin(void *context, struct pm_writer *writer)
{
    struct drive *d = context;
    d->begun++;
    memset(d->changed, 0, sizeof d->changed);
    if (d->now_ns == 0)
        return 0;
    int result = pm_writer_add_progress(writer, &d->progress, 1, true, d->now_ns);
    g_assert_cmpint(result, ==, PM_OK);
    struct pm_counters rows[N_BLOCKERS];
    size_t n = 0;
    for (guint i = 1; i <= N_BLOCKERS; i++)
        if (d->totals[i].times > 0)
            rows[n++] = d->totals[i];
    return pm_writer_add_snapshot(writer, PM_SNAPSHOT_BASE, d->now_ns, rows, n);
}

static int on_chunk_end(void *context, struct pm_writer *writer)
{
    struct drive *d = context;
    struct pm_counters rows[N_BLOCKERS];
    size_t n = 0;
    for (guint i = 1; i <= N_BLOCKERS; i++)
        if (d->changed[i])
            rows[n++] = d->totals[i];
    d->ended++;
    int result = pm_writer_add_snapshot(writer, PM_SNAPSHOT_END, d->now_ns, rows, n);
    g_assert_cmpint(result, ==, PM_OK);
    return result;
}

static int drive_clock(void *context, struct pm_clock *ret)
{
    struct drive *d = context;
    *ret = (struct pm_clock){d->now_ns, SYN_BEGIN_UNIX_NS + d->now_ns - SYN_BEGIN_NS};
    return 0;
}

static struct drive *drive_new(uint64_t max_size, bool preallocate, int64_t max_age_ns)
{
    struct drive *d = g_new0(struct drive, 1);
    d->s = syn_new();
    d->waits = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    d->max_size = max_size;
    d->state = 11;
    for (guint i = 0; i < N_BLOCKERS; i++)
        syn_blocker(d->s, syn_class(d->s, "demo.Lock"), i);
    for (guint i = 0; i < N_THREADS; i++)
        syn_thread(d->s, "worker-1");
    syn_chain(d->s, "demo.Main.run(Main.java:7)", NULL);
    d->progress = (struct pm_wait){
        .begin_ns = SYN_BEGIN_NS,
        .duration_ns = 1,
        .thread = {N_THREADS},
        .blocker = {1},
        .chain = {1},
        .flags = PM_WAIT_IN_PROGRESS,
    };
    d->memory = syn_new_memory();
    struct pm_sink sink = {
        d, drive_write_at, drive_allocate, drive_truncate, drive_read_at, drive_close,
    };
    struct pm_writer_options options = {
        .max_size = max_size,
        .preallocate = preallocate,
        .max_age_ns = max_age_ns,
        .clock = drive_clock,
        .on_chunk_begin = on_chunk_begin,
        .on_chunk_end = on_chunk_end,
        .context = d,
    };
    d->writer = syn_writer(d->s, sink, &options);
    d->now_ns = SYN_BEGIN_NS;
    return d;
}

static void drive_free(struct drive *d)
{
    pm_memory_free(d->memory);
    g_array_unref(d->waits);
    syn_free(d->s);
    g_free(d);
}

/* Adds `n` waits that end `gap_ns` apart on average, with a flush each `flush_ns`. */
static void drive_run(struct drive *d, guint n, int64_t gap_ns, int64_t flush_ns)
{
    int64_t next_flush = d->now_ns + flush_ns;
    for (guint i = 0; i < n; i++) {
        d->now_ns += 1 + (int64_t)syn_random_below(&d->state, 2 * (uint64_t)gap_ns);
        while (d->now_ns > next_flush) {
            g_assert_cmpint(pm_writer_flush(d->writer, next_flush), ==, PM_OK);
            d->flushed = d->waits->len;
            next_flush += flush_ns;
        }
        int64_t duration = (int64_t)syn_random_spread(&d->state, 30);
        duration = MIN(duration, d->now_ns - SYN_BEGIN_NS);
        struct pm_wait wait = {
            .begin_ns = d->now_ns - duration,
            .duration_ns = duration,
            .wake_ns = d->now_ns - 500,
            .thread = {1 + (uint32_t)syn_random_below(&d->state, N_THREADS)},
            .blocker = {1 + (uint32_t)syn_random_below(&d->state, N_BLOCKERS)},
            .chain = {1},
            .waker = {1 + (uint32_t)syn_random_below(&d->state, N_THREADS)},
        };
        struct pm_counters *c = &d->totals[wait.blocker.n];
        c->blocker = wait.blocker;
        c->times++;
        c->thread_time_ns += duration;
        d->changed[wait.blocker.n] = TRUE;
        g_array_append_val(d->waits, wait);
        g_assert_cmpint(pm_writer_add_wait(d->writer, &wait), ==, PM_OK);
    }
}

static void drive_end(struct drive *d)
{
    g_assert_cmpint(pm_writer_close(d->writer, d->now_ns), ==, PM_OK);
    d->writer = NULL;
}

static struct pm_verify_result verified(struct drive *d)
{
    struct pm_verify_result result;
    g_assert_cmpint(pm_verify(pm_memory_source(d->memory), &result, NULL), ==, PM_OK);
    g_assert_cmpstr(result.first_problem, ==, "");
    g_assert_true(result.ok);
    return result;
}

/* The stored waits are exactly the last ones added. Returns how many. */
static guint assert_newest_are_stored(struct drive *d, const struct collected *c)
{
    g_assert_cmpuint(c->waits->len, <=, d->waits->len);
    g_autoptr(GArray) tail = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    g_array_append_vals(tail,
                        &g_array_index(d->waits, struct pm_wait, d->waits->len - c->waits->len),
                        c->waits->len);
    collected_assert_waits_equal(tail, c->waits);
    return c->waits->len;
}

static void assert_totals(struct drive *d, const struct collected *c)
{
    int64_t times[N_BLOCKERS + 1] = {0}, thread_time[N_BLOCKERS + 1] = {0};
    for (guint i = 0; i < c->end_counters->len; i++) {
        const struct pm_counters *row = &g_array_index(c->end_counters, struct pm_counters, i);
        times[row->blocker.n] = MAX(times[row->blocker.n], row->times);
        thread_time[row->blocker.n] = MAX(thread_time[row->blocker.n], row->thread_time_ns);
    }
    for (guint i = 1; i <= N_BLOCKERS; i++) {
        g_assert_cmpint(times[i], ==, d->totals[i].times);
        g_assert_cmpint(thread_time[i], ==, d->totals[i].thread_time_ns);
    }
}

/* What a recorder killed right now would leave: nothing damaged, the waits a run of those added,
 * none missing that was flushed. */
static void check_image(struct drive *d)
{
    g_autoptr(collected) c = collected_new();
    int result = collected_read_source(c, pm_memory_source(d->memory));
    if (result == PM_ERROR_EMPTY && d->begun == 0)
        return;
    verified(d);
    g_assert_cmpint(result, ==, PM_OK);
    g_assert_cmpuint(c->damage->len, ==, 0);
    d->images++;
    if (c->waits->len == 0)
        return;
    int64_t last = 0;
    for (guint i = 0; i < c->waits->len; i++) {
        const struct pm_wait *w = &g_array_index(c->waits, struct pm_wait, i);
        last = MAX(last, w->begin_ns + w->duration_ns);
    }
    guint end = d->waits->len; /* the run ends with the wait that ended last: ends differ */
    while (end > 0 && g_array_index(d->waits, struct pm_wait, end - 1).begin_ns +
                              g_array_index(d->waits, struct pm_wait, end - 1).duration_ns >
                          last)
        end--;
    g_assert_cmpuint(end, >=, d->flushed);
    g_assert_cmpuint(end, >=, c->waits->len);
    g_autoptr(GArray) run = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    g_array_append_vals(run, &g_array_index(d->waits, struct pm_wait, end - c->waits->len),
                        c->waits->len);
    collected_assert_waits_equal(run, c->waits);
}

/* Killed at any write, also while it changes its size. */
static void test_death(gconstpointer preallocate)
{
    static const uint64_t sizes[] = {3u << 20, 1u << 20, 6u << 20, 2u << 20};
    struct drive *d = drive_new(6u << 20, preallocate != NULL, 0);
    d->image_every = 9;
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        drive_run(d, 40000, SYN_MS, SYN_S);
        d->image_every = 1;
        d->max_size = MAX(d->max_size, sizes[i]);
        g_assert_cmpint(pm_writer_resize(d->writer, sizes[i], NULL), ==, PM_OK);
        d->max_size = sizes[i];
        d->image_every = 9;
    }
    d->image_every = 1;
    drive_end(d);
    g_assert_cmpuint(d->images, >, 100);
    drive_free(d);
}

/* Three weeks of a quiet server in 1 MiB: size, order, totals, overview. */
static void test_weeks(gconstpointer preallocate)
{
    struct drive *d = drive_new(1u << 20, preallocate != NULL, 0);
    drive_run(d, 250000, 7 * SYN_S, 60 * SYN_S);
    g_assert_cmpint(d->now_ns - SYN_BEGIN_NS, >, 14 * 24 * 3600 * SYN_S);
    struct pm_writer_stats stats;
    pm_writer_get_stats(d->writer, &stats);
    g_assert_cmpuint(stats.waits, ==, 250000);
    g_assert_cmpuint(stats.lost_rows, ==, 0);
    g_assert_cmpuint(stats.file_bytes, <=, 1u << 20);
    g_assert_cmpuint(stats.memory_bytes, <, 4u << 20);
    g_assert_cmpuint(stats.stored_bytes, >, 3u << 20);
    verified(d); /* as after a crash */
    drive_end(d);
    verified(d);
    g_assert_cmpuint(d->begun, ==, d->ended);

    struct pm_reader *reader = NULL;
    g_assert_cmpint(pm_reader_open(pm_memory_source(d->memory), &reader, NULL), ==, PM_OK);
    g_autoptr(collected) data = collected_new();
    g_autoptr(collected) overview = collected_new();
    collected_read(data, reader, COLLECT_DATA);
    collected_read(overview, reader, COLLECT_OVERVIEW);
    int64_t oldest_data = INT64_MAX, last_end = 0;
    uint64_t last_number = 0;
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        g_assert_cmpuint(chunk->number, >, last_number);
        last_number = chunk->number;
        g_assert_true(chunk->closed);
        if (!chunk->overview) {
            g_assert_cmpint(chunk->begin_ns, >=, last_end);
            last_end = chunk->end_ns;
            oldest_data = MIN(oldest_data, chunk->begin_ns);
        }
    }
    g_assert_cmpint(stats.oldest_ns, ==, oldest_data);
    g_assert_cmpuint(data->damage->len + overview->damage->len, ==, 0);
    guint stored = assert_newest_are_stored(d, data);
    g_assert_cmpuint(stored, >, 250000 / 10);
    assert_totals(d, data);
    assert_totals(d, overview);
    /* The overview knows of chunks whose waits are gone, without a hole up to now. */
    g_assert_cmpuint(overview->waits->len, ==, 0);
    const struct pm_footer *first = &g_array_index(overview->footers, struct pm_footer, 0);
    g_assert_cmpint(first->begin_ns, <, oldest_data - 7 * 24 * 3600 * SYN_S);
    g_assert_cmpuint(overview->footers->len, >, data->footers->len);
    for (guint i = 1; i < overview->footers->len; i++) {
        const struct pm_footer *footer = &g_array_index(overview->footers, struct pm_footer, i);
        g_assert_cmpint(footer->begin_ns, ==, footer[-1].end_ns);
        g_assert_cmpuint(footer->chunk, >, footer[-1].chunk);
    }
    int64_t footer_waits = 0;
    for (guint i = 0; i < data->footers->len; i++)
        footer_waits += g_array_index(data->footers, struct pm_footer, i).waits;
    g_assert_cmpint(footer_waits, ==, stored);
    /* Each chunk tells of the wait that never ends. */
    g_assert_cmpuint(data->progress_blocks, >, 5);
    pm_reader_free(reader);
    drive_free(d);
}

/* A recording that fits leaves a file no longer than what it holds. */
static void test_short(void)
{
    struct drive *d = drive_new(256u << 20, true, 0);
    drive_run(d, 1000, SYN_MS, SYN_S);
    size_t size;
    pm_memory_bytes(d->memory, &size);
    g_assert_cmpuint(size, >, 200u << 20);
    drive_end(d);
    pm_memory_bytes(d->memory, &size);
    g_assert_cmpuint(size, <, 64u << 10);
    struct pm_verify_result result = verified(d);
    g_assert_cmpuint(result.waits, ==, 1000);
    g_assert_cmpuint(result.chunks, ==, 1);
    drive_free(d);
}

/* What ended before max_age is gone, all since is there, also when the recorder only idles. */
static void test_max_age(void)
{
    const int64_t age = 3600 * SYN_S;
    struct drive *d = drive_new(4u << 20, false, age);
    for (guint round = 0; round < 400; round++) {
        drive_run(d, 300, 2 * SYN_S, 10 * SYN_S);
        d->now_ns += (int64_t)(round % 30) * 60 * SYN_S;
        g_assert_cmpint(pm_writer_flush(d->writer, d->now_ns), ==, PM_OK);
        struct pm_reader *reader = NULL;
        g_assert_cmpint(pm_reader_open(pm_memory_source(d->memory), &reader, NULL), ==, PM_OK);
        for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
            const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
            if (!chunk->overview)
                g_assert_cmpint(chunk->end_ns, >=, d->now_ns - age);
        }
        g_autoptr(collected) c = collected_new();
        collected_read(c, reader, COLLECT_DATA);
        guint stored = assert_newest_are_stored(d, c);
        for (guint i = 0; i + stored < d->waits->len; i++) {
            const struct pm_wait *w = &g_array_index(d->waits, struct pm_wait, i);
            g_assert_cmpint(w->begin_ns + w->duration_ns, <, d->now_ns - age / 2);
        }
        pm_reader_free(reader);
        verified(d);
    }
    pm_writer_set_max_age(d->writer, SYN_S);
    d->now_ns += 2 * age;
    g_assert_cmpint(pm_writer_flush(d->writer, d->now_ns), ==, PM_OK);
    g_assert_cmpint(pm_writer_flush(d->writer, d->now_ns + 3 * SYN_S), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(d->memory)), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, ==, 0);
    d->now_ns += 4 * SYN_S;
    drive_end(d);
    /* It is the waits that go: what they added up to stays in the overview, from the begin on. */
    struct pm_reader *reader = NULL;
    g_assert_cmpint(pm_reader_open(pm_memory_source(d->memory), &reader, NULL), ==, PM_OK);
    g_autoptr(collected) overview = collected_new();
    collected_read(overview, reader, COLLECT_OVERVIEW);
    g_assert_cmpuint(overview->footers->len, >, 20);
    g_assert_cmpint(g_array_index(overview->footers, struct pm_footer, 0).begin_ns, <,
                    SYN_BEGIN_NS + age);
    assert_totals(d, overview);
    pm_reader_free(reader);
    drive_free(d);
}

/* Larger, smaller, to another slot size, while it records: the newest waits stay. */
static void test_resize(gconstpointer preallocate)
{
    static const uint64_t sizes[] = {8u << 20, 3u << 20, 1u << 20, 20u << 20, 40u << 20,
                                     2u << 20, 2u << 20, 5u << 20, 1u << 20};
    struct drive *d = drive_new(64u << 20, preallocate != NULL, 0);
    struct pm_error_info info = {0};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        drive_run(d, 60000, SYN_MS, SYN_S);
        g_autoptr(collected) before = collected_new();
        g_assert_cmpint(pm_writer_flush(d->writer, d->now_ns), ==, PM_OK);
        g_assert_cmpint(collected_read_source(before, pm_memory_source(d->memory)), ==, PM_OK);
        uint64_t old = d->max_size;
        d->max_size = MAX(old, sizes[i]);
        g_assert_cmpint(pm_writer_resize(d->writer, sizes[i], &info), ==, PM_OK);
        d->max_size = sizes[i];
        size_t bytes;
        pm_memory_bytes(d->memory, &bytes);
        g_assert_cmpuint(bytes, <=, sizes[i]);
        struct pm_verify_result result = verified(d);
        /* At least what half the new file holds, or all there was. */
        guint least = MIN(before->waits->len, (guint)(sizes[i] / 2 / 16));
        g_assert_cmpuint(result.waits, >=, least);
        drive_run(d, 2000, SYN_MS, SYN_S);
        g_assert_cmpint(pm_writer_flush(d->writer, d->now_ns), ==, PM_OK);
        g_autoptr(collected) c = collected_new();
        g_assert_cmpint(collected_read_source(c, pm_memory_source(d->memory)), ==, PM_OK);
        g_assert_cmpuint(assert_newest_are_stored(d, c), >=, least);
        g_assert_cmpuint(c->damage->len, ==, 0);
    }
    g_assert_cmpint(pm_writer_resize(d->writer, 1000, &info), ==, PM_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(info.text, "1048576"));
    drive_end(d);
    verified(d);
    drive_free(d);
}

/* More definitions and rows than a small slot can hold: what does not fit is counted, the rest is
 * whole. */
static void test_small_slots_many_threads(void)
{
    struct syn *s = syn_new();
    for (guint i = 0; i < 20000; i++) {
        g_autofree char *name =
            g_strdup_printf("a-rather-long-name-of-a-thread-%u-%08x", i, i * 2654435761u);
        syn_thread(s, name);
    }
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "demo.Lock"), 1);
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 1u << 20};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    g_autofree struct pm_wait *waits = g_new0(struct pm_wait, 20000);
    for (guint i = 0; i < 20000; i++) {
        waits[i] = (struct pm_wait){
            .begin_ns = SYN_BEGIN_NS + i, .duration_ns = 1, .thread = {i + 1}, .blocker = lock};
        g_assert_cmpint(pm_writer_add_wait(writer, &waits[i]), ==, PM_OK);
    }
    g_assert_cmpint(pm_writer_add_progress(writer, waits, 20000, true, SYN_BEGIN_NS + SYN_S), ==,
                    PM_OK);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    struct pm_verify_result result;
    g_assert_cmpint(pm_verify(pm_memory_source(memory), &result, NULL), ==, PM_OK);
    g_assert_cmpstr(result.first_problem, ==, "");
    pm_memory_free(memory);
    syn_free(s);
}

/* A chunk keeps room for the END snapshot of every blocker it mentions. */
static void test_many_blockers(void)
{
    const guint n = 25000;
    uint64_t state = 5;
    struct syn *s = syn_new();
    pm_class_id class_id = syn_class(s, "demo.Lock");
    pm_thread_id thread = syn_thread(s, "worker");
    for (guint i = 0; i < n; i++) {
        pm_blocker_id blocker = syn_blocker(s, class_id, i);
        syn_blocker_of(s, blocker)->first_thread = thread;
        syn_counters(s, (struct pm_counters){
                            .blocker = blocker,
                            .times = 12,
                            .thread_time_ns = (int64_t)syn_random_spread(&state, 40),
                            .last_ns = (int64_t)syn_random_spread(&state, 40),
                        });
    }
    int64_t now = 0;
    for (guint i = 0; i < 350000; i++) {
        now += 1 + (int64_t)syn_random_below(&state, SYN_S);
        struct pm_wait *w = syn_wait(s, thread, (pm_blocker_id){1 + i % n}, now,
                                     1 + (int64_t)syn_random_spread(&state, 29));
        w->wake_ns = (int64_t)syn_random_spread(&state, 61);
    }
    syn_options(s)->max_size = 256u << 20;
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, syn_finish(s, now + SYN_S)), ==, PM_OK);
    g_assert_cmpuint(c->data_chunks, >, 1);
    g_assert_cmpuint(c->end_counters->len, ==, c->data_chunks * n);
    g_assert_cmpuint(c->waits->len, ==, 350000);
    syn_free(s);
}

static void test_slot_sizes(void)
{
    g_assert_cmpuint(pm_slots_size_for(1u << 20, 0), ==, 64u << 10);
    g_assert_cmpuint(pm_slots_size_for(256u << 20, 0), ==, 4u << 20);
    g_assert_cmpuint(pm_slots_size_for(64u << 20, 0), ==, 1u << 20);
    g_assert_cmpuint(pm_slots_size_for(UINT64_C(1) << 40, 0), ==, 4u << 20);
    g_assert_cmpuint(pm_slots_size_for(100000000, 0), ==, 1u << 20);
    g_assert_cmpuint(pm_slots_size_for(64u << 20, 8u << 20), ==, 8u << 20);
    g_assert_cmpuint(pm_slots_size_for(1u << 20, 8u << 20), ==, 128u << 10);
}

/* The generator's recordings roll as well, and their totals are those of everything generated. */
static void test_generated(void)
{
    struct pm_memory *memory = syn_new_memory();
    struct syn_shape shape = {.waits = 200000, .options = {.max_size = 2u << 20}};
    g_autofree struct syn_totals *totals = g_new0(struct syn_totals, 1);
    syn_generate(&shape, pm_memory_sink(memory), totals);
    struct pm_verify_result result;
    g_assert_cmpint(pm_verify(pm_memory_source(memory), &result, NULL), ==, PM_OK);
    g_assert_cmpstr(result.first_problem, ==, "");
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    int64_t times = 0, sum = 0;
    for (guint i = 0; i < totals->n_counters; i++) {
        const struct pm_counters *row = &g_array_index(
            c->end_counters, struct pm_counters, c->end_counters->len - totals->n_counters + i);
        times += row->times;
        sum += row->thread_time_ns;
    }
    g_assert_cmpint(times, ==, 200000);
    g_assert_cmpint(sum, ==, totals->thread_time_ns);
    pm_memory_free(memory);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/format/rolling/weeks-in-one-mebibyte", NULL, test_weeks);
    g_test_add_data_func("/format/rolling/weeks-in-one-mebibyte-preallocated", GUINT_TO_POINTER(1),
                         test_weeks);
    g_test_add_func("/format/rolling/a-short-recording-is-a-short-file", test_short);
    g_test_add_func("/format/rolling/max-age-empties-what-is-older", test_max_age);
    g_test_add_data_func("/format/rolling/resize-keeps-the-newest", NULL, test_resize);
    g_test_add_data_func("/format/rolling/resize-keeps-the-newest-preallocated",
                         GUINT_TO_POINTER(1), test_resize);
    g_test_add_data_func("/format/rolling/survives-death-at-any-write", NULL, test_death);
    g_test_add_data_func("/format/rolling/survives-death-at-any-write-preallocated",
                         GUINT_TO_POINTER(1), test_death);
    g_test_add_func("/format/rolling/more-definitions-than-a-slot-holds",
                    test_small_slots_many_threads);
    g_test_add_func("/format/rolling/totals-of-very-many-blockers-fit", test_many_blockers);
    g_test_add_func("/format/rolling/generated", test_generated);
    g_test_add_func("/format/slots/size", test_slot_sizes);
    return g_test_run();
}

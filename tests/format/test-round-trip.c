/* What is written is what is read, for every kind of record. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "format/block.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

static struct pm_wait *random_wait(struct syn *s, uint64_t *state, int64_t begin, uint32_t threads,
                                   uint32_t blockers, uint32_t chains)
{
    pm_thread_id thread = {1 + (uint32_t)syn_random_below(state, threads)};
    pm_blocker_id blocker = {1 + (uint32_t)syn_random_below(state, blockers)};
    struct pm_wait *w = syn_wait(s, thread, blocker, begin, (int64_t)syn_random_spread(state, 44));
    w->chain.n = (uint32_t)syn_random_below(state, chains + 1);
    w->owner.n = (uint32_t)syn_random_below(state, threads + 1);
    w->waker.n = (uint32_t)syn_random_below(state, threads + 1);
    w->waker_chain.n = (uint32_t)syn_random_below(state, chains + 1);
    w->wake_ns = syn_random_below(state, 3) == 0 ? 0 : (int64_t)syn_random_spread(state, 61);
    if (syn_random_below(state, 2) == 0)
        w->wake_ns = w->begin_ns + w->duration_ns - (int64_t)syn_random_spread(state, 20);
    w->aqs_state = (int32_t)(uint32_t)syn_random_spread(state, 32);
    w->kind = (uint8_t)syn_random_below(state, PM_N_KINDS);
    w->wake_cause = (uint8_t)syn_random_below(state, PM_N_WAKE_CAUSES);
    w->flags = (uint16_t)(syn_random(state) & PM_WAIT_KNOWN_FLAGS & ~PM_WAIT_IN_PROGRESS);
    return w;
}

static struct syn *with_definitions(guint threads, guint blockers, guint chains)
{
    struct syn *s = syn_new();
    pm_class_id class_id = syn_class(s, "demo.Lock");
    for (guint i = 0; i < threads; i++) {
        g_autofree char *name = g_strdup_printf("thread-%u", i);
        syn_thread(s, name);
    }
    for (guint i = 0; i < chains; i++) {
        g_autofree char *frame = g_strdup_printf("demo.Main.run%u(Main.java:%u)", i, i);
        syn_chain(s, frame, "java.lang.Thread.run(Thread.java:840)", NULL);
    }
    for (guint i = 0; i < blockers; i++)
        syn_blocker(s, class_id, i);
    return s;
}

/* Waits whose every field is of any size it may have, for three shapes: few threads, as many as
 * rows, in between. */
static void test_waits(gconstpointer data)
{
    uint64_t state = 42;
    for (guint round = 0; round < 12; round++) {
        guint threads = round % 3 == 0 ? 2 : round % 3 == 1 ? 5000 : 300;
        guint chains = round % 2 == 0 ? 3 : 700;
        guint n_waits = 1 + (guint)syn_random_below(&state, 6000);
        struct syn *s = with_definitions(threads, 400, chains);
        g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
        int64_t time = 0;
        for (guint i = 0; i < n_waits; i++) {
            time += (int64_t)syn_random_spread(&state, 30);
            g_array_append_vals(written, random_wait(s, &state, time, threads, 400, chains), 1);
        }
        syn_options(s)->max_size = GPOINTER_TO_SIZE(data);
        g_autoptr(collected) c = collected_new();
        g_assert_cmpint(collected_read_source(c, syn_finish(s, time + SYN_S)), ==, PM_OK);
        g_assert_cmpuint(c->damage->len, ==, 0);
        collected_assert_waits_equal(written, c->waits);
        syn_free(s);
    }
}

static void test_progress(void)
{
    uint64_t state = 43;
    for (guint n = 0; n < 3000; n = n * 3 + 1) {
        struct syn *s = with_definitions(50, 20, 10);
        g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
        int64_t end = 100 * SYN_S;
        for (guint i = 0; i < n; i++) {
            struct pm_wait *w = random_wait(s, &state, (int64_t)i * SYN_MS, 50, 20, 10);
            w->flags |= PM_WAIT_IN_PROGRESS;
            struct pm_wait expected = *w;
            expected.duration_ns = SYN_BEGIN_NS + end - expected.begin_ns;
            g_array_append_val(written, expected);
        }
        g_autoptr(collected) c = collected_new();
        g_assert_cmpint(collected_read_source(c, syn_finish(s, end)), ==, PM_OK);
        g_assert_cmpuint(c->waits->len, ==, 0);
        g_assert_true(c->complete);
        g_assert_cmpint(c->progress_at_ns, ==, SYN_BEGIN_NS + end);
        collected_assert_waits_equal(written, c->progress);
        syn_free(s);
    }
}

static void test_snapshots(void)
{
    uint64_t state = 44;
    for (guint n = 1; n < 10000; n *= 7) {
        struct syn *s = with_definitions(1, 500, 1);
        g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(struct pm_counters));
        for (guint i = 0; i < n; i++) {
            struct pm_counters counters = {
                .blocker = {1 + (uint32_t)syn_random_below(&state, 500)},
                .kind = (uint8_t)syn_random_below(&state, PM_N_KINDS),
                .bound = syn_random_below(&state, 2) == 1,
                .now = (uint32_t)syn_random_spread(&state, 32),
                .peak = (uint32_t)syn_random_spread(&state, 32),
                .times = (int64_t)syn_random_spread(&state, 61),
                .thread_time_ns = (int64_t)syn_random_spread(&state, 61),
                .real_time_ns = (int64_t)syn_random_spread(&state, 61),
                .longest_ns = (int64_t)syn_random_spread(&state, 61),
                .first_ns = (int64_t)syn_random_spread(&state, 60),
                .last_ns = (int64_t)syn_random_spread(&state, 60),
                .not_stored = (int64_t)syn_random_spread(&state, 61),
                .not_stored_time_ns = (int64_t)syn_random_spread(&state, 61),
            };
            syn_counters(s, counters);
            counters.first_ns += SYN_BEGIN_NS;
            counters.last_ns += SYN_BEGIN_NS;
            g_array_append_val(written, counters);
        }
        g_autoptr(collected) c = collected_new();
        g_assert_cmpint(collected_read_source(c, syn_finish(s, SYN_S)), ==, PM_OK);
        g_assert_cmpuint(c->end_counters->len, ==, n);
        for (guint i = 0; i < n; i++) {
            const struct pm_counters *x = &g_array_index(written, struct pm_counters, i);
            const struct pm_counters *y = &g_array_index(c->end_counters, struct pm_counters, i);
            g_assert_cmpuint(x->blocker.n, ==, y->blocker.n);
            g_assert_cmpuint(x->kind, ==, y->kind);
            g_assert_cmpuint(x->bound, ==, y->bound);
            g_assert_cmpuint(x->now, ==, y->now);
            g_assert_cmpuint(x->peak, ==, y->peak);
            g_assert_cmpint(x->times, ==, y->times);
            g_assert_cmpint(x->thread_time_ns, ==, y->thread_time_ns);
            g_assert_cmpint(x->real_time_ns, ==, y->real_time_ns);
            g_assert_cmpint(x->longest_ns, ==, y->longest_ns);
            g_assert_cmpint(x->first_ns, ==, y->first_ns);
            g_assert_cmpint(x->last_ns, ==, y->last_ns);
            g_assert_cmpint(x->not_stored, ==, y->not_stored);
            g_assert_cmpint(x->not_stored_time_ns, ==, y->not_stored_time_ns);
        }
        syn_free(s);
    }
}

static void test_small_records(void)
{
    uint64_t state = 45;
    struct syn *s = with_definitions(30, 30, 30);
    guint n = 1000;
    g_autofree struct pm_owner_sample *samples = g_new0(struct pm_owner_sample, n);
    g_autofree struct pm_span *spans = g_new0(struct pm_span, n);
    g_autofree struct pm_gap *gaps = g_new0(struct pm_gap, n);
    for (guint i = 0; i < n; i++) {
        samples[i] = (struct pm_owner_sample){
            (int64_t)syn_random_spread(&state, 60),
            {(uint32_t)syn_random_below(&state, 31)},
            {(uint32_t)syn_random_below(&state, 31)},
            {(uint32_t)syn_random_below(&state, 31)},
            {(uint32_t)syn_random_below(&state, 31)},
            (uint8_t)syn_random_below(&state, 3),
            (uint8_t)syn_random_below(&state, PM_N_SAMPLE_ROLES),
            (uint32_t)syn_random_spread(&state, 32),
        };
        spans[i] = (struct pm_span){
            (uint8_t)syn_random_below(&state, 3),
            {(uint32_t)syn_random_below(&state, 31)},
            (int64_t)syn_random_spread(&state, 60),
            (int64_t)syn_random_spread(&state, 60),
        };
        gaps[i] = (struct pm_gap){
            (int64_t)syn_random_spread(&state, 60),
            (int64_t)syn_random_spread(&state, 60),
            (uint8_t)syn_random_below(&state, PM_N_GAP_REASONS),
            (int64_t)syn_random_spread(&state, 61),
            (int64_t)syn_random_spread(&state, 61),
        };
        syn_owner_sample(s, samples[i]);
        syn_span(s, spans[i]);
        syn_gap(s, gaps[i]);
    }
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, syn_finish(s, SYN_S)), ==, PM_OK);
    g_assert_cmpuint(c->samples->len, ==, n);
    g_assert_cmpuint(c->spans->len, ==, n);
    g_assert_cmpuint(c->gaps->len, ==, n);
    for (guint i = 0; i < n; i++) {
        const struct pm_owner_sample *sample =
            &g_array_index(c->samples, struct pm_owner_sample, i);
        g_assert_cmpint(sample->at_ns, ==, SYN_BEGIN_NS + samples[i].at_ns);
        g_assert_cmpuint(sample->waiter.n, ==, samples[i].waiter.n);
        g_assert_cmpuint(sample->blocker.n, ==, samples[i].blocker.n);
        g_assert_cmpuint(sample->owner.n, ==, samples[i].owner.n);
        g_assert_cmpuint(sample->chain.n, ==, samples[i].chain.n);
        g_assert_cmpuint(sample->owner_state, ==, samples[i].owner_state);
        g_assert_cmpuint(sample->role, ==, samples[i].role);
        g_assert_cmpuint(sample->weight, ==, samples[i].weight);
        const struct pm_span *span = &g_array_index(c->spans, struct pm_span, i);
        g_assert_cmpuint(span->kind, ==, spans[i].kind);
        g_assert_cmpuint(span->thread.n, ==, spans[i].thread.n);
        g_assert_cmpint(span->begin_ns, ==,
                        spans[i].begin_ns == 0 ? 0 : SYN_BEGIN_NS + spans[i].begin_ns);
        g_assert_cmpint(span->end_ns, ==,
                        spans[i].end_ns == 0 ? 0 : SYN_BEGIN_NS + spans[i].end_ns);
        const struct pm_gap *gap = &g_array_index(c->gaps, struct pm_gap, i);
        g_assert_cmpint(gap->begin_ns, ==, SYN_BEGIN_NS + gaps[i].begin_ns);
        g_assert_cmpint(gap->end_ns, ==, SYN_BEGIN_NS + gaps[i].end_ns);
        g_assert_cmpuint(gap->reason, ==, gaps[i].reason);
        g_assert_cmpint(gap->waits, ==, gaps[i].waits);
        g_assert_cmpint(gap->thread_time_ns, ==, gaps[i].thread_time_ns);
    }
    syn_free(s);
}

#define LOOK_UP(table, id) ((const char *)g_hash_table_lookup(c->table, GUINT_TO_POINTER(id)))

static void test_definitions(void)
{
    struct syn *s = syn_new();
    syn_give_fields(s);
    pm_class_id lock_class = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    pm_class_id condition_class = syn_class(s, "…ConditionObject ☕");
    pm_thread_id worker = syn_thread(s, "wörker-1 \t\"x\"");
    pm_thread_id nobody = syn_thread(s, "never mentioned");
    pm_chain_id chain =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)", "demo.Main.run(Main.java:7)",
                  "demo.Main.main(Unknown Source)", NULL);
    pm_chain_id first = syn_chain(s, "demo.First.run(First.java:1)", NULL);
    pm_blocker_id lock = syn_blocker(s, lock_class, 0xffffffff);
    pm_blocker_id condition = syn_blocker(s, condition_class, 0x12);
    syn_blocker_of(s, condition)->parent = lock;
    syn_blocker_of(s, condition)->flags = PM_BLOCKER_FOLDED;
    syn_blocker_of(s, condition)->first_chain = first;
    syn_wait(s, worker, condition, 0, SYN_MS)->chain = chain;
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, syn_finish(s, SYN_S)), ==, PM_OK);
    g_assert_cmpstr(LOOK_UP(classes, lock_class.n), ==,
                    "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    g_assert_cmpstr(LOOK_UP(classes, condition_class.n), ==, "…ConditionObject ☕");
    g_assert_cmpstr(LOOK_UP(threads, worker.n), ==, "wörker-1 \t\"x\"");
    g_assert_null(LOOK_UP(threads, nobody.n));
    g_assert_cmpuint(g_hash_table_size(c->chains), ==, 2);
    g_assert_cmpuint(g_hash_table_size(c->methods), ==, 4);
    g_assert_cmpstr(LOOK_UP(chains, chain.n), ==, "1:-1 2:7 3:0 ");
    g_assert_cmpstr(LOOK_UP(reached, chain.n), ==, "2 1");
    g_autofree char *lock_text = g_strdup_printf("%u ffffffff 0 0 0 0", lock_class.n);
    g_autofree char *condition_text =
        g_strdup_printf("%u 12 %u 2 %u %u", condition_class.n, lock.n, first.n, worker.n);
    g_assert_cmpstr(LOOK_UP(blockers, lock.n), ==, lock_text);
    g_assert_cmpstr(LOOK_UP(blockers, condition.n), ==, condition_text);
    syn_free(s);
}

static void test_facts(void)
{
    struct syn *s = syn_new();
    *syn_facts(s) = (struct pm_facts){
        .pid = 4294967295u,
        .begin_ns = SYN_BEGIN_NS,
        .begin_unix_ns = -5,
        .jvm = {"jvm", 3},
        .main = {"main class", 10},
        .host = {"höst", 5},
        .options = {"maxsize=1m", 10},
        .zone = {"UTC+1", 5},
        .not_recorded = {"virtual threads", 15},
    };
    syn_wait(s, syn_thread(s, "a"), syn_blocker(s, syn_class(s, "B"), 1), 0, 1);
    struct pm_reader *reader = NULL;
    g_assert_cmpint(pm_reader_open(syn_finish(s, SYN_S), &reader, NULL), ==, PM_OK);
    const struct pm_file_info *info = pm_reader_info(reader);
    g_assert_cmpuint(info->version, ==, PM_FORMAT_VERSION);
    g_assert_cmpuint(info->max_size, ==, 0);
    g_assert_cmpuint(info->facts.pid, ==, 4294967295u);
    g_assert_cmpint(info->facts.begin_ns, ==, SYN_BEGIN_NS);
    g_assert_cmpint(info->facts.begin_unix_ns, ==, -5);
    g_assert_cmpmem(info->facts.jvm.bytes, info->facts.jvm.length, "jvm", 3);
    g_assert_cmpmem(info->facts.main.bytes, info->facts.main.length, "main class", 10);
    g_assert_cmpmem(info->facts.host.bytes, info->facts.host.length, "höst", 5);
    g_assert_cmpmem(info->facts.options.bytes, info->facts.options.length, "maxsize=1m", 10);
    g_assert_cmpmem(info->facts.zone.bytes, info->facts.zone.length, "UTC+1", 5);
    g_assert_cmpmem(info->facts.not_recorded.bytes, info->facts.not_recorded.length,
                    "virtual threads", 15);
    const struct pm_chunk_info *chunk = pm_reader_chunk(reader, 0);
    g_assert_true(chunk->closed);
    g_assert_false(chunk->overview);
    g_assert_cmpint(chunk->begin_ns, ==, SYN_BEGIN_NS);
    g_assert_cmpint(chunk->end_ns, ==, SYN_BEGIN_NS + SYN_S);
    g_assert_cmpint(chunk->waits, ==, 1);
    g_assert_cmpint(chunk->clock.unix_ns - chunk->clock.monotonic_ns, ==,
                    SYN_BEGIN_UNIX_NS - SYN_BEGIN_NS);
    pm_reader_free(reader);
    syn_free(s);
}

/* An id that the dictionary does not know is stored as "?" and the wait is kept. */
static void test_unknown_ids(void)
{
    struct syn *s = syn_new();
    struct pm_wait *w = syn_wait(s, (pm_thread_id){77}, (pm_blocker_id){88}, 0, 1);
    w->chain.n = 99;
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, syn_finish(s, SYN_S)), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, ==, 1);
    g_assert_cmpstr(LOOK_UP(threads, 77), ==, "?");
    g_assert_cmpstr(LOOK_UP(chains, 99), ==, "");
    g_assert_cmpstr(LOOK_UP(blockers, 88), ==, "0 0 0 0 0 0");
    syn_free(s);
}

/* What breaks the contract is refused, and nothing of it is stored. */
static void test_refused(void)
{
    struct syn *s = with_definitions(2, 2, 2);
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 0};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    const struct pm_wait good = {
        .begin_ns = SYN_BEGIN_NS, .duration_ns = 1, .thread = {1}, .blocker = {1}};
    struct pm_wait bad[] = {good, good, good, good, good, good, good, good, good};
    bad[0].begin_ns = -1;
    bad[1].duration_ns = -1;
    bad[2].duration_ns = INT64_MAX;
    bad[3].wake_ns = -1;
    bad[4].kind = PM_N_KINDS;
    bad[5].wake_cause = PM_N_WAKE_CAUSES;
    bad[6].flags = PM_WAIT_KNOWN_FLAGS + 1;
    bad[7].thread.n = 0;
    bad[8].blocker.n = 0;
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(pm_writer_add_wait(writer, &bad[i]), ==, PM_ERROR_ARGUMENT);
        g_assert_cmpint(pm_writer_add_progress(writer, &bad[i], 1, true, 1), ==, PM_ERROR_ARGUMENT);
    }
    struct pm_counters counters = {.blocker = {1}, .times = -1};
    g_assert_cmpint(pm_writer_add_snapshot(writer, PM_SNAPSHOT_END, 1, &counters, 1), ==,
                    PM_ERROR_ARGUMENT);
    g_assert_cmpint(pm_writer_add_gap(writer, &(struct pm_gap){.reason = PM_N_GAP_REASONS}), ==,
                    PM_ERROR_ARGUMENT);
    g_assert_cmpint(pm_writer_add_span(writer, &(struct pm_span){.kind = 3}), ==,
                    PM_ERROR_ARGUMENT);
    g_assert_cmpint(pm_writer_add_owner_sample(writer, &(struct pm_owner_sample){.owner_state = 4}),
                    ==, PM_ERROR_ARGUMENT);
    g_assert_cmpint(pm_writer_add_wait(writer, &good), ==, PM_OK);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 1), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, ==, 1);
    g_assert_cmpuint(
        c->spans->len + c->gaps->len + c->samples->len + c->census->len + c->counters->len, ==, 0);
    pm_memory_free(memory);
    syn_free(s);
}

/* Added together, over many blocks: those among them that break the contract are refused, the
 * others are there, in order. */
static void test_many_at_once(void)
{
    enum { N = 20000, BAD_EVERY = 997 };
    struct syn *s = with_definitions(2, 2, 2);
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.block_waits = 1000};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    g_autofree struct pm_wait *waits = g_new0(struct pm_wait, N);
    g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    for (guint i = 0; i < N; i++) {
        waits[i] = (struct pm_wait){.begin_ns = SYN_BEGIN_NS + 10 * (int64_t)i,
                                    .duration_ns = 1 + i % 7,
                                    .thread = {1},
                                    .blocker = {i % BAD_EVERY == 0 ? 0 : 1 + i % 2}};
        if (waits[i].blocker.n)
            g_array_append_val(written, waits[i]);
    }
    g_assert_cmpint(pm_writer_add_waits(writer, waits + 1, BAD_EVERY - 1), ==, PM_OK);
    g_assert_cmpint(pm_writer_add_waits(writer, waits + BAD_EVERY, N - BAD_EVERY), ==,
                    PM_ERROR_ARGUMENT);
    struct pm_writer_stats stats;
    pm_writer_get_stats(writer, &stats);
    g_assert_cmpuint(stats.waits, ==, written->len);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    collected_assert_waits_equal(written, c->waits);
    pm_memory_free(memory);
    syn_free(s);
}

/* A definition that changed is stored again, and the reader takes the last. */
static void test_redefine(void)
{
    struct syn *s = with_definitions(2, 2, 2);
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 0};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    struct pm_wait wait = {
        .begin_ns = SYN_BEGIN_NS, .duration_ns = 1, .thread = {1}, .blocker = {1}};
    g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    g_assert_cmpint(pm_writer_flush(writer, SYN_BEGIN_NS + 1), ==, PM_OK);
    syn_thread_of(s, wait.thread)->name = (struct pm_text){"renamed", 7};
    syn_blocker_of(s, wait.blocker)->flags = PM_BLOCKER_COLLECTED;
    pm_writer_redefine_thread(writer, wait.thread);
    pm_writer_redefine_blocker(writer, wait.blocker);
    wait.thread.n = 2; /* nothing more of the one that was renamed */
    g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 1), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    g_assert_cmpstr(LOOK_UP(threads, 1), ==, "renamed");
    g_assert_cmpstr(LOOK_UP(blockers, 1), ==, "1 0 0 4 0 0");
    g_assert_cmpuint(c->waits->len, ==, 2);
    pm_memory_free(memory);
    syn_free(s);
}

/* A mere start leaves a recording that opens. */
static void test_empty(void)
{
    struct syn *s = syn_new();
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, syn_finish(s, SYN_S)), ==, PM_OK);
    g_assert_cmpuint(c->waits->len, ==, 0);
    g_assert_cmpuint(c->damage->len, ==, 0);
    g_assert_cmpuint(c->footers->len, ==, 1);
    syn_free(s);
}

/* Asked for times alone, the reader gives those that it gives with all the rest. */
static int keep_waits(void *context, const struct pm_wait_columns *w)
{
    GArray *kept = context;
    for (gsize i = 0; i < w->n; i++) {
        struct pm_wait wait = {.begin_ns = w->begin_ns[i],
                               .duration_ns = w->duration_ns[i],
                               .thread = {w->thread[i]},
                               .blocker = {w->blocker[i]},
                               .chain = {w->chain[i]},
                               .kind = w->kind[i]};
        g_array_append_val(kept, wait);
    }
    return 0;
}

static void test_times(void)
{
    for (guint hand_off = 0; hand_off < 2; hand_off++) {
        g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
        g_autofree char *path = g_build_filename(dir, "made.park", NULL);
        struct syn_shape shape = {.waits = 100000, .hand_off = hand_off};
        g_autofree struct syn_totals *totals = g_new0(struct syn_totals, 1);
        struct pm_source source;
        struct pm_reader *reader = NULL;
        g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct pm_wait));
        g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(struct pm_wait));
        struct pm_visitor visit_all = {.context = all, .on_waits = keep_waits};
        struct pm_visitor visit_times = {.context = times, .on_times = keep_waits};

        syn_generate_file(&shape, path, totals);
        g_assert_cmpint(pm_source_open(path, &source, NULL), ==, PM_OK);
        g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, PM_OK);
        for (gsize i = 0; i < pm_reader_n_chunks(reader); i++) {
            g_assert_cmpint(pm_reader_read_chunk(reader, i, &visit_all, NULL, NULL), ==, PM_OK);
            g_assert_cmpint(pm_reader_read_chunk(reader, i, &visit_times, NULL, NULL), ==, PM_OK);
        }
        g_assert_cmpuint(all->len, ==, shape.waits);
        g_assert_cmpmem(all->data, all->len * sizeof(struct pm_wait), times->data,
                        times->len * sizeof(struct pm_wait));
        pm_reader_free(reader);
        g_assert_cmpint(g_unlink(path), ==, 0);
        g_assert_cmpint(g_rmdir(dir), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/format/round-trip/waits-compact", GSIZE_TO_POINTER(0), test_waits);
    g_test_add_data_func("/format/round-trip/waits-rolling", GSIZE_TO_POINTER(64u << 20),
                         test_waits);
    g_test_add_func("/format/round-trip/times-alone", test_times);
    g_test_add_func("/format/round-trip/waits-in-progress", test_progress);
    g_test_add_func("/format/round-trip/snapshots", test_snapshots);
    g_test_add_func("/format/round-trip/samples-spans-gaps", test_small_records);
    g_test_add_func("/format/round-trip/definitions", test_definitions);
    g_test_add_func("/format/round-trip/facts-and-clock", test_facts);
    g_test_add_func("/format/round-trip/an-unknown-id-keeps-its-wait", test_unknown_ids);
    g_test_add_func("/format/writer/refuses-what-breaks-the-contract", test_refused);
    g_test_add_func("/format/writer/many-waits-at-once", test_many_at_once);
    g_test_add_func("/format/writer/a-changed-definition-is-stored-again", test_redefine);
    g_test_add_func("/format/round-trip/nothing-recorded", test_empty);
    return g_test_run();
}

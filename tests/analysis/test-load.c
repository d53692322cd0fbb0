/* Loading, through files that the writer really wrote. */
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/recording/category.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"
#include "tests/analysis/see.h"

static PmRecording *load(struct pm_source source)
{
    g_autoptr(GError) error = NULL;
    PmRecording *r = pm_recording_load_source(source, "made.park", 2, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(r);
    return r;
}

static void what_was_written_is_there(void)
{
    struct syn *s = syn_new();
    struct pm_facts *facts = syn_facts(s);
    facts->pid = 4242;
    facts->zone = (struct pm_text){"UTC+1", 5};
    pm_thread_id a = syn_thread(s, "exec-1"), b = syn_thread(s, "exec-2");
    pm_class_id lock_class = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    pm_blocker_id lock = syn_blocker(s, lock_class, 0x4f3c91d2);
    pm_chain_id chain =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                  "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
                  "com.acme.PriceCache.get(PriceCache.java:41)", NULL);
    struct pm_wait *w = syn_wait(s, a, lock, 5 * SYN_MS, 2 * SYN_MS);
    w->chain = chain;
    w->owner = b;
    w->waker = b;
    w->waker_chain = chain;
    w->wake_ns = w->begin_ns + SYN_MS;
    w->wake_cause = PM_WAKE_RELEASE;
    w->aqs_state = 1;
    w = syn_wait(s, b, lock, 3 * SYN_MS, SYN_MS);
    w->chain = chain;
    w = syn_progress(s, b, lock, 8 * SYN_MS);
    w->chain = chain;
    w->owner = a;
    syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = a, .begin_ns = SYN_MS});
    syn_span(s,
             (struct pm_span){.kind = PM_SPAN_GC, .begin_ns = 9 * SYN_MS, .end_ns = 10 * SYN_MS});
    syn_span(s, (struct pm_span){
                    .kind = PM_SPAN_STOPPED, .begin_ns = 12 * SYN_MS, .end_ns = 13 * SYN_MS});
    syn_gap(s, (struct pm_gap){.begin_ns = 0,
                               .end_ns = SYN_MS,
                               .reason = PM_GAP_BUFFER_FULL,
                               .waits = 7,
                               .thread_time_ns = 70});
    syn_owner_sample(s, (struct pm_owner_sample){.at_ns = 15 * SYN_MS,
                                                 .waiter = b,
                                                 .blocker = lock,
                                                 .owner = a,
                                                 .chain = chain,
                                                 .owner_state = PM_OWNER_RUNNING});
    syn_ledger(s);
    g_autoptr(PmRecording) r = load(syn_finish(s, 20 * SYN_MS));

    g_assert_cmpuint(r->facts.pid, ==, 4242);
    g_assert_cmpint(r->facts.utc_offset_s, ==, 3600);
    g_assert_cmpint(r->duration, ==, 20 * SYN_MS);
    g_assert_cmpint(r->window_begin, ==, 0);
    g_assert_cmpint(r->facts.dropped, ==, 7);
    g_assert_cmpuint(r->facts.damaged_blocks, ==, 0);
    g_assert_cmpuint(r->waits.n, ==, 3);
    g_assert_cmpint(pm_wait_begin(&r->waits, 0), ==, 3 * SYN_MS);
    g_assert_cmpint(pm_wait_end(&r->waits, 0), ==, 4 * SYN_MS);
    guint32 t = pm_wait_thread(&r->waits, 1);
    g_assert_cmpstr(r->threads[t].name, ==, "exec-1");
    g_assert_cmpint(r->threads[t].begin, ==, SYN_MS);
    g_assert_true(r->threads[t].begin_known);
    g_assert_false(r->threads[t].ended);
    g_assert_cmpstr(r->groups[r->threads[t].group].name, ==, "exec-*");
    g_assert_cmpuint(r->groups[r->threads[t].group].n_threads, ==, 2);
    g_assert_cmpint(pm_wait_wake(&r->waits, 1), ==, 6 * SYN_MS);
    g_assert_cmpuint(pm_wait_wake_cause(&r->waits, 1), ==, PM_WAKE_RELEASE);
    g_assert_cmpuint(pm_wait_owner(&r->waits, 1), ==, pm_wait_thread(&r->waits, 0));
    g_assert_cmpuint(pm_wait_waker(&r->waits, 1), ==, pm_wait_thread(&r->waits, 0));
    g_assert_cmpint(pm_wait_aqs_state(&r->waits, 1), ==, 1);
    g_assert_cmpuint(pm_wait_category(&r->waits, 1), ==, 0);
    const PmChain *c = &r->chains[pm_wait_chain(&r->waits, 1)];
    g_assert_cmpuint(c->n_frames, ==, 3);
    g_assert_cmpuint(c->site, ==, 2);
    g_assert_cmpstr(r->methods[c->frames[2].method].name, ==, "get");
    g_assert_cmpint(c->frames[2].line, ==, 41);
    g_assert_cmpint(c->frames[0].line, ==, -1);
    g_assert_cmpint(pm_wait_begin(&r->waits, 2), ==, 8 * SYN_MS);
    g_assert_cmpint(pm_wait_end(&r->waits, 2), ==, 20 * SYN_MS);
    g_assert_cmpuint(pm_wait_flags(&r->waits, 2) & PM_WAIT_IN_PROGRESS, !=, 0);
    g_assert_cmpuint(r->n_gc, ==, 1);
    g_assert_cmpint(r->gc[0].end - r->gc[0].begin, ==, SYN_MS);
    g_assert_cmpuint(r->n_stopped, ==, 1);
    g_assert_cmpuint(r->n_gaps, ==, 1);
    g_assert_cmpuint(r->n_samples, ==, 1);
    g_assert_cmpuint(r->samples[0].state, ==, PM_OWNER_RUNNING);
    g_assert_cmpuint(r->samples[0].owner, ==, t);

    g_autoptr(PmMetrics) start = pm_metrics_since_start(r);
    g_assert_cmpuint(start->n, ==, 1);
    g_assert_cmpint(start->rows[0].times_parked, ==, 3);
    syn_free(s);
}

static void threads_of_the_recorder_are_none_of_the_programs(void)
{
    struct syn *s = syn_new();
    pm_class_id class = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    pm_thread_id thread = syn_thread(s, "worker-1"), own = syn_thread(s, "parkmeter-sampler"),
                 alike = syn_thread(s, "parkmeter-worker");
    syn_wait(s, thread, syn_blocker(s, class, 7), SYN_MS, SYN_MS);
    syn_wait(s, alike, syn_blocker(s, class, 7), SYN_MS, SYN_MS);
    syn_span(s, (struct pm_span){PM_SPAN_THREAD, own, SYN_BEGIN_NS, 0});
    syn_span(s, (struct pm_span){PM_SPAN_THREAD, thread, SYN_BEGIN_NS, 0});
    g_autoptr(PmRecording) r = load(syn_finish(s, 20 * SYN_MS));
    g_assert_cmpuint(r->n_threads, ==, 3);
    g_assert_cmpstr(r->threads[1].name, ==, "worker-1");
    g_assert_true(r->threads[1].begin_known);
    g_assert_cmpstr(r->threads[2].name, ==, "parkmeter-worker");
    syn_free(s);
}

/* Two waits of one thread, which is called `before` until the first has ended, and `after` from
 * then on. */
static PmRecording *renamed_new(const char *before, const char *after)
{
    struct syn *s = syn_new();
    struct pm_memory *memory;
    struct pm_writer_options options = {.max_size = 0};
    pm_class_id class = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    pm_thread_id thread = syn_thread(s, before);
    syn_thread_of(s, thread)->is_virtual = !*before || !*after;
    struct pm_wait wait = {.begin_ns = SYN_BEGIN_NS,
                           .duration_ns = SYN_MS,
                           .thread = thread,
                           .blocker = syn_blocker(s, class, 7)};
    g_assert_cmpint(pm_memory_new(UINT64_MAX, &memory), ==, PM_OK);
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    g_assert_cmpint(pm_writer_flush(writer, SYN_BEGIN_NS + 2 * SYN_MS), ==, PM_OK);
    syn_thread_of(s, thread)->name = (struct pm_text){after, (uint32_t)strlen(after)};
    pm_writer_redefine_thread(writer, thread);
    wait.begin_ns += 5 * SYN_MS;
    g_assert_cmpint(pm_writer_add_wait(writer, &wait), ==, PM_OK);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 10 * SYN_MS), ==, PM_OK);
    PmRecording *r = load(pm_memory_source(memory));
    pm_memory_free(memory);
    syn_free(s);
    return r;
}

/* A thread has a name until it has another. */
static void a_former_name_holds_until_the_rename(void)
{
    g_autoptr(PmRecording) r = renamed_new("pool-1-thread-3", "request-9");
    guint32 index = pm_wait_thread(&r->waits, 0);
    g_assert_cmpuint(r->n_former_names, ==, 1);
    g_assert_cmpstr(r->threads[index].name, ==, "request-9");
    g_assert_cmpstr(pm_recording_thread_name(r, index, pm_wait_begin(&r->waits, 0)), ==,
                    "pool-1-thread-3");
    g_assert_cmpstr(pm_recording_thread_name(r, index, pm_wait_begin(&r->waits, 1)), ==,
                    "request-9");
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_THREAD, index, "pool-1-thread-3"));
}

/* Of a thread that ended long ago only a blocker may know, and a virtual thread may be told before
 * its name is: it has not changed for it. */
static void a_name_is_not_forgotten(void)
{
    static const char *const names[][2] = {
        {"import-2", "?"}, {"?", "import-2"}, {"import-2", ""}, {"", "import-2"}};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(PmRecording) r = renamed_new(names[i][0], names[i][1]);
        g_assert_cmpuint(r->n_former_names, ==, 0);
        g_assert_cmpstr(r->threads[pm_wait_thread(&r->waits, 0)].name, ==, "import-2");
    }
}

static void add_waits(struct pm_writer *writer, guint from, guint n)
{
    for (guint i = from; i < from + n; i++) {
        struct pm_wait wait = {.begin_ns = SYN_BEGIN_NS + i * SYN_MS,
                               .duration_ns = SYN_US,
                               .thread = {1},
                               .blocker = {1}};
        pm_writer_add_wait(writer, &wait);
        pm_writer_flush(writer, wait.begin_ns + SYN_MS / 2);
    }
}

/* What was lost with a file before is told, but was not dropped in the time of this one. */
static void file_after_a_lost_one(void)
{
    struct syn *s = syn_new();
    syn_thread(s, "t-1");
    syn_blocker(s, syn_class(s, "a.B"), 1);
    struct pm_memory *before = NULL, *memory = NULL;
    before = syn_new_memory();
    memory = syn_new_memory();
    struct pm_writer_options options = {.max_size = 1 << 20};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(before), &options);
    add_waits(writer, 0, 20);
    pm_writer_give_up(writer);
    add_waits(writer, 20, 5);
    g_assert_cmpint(pm_writer_move(writer, pm_memory_sink(memory), NULL), ==, 0);
    add_waits(writer, 25, 10);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 40 * SYN_MS), ==, 0);

    g_autoptr(PmRecording) r = load(pm_memory_source(memory));
    g_assert_cmpuint(r->waits.n, ==, 10);
    g_assert_cmpint(r->window_begin, ==, 19 * SYN_MS + SYN_MS / 2);
    g_assert_cmpuint(r->n_gaps, ==, 2);
    g_assert_cmpint(r->gaps[0].waits, ==, 20);
    g_assert_cmpint(r->gaps[0].end, <, r->window_begin);
    g_assert_cmpint(r->gaps[1].waits, ==, 5);
    g_assert_cmpint(r->facts.dropped, ==, 5);
    pm_memory_free(before);
    pm_memory_free(memory);
    syn_free(s);
}

/* A progress list names a wait that is over by the end: stored as ended, or followed by a later
 * one, or missing from a later complete list. */
static void waits_in_progress_are_resolved(void)
{
    struct syn *s = syn_new();
    pm_class_id k = syn_class(s, "a.B");
    pm_blocker_id lock = syn_blocker(s, k, 1);
    pm_thread_id threads[5];
    for (guint i = 0; i < 5; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "t-%u", i);
        threads[i] = syn_thread(s, name);
    }
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {0};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    struct pm_wait open[5];
    for (guint i = 0; i < 5; i++)
        open[i] = (struct pm_wait){.begin_ns = SYN_BEGIN_NS + (gint64)i,
                                   .duration_ns = 100,
                                   .thread = threads[i],
                                   .blocker = lock,
                                   .flags = PM_WAIT_IN_PROGRESS};
    g_assert_cmpint(pm_writer_add_progress(writer, open, 4, true, SYN_BEGIN_NS + 100), ==, 0);
    struct pm_wait ended = open[0];
    ended.flags = 0;
    ended.duration_ns = 500;
    g_assert_cmpint(pm_writer_add_wait(writer, &ended), ==, 0);
    ended = open[1]; /* its own end was not stored, a later wait was */
    ended.flags = 0;
    ended.begin_ns += 300;
    g_assert_cmpint(pm_writer_add_wait(writer, &ended), ==, 0);
    /* t-2 is missing here, t-3 still waits, t-4 began since and comes in a list of changes. */
    g_assert_cmpint(pm_writer_add_progress(writer, &open[3], 1, true, SYN_BEGIN_NS + 1000), ==, 0);
    open[4].begin_ns = SYN_BEGIN_NS + 1100;
    g_assert_cmpint(pm_writer_add_progress(writer, &open[4], 1, false, SYN_BEGIN_NS + 1200), ==, 0);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 2000), ==, 0);

    gsize size = 0;
    const void *bytes = pm_memory_bytes(memory, &size);
    struct pm_source source;
    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, 0);
    g_autoptr(PmRecording) r = load(source);
    g_assert_cmpint(r->duration, ==, 2000);
    g_assert_cmpuint(r->waits.n, ==, 4);
    guint n_open = 0;
    for (gsize i = 0; i < r->waits.n; i++) {
        if ((pm_wait_flags(&r->waits, i) & PM_WAIT_IN_PROGRESS) == 0)
            continue;
        n_open++;
        const char *name = r->threads[pm_wait_thread(&r->waits, i)].name;
        g_assert_true(strcmp(name, "t-3") == 0 || strcmp(name, "t-4") == 0);
        g_assert_cmpint(pm_wait_end(&r->waits, i), ==, 2000);
    }
    g_assert_cmpuint(n_open, ==, 2);
    pm_memory_free(memory);
    syn_free(s);
}

/* Their ends were in a block that is lost. */
static void damage_ends_waits_that_are_counted_as_ended(void)
{
    struct syn *s = syn_new();
    const pm_class_id k = syn_class(s, "a.B");
    const pm_blocker_id locks[] = {syn_blocker(s, k, 1), syn_blocker(s, k, 2)};
    struct pm_wait open[2];
    struct pm_counters counters[2];
    for (guint i = 0; i < 2; i++) {
        open[i] = (struct pm_wait){.begin_ns = SYN_BEGIN_NS + i,
                                   .duration_ns = 100,
                                   .thread = syn_thread(s, i ? "stays" : "ends"),
                                   .blocker = locks[i],
                                   .flags = PM_WAIT_IN_PROGRESS};
        counters[i] = (struct pm_counters){.blocker = locks[i], .now = i, .peak = 1, .times = 1};
    }
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer_options options = {0};
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    g_assert_cmpint(pm_writer_add_progress(writer, open, 2, true, SYN_BEGIN_NS + 100), ==, 0);
    g_assert_cmpint(pm_writer_flush(writer, SYN_BEGIN_NS + 110), ==, 0);
    struct pm_wait ended = open[0];
    ended.flags = 0;
    g_assert_cmpint(pm_writer_add_wait(writer, &ended), ==, 0);
    g_assert_cmpint(pm_writer_flush(writer, SYN_BEGIN_NS + 210), ==, 0);
    g_assert_cmpint(
        pm_writer_add_snapshot(writer, PM_SNAPSHOT_END, SYN_BEGIN_NS + 300, counters, 2), ==, 0);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 400), ==, 0);

    gsize size = 0;
    const guint8 *bytes = pm_memory_bytes(memory, &size);
    guint n_lost = 0;
    for (gsize i = 0; i < size; i++) {
        g_autofree guint8 *damaged = g_memdup2(bytes, size);
        struct pm_source source;
        damaged[i] ^= 1;
        g_assert_cmpint(pm_source_from_memory(damaged, size, &source), ==, 0);
        g_autoptr(PmRecording) r = pm_recording_load_source(source, "", 1, NULL, NULL, NULL, NULL);
        if (!r || r->n_ledger != 2 || r->waits.n == 0 || r->facts.damaged_blocks != 1)
            continue;
        guint n_open = 0;
        for (gsize w = 0; w < r->waits.n; w++)
            n_open += (pm_wait_flags(&r->waits, w) & PM_WAIT_IN_PROGRESS) != 0;
        n_lost += r->waits.n == 1 && n_open == 1;
        g_assert_cmpuint(n_open, <=, 1);
    }
    g_assert_cmpuint(n_lost, >, 0);
    pm_memory_free(memory);
    syn_free(s);
}

/* Whatever the number of workers, and however the chunks are cut: the same columns, the totals of
 * a brute force sum. */
static void virtual_threads_without_name_have_their_number(void)
{
    struct syn *s = syn_new();
    pm_thread_id ids[] = {syn_thread(s, ""), syn_thread(s, ""), syn_thread(s, "named-1")};
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    const char *names[] = {"VirtualThread[#41]", "VirtualThread[#42]", "named-1"};
    for (guint i = 0; i < 3; i++) {
        struct pm_thread *thread = syn_thread_of(s, ids[i]);
        thread->is_virtual = true;
        thread->tid = 41 + i;
        syn_wait(s, ids[i], lock, i * SYN_MS, SYN_MS);
    }
    PmRecording *r = load(syn_finish(s, 20 * SYN_MS));
    for (guint i = 0; i < 3; i++) {
        const PmThread *thread = &r->threads[pm_wait_thread(&r->waits, i)];
        g_assert_cmpstr(thread->name, ==, names[i]);
        g_assert_cmpstr(r->groups[thread->group].name, ==, i < 2 ? "VirtualThread[#*]" : "named-*");
    }
    pm_recording_unref(r);
    syn_free(s);
}

/* A monitor's owner that was told by its number before it was known, and so as a virtual thread, is
 * the platform thread of that number. */
static void platform_threads_are_not_virtual(void)
{
    struct syn *s = syn_new();
    pm_thread_id early = syn_thread(s, ""), known = syn_thread(s, "worker-1"),
                 waits = syn_thread(s, "worker-2");
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    syn_thread_of(s, early)->is_virtual = true;
    syn_thread_of(s, early)->tid = syn_thread_of(s, known)->tid = 25;
    syn_wait(s, waits, lock, 0, SYN_MS)->owner = early;
    syn_wait(s, waits, lock, 2 * SYN_MS, SYN_MS)->owner = known;
    PmRecording *r = load(syn_finish(s, 20 * SYN_MS));
    g_assert_cmpuint(pm_wait_owner(&r->waits, 0), ==, pm_wait_owner(&r->waits, 1));
    g_assert_cmpstr(r->threads[pm_wait_owner(&r->waits, 0)].name, ==, "worker-1");
    pm_recording_unref(r);
    syn_free(s);
}

/* A platform thread's name may be empty: its rows, groups and sentences say so. */
static void threads_without_name_are_called_so(void)
{
    struct syn *s = syn_new();
    pm_thread_id ids[] = {syn_thread(s, ""), syn_thread(s, "")};
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        syn_wait(s, ids[i], lock, i * SYN_MS, SYN_MS);
    g_autoptr(PmRecording) r = load(syn_finish(s, 20 * SYN_MS));
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
        const PmThread *thread = &r->threads[pm_wait_thread(&r->waits, i)];
        g_assert_cmpstr(thread->name, ==, "(unnamed)");
        g_assert_cmpstr(r->groups[thread->group].shown, ==, "(unnamed)");
        g_assert_cmpuint(r->groups[thread->group].n_threads, ==, 2);
    }
    syn_free(s);
}

/* Such as are known only for having woken somebody: thousands of them, each of which would have run
 * all the time. They are there at that instant. */
static void virtual_threads_without_waits_have_no_time(void)
{
    struct syn *s = syn_new();
    pm_thread_id ids[] = {syn_thread(s, "waits"), syn_thread(s, "wakes")};
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    gint64 time = 0;

    for (guint i = 0; i < 2; i++)
        syn_thread_of(s, ids[i])->is_virtual = true;
    struct pm_wait *wait = syn_wait(s, ids[0], lock, 3 * SYN_MS, SYN_MS);
    wait->waker = ids[1];
    wait->wake_ns = wait->begin_ns + SYN_MS;
    PmRecording *r = load(syn_finish(s, 20 * SYN_MS));
    const PmThread *waker = &r->threads[pm_wait_waker(&r->waits, 0)];
    for (guint32 i = 1; i < r->n_threads; i++)
        time += r->threads[i].end - r->threads[i].begin;
    g_assert_cmpuint(r->n_threads, ==, 3);
    g_assert_cmpint(time, ==, SYN_MS);
    g_assert_cmpint(waker->begin, ==, pm_wait_end(&r->waits, 0));
    pm_recording_unref(r);
    syn_free(s);
}

static void many_chunks_give_the_same_columns(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 200000, .threads = 60, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    struct syn_totals totals;
    syn_generate_file(&shape, path, &totals);

    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) one = pm_recording_load(path, 1, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(PmRecording) four = pm_recording_load(path, 4, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(one->facts.n_chunks, >, 4);
    g_assert_cmpuint(one->waits.n, ==, four->waits.n);
    gsize n = one->waits.n, ended = 0;
    gint64 time = 0;
    for (gsize i = 0; i < n; i++) {
        g_assert_cmpint(pm_wait_begin(&one->waits, i), ==, pm_wait_begin(&four->waits, i));
        g_assert_cmpint(pm_wait_end(&one->waits, i), ==, pm_wait_end(&four->waits, i));
        g_assert_cmpuint(pm_wait_thread(&one->waits, i), ==, pm_wait_thread(&four->waits, i));
        g_assert_cmpuint(pm_wait_category(&one->waits, i), ==, pm_wait_category(&four->waits, i));
        g_assert_cmpuint(pm_wait_waker_chain(&one->waits, i), ==,
                         pm_wait_waker_chain(&four->waits, i));
        if (i > 0)
            g_assert_cmpint(pm_wait_begin(&one->waits, i - 1), <=, pm_wait_begin(&one->waits, i));
        if ((pm_wait_flags(&one->waits, i) & PM_WAIT_IN_PROGRESS) == 0) {
            ended++;
            time += pm_wait_end(&one->waits, i) - pm_wait_begin(&one->waits, i);
        }
    }
    g_assert_cmpuint(ended, ==, totals.waits);
    g_assert_cmpint(time, ==, totals.thread_time_ns);
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_cmpint(g_rmdir(dir), ==, 0);
}

static void fails(const char *path, int code, const char *words)
{
    g_autoptr(GError) error = NULL;
    PmRecording *r = pm_recording_load(path, 1, NULL, NULL, NULL, &error);
    g_assert_null(r);
    g_assert_error(error, PM_RECORDING_ERROR, -code);
    if (strstr(error->message, words) == NULL)
        g_error("%s: no \"%s\" in it", error->message, words);
    g_autofree char *base = g_path_get_basename(path);
    g_assert_nonnull(strstr(error->message, base));
}

static void bad_files_are_named(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *missing = g_build_filename(dir, "none.park", NULL);
    g_autofree char *empty = g_build_filename(dir, "empty.park", NULL);
    g_autofree char *photo = g_build_filename(dir, "photo.jpg", NULL);
    g_assert_true(g_file_set_contents(empty, "", 0, NULL));
    g_autofree char *noise = g_malloc(10000);
    memset(noise, 0x5a, 10000);
    memcpy(noise, "\xff\xd8\xff\xe0", 4);
    g_assert_true(g_file_set_contents(photo, noise, 10000, NULL));
    fails(missing, PM_ERROR_IO, "No such file");
    fails(empty, PM_ERROR_EMPTY, "is empty (0 bytes)");
    fails(photo, PM_ERROR_NOT_A_RECORDING, "is not a Parkmeter recording");
    fails(dir, PM_ERROR_IO, "not a plain file");
    g_unlink(empty);
    g_unlink(photo);
    g_rmdir(dir);
}

/* Cut anywhere, it loads what is whole or says why not; it never crashes. */
static void torn_files_load_what_is_whole(void)
{
    struct syn *s = syn_new();
    pm_thread_id a = syn_thread(s, "a");
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    for (guint i = 0; i < 300; i++)
        syn_wait(s, a, lock, i * SYN_MS, SYN_US);
    syn_options(s)->block_waits = 16;
    struct pm_source whole = syn_finish(s, SYN_S);
    whole.close(whole.context);
    gsize size = 0;
    const guint8 *bytes = syn_bytes(s, &size);
    gsize last = 0;
    guint loaded = 0, cut_short = 0;
    for (gsize cut = 0; cut <= size; cut += cut < 600 ? 7 : 131) {
        struct pm_source source;
        g_assert_cmpint(pm_source_from_memory(bytes, cut, &source), ==, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(PmRecording) r =
            pm_recording_load_source(source, "torn.park", 1, NULL, NULL, NULL, &error);
        g_assert_true((r == NULL) == (error != NULL));
        if (r == NULL)
            continue;
        loaded++;
        g_assert_cmpuint(r->waits.n, >=, last);
        last = r->waits.n;
        /* What was going on where it was cut is not known to have gone on to its former end. */
        if (r->facts.damaged_blocks > 0 && last < 250) {
            g_assert_cmpint(r->duration, <, 300 * SYN_MS);
            cut_short++;
        }
    }
    g_assert_cmpuint(loaded, >, 10);
    g_assert_cmpuint(cut_short, >, 0);
    g_assert_cmpuint(last, >, 200);
    syn_free(s);
}

/* Half of the time a thread waits, whatever of that cannot be read. */
static void torn_files_have_the_mean_of_what_is_whole(void)
{
    struct syn *s = syn_new();
    pm_thread_id a = syn_thread(s, "a");
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    for (guint i = 0; i < 1000; i++)
        syn_wait(s, a, lock, i * SYN_MS, SYN_MS / 2);
    syn_options(s)->block_waits = 16;
    struct pm_source source = syn_finish(s, SYN_S);
    source.close(source.context);
    gsize size = 0;
    const guint8 *whole = syn_bytes(s, &size);
    g_autofree guint8 *bytes = g_memdup2(whole, size);
    for (gsize at = size / 2; at < size / 4 * 3; at += 40)
        bytes[at] ^= 1;
    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, 0);
    g_autoptr(PmRecording) r = load(source);
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    gint64 time = 0;
    for (gsize i = 0; i < r->waits.n; i++)
        time += pm_wait_end(&r->waits, i) - pm_wait_begin(&r->waits, i);
    g_assert_cmpuint(r->facts.damaged_blocks, >, 0);
    g_assert_cmpint(time, <, 480 * SYN_MS);
    g_assert_cmpint(time, >, 100 * SYN_MS);
    g_assert_cmpint(view->thread_time, ==, time);
    g_assert_cmpfloat_with_epsilon((double)time / (double)view->known, 0.5, 0.005);
    syn_free(s);
}

static gboolean keep_outline(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    PmOutline **newest = data;
    if (outline != NULL) {
        /* What is known only grows. */
        g_assert_cmpfloat(outline->part, >=, *newest != NULL ? (*newest)->part : 0);
        for (guint i = 0; *newest != NULL && i < outline->n; i++)
            g_assert_true(outline->means[i] >= 0 || (*newest)->means[i] < 0);
        pm_outline_unref(*newest);
        *newest = pm_outline_ref(outline);
    }
    return TRUE;
}

/* Of the waits that ended and are not idle, which are counted. */
static void check_outline(const PmRecording *r, const PmOutline *outline, gsize *ret_idle,
                          gsize *ret_busy)
{
    g_assert_nonnull(outline);
    g_assert_cmpfloat(outline->part, ==, 1);
    g_assert_cmpint(outline->from, ==, r->window_begin);
    g_assert_cmpint(outline->to, ==, r->duration);

    g_autofree gint64 *sums = g_new0(gint64, outline->n);
    gsize n_idle = 0, n_busy = 0;
    for (gsize row = 0; row < r->waits.n; row++) {
        if ((pm_wait_flags(&r->waits, row) & PM_WAIT_IN_PROGRESS) != 0)
            continue;
        const gboolean idle = pm_category_is_idle(pm_wait_category(&r->waits, row));
        n_idle += idle;
        n_busy += !idle;
        for (guint i = 0; i < outline->n && !idle; i++) {
            gint64 begin = outline->from + (gint64)i * outline->slice;
            gint64 end = MIN(begin + outline->slice, outline->to);
            begin = MAX(begin, pm_wait_begin(&r->waits, row));
            end = MIN(end, pm_wait_end(&r->waits, row));
            sums[i] += MAX(end - begin, 0);
        }
    }
    *ret_idle = n_idle;
    *ret_busy = n_busy;
    for (guint i = 0; i < outline->n; i++) {
        const gint64 begin = outline->from + (gint64)i * outline->slice;
        const double length = (double)(MIN(begin + outline->slice, outline->to) - begin);
        if (length <= 0)
            continue;
        g_assert_cmpfloat_with_epsilon(outline->means[i], (double)sums[i] / length,
                                       1e-4 + 1e-5 * (double)sums[i] / length);
    }
}

/* In the end the first picture is that of the waits. */
static void the_outline_is_that_of_the_waits(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 100000, .threads = 60, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    g_autofree struct syn_totals *totals = g_new0(struct syn_totals, 1);
    syn_generate_file(&shape, path, totals);
    PmOutline *outline = NULL;
    gsize n_idle, n_busy;
    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) r = pm_recording_load(path, 2, keep_outline, &outline, NULL, &error);
    g_assert_no_error(error);
    check_outline(r, outline, &n_idle, &n_busy);
    g_assert_cmpuint(n_busy, >, 10000);
    g_clear_pointer(&outline, pm_outline_unref);

    struct syn *s = syn_new();
    pm_blocker_id queue = syn_blocker(s, syn_class(s, "java.util.concurrent.SynchronousQueue"), 7);
    pm_chain_id rest = syn_chain(
        s, "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:9)",
        "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)", NULL);
    pm_chain_id work = syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                                 "com.acme.Queue.take(Queue.java:9)", NULL);
    for (guint t = 0; t < 4; t++) {
        pm_thread_id thread = syn_thread(s, "worker");
        for (guint i = 0; i < 500; i++)
            syn_wait(s, thread, queue, i * SYN_MS + t, SYN_US * (i + t))->chain =
                (i + t) % 2 == 0 ? rest : work;
    }
    g_autoptr(PmRecording) made = pm_recording_load_source(syn_finish(s, SYN_S), "made.park", 1,
                                                           keep_outline, &outline, NULL, &error);
    g_assert_no_error(error);
    check_outline(made, outline, &n_idle, &n_busy);
    g_assert_cmpuint(n_idle, ==, 1000);
    g_assert_cmpuint(n_busy, ==, 1000);
    g_clear_pointer(&outline, pm_outline_unref);
    syn_free(s);
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_cmpint(g_rmdir(dir), ==, 0);
}

/* Keeps the last one before a wait was read, and the last of all. */
static gboolean keep_first(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    PmOutline **kept = data;
    const guint which = outline == NULL || outline->part > 0;
    if (outline != NULL) {
        g_clear_pointer(&kept[which], pm_outline_unref);
        kept[which] = pm_outline_ref(outline);
    }
    return TRUE;
}

/* Threads from the `i`th of sixteen even parts. */
static double sixteenth(const PmOutline *outline, guint i)
{
    const guint from = outline->n * i / 16, to = outline->n * (i + 1) / 16;
    double sum = 0;
    for (guint k = from; k < to; k++) {
        g_assert_cmpfloat(outline->means[k], >=, 0);
        sum += outline->means[k];
    }
    return sum / (to - from);
}

/* Before a wait is read there is a picture of all, from counters, which says that it is one. */
static void the_first_outline_is_an_estimate_of_all(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 100000, .threads = 60, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    g_autofree struct syn_totals *totals = g_new0(struct syn_totals, 1);
    syn_generate_file(&shape, path, totals);
    PmOutline *outlines[2] = {NULL, NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) r = pm_recording_load(path, 1, keep_first, outlines, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpfloat(outlines[0]->part, ==, 0);
    g_assert_true(outlines[0]->estimated);
    g_assert_false(outlines[1]->estimated);
    for (guint i = 0; i < 15; i++) /* the last slices may be behind the last counters */
        g_assert_cmpfloat_with_epsilon(sixteenth(outlines[0], i), sixteenth(outlines[1], i),
                                       0.05 * sixteenth(outlines[1], i));
    g_clear_pointer(&outlines[0], pm_outline_unref);
    g_clear_pointer(&outlines[1], pm_outline_unref);
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_cmpint(g_rmdir(dir), ==, 0);
}

/* Where a blocker's first wait is idle, its counters are not of threads that wait. */
static void an_estimate_leaves_idle_out(void)
{
    struct syn *s = syn_new();
    pm_blocker_id queue = syn_blocker(s, syn_class(s, "java.util.concurrent.SynchronousQueue"), 7);
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "com.acme.Lock"), 8);
    pm_chain_id rest = syn_chain(
        s, "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:9)",
        "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)", NULL);
    pm_chain_id work = syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                                 "com.acme.Lock.lock(Lock.java:9)", NULL);
    for (guint t = 0; t < 8; t++) {
        pm_thread_id thread = syn_thread(s, "worker");
        syn_wait(s, thread, t < 6 ? queue : lock, 0, SYN_S)->chain = t < 6 ? rest : work;
    }
    syn_ledger(s);
    PmOutline *outlines[2] = {NULL, NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) r = pm_recording_load_source(syn_finish(s, SYN_S), "made.park", 1,
                                                        keep_first, outlines, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(outlines[0]->estimated);
    for (guint i = 0; i < 15; i++)
        g_assert_cmpfloat_with_epsilon(sixteenth(outlines[0], i), 2, 0.001);
    g_clear_pointer(&outlines[0], pm_outline_unref);
    g_clear_pointer(&outlines[1], pm_outline_unref);
    syn_free(s);
}

static gboolean check_means(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    for (guint i = 0; outline != NULL && i < outline->n; i++)
        g_assert_true(isfinite(outline->means[i]) &&
                      (outline->means[i] >= 0 || outline->means[i] == -1));
    *(guint *)data += outline != NULL && outline->estimated;
    return TRUE;
}

/* Wherever a byte is wrong, or an end is missing. */
static void damaged_files_are_outlined(void)
{
    struct syn *s = syn_new();
    pm_thread_id thread = syn_thread(s, "a");
    pm_blocker_id lock = syn_blocker(s, syn_class(s, "a.B"), 1);
    for (guint i = 0; i < 400; i++)
        syn_wait(s, thread, lock, i * SYN_MS, SYN_US)->chain =
            syn_chain(s, i % 2 == 0 ? "a.B.c(B.java:1)" : "a.B.d(B.java:2)", NULL);
    syn_options(s)->block_waits = 16;
    syn_ledger(s);
    struct pm_source whole = syn_finish(s, SYN_S);
    whole.close(whole.context);
    gsize size = 0;
    const guint8 *bytes = syn_bytes(s, &size);
    g_autofree guint8 *damaged = g_new(guint8, size);
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    guint n_estimated = 0;
    for (guint round = 0; round < 600; round++) {
        struct pm_source source;
        const gsize n = round % 3 == 0 ? (gsize)g_rand_int_range(rand, 0, (gint32)size) : size;
        memcpy(damaged, bytes, size);
        for (guint i = 0; i < round % 4; i++)
            damaged[g_rand_int_range(rand, 0, (gint32)size)] ^= 1 << g_rand_int_range(rand, 0, 8);
        g_assert_cmpint(pm_source_from_memory(damaged, n, &source), ==, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(PmRecording) r = pm_recording_load_source(source, "damaged.park", 1, check_means,
                                                            &n_estimated, NULL, &error);
        g_assert_true((r == NULL) == (error != NULL));
    }
    g_assert_cmpuint(n_estimated, >, 100);
    syn_free(s);
}

static gboolean stop_at_once(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    ++*(guint *)data;
    return FALSE;
}

static void cancelled_gives_what_was_read(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 50000, .threads = 20, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    struct syn_totals totals;
    syn_generate_file(&shape, path, &totals);
    guint asked = 0;
    gboolean cancelled = FALSE;
    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) r = pm_recording_load(path, 1, stop_at_once, &asked, &cancelled, &error);
    g_assert_no_error(error);
    g_assert_nonnull(r);
    g_assert_true(cancelled);
    g_assert_cmpuint(asked, ==, 2); /* the second time it is told how much was read */
    g_assert_cmpuint(r->waits.n, <, totals.waits);
    g_autoptr(PmRecording) none = pm_recording_load(path, 1, stop_at_once, &asked, NULL, &error);
    g_assert_null(none);
    g_assert_error(error, PM_RECORDING_ERROR, -PM_ERROR_CANCELLED);
    g_unlink(path);
    g_rmdir(dir);
}

/* Progress is told every 50 ms: here for each block. Stops when some chunks have been read, which
 * are no neighbours. */
static gboolean stop_after_some(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    g_usleep(51000);
    return done <= total / 32; /* an eighth is for reading all of them a first time */
}

/* Of what was not read nothing is known: not that nobody waited. */
static void unread_is_not_without_waits(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 50000, .threads = 20, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    struct syn_totals totals;
    gint64 unread = 0;
    gboolean cancelled = FALSE;

    syn_generate_file(&shape, path, &totals);
    g_autoptr(PmRecording) r = pm_recording_load(path, 1, stop_after_some, NULL, &cancelled, NULL);
    g_assert_nonnull(r);
    g_assert_true(cancelled);
    g_assert_cmpuint(r->waits.n, >, 0);
    g_assert_cmpuint(r->waits.n, <, totals.waits / 2);
    for (guint i = 0; i < r->n_stopped; i++)
        unread += r->stopped[i].end - r->stopped[i].begin;
    g_assert_cmpint(unread, >, r->duration / 2);
    for (gsize i = 0; i < r->waits.n; i++)
        for (guint k = 0; k < r->n_stopped; k++)
            g_assert_false(pm_wait_begin(&r->waits, i) > r->stopped[k].begin &&
                           pm_wait_end(&r->waits, i) < r->stopped[k].end);
    g_unlink(path);
    g_rmdir(dir);
}

static void keep_end(PmRecording *end, gpointer data)
{
    g_assert_null(*(PmRecording **)data);
    *(PmRecording **)data = end;
}

/* What is told of a wait, whatever its ids' indices are. */
static char *told_of(const PmRecording *r, gsize row)
{
    const PmWaits *w = &r->waits;
    return g_strdup_printf(
        "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s %u %s %d %u %u %u",
        pm_wait_begin(w, row), pm_wait_length(w, row), pm_wait_wake(w, row),
        r->threads[pm_wait_thread(w, row)].name, r->blockers[pm_wait_blocker(w, row)].hash,
        r->threads[pm_wait_waker(w, row)].name, pm_wait_aqs_state(w, row), pm_wait_flags(w, row),
        pm_wait_kind(w, row), pm_wait_category(w, row));
}

/* All that ended in the window or was in progress at the end is in it, and nothing else. */
static void check_end(const PmRecording *all, const PmRecording *last)
{
    g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (gsize i = 0; i < last->waits.n; i++)
        g_hash_table_add(found, told_of(last, i));
    for (gsize i = 0; i < all->waits.n; i++) {
        g_autofree char *told = told_of(all, i);
        if (pm_wait_end(&all->waits, i) > last->window_begin)
            g_assert_true(g_hash_table_remove(found, told));
        else
            g_hash_table_remove(found, told);
    }
    g_assert_cmpuint(g_hash_table_size(found), ==, 0);
}

static void the_end_is_the_end_of_all(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "made.park", NULL);
    struct syn_shape shape = {
        .waits = 50000, .threads = 20, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    struct syn_totals totals;
    PmRecording *kept = NULL;
    const PmLoadEnd end = {5000, keep_end}, too_much = {50000 / 3, keep_end};

    syn_generate_file(&shape, path, &totals);
    g_autoptr(PmRecording) all =
        pm_recording_load_end_first(path, 2, &end, NULL, &kept, NULL, NULL);
    g_autoptr(PmRecording) last = kept;
    g_assert_nonnull(all);
    g_assert_nonnull(last);
    g_assert_cmpuint(all->waits.n, ==, totals.waits);
    g_assert_cmpuint(last->waits.n, >=, 5000);
    g_assert_cmpuint(last->waits.n, <, 5000 + 5000); /* a chunk has fewer */
    g_assert_cmpint(last->duration, ==, all->duration);
    g_assert_cmpint(last->window_begin, >, all->window_begin);
    g_assert_cmpuint(last->n_stopped, ==, 0);

    check_end(all, last);
    kept = NULL;
    g_autoptr(PmRecording) alone =
        pm_recording_load_end_first(path, 2, &too_much, NULL, &kept, NULL, NULL);
    g_assert_nonnull(alone);
    g_assert_null(kept);
    g_unlink(path);
    g_rmdir(dir);
}

/* Of a file that grows, what is read does not: so many waits, or those since an instant. */
static void what_is_newest_has_a_bound(void)
{
    g_autofree char *dir = g_dir_make_tmp("parkmeter-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "grows.park", NULL);
    gboolean cut = FALSE;

    for (guint waits = 5000; waits <= 80000; waits *= 4) {
        struct syn_shape shape = {.waits = waits,
                                  .threads = 20,
                                  .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
        struct syn_totals totals;
        syn_generate_file(&shape, path, &totals);
        g_autoptr(PmRecording) all = pm_recording_load(path, 2, NULL, NULL, NULL, NULL);
        const struct {
            PmLoadNewest newest;
            gboolean cut;
        } cases[] = {{{all->duration, 1, 3000, G_MAXINT64, &cut}, TRUE},
                     {{1, 3000, 5000, G_MAXINT64, &cut}, TRUE},
                     {{all->duration / 3, 1, 100000, G_MAXINT64, &cut}, TRUE},
                     {{1, 1, 3000, all->duration / 2, &cut}, TRUE},
                     {{1, 100000, 100000, G_MAXINT64, &cut}, FALSE},
                     {{all->duration * 2, 1, 100000, G_MAXINT64, &cut}, FALSE}};
        for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
            const PmLoadNewest *newest = &cases[i].newest;
            g_autoptr(PmRecording) r =
                pm_recording_load_newest(path, 2, newest, NULL, NULL, NULL, NULL);
            g_assert_cmpint(r->duration, ==, all->duration);
            g_assert_cmpint(cut, ==, cases[i].cut);
            g_assert_true(cut || r->waits.n == all->waits.n);
            if (i < 2) /* about: and those that were in progress when it begins */
                g_assert_cmpfloat_with_epsilon((double)r->waits.n, 3000, 600);
            if (i == 2)
                g_assert_cmpint(r->window_begin, ==, all->duration - all->duration / 3);
            if (i == 3)
                g_assert_cmpint(r->window_begin, ==, newest->since);
            check_end(all, r);
        }
        g_unlink(path);
    }
    g_rmdir(dir);
}

/* From some objects on, the recorder puts those together that are entered by one method of the JDK,
 * whoever calls that. Each site has its own all the same: in trees, in findings, and as summed up
 * here. */
static void what_is_put_together_is_told_by_its_site(void)
{
    static const char *const sites[] = {"Mail.send", "Report.render", "Stock.count"};
    enum { N_SITES = G_N_ELEMENTS(sites), N_WAITS = 600, N_THREADS = 4 };
    struct syn *s = syn_new();
    uint64_t random = 14;
    pm_chain_id chains[N_SITES], job = syn_chain(s, "com.acme.Job.run(Job.java:5)", NULL);
    pm_class_id class = syn_class(s, "java.util.concurrent.FutureTask");
    pm_thread_id pool = syn_thread(s, "pool-thread"), threads[N_THREADS];
    pm_blocker_id many = syn_blocker(s, class, 0);
    gint64 expected[N_SITES] = {0};
    guint objects[N_SITES] = {0};

    for (guint i = 0; i < N_SITES; i++) {
        g_autofree char *frame = g_strdup_printf("com.acme.%s(A.java:%u)", sites[i], i + 1);
        chains[i] = syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                              "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
                              "java.util.concurrent.FutureTask.awaitDone(FutureTask.java:447)",
                              "java.util.concurrent.FutureTask.get(FutureTask.java:190)",
                              "java.util.concurrent.AbstractExecutorService.invokeAll("
                              "AbstractExecutorService.java:2)",
                              frame, NULL);
    }
    for (guint i = 0; i < N_THREADS; i++) {
        g_autofree char *name = g_strdup_printf("asks-%u", i);
        threads[i] = syn_thread(s, name);
    }
    *syn_blocker_of(s, many) = (struct pm_blocker){
        .id = many, .class_id = class, .flags = PM_BLOCKER_FOLDED, .first_chain = chains[0]};
    for (guint i = 0; i < N_WAITS; i++) {
        const guint site = (guint)syn_random_below(&random, N_SITES);
        const gint64 begin = i / N_THREADS * 20 * SYN_MS;
        const gint64 length = (5 + (gint64)syn_random_below(&random, 15)) * SYN_MS;
        const gboolean own = syn_random_below(&random, 5) < 2;
        pm_blocker_id blocker = own ? syn_blocker(s, class, 100 + i) : many;
        if (own)
            syn_blocker_of(s, blocker)->first_chain = chains[site];
        struct pm_wait *w = syn_wait(s, threads[i % N_THREADS], blocker, begin, length);
        w->chain = chains[site];
        w->waker = pool;
        w->waker_chain = job;
        w->wake_ns = w->begin_ns + length;
        w->wake_cause = PM_WAKE_COMPLETION;
        expected[site] += length;
        objects[site] += own;
    }
    g_autoptr(PmRecording) r = load(syn_finish(s, N_WAITS / N_THREADS * 20 * SYN_MS));
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    const PmAspect aspect = PM_ASPECT_ALIKE;
    g_autoptr(PmTree) tree = pm_tree_new(summary->metrics->view, &aspect, 1, NULL);
    g_assert_cmpuint(tree->root->n_children, ==, N_SITES);
    for (guint i = 0; i < N_SITES; i++) {
        g_autofree char *name = g_strdup_printf("FutureTask (≥ %u) · %s", objects[i], sites[i]);
        g_autofree char *count = g_strdup_printf("FutureTask (≥ %u) ", objects[i]);
        guint n_rows = 0, n_told = 0;
        for (guint k = 0; k < N_SITES; k++) {
            const PmTreeNode *row = tree->root->children[k];
            g_autofree char *text = pm_aspect_key_text(r, aspect, row->key);
            if (strcmp(text, name) != 0)
                continue;
            n_rows++;
            g_assert_cmpint(row->thread_time, ==, expected[i]);
        }
        for (guint k = 0; k < findings->n; k++) {
            if (!strstr(findings->findings[k].title, count))
                continue;
            n_told++;
            g_assert_cmpint(findings->findings[k].thread_time, ==, expected[i]);
        }
        g_assert_cmpuint(n_rows, ==, 1);
        g_assert_cmpuint(n_told, ==, 1);
    }
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/load/threads-of-the-recorder-are-none-of-the-programs",
                    threads_of_the_recorder_are_none_of_the_programs);
    g_test_add_func("/analysis/load/a-former-name-holds-until-the-rename",
                    a_former_name_holds_until_the_rename);
    g_test_add_func("/analysis/load/a-name-is-not-forgotten", a_name_is_not_forgotten);
    g_test_add_func("/analysis/load/file-after-a-lost-one", file_after_a_lost_one);
    g_test_add_func("/analysis/load/what-is-put-together-is-told-by-its-site",
                    what_is_put_together_is_told_by_its_site);
    g_test_add_func("/analysis/load/what-was-written-is-there", what_was_written_is_there);
    g_test_add_func("/analysis/load/waits-in-progress-are-resolved",
                    waits_in_progress_are_resolved);
    g_test_add_func("/analysis/load/virtual-threads-without-name-have-their-number",
                    virtual_threads_without_name_have_their_number);
    g_test_add_func("/analysis/load/platform-threads-are-not-virtual",
                    platform_threads_are_not_virtual);
    g_test_add_func("/analysis/load/threads-without-name-are-called-so",
                    threads_without_name_are_called_so);
    g_test_add_func("/analysis/load/damage-ends-waits-that-are-counted-as-ended",
                    damage_ends_waits_that_are_counted_as_ended);
    g_test_add_func("/analysis/load/virtual-threads-without-waits-have-no-time",
                    virtual_threads_without_waits_have_no_time);
    g_test_add_func("/analysis/load/many-chunks-give-the-same-columns",
                    many_chunks_give_the_same_columns);
    g_test_add_func("/analysis/load/the-outline-is-that-of-the-waits",
                    the_outline_is_that_of_the_waits);
    g_test_add_func("/analysis/load/the-first-outline-is-an-estimate-of-all",
                    the_first_outline_is_an_estimate_of_all);
    g_test_add_func("/analysis/load/an-estimate-leaves-idle-out", an_estimate_leaves_idle_out);
    g_test_add_func("/analysis/load/bad-files-are-named", bad_files_are_named);
    g_test_add_func("/analysis/load/torn-files-load-what-is-whole", torn_files_load_what_is_whole);
    g_test_add_func("/analysis/load/torn-files-have-the-mean-of-what-is-whole",
                    torn_files_have_the_mean_of_what_is_whole);
    g_test_add_func("/analysis/load/damaged-files-are-outlined", damaged_files_are_outlined);
    g_test_add_func("/analysis/load/cancelled-gives-what-was-read", cancelled_gives_what_was_read);
    g_test_add_func("/analysis/load/unread-is-not-without-waits", unread_is_not_without_waits);
    g_test_add_func("/analysis/load/the-end-is-the-end-of-all", the_end_is_the_end_of_all);
    g_test_add_func("/analysis/load/what-is-newest-has-a-bound", what_is_newest_has_a_bound);
    return g_test_run();
}

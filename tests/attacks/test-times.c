/* Recordings whose times and counts are all that 62 bits hold: every answer that there is of them
 * is given, and no sum of what cannot be negative is. Under a sanitizer
 * (-Db_sanitize=address,undefined) each step beyond a number's range is seen. Those broken at
 * random are the fuzzer's (tests/fuzz/answers.c). */
#include <string.h>

#include "tests/attacks/answers.h"
#include "tests/format/synthetic.h"

/* Since the begin, valid for the writer; mostly at the ends of what is. */
static gint64 a_time(uint64_t *state)
{
    static const gint64 most = PM_TIME_LIMIT - 1 - SYN_BEGIN_NS;
    const gint64 times[] = {0,
                            1,
                            SYN_MS,
                            SYN_S,
                            most,
                            most - 1,
                            most / 2,
                            INT64_C(1) << 58,
                            (INT64_C(1) << 58) - 1,
                            INT64_C(1) << 60,
                            -SYN_BEGIN_NS,
                            1 - SYN_BEGIN_NS,
                            (gint64)syn_random_spread(state, 61) % most,
                            (gint64)syn_random_spread(state, 40) % most};

    return times[syn_random_below(state, G_N_ELEMENTS(times))];
}

static gint64 a_length(uint64_t *state)
{
    const gint64 time = a_time(state);

    return MAX(time, 0);
}

static gint64 a_count(uint64_t *state)
{
    const gint64 counts[] = {
        0, 1, 1000, PM_TIME_LIMIT - 1, PM_TIME_LIMIT / 2, (gint64)syn_random_spread(state, 61)};

    return counts[syn_random_below(state, G_N_ELEMENTS(counts))];
}

static pm_chain_id a_chain(struct syn *s, uint64_t *state)
{
    static const char *const sites[] = {
        "com.acme.Cache.get(Cache.java:41)", "com.acme.Cache.put(Cache.java:63)",
        "com.acme.Dao.load(Dao.java:2147483647)", "com.acme.Worker.run(Worker.java:-2147483648)"};
    static const char *const frames[][3] = {
        {"java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
         "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)", NULL},
        {"java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:181)",
         "java.util.concurrent.locks.ReentrantLock.unlock(ReentrantLock.java:494)", NULL},
        {"java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
         "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
         "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)"},
        {"java.util.concurrent.Semaphore.acquire(Semaphore.java:318)", NULL, NULL}};
    const guint k = (guint)syn_random_below(state, G_N_ELEMENTS(frames));
    const char *all[6];
    guint n = 0;

    for (guint i = 0; i < 3 && frames[k][i]; i++)
        all[n++] = frames[k][i];
    all[n++] = sites[syn_random_below(state, G_N_ELEMENTS(sites))];
    all[n] = NULL;
    return syn_chain_v(s, all);
}

static const char *const classes[] = {
    "java.util.concurrent.locks.ReentrantLock$NonfairSync",
    "java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
    "java.util.concurrent.Semaphore$NonfairSync",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
    "java.util.concurrent.FutureTask",
    "com.acme.Monitor",
    "",
};

static gint64 an_end(uint64_t *state)
{
    const gint64 ends[] = {0, SYN_S, a_length(state), PM_TIME_LIMIT - 1 - SYN_BEGIN_NS};

    return ends[syn_random_below(state, G_N_ELEMENTS(ends))];
}

/* Owned bytes of a recording with all kinds of records, times anywhere. */
static GBytes *extreme_recording(guint64 seed, guint n_threads, guint n_waits)
{
    uint64_t state = seed;
    struct syn *s = syn_new();
    struct pm_facts *facts = syn_facts(s);
    const gint64 end = an_end(&state);
    const int64_t walls[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_MAX / 2, SYN_BEGIN_UNIX_NS};
    gsize size;

    facts->begin_unix_ns = walls[syn_random_below(&state, G_N_ELEMENTS(walls))];
    if (syn_random_below(&state, 3) == 0)
        facts->begin_ns = syn_random_below(&state, 2) ? 0 : PM_TIME_LIMIT - 1;
    facts->zone = (struct pm_text){"UTC+18:59", 9};
    for (guint i = 0; i < n_threads; i++) {
        static const char *const names[] = {"web-%u", "pool-1-thread-%u", "%u"};
        g_autofree char *number = g_strdup_printf("%u", i);
        g_auto(GStrv) parts = g_strsplit(names[i % 3], "%u", 2);
        g_autofree char *name = g_strjoinv(number, parts);
        pm_thread_id thread = syn_thread(s, name);
        syn_thread_of(s, thread)->tid = i == 1 ? INT64_MIN : i == 2 ? INT64_MAX : i;
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD,
                                     .thread = thread,
                                     .begin_ns = a_time(&state),
                                     .end_ns = syn_random_below(&state, 2) ? a_time(&state) : 0});
        syn_blocker(s, syn_class(s, classes[i % G_N_ELEMENTS(classes)]), i);
        if (i > 0 && i % 4 == 0)
            syn_blocker_of(s, (pm_blocker_id){i + 1})->parent.n = i;
    }
#define ANY_THREAD                                                                                 \
    (pm_thread_id)                                                                                 \
    {                                                                                              \
        1 + (uint32_t)syn_random_below(&state, n_threads)                                          \
    }
#define ANY_BLOCKER                                                                                \
    (pm_blocker_id)                                                                                \
    {                                                                                              \
        1 + (uint32_t)syn_random_below(&state, n_threads)                                          \
    }
    for (guint i = 0; i < n_waits; i++) {
        gboolean open = i % 16 == 0;
        gint64 begin = a_time(&state);
        struct pm_wait *wait = open ? syn_progress(s, ANY_THREAD, ANY_BLOCKER, MIN(begin, end))
                                    : syn_wait(s, ANY_THREAD, ANY_BLOCKER, begin, a_length(&state));
        wait->chain = a_chain(s, &state);
        wait->owner = ANY_THREAD;
        wait->kind = (uint8_t)syn_random_below(&state, PM_N_KINDS);
        wait->aqs_state = syn_random_below(&state, 2) ? INT32_MIN : INT32_MAX;
        wait->flags |= (uint16_t)(syn_random_below(&state, 1 << 6) & ~PM_WAIT_IN_PROGRESS);
        if (open)
            continue;
        wait->waker = ANY_THREAD;
        wait->waker_chain = a_chain(s, &state);
        wait->wake_ns = syn_random_below(&state, 2) ? wait->begin_ns + wait->duration_ns / 2
                                                    : SYN_BEGIN_NS + a_time(&state);
        wait->wake_ns = MIN(wait->wake_ns, PM_TIME_LIMIT - 1);
        wait->wake_cause = (uint8_t)syn_random_below(&state, PM_N_WAKE_CAUSES);
    }
    for (guint i = 0; i < 8; i++) {
        syn_owner_sample(s, (struct pm_owner_sample){.at_ns = a_time(&state),
                                                     .waiter = ANY_THREAD,
                                                     .blocker = ANY_BLOCKER,
                                                     .owner = ANY_THREAD,
                                                     .chain = a_chain(s, &state),
                                                     .owner_state = PM_OWNER_RUNNING});
        syn_span(s, (struct pm_span){.kind = i % 2 ? PM_SPAN_GC : PM_SPAN_STOPPED,
                                     .begin_ns = a_time(&state),
                                     .end_ns = a_time(&state)});
        syn_gap(s, (struct pm_gap){.begin_ns = a_time(&state),
                                   .end_ns = a_time(&state),
                                   .reason = (uint8_t)(i % PM_N_GAP_REASONS),
                                   .waits = a_count(&state),
                                   .thread_time_ns = a_count(&state)});
        syn_counters(s, (struct pm_counters){.blocker = {i + 1},
                                             .kind = (uint8_t)(i % PM_N_KINDS),
                                             .now = UINT32_MAX,
                                             .peak = UINT32_MAX,
                                             .times = a_count(&state),
                                             .thread_time_ns = a_count(&state),
                                             .real_time_ns = a_count(&state),
                                             .longest_ns = a_count(&state),
                                             .first_ns = a_time(&state),
                                             .last_ns = a_time(&state),
                                             .not_stored = a_count(&state),
                                             .not_stored_time_ns = a_count(&state)});
    }
    syn_finish(s, end);
    const void *bytes = syn_bytes(s, &size);
    GBytes *made = g_bytes_new(bytes, size);
    syn_free(s);
    return made;
}

/* More rounds for a night: PM_ATTACK_ROUNDS. */
static guint rounds(guint usual)
{
    const char *wanted = g_getenv("PM_ATTACK_ROUNDS");

    return wanted ? (guint)g_ascii_strtoull(wanted, NULL, 10) : usual;
}

static void extremes_are_answered(void)
{
    guint read = 0, n = rounds(21);

    for (guint i = 0; i < n; i++) {
        g_autoptr(GBytes) bytes = extreme_recording(i + 1, 3 + i % 40, i % 7 * 40);
        gsize size;
        const void *data = g_bytes_get_data(bytes, &size);
        read += answer_bytes(data, size, G_MAXUINT);
    }
    g_assert_cmpuint(read, >, n / 2);
}

/* So many waits as long as can be that no sum of them fits. */
static void sums_beyond_64_bits(void)
{
    struct syn *s = syn_new();
    const gint64 most = PM_TIME_LIMIT - 1 - SYN_BEGIN_NS;
    gsize size;

    for (guint t = 0; t < 100; t++) {
        g_autofree char *name = g_strdup_printf("pool-1-thread-%u", t);
        pm_thread_id thread = syn_thread(s, name);
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = thread});
        syn_blocker(s, syn_class(s, classes[t % 3]), t);
        for (guint i = 0; i < 20; i++) {
            struct pm_wait *wait =
                syn_wait(s, thread, (pm_blocker_id){1 + i % (t + 1)}, (gint64)i, most);
            wait->owner = wait->waker = (pm_thread_id){1 + (t + i) % (t + 1)};
            wait->wake_cause = PM_WAKE_RELEASE;
            wait->kind = (uint8_t)(i % PM_N_KINDS);
        }
        for (guint k = 0; k < 2; k++) {
            syn_gap(s, (struct pm_gap){.end_ns = most,
                                       .reason = PM_GAP_BUFFER_FULL + (uint8_t)(2 * k),
                                       .waits = PM_TIME_LIMIT - 1,
                                       .thread_time_ns = PM_TIME_LIMIT - 1});
            syn_counters(s, (struct pm_counters){.blocker = {t + 1},
                                                 .kind = (uint8_t)k,
                                                 .times = PM_TIME_LIMIT - 1,
                                                 .thread_time_ns = PM_TIME_LIMIT - 1,
                                                 .real_time_ns = PM_TIME_LIMIT - 1,
                                                 .longest_ns = PM_TIME_LIMIT - 1,
                                                 .last_ns = most,
                                                 .not_stored = PM_TIME_LIMIT - 1,
                                                 .not_stored_time_ns = PM_TIME_LIMIT - 1});
        }
    }
    syn_finish(s, most);
    const void *bytes = syn_bytes(s, &size);
    g_assert_true(answer_bytes(bytes, size, G_MAXUINT));
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/attacks/times/extremes-are-answered", extremes_are_answered);
    g_test_add_func("/attacks/times/sums-beyond-64-bits", sums_beyond_64_bits);
    return g_test_run();
}

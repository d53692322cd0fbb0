/* recorder/agent/waits/slot.h, with real threads: what the drain takes is what the threads left. */
#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/waits/buffer.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"
#include "tests/agent/memory.h"

#define N_THREADS 6

static void wait_once(struct pm_slot *slot, uint32_t blocker, uint8_t cause)
{
    pm_slot_enter(slot);
    pm_slot_begin(slot, &(struct pm_raw_wait){.blocker = {blocker}, .aqs_state = (int)blocker});
    pm_slot_end(slot, cause, 0);
}

static void init(uint32_t buffer_waits, uint32_t max_buffers)
{
    struct pm_slot_limits limits = {
        .max_slots = 64, .buffer_waits = buffer_waits, .max_buffers = max_buffers};
    g_assert_cmpint(pm_slot_pool_init(&limits), ==, 0);
}

static void test_one_wait(void)
{
    init(4, 8);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){7}, 70);
    struct pm_slot_view view;
    pm_slot_enter(slot);
    g_assert_true(pm_slot_look(slot, &view));
    g_assert_cmpint(view.state, ==, PM_SLOT_ENTERING);
    int64_t begin =
        pm_slot_begin(slot, &(struct pm_raw_wait){.blocker = {3}, .kind = PM_KIND_PARK});
    g_assert_true(pm_slot_look(slot, &view));
    g_assert_cmpint(view.state, ==, PM_SLOT_PARKED);
    g_assert_cmpint(view.wait.begin_ns, ==, begin);
    g_assert_cmpuint(view.wait.blocker.n, ==, 3);
    g_assert_cmpuint(view.thread.n, ==, 7);
    g_assert_cmpint(view.tid, ==, 70);
    pm_slot_end(slot, PM_WAKE_TIME_OUT, PM_WAIT_TIMED);
    struct pm_raw_wait waits[4];
    g_assert_cmpuint(pm_slot_drain(slot, waits, 4), ==, 1);
    g_assert_cmpuint(waits[0].sequence, ==, view.sequence);
    g_assert_cmpint(waits[0].begin_ns, ==, begin);
    g_assert_cmpint(waits[0].end_ns, >=, begin);
    g_assert_cmpint(waits[0].wake_cause, ==, PM_WAKE_TIME_OUT);
    g_assert_cmpint(waits[0].flags, ==, PM_WAIT_TIMED);
    g_assert_cmpuint(pm_slot_drain(slot, waits, 4), ==, 0);
    pm_slot_enter(slot);
    pm_slot_cancel(slot);
    g_assert_cmpuint(pm_slot_drain(slot, waits, 4), ==, 0);
    pm_slot_pool_clear();
}

static int n_rung;

static void ring(void)
{
    n_rung++;
}

static void test_watch(void)
{
    init(4, 64); /* a first segment of 4 waits, then pages of 4 */
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 11);
    struct pm_raw_wait waits[64];
    n_rung = 0;
    for (int i = 0; i < 20; i++)
        wait_once(slot, 1, 0);
    g_assert_cmpint(n_rung, ==, 0); /* nobody watches */
    for (int again = 0; again < 3; again++) {
        n_rung = 0;
        while (pm_slot_drain(slot, waits, 64) > 0) {
        }
        pm_slot_pool_watch(3, ring);
        for (int i = 0; i < 8; i++)
            wait_once(slot, 1, 0);
        g_assert_cmpint(n_rung, ==, 0);
        for (int i = 0; i < 40; i++)
            wait_once(slot, 1, 0);
        g_assert_cmpint(n_rung, ==, 1);
    }
    pm_slot_pool_clear();
}

static void append(struct pm_buffer *buffer, const struct pm_raw_wait *wait)
{
    uint64_t opened;
    struct pm_raw_wait *to = pm_buffer_open(buffer, wait->begin_ns, &opened);
    g_assert_nonnull(to);
    *to = *wait;
    pm_buffer_close(buffer, opened);
}

static void test_seldom_waits_need_no_pages(void)
{
    struct pm_buffer buffer = {0};
    struct pm_raw_wait wait = {0}, taken;
    g_assert_cmpint(pm_buffer_pool_init(63, 64), ==, 0);
    for (int i = 0; i < 200; i++, wait.begin_ns += 10000000) {
        append(&buffer, &wait);
        g_assert_cmpuint(pm_buffer_take(&buffer, &taken, 1), ==, 1);
        g_assert_cmpint(taken.begin_ns, ==, wait.begin_ns);
    }
    g_assert_cmpuint(pm_buffer_pool_memory(), <, 4096);
    for (int i = 0; i < 60; i++)
        append(&buffer, &wait);
    g_assert_cmpuint(pm_buffer_pool_memory(), >, 4096);
    pm_buffer_pool_clear();
}

/* A carrier that runs a virtual thread, and who ends a wait found in progress of the carrier's. */
static void test_one_writer_at_once(void)
{
    struct pm_buffer buffer = {0};
    struct pm_raw_wait wait = {.begin_ns = 1}, taken[4];
    uint64_t opened, other;
    g_assert_cmpint(pm_buffer_pool_init(63, 64), ==, 0);
    for (int i = 0; i < 3; i++) {
        struct pm_raw_wait *to = pm_buffer_open(&buffer, wait.begin_ns, &opened);
        g_assert_nonnull(to);
        g_assert_null(pm_buffer_open(&buffer, wait.begin_ns, &other));
        g_assert_false(pm_buffer_tidy(&buffer, true));
        *to = wait;
        pm_buffer_close(&buffer, opened);
    }
    g_assert_cmpuint(pm_buffer_take(&buffer, taken, 4), ==, 3);
    g_assert_true(pm_buffer_tidy(&buffer, true));
    append(&buffer, &wait);
    pm_buffer_pool_clear();
}

static void note_overflow(void *context, const struct pm_overflow *overflow)
{
    *(struct pm_overflow *)context = *overflow;
}

static void test_slot_comes_back(void)
{
    init(4, 8);
    struct pm_slot *a = pm_slot_claim((pm_thread_id){1}, 11);
    struct pm_slot *b = pm_slot_claim((pm_thread_id){2}, 75); /* the same bucket */
    g_assert_true(pm_slot_find(11) == a && pm_slot_find(75) == b);
    wait_once(a, 1, 0);
    pm_slot_release(a);
    g_assert_null(pm_slot_find(11));
    g_assert_true(pm_slot_find(75) == b);
    pm_slot_pool_tidy();
    struct pm_slot_view view;
    g_assert_true(pm_slot_look(a, &view) && view.released && view.state == PM_SLOT_IDLE);
    struct pm_raw_wait wait;
    uint64_t old_mark = pm_slot_mark(a);
    g_assert_cmpuint(pm_slot_drain(a, &wait, 1), ==, 1);
    uint32_t old_sequence = wait.sequence;
    pm_slot_pool_tidy();
    g_assert_true(pm_slot_look(a, &view) && view.state == PM_SLOT_FREE);
    g_assert_true(pm_slot_claim((pm_thread_id){3}, 12) == a);
    /* a wait in progress found of the former thread */
    g_assert_false(
        pm_slot_set_in_progress(a, old_mark, &(struct pm_raw_wait){.blocker = {2}}, NULL));
    g_assert_cmpuint(pm_slot_pool_count(), ==, 2);
    wait_once(a, 1, 0);
    g_assert_cmpuint(pm_slot_drain(a, &wait, 1), ==, 1);
    g_assert_cmpuint(wait.sequence, >, old_sequence); /* never the same number in one slot */
    pm_slot_release_of(13);                           /* nobody's */
    g_assert_true(pm_slot_find(12) == a);
    pm_slot_release_of(12);
    g_assert_null(pm_slot_find(12));
    g_assert_true(pm_slot_look(a, &view) && view.released);
    guint n_without = 0;
    for (int i = 0; i < 70; i++)
        n_without += pm_slot_claim((pm_thread_id){9}, 1000 + i) == NULL;
    g_assert_cmpuint(pm_slot_pool_count(), ==, 64);
    g_assert_cmpuint(n_without, ==, 8);
    g_assert_true(pm_slot_claim((pm_thread_id){9}, 1000) == pm_slot_find(1000));

    /* Who goes without is counted, with its time. */
    struct pm_overflow told = {0};
    for (int i = 0; i < 2; i++)
        pm_slot_add_unslotted(&(struct pm_raw_wait){
            .blocker = {7}, .kind = PM_KIND_WAIT, .begin_ns = 10 + i, .end_ns = 30});
    pm_slot_drain_overflow(a, note_overflow, &told);
    g_assert_cmpuint(told.blocker.n, ==, 7);
    g_assert_cmpuint(told.kind, ==, PM_KIND_WAIT);
    g_assert_true(told.no_slot);
    g_assert_cmpint(told.waits, ==, 2);
    g_assert_cmpint(told.thread_time_ns, ==, 20 + 19);
    told.waits = 0;
    pm_slot_drain_overflow(a, note_overflow, &told);
    g_assert_cmpint(told.waits, ==, 0);
    pm_slot_pool_clear();
}

static pm_chain_id give_chain(void *context, uint8_t *ret_cause)
{
    (*(int *)context)++;
    *ret_cause = PM_WAKE_RELEASE;
    return (pm_chain_id){99};
}

static void test_wake_record(void)
{
    init(16, 8);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 5);
    struct pm_raw_wait wait, in = {.blocker = {1}};
    int asked = 0;

    /* before the park: a permit, no chain */
    pm_slot_wake(slot, 5, (pm_thread_id){2}, give_chain, &asked);
    pm_slot_enter(slot);
    pm_slot_begin(slot, &in);
    pm_slot_end(slot, 0, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_PERMIT);
    g_assert_cmpuint(wait.waker.n, ==, 2);
    g_assert_cmpuint(wait.waker_chain.n, ==, 0);
    g_assert_cmpint(asked, ==, 0);
    g_assert_cmpint(wait.flags, ==, 0);

    /* in the park, the first of two wins */
    pm_slot_enter(slot);
    pm_slot_begin(slot, &in);
    struct pm_slot_view view;
    g_assert_true(pm_slot_look(slot, &view));
    g_assert_false(pm_slot_look_at_wake(slot, &view.wait));
    pm_slot_wake(slot, 5, (pm_thread_id){3}, give_chain, &asked);
    pm_slot_wake(slot, 5, (pm_thread_id){4}, give_chain, &asked);
    struct pm_raw_wait woken = view.wait;
    g_assert_true(pm_slot_look_at_wake(slot, &woken)); /* … and it has not run since */
    g_assert_cmpint(woken.wake_cause, ==, PM_WAKE_RELEASE);
    g_assert_cmpuint(woken.waker.n, ==, 3);
    g_assert_cmpuint(woken.waker_chain.n, ==, 99);
    g_assert_cmpint(woken.wake_ns, >=, woken.begin_ns);
    g_assert_cmpint(woken.flags, ==, PM_WAIT_AMBIGUOUS);
    pm_slot_end(slot, 0, 0);
    g_assert_false(pm_slot_look_at_wake(slot, &view.wait));
    g_assert_cmpint(view.wait.wake_ns, ==, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_RELEASE);
    g_assert_cmpuint(wait.waker.n, ==, 3);
    g_assert_cmpuint(wait.waker_chain.n, ==, 99);
    g_assert_cmpint(wait.wake_ns, >=, wait.begin_ns);
    g_assert_cmpint(wait.wake_ns, <=, wait.end_ns);
    g_assert_cmpint(wait.flags, ==, PM_WAIT_AMBIGUOUS);
    g_assert_cmpint(asked, ==, 1);

    /* as the timeout passed */
    pm_slot_enter(slot);
    pm_slot_begin(slot, &in);
    pm_slot_wake(slot, 5, (pm_thread_id){3}, give_chain, &asked);
    pm_slot_end(slot, PM_WAKE_TIME_OUT, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_RELEASE);
    g_assert_cmpint(wait.flags, ==, PM_WAIT_AMBIGUOUS);

    /* meant for a thread that had the slot before */
    pm_slot_enter(slot);
    pm_slot_begin(slot, &in);
    pm_slot_wake(slot, 4, (pm_thread_id){3}, give_chain, &asked);
    g_assert_true(pm_slot_look(slot, &view));
    g_assert_false(pm_slot_look_at_wake(slot, &view.wait));
    pm_slot_end(slot, PM_WAKE_INTERRUPT, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpuint(wait.waker.n, ==, 0);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_INTERRUPT);
    pm_slot_pool_clear();
}

/* Parks that pass by unseen take permits that were seen to be given. */
static void test_stale_wake(void)
{
    init(16, 8);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 5);
    struct pm_raw_wait wait;
    int asked = 0;

    pm_gate_set(true);
    pm_slot_wake(slot, 5, (pm_thread_id){2}, give_chain, &asked);
    pm_gate_set(false);
    pm_gate_set(true);
    wait_once(slot, 1, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_UNKNOWN);
    g_assert_cmpuint(wait.waker.n, ==, 0);

    pm_slot_wake(slot, 5, (pm_thread_id){2}, give_chain, &asked);
    pm_slot_enter(slot);
    pm_slot_cancel(slot);
    pm_slot_forget_wake(slot);
    wait_once(slot, 1, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpuint(wait.waker.n, ==, 0);

    pm_slot_wake(slot, 5, (pm_thread_id){3}, give_chain, &asked);
    wait_once(slot, 1, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpuint(wait.waker.n, ==, 3);
    g_assert_cmpint(wait.flags, ==, 0);
    pm_gate_set(false);
    pm_slot_pool_clear();
}

static void test_in_progress(void)
{
    init(16, 8);
    struct pm_slot_view view;
    struct pm_raw_wait wait, in = {.blocker = {7}};
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 5);
    uint64_t mark = pm_slot_mark(slot);
    g_assert_true(pm_slot_set_in_progress(slot, mark, &in, NULL));
    g_assert_true(pm_slot_look(slot, &view));
    g_assert_cmpint(view.state, ==, PM_SLOT_PARKED);
    g_assert_cmpint(view.wait.flags, ==, PM_WAIT_BEGIN_UNKNOWN);
    g_assert_true(pm_slot_claim((pm_thread_id){1}, 5) == slot);
    g_assert_cmpuint(pm_slot_mark(slot), ==, 0);
    g_assert_false(pm_slot_set_in_progress(slot, mark, &in, NULL));

    /* its thread's next wait ends it */
    pm_slot_enter(slot);
    g_assert_false(pm_slot_is_in_progress(slot));
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpuint(wait.blocker.n, ==, 7);
    g_assert_cmpint(wait.flags, ==, PM_WAIT_BEGIN_UNKNOWN);
    pm_slot_end_in_progress(slot); /* nothing to end */
    pm_slot_begin(slot, &in);
    g_assert_cmpuint(pm_slot_mark(slot), ==, 0);
    pm_slot_end(slot, 0, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpint(wait.flags, ==, 0);

    /* or whoever follows it; and a mark from before a wait is worth nothing */
    mark = pm_slot_mark(slot);
    wait_once(slot, 1, 0);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_false(pm_slot_set_in_progress(slot, mark, &in, NULL));
    g_assert_true(pm_slot_set_in_progress(slot, pm_slot_mark(slot), &in, NULL));
    pm_slot_end_in_progress(slot);
    pm_slot_end_in_progress(slot);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 0);
    pm_slot_pool_clear();
}

/* -- many threads -- */

struct worker {
    pthread_t thread;
    struct pm_slot *slot;
    uint32_t waits;
    uint32_t n_blockers;
    int64_t time_ns; /* told by the drain */
    uint64_t told;
};

static _Atomic int running;

static void *run_worker(void *data)
{
    struct worker *worker = data;
    for (uint32_t i = 0; i < worker->waits; i++) {
        wait_once(worker->slot, i % worker->n_blockers + 1, 0);
        if (i % 64 == 0)
            sched_yield();
    }
    pm_slot_release(worker->slot);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

static void count_overflow(void *context, const struct pm_overflow *overflow)
{
    uint64_t *per_blocker = context;
    g_assert_cmpint(overflow->waits, >=, 0);
    g_assert_cmpint(overflow->thread_time_ns, >=, 0);
    per_blocker[overflow->blocker.n] += (uint64_t)overflow->waits;
}

static void many_threads(uint32_t buffer_waits, uint32_t max_buffers, uint32_t n_blockers,
                         bool sleepy, bool want_overflow)
{
    const uint32_t waits = 20000;
    init(buffer_waits, max_buffers);
    struct worker workers[N_THREADS] = {0};
    g_autofree uint64_t *stored = g_new0(uint64_t, n_blockers + 1);
    g_autofree uint64_t *overflown = g_new0(uint64_t, n_blockers + 1);
    atomic_store(&running, N_THREADS);
    for (int i = 0; i < N_THREADS; i++) {
        workers[i].slot = pm_slot_claim((pm_thread_id){(uint32_t)i + 1}, i + 1);
        workers[i].waits = waits;
        workers[i].n_blockers = n_blockers;
    }
    for (int i = 0; i < N_THREADS; i++)
        g_assert_cmpint(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), ==, 0);

    uint32_t last[N_THREADS] = {0};
    /* after the last thread: twice more, for banks turned while a thread wrote */
    for (int rounds = 0, after = 0; after < 3; rounds++) {
        after += atomic_load(&running) == 0;
        for (int i = 0; i < N_THREADS; i++) {
            struct pm_raw_wait some[100];
            struct pm_slot_view view;
            if (pm_slot_look(workers[i].slot, &view) && view.state == PM_SLOT_PARKED)
                g_assert_cmpint(view.wait.aqs_state, ==, (int)view.wait.blocker.n);
            size_t n;
            while ((n = pm_slot_drain(workers[i].slot, some, 100)) > 0) {
                for (size_t j = 0; j < n; j++) {
                    g_assert_cmpuint(some[j].sequence, >, last[i]);
                    if (!want_overflow)
                        g_assert_cmpuint(some[j].sequence, ==, last[i] + 1);
                    last[i] = some[j].sequence;
                    g_assert_cmpint(some[j].aqs_state, ==, (int)some[j].blocker.n);
                    g_assert_cmpint(some[j].end_ns, >=, some[j].begin_ns);
                    stored[some[j].blocker.n]++;
                }
            }
            pm_slot_drain_overflow(workers[i].slot, count_overflow, overflown);
        }
        pm_slot_pool_tidy();
        if (sleepy)
            g_usleep(500);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    uint64_t total = 0, total_overflown = overflown[0];
    for (uint32_t b = 1; b <= n_blockers; b++) {
        total += stored[b] + overflown[b];
        total_overflown += overflown[b];
        if (overflown[0] == 0) {
            uint64_t each = 0;
            for (uint32_t i = 0; i < waits; i++)
                each += i % n_blockers + 1 == b;
            g_assert_cmpuint(stored[b] + overflown[b], ==, each * N_THREADS);
        }
    }
    g_assert_cmpuint(total + overflown[0], ==, (uint64_t)waits * N_THREADS);
    if (want_overflow)
        g_assert_cmpuint(total_overflown, >, 0);
    else
        g_assert_cmpuint(total_overflown, ==, 0);
    pm_slot_pool_clear();
}

static void test_nothing_lost(void)
{
    many_threads(16, 20000, 5, false, false);
}

static void test_reclaims_while_threads_write(void)
{
    many_threads(3, 60000, 5, true, false);
    many_threads(63, 8000, 5, true, false); /* segments of whole pages */
}

static void test_overflow_exact(void)
{
    many_threads(2, 8, 3, true, true);
    many_threads(2, 8, 500, true, true); /* more blockers than cells of a slot */
}

/* -- wakers against parkers -- */

struct duel {
    struct pm_slot *slot;
    _Atomic uint32_t given; /* permits given */
    uint32_t rounds;
};

static void *run_waker(void *data)
{
    struct duel *duel = data;
    for (uint32_t i = 1; i <= duel->rounds; i++) {
        /* one wake for one wait: the wake comes before or in it, as it falls */
        pm_slot_wake(duel->slot, 1, (pm_thread_id){2}, NULL, NULL);
        atomic_store(&duel->given, i);
        while (atomic_load(&duel->given) == i)
            sched_yield();
    }
    return NULL;
}

static void test_wakes_never_lost(void)
{
    init(63, 64);
    struct duel duel = {.slot = pm_slot_claim((pm_thread_id){1}, 1), .rounds = 5000};
    pthread_t waker;
    g_assert_cmpint(pthread_create(&waker, NULL, run_waker, &duel), ==, 0);
    uint32_t seen = 0;
    for (uint32_t i = 1; i <= duel.rounds; i++) {
        pm_slot_enter(duel.slot);
        pm_slot_begin(duel.slot, &(struct pm_raw_wait){.blocker = {1}});
        while (atomic_load(&duel.given) != i)
            sched_yield();
        pm_slot_end(duel.slot, 0, 0);
        struct pm_raw_wait wait;
        g_assert_cmpuint(pm_slot_drain(duel.slot, &wait, 1), ==, 1);
        seen += wait.waker.n == 2;
        g_assert_cmpint(wait.flags & PM_WAIT_AMBIGUOUS, ==, 0);
        atomic_store(&duel.given, UINT32_MAX);
    }
    pthread_join(waker, NULL);
    g_assert_cmpuint(seen, ==, duel.rounds);
    pm_slot_pool_clear();
}

/* -- a thread that waits again and again while another records and ends waits in progress -- */

static void *run_observer(void *data)
{
    struct pm_slot *slot = data;
    uint64_t recorded = 0;
    while (atomic_load(&running) && recorded < 50000) { /* all fit the buffers */
        uint64_t mark = pm_slot_mark(slot);
        if (pm_slot_set_in_progress(slot, mark, &(struct pm_raw_wait){.blocker = {2}}, NULL)) {
            recorded++;
            if (recorded % 2)
                pm_slot_end_in_progress(slot);
        }
        sched_yield();
    }
    pm_slot_end_in_progress(slot);
    return (void *)(uintptr_t)recorded;
}

static void test_in_progress_and_own(void)
{
    const uint32_t waits = 20000;
    init(63, 2000);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 1);
    pthread_t observer;
    void *recorded;
    atomic_store(&running, 1);
    g_assert_cmpint(pthread_create(&observer, NULL, run_observer, slot), ==, 0);
    for (uint32_t i = 0; i < waits; i++) {
        wait_once(slot, 1, 0);
        if (i % 16 == 0)
            sched_yield();
    }
    atomic_store(&running, 0);
    pthread_join(observer, &recorded);
    uint64_t own = 0, in_progress = 0, sequence = 0;
    struct pm_raw_wait wait;
    while (pm_slot_drain(slot, &wait, 1)) {
        g_assert_cmpuint(wait.sequence, ==, ++sequence);
        own += wait.blocker.n == 1 && wait.flags == 0;
        in_progress += wait.blocker.n == 2 && wait.flags == PM_WAIT_BEGIN_UNKNOWN;
    }
    g_assert_cmpuint(own, ==, waits);
    g_assert_cmpuint(in_progress, ==, (uint64_t)(uintptr_t)recorded);
    pm_slot_pool_clear();
}

static _Atomic bool records;

static bool takes_long(int64_t tid)
{
    atomic_store(&records, true);
    g_usleep(200000); /* as while the JVM collects garbage */
    return true;
}

static void *record_slowly(void *data)
{
    struct pm_slot *slot = data;
    struct pm_raw_wait wait = {.blocker = {2}};
    g_assert_true(pm_slot_set_in_progress(slot, pm_slot_mark(slot), &wait, takes_long));
    return NULL;
}

/* Whoever waits for another that may need the processor to get on does not take it. */
static void test_leaves_the_processor(void)
{
    init(16, 8);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 5);
    pthread_t other;
    g_assert_cmpint(pthread_create(&other, NULL, record_slowly, slot), ==, 0);
    while (!atomic_load(&records))
        g_usleep(100);
    const int64_t used_ns = pm_clock_processor();
    pm_slot_enter(slot);
    g_assert_cmpint(pm_clock_processor() - used_ns, <, 60000000);
    pthread_join(other, NULL);
    pm_slot_cancel(slot);
    pm_slot_pool_clear();
}

/* A pool as large as it comes costs what is used of it. */
static void test_charges_what_is_used(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_raw_wait wait;
    long before = pm_memory_kib("VmData");
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 16);
    g_assert_null(pm_slot_find(1234567));
    for (int64_t tid = 1234567; tid < 1234567 + 20; tid++) {
        struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, tid);
        wait_once(slot, 1, 0);
        g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
        g_assert_true(pm_slot_find(tid) == slot);
    }
    g_assert_cmpint(pm_memory_kib("VmData") - before, <=, 256);
    pm_slot_pool_clear();
}

/* No memory for more slots, for more segments, for cells: every wait counts all the same, and of
 * each slot the first without room comes whole. */
static void refused_memory(long kib, bool after_claims)
{
    enum { WANTED = 3000, WAITS = 40 };
    static struct pm_slot *slots[WANTED];
    uint64_t overflown[N_THREADS] = {0}, n_told = 0, n_claimed = 0, n_first = 0;
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    if (!after_claims)
        pm_memory_allow_more(kib);
    for (uint32_t i = 0; i < WANTED; i++) {
        slots[i] = pm_slot_claim((pm_thread_id){i + 1}, i + 1);
        n_claimed += slots[i] != NULL;
    }
    if (after_claims)
        pm_memory_allow_more(kib);
    g_assert_cmpuint(n_claimed, >=, 1);
    if (!after_claims)
        g_assert_cmpuint(n_claimed, <, WANTED);
    for (uint32_t i = 0; i < WANTED; i++) {
        for (uint32_t w = 0; w < WAITS; w++) {
            if (slots[i])
                wait_once(slots[i], w % 5 + 1, 0);
            else
                pm_slot_add_unslotted(
                    &(struct pm_raw_wait){.blocker = {1}, .begin_ns = 1, .end_ns = 2});
        }
    }
    for (int rounds = 0; rounds < 3; rounds++) {
        for (uint32_t i = 0; i < WANTED; i++) {
            struct pm_raw_wait some[WAITS];
            size_t n = slots[i] ? pm_slot_drain(slots[i], some, WAITS) : 0;
            n_told += n;
            n_first += n > 0 && some[0].sequence == 1;
            if (slots[i])
                pm_slot_drain_overflow(slots[i], count_overflow, overflown);
        }
    }
    g_assert_cmpuint(n_first, ==, n_claimed);
    for (int b = 0; b < N_THREADS; b++)
        n_told += overflown[b];
    g_assert_cmpuint(n_told, ==, WANTED * WAITS);
    g_assert_cmpuint(overflown[0] + overflown[1], >, 0); /* there was no room for all */
    pm_memory_allow_all();
    g_assert_nonnull(pm_slot_claim((pm_thread_id){1}, 100000));
    pm_slot_pool_clear();
}

static void test_refused_memory_loses_no_wait(void)
{
    refused_memory(256, false);
    refused_memory(64, true);
    refused_memory(600, true);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/slot/leaves-the-processor-to-whom-it-waits-for",
                    test_leaves_the_processor);
    g_test_add_func("/agent/slot/one-wait-is-seen-in-progress-then-ended", test_one_wait);
    g_test_add_func("/agent/slot/tells-once-that-buffers-fill", test_watch);
    g_test_add_func("/agent/slot/seldom-waits-need-no-pages", test_seldom_waits_need_no_pages);
    g_test_add_func("/agent/slot/one-writer-at-once", test_one_writer_at_once);
    g_test_add_func("/agent/slot/comes-back-once-it-is-empty", test_slot_comes_back);
    g_test_add_func("/agent/slot/first-waker-wins-others-make-it-ambiguous", test_wake_record);
    g_test_add_func("/agent/slot/an-old-wake-is-no-permit", test_stale_wake);
    g_test_add_func("/agent/slot/a-wait-in-progress-ends-once", test_in_progress);
    g_test_add_func("/agent/slot/no-wait-lost-or-doubled", test_nothing_lost);
    g_test_add_func("/agent/slot/buffers-come-back-while-threads-write",
                    test_reclaims_while_threads_write);
    g_test_add_func("/agent/slot/overflow-counts-exactly", test_overflow_exact);
    g_test_add_func("/agent/slot/in-progress-and-own-waits-keep-apart", test_in_progress_and_own);
    g_test_add_func("/agent/slot/wakes-never-lost", test_wakes_never_lost);
    g_test_add_func("/agent/slot/charges-what-is-used", test_charges_what_is_used);
    g_test_add_func("/agent/slot/refused-memory-loses-no-wait", test_refused_memory_loses_no_wait);
    return g_test_run();
}

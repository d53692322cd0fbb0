/* recorder/agent/waits/vthread-slot.h: what virtual threads need is there with the first of them,
 * as far as there is memory. */
#include <glib.h>

#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/vthread-slot.h"
#include "tests/agent/memory.h"

#define N_THREADS 5000

static void begin(void)
{
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    g_assert_cmpint(pm_vthread_slot_init(0), ==, 0);
}

static void clear(void)
{
    pm_vthread_slot_clear();
    pm_slot_pool_clear();
}

static struct pm_vthread_slot *wait_in(int64_t tid)
{
    struct pm_vthread_slot *vslot = pm_vthread_slot_open(tid);
    if (vslot) {
        pm_vthread_slot_enter(vslot, NULL);
        pm_vthread_slot_begin(vslot, NULL, &(struct pm_raw_wait){.blocker = {1}});
    }
    return vslot;
}

static void test_nothing_before_the_first(void)
{
    if (!pm_memory_is_ours())
        return;
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    long space = pm_memory_kib("VmSize"), data = pm_memory_kib("VmData");
    g_assert_cmpint(pm_vthread_slot_init(0), ==, 0);
    g_assert_false(pm_vthread_slot_any());
    g_assert_null(pm_vthread_slot_find(40));
    g_assert_cmpint(pm_memory_kib("VmSize") - space, <=, 64);

    struct pm_vthread_slot *vslot = wait_in(1 << 20);
    g_assert_nonnull(vslot);
    g_assert_nonnull(pm_vthread_slot_slot(vslot));
    g_assert_true(pm_vthread_slot_any());
    g_assert_true(pm_vthread_slot_find(1 << 20) == vslot);
    g_assert_cmpint(pm_memory_kib("VmData") - data, <=, 256);
    pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){0});
    g_assert_null(pm_vthread_slot_find(1 << 20));
    clear();
    g_assert_false(pm_vthread_slot_any());
}

/* More in one place of the index than it holds: each is found, there or in its other place. */
static void test_crowded_place(void)
{
    struct pm_vthread_slot *vslots[24];
    begin();
    for (int64_t i = 0; i < 24; i++) {
        vslots[i] = wait_in((i << 24) + 5);
        g_assert_nonnull(vslots[i]);
    }
    for (int64_t i = 0; i < 24; i++)
        g_assert_true(pm_vthread_slot_find((i << 24) + 5) == vslots[i]);
    for (int64_t i = 0; i < 12; i++) /* those that came first, and lie in the first place */
        pm_vthread_slot_end(vslots[i], NULL, &(struct pm_raw_wait){0});
    for (int64_t i = 0; i < 24; i++)
        g_assert_true(pm_vthread_slot_find((i << 24) + 5) == (i < 12 ? NULL : vslots[i]));
    for (int64_t i = 12; i < 24; i++)
        pm_vthread_slot_end(vslots[i], NULL, &(struct pm_raw_wait){0});
    g_assert_null(pm_vthread_slot_find(5));
    clear();
}

static void count(void *context, const struct pm_overflow *overflow)
{
    *(uint64_t *)context += (uint64_t)overflow->waits;
}

static void count_bare(void *context, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns)
{
    g_assert_cmpint(begin_ns, >, 0);
    ++*(uint32_t *)context;
}

static uint32_t n_bare_now(void)
{
    uint32_t n = 0;
    pm_vthread_slot_visit_bare(count_bare, &n);
    g_assert_cmpuint(n, ==, pm_vthread_slot_count_bare());
    return n;
}

/* First there are no more slots, then no more vslots; who has one keeps it, and is told. */
static void test_refused_memory(void)
{
    if (!pm_memory_is_ours())
        return;
    uint64_t n_told = 0;
    uint32_t n_slotted = 0, n_bare = 0;
    begin();
    pm_memory_allow_more(700);
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        struct pm_vthread_slot *vslot = wait_in(tid);
        n_slotted += vslot && !vslot->is_bare;
        n_bare += vslot && vslot->is_bare;
    }
    g_assert_cmpuint(n_slotted, >, 100);
    g_assert_cmpuint(n_slotted + n_bare, <, N_THREADS);
    g_assert_cmpuint(n_slotted + n_bare, >, 1000);
    g_assert_cmpuint(n_bare_now(), ==, n_bare);
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
        if (!vslot)
            continue;
        g_assert_true(pm_vthread_slot_is_of(vslot, tid));
        pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){0});
        g_assert_null(pm_vthread_slot_find(tid));
    }
    for (size_t i = 0; i < pm_slot_pool_count(); i++) {
        struct pm_raw_wait some[4];
        n_told += pm_slot_drain(pm_slot_pool_at(i), some, 4);
        pm_slot_drain_overflow(pm_slot_pool_at(i), count, &n_told);
    }
    g_assert_cmpuint(n_told, ==, n_slotted + n_bare);
    g_assert_cmpuint(n_bare_now(), ==, 0);
    pm_memory_allow_all();
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        g_assert_nonnull(wait_in(tid));
        g_assert_false(pm_vthread_slot_find(tid)->is_bare);
    }
    clear();
}

#define CROWD 1000000

/* A million in a wait at once, far more than there are slots, in 64 bytes each. */
static void test_crowd(void)
{
    const struct pm_slot_limits few = {.max_slots = 16};
    if (!pm_memory_is_ours())
        return;
    g_assert_cmpint(pm_slot_pool_init(&few), ==, 0);
    g_assert_cmpint(pm_vthread_slot_init(0), ==, 0);
    long before = pm_memory_kib("VmRSS");
    for (int64_t tid = 1; tid <= CROWD; tid++)
        g_assert_nonnull(wait_in(tid));
    g_assert_cmpint((pm_memory_kib("VmRSS") - before) * 1024 / CROWD, <=, 64);
    g_assert_cmpuint(n_bare_now(), >, CROWD - 16);
    for (int64_t tid = 1; tid <= CROWD; tid++)
        pm_vthread_slot_end(pm_vthread_slot_find(tid), NULL, &(struct pm_raw_wait){0});
    g_assert_cmpuint(n_bare_now(), ==, 0);
    clear();
}

/* -- wakers -- */

#define WAKER ((pm_thread_id){77})

static pm_chain_id give_chain(void *context, uint8_t *ret_cause)
{
    ++*(int *)context;
    *ret_cause = PM_WAKE_SIGNAL;
    return (pm_chain_id){5};
}

static struct pm_vthread_slot *park_in(int64_t tid)
{
    struct pm_vthread_slot *vslot = pm_vthread_slot_open(tid);
    pm_vthread_slot_enter(vslot, NULL);
    pm_vthread_slot_begin(vslot, NULL, &(struct pm_raw_wait){.kind = PM_KIND_PARK, .blocker = {1}});
    return vslot;
}

/* Ends the wait with what its thread knows of its end; the wait as the drain gets it. */
static struct pm_raw_wait end_of(struct pm_vthread_slot *vslot, uint8_t cause)
{
    struct pm_slot *slot = vslot->slot;
    struct pm_raw_wait wait;
    pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){.wake_cause = cause});
    g_assert_cmpuint(pm_slot_drain(slot, &wait, 1), ==, 1);
    return wait;
}

static bool is_running(void *context)
{
    return false;
}

static bool is_parked(void *context)
{
    return true;
}

static void test_woken(void)
{
    int n_asked = 0;
    begin();
    struct pm_vthread_slot *vslot = park_in(300), *other = park_in(301);
    pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked);
    struct pm_raw_wait wait = end_of(vslot, PM_WAKE_UNKNOWN);
    g_assert_cmpint(n_asked, ==, 1);
    g_assert_cmpuint(wait.waker.n, ==, 77);
    g_assert_cmpuint(wait.waker_chain.n, ==, 5);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_SIGNAL);
    g_assert_cmpint(wait.wake_ns, >=, wait.begin_ns);
    g_assert_cmpint(wait.wake_ns, <=, wait.end_ns);
    wait = end_of(other, PM_WAKE_TIME_OUT);
    g_assert_cmpuint(wait.waker.n, ==, 0);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_TIME_OUT);
    clear();
}

static bool tell(void *context)
{
    return *(bool *)context;
}

/* It had no permit as it came, and has one or none by now. */
static struct pm_vthread_slot *park_with(int64_t tid, bool permit)
{
    struct pm_vthread_slot *vslot = pm_vthread_slot_open(tid);
    pm_vthread_slot_enter(vslot, NULL);
    pm_vthread_slot_settle(tid, tell, &permit);
    pm_vthread_slot_begin(vslot, NULL, &(struct pm_raw_wait){.kind = PM_KIND_PARK, .blocker = {1}});
    return vslot;
}

/* A permit that was used up where nobody saw it ends no later wait. */
static void test_used_permit(void)
{
    int n_asked = 0;
    begin();
    pm_gate_set(true);
    for (int knows = 0; knows < 2; knows++) {
        pm_vthread_slot_given(pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked));
        struct pm_vthread_slot *vslot = park_with(300, false);
        if (knows)
            pm_vthread_slot_wake(300, (pm_thread_id){78}, give_chain, is_running, &n_asked);
        struct pm_raw_wait wait = end_of(vslot, knows ? PM_WAKE_UNKNOWN : PM_WAKE_TIME_OUT);
        g_assert_cmpuint(wait.waker.n, ==, knows ? 78 : 0);
        g_assert_cmpint(wait.wake_cause, ==, knows ? PM_WAKE_SIGNAL : PM_WAKE_TIME_OUT);
        g_assert_false(wait.flags & PM_WAIT_AMBIGUOUS);
    }
    pm_vthread_slot_given(pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked));
    g_assert_cmpuint(end_of(park_with(300, true), PM_WAKE_UNKNOWN).waker.n, ==, 77);
    pm_gate_set(false);
    clear();
}

/* The one has yet to give the permit that it announced, the other one wakes the thread: either may
 * have ended the wait, and that is told. */
static void test_two_wakers(void)
{
    int n_asked = 0;
    begin();
    pm_gate_set(true);
    for (int passes = 0; passes < 2; passes++) {
        uint64_t ticket = pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked);
        if (passes) /* and perhaps it has given it to the park before, that is no wait */
            pm_vthread_slot_pass(300);
        for (int round = 0; round < 3; round++) {
            if (round == 2)
                pm_vthread_slot_given(ticket);
            struct pm_vthread_slot *vslot = park_with(300, false);
            pm_vthread_slot_wake(300, (pm_thread_id){78}, give_chain, is_running, &n_asked);
            struct pm_raw_wait wait = end_of(vslot, PM_WAKE_UNKNOWN);
            g_assert_cmpuint(wait.waker.n, ==, 78);
            g_assert_cmpint((wait.flags & PM_WAIT_AMBIGUOUS) != 0, ==, round < 2);
        }
    }
    pm_gate_set(false);
    clear();
}

/* The permit is there before the wait has begun: its giver is known, once. */
static void test_permit(void)
{
    int n_asked = 0;
    begin();
    pm_gate_set(true);
    uint64_t ticket = pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked);
    g_assert_cmpuint(
        pm_vthread_slot_wake(300, (pm_thread_id){78}, give_chain, is_running, &n_asked), ==, 0);
    struct pm_raw_wait wait = end_of(park_in(300), PM_WAKE_UNKNOWN);
    g_assert_cmpint(n_asked, ==, 0);
    g_assert_cmpuint(wait.waker.n, ==, 77);
    g_assert_cmpint(wait.wake_cause, ==, PM_WAKE_PERMIT);
    g_assert_true(wait.flags & PM_WAIT_AMBIGUOUS);
    pm_vthread_slot_given(ticket);
    g_assert_cmpuint(end_of(park_with(300, false), PM_WAKE_UNKNOWN).waker.n, ==, 0);

    pm_vthread_slot_given(pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked));
    pm_vthread_slot_pass(300); /* it did not wait */
    g_assert_cmpuint(end_of(park_in(300), PM_WAKE_UNKNOWN).waker.n, ==, 0);

    pm_vthread_slot_wake(300, WAKER, give_chain, is_running, &n_asked);
    pm_gate_set(false); /* whoever took it meanwhile was not seen */
    pm_gate_set(true);
    g_assert_cmpuint(end_of(park_in(300), PM_WAKE_UNKNOWN).waker.n, ==, 0);
    pm_gate_set(false);
    clear();
}

/* A permit that ends a park which is not recorded, a socket's poll, is no later wait's. */
static void test_parked_without_a_slot(void)
{
    int n_asked = 0;
    begin();
    pm_gate_set(true);
    g_assert_cmpuint(pm_vthread_slot_wake(300, WAKER, give_chain, is_parked, &n_asked), ==, 0);
    g_assert_cmpuint(end_of(park_in(300), PM_WAKE_UNKNOWN).waker.n, ==, 0);

    struct pm_vthread_slot *vslot = park_in(300);
    pm_vthread_slot_wake(300, WAKER, give_chain, is_parked, &n_asked);
    g_assert_cmpuint(end_of(vslot, PM_WAKE_UNKNOWN).waker.n, ==, 77);
    pm_gate_set(false);
    clear();
}

/* Of many the latest are known, and none is mixed up. */
static void test_many_permits(void)
{
    int n_asked = 0, n_known = 0;
    begin();
    pm_gate_set(true);
    for (int64_t tid = 1; tid <= N_THREADS; tid++)
        pm_vthread_slot_wake(tid, (pm_thread_id){(uint32_t)tid}, give_chain, is_running, &n_asked);
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        struct pm_raw_wait wait = end_of(park_in(tid), PM_WAKE_UNKNOWN);
        g_assert_true(wait.waker.n == 0 || wait.waker.n == tid);
        n_known += wait.waker.n != 0;
    }
    g_assert_cmpint(n_known, >=, 1000);
    pm_gate_set(false);
    clear();
}

/* A wake that comes as the wait is over is not that of whoever has the slot next. */
static void test_late_wake(void)
{
    int n_asked = 0;
    begin();
    struct pm_vthread_slot *vslot = park_in(300);
    struct pm_slot *slot = vslot->slot;
    end_of(vslot, PM_WAKE_TIME_OUT);
    g_assert_false(pm_slot_wake(slot, 300, WAKER, give_chain, &n_asked));
    vslot = park_in(301);
    g_assert_true(vslot->slot == slot);
    g_assert_false(pm_slot_wake(slot, 300, WAKER, give_chain, &n_asked));
    pm_vthread_slot_wake(301, (pm_thread_id){78}, give_chain, is_running, &n_asked);
    g_assert_cmpuint(end_of(vslot, PM_WAKE_UNKNOWN).waker.n, ==, 78);
    clear();
}

#define N_ROUNDS 20000

/* One wakes the other as fast as it can: its waits have begun, are about to begin, or do not when
 * the permit is there; each that was one has its waker. */
static struct duel {
    _Atomic bool permit;
    _Atomic int n_taken;
} duel;

static bool has_permit(void *context)
{
    return atomic_load(&duel.permit);
}

static void *wake_on(void *context)
{
    for (int round = 0; round < N_ROUNDS; round++) {
        uint64_t note = pm_vthread_slot_wake(400, WAKER, NULL, is_running, NULL);
        atomic_store(&duel.permit, true);
        pm_vthread_slot_given(note);
        while (atomic_load(&duel.n_taken) == round)
            g_thread_yield();
    }
    return NULL;
}

static void test_duel(void)
{
    int n_waits = 0, n_known = 0;
    begin();
    pm_gate_set(true);
    GThread *waker = g_thread_new("waker", wake_on, NULL);
    for (int round = 0; round < N_ROUNDS; round++) {
        if (atomic_exchange(&duel.permit, false)) {
            pm_vthread_slot_pass(400);
        } else {
            struct pm_vthread_slot *vslot = pm_vthread_slot_open(400);
            pm_vthread_slot_enter(vslot, NULL);
            pm_vthread_slot_settle(400, has_permit, NULL);
            pm_vthread_slot_begin(vslot, NULL,
                                  &(struct pm_raw_wait){.kind = PM_KIND_PARK, .blocker = {1}});
            while (!atomic_exchange(&duel.permit, false))
                g_thread_yield();
            n_known += end_of(vslot, PM_WAKE_UNKNOWN).waker.n == 77;
            n_waits++;
        }
        atomic_fetch_add(&duel.n_taken, 1);
    }
    g_thread_join(waker);
    g_assert_cmpint(n_waits, >, 0);
    g_assert_cmpint(n_known, ==, n_waits);
    pm_gate_set(false);
    clear();
}

/* A thread made without its constructor has no tid; and who writes over one may write anything. */
static void test_no_tid(void)
{
    static const int64_t none[] = {0, -1, -2, INT64_MIN};
    begin();
    for (int64_t tid = 1; tid < 4; tid++)
        g_assert_nonnull(wait_in(tid << 20));
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
        g_assert_null(pm_vthread_slot_find(none[i]));
        g_assert_null(pm_vthread_slot_open(none[i]));
        pm_vthread_slot_wake(none[i], (pm_thread_id){9}, NULL, is_running, NULL);
        pm_vthread_slot_pass(none[i]);
    }
    for (int64_t tid = 1; tid < 4; tid++)
        pm_vthread_slot_end(pm_vthread_slot_find(tid << 20), NULL, &(struct pm_raw_wait){0});
    clear();
}

/* As where a program has set Thread.tid: the later one's wait takes the earlier one's place, and
 * both come to end it. */
static void test_two_of_one_tid(void)
{
    begin();
    struct pm_vthread_slot *first = wait_in(40), *second = wait_in(40);
    pm_vthread_slot_end(second, NULL, &(struct pm_raw_wait){0});
    pm_vthread_slot_end(first, NULL, &(struct pm_raw_wait){0});
    struct pm_vthread_slot *others[3];
    for (int i = 0; i < 3; i++)
        others[i] = wait_in(50 + i);
    g_assert_true(others[0] != others[1] && others[0] != others[2] && others[1] != others[2]);
    clear();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/vslot/nothing-before-the-first", test_nothing_before_the_first);
    g_test_add_func("/agent/vslot/a-crowded-place-loses-nobody", test_crowded_place);
    g_test_add_func("/agent/vslot/refused-memory-loses-no-wait", test_refused_memory);
    g_test_add_func("/agent/vslot/a-million-in-64-bytes-each", test_crowd);
    g_test_add_func("/agent/vslot/a-wait-has-its-waker-and-the-wakers-stack", test_woken);
    g_test_add_func("/agent/vslot/a-permit-has-its-giver-once", test_permit);
    g_test_add_func("/agent/vslot/a-permit-used-up-unseen-ends-no-later-wait", test_used_permit);
    g_test_add_func("/agent/vslot/of-two-wakers-neither-is-certain", test_two_wakers);
    g_test_add_func("/agent/vslot/of-many-permits-the-latest-are-known", test_many_permits);
    g_test_add_func("/agent/vslot/a-park-that-is-not-recorded-uses-its-permit-up",
                    test_parked_without_a_slot);
    g_test_add_func("/agent/vslot/a-late-wake-is-nobody-elses", test_late_wake);
    g_test_add_func("/agent/vslot/two-of-one-tid-share-no-place-with-others", test_two_of_one_tid);
    g_test_add_func("/agent/vslot/who-has-no-tid-has-no-wait", test_no_tid);
    g_test_add_func("/agent/vslot/no-waker-is-lost-between-look-up-and-begin", test_duel);
    return g_test_run();
}

/* recorder/agent/drain/ender.h over waits that are set by hand, and the sampler's turns. */
#include <glib.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/drain/ender.h"
#include "recorder/agent/drain/operation.h"
#include "recorder/agent/drain/owner.h"
#include "recorder/agent/drain/recent-wishes.h"
#include "recorder/agent/sampling/sample.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/slot.h"

#define NOW_NS 1000000000000
#define MS_NS  INT64_C(1000000)

/* Who is searched for, once, with so many pauses. */
static uint32_t sought;
static gint pauses_left;
static bool (*pause_for)(int64_t ns);
/* So long a sample stops its thread. */
static int64_t stopped_ns;

void pm_sample_on_pause(bool (*pause)(int64_t ns))
{
    pause_for = pause;
}

int pm_sample_thread(pm_thread_id *thread, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     struct pm_sample_cost *ret_cost)
{
    if (thread->n == sought) {
        sought = 0;
        while (g_atomic_int_get(&pauses_left) > 0 && pause_for(100 * MS_NS))
            g_atomic_int_add(&pauses_left, -1);
    }
    ret_chain->n = 1;
    *ret_owner_state = PM_OWNER_RUNNING;
    ret_cost->stopped_ns += stopped_ns;
    return 0;
}

int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner)
{
    return PM_ERROR_ARGUMENT;
}

static pm_thread_id owner_now;

/* What the waiters of all wishes wait for by now, without a blocker nothing. */
static struct pm_raw_wait wait_now;
static guint n_looked_for;

bool pm_sample_wait_of(pm_thread_id thread, struct pm_raw_wait *ret_wait)
{
    n_looked_for++;
    *ret_wait = wait_now;
    return wait_now.blocker.n != 0;
}

int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    *ret_owner = owner_now;
    return 0;
}

bool pm_sample_owner_has_ended(pm_blocker_id blocker)
{
    return false;
}

static int64_t next_tid = 1;

static pm_thread_id add_thread(const char *name)
{
    return pm_thread_add(next_tid++, name, false, false, 1);
}

/* The thread parks, in its slot. */
static struct pm_slot *park(pm_thread_id thread)
{
    struct pm_thread_row row;
    g_assert_true(pm_thread_get(thread, &row));
    struct pm_slot *slot = pm_slot_claim(thread, row.tid);
    pm_slot_enter(slot);
    pm_slot_begin(slot, &(struct pm_raw_wait){.blocker = {1}});
    return slot;
}

static pm_blocker_id add_blocker(const char *class_name, uint32_t flags)
{
    struct pm_blocker blocker = {.class_id = pm_class_add(class_name), .flags = flags, .hash = 1};
    return pm_blocker_add(&blocker);
}

static pm_chain_id add_chain(const char *method)
{
    struct pm_frame frame = {pm_method_add(pm_class_add("shop.Orders"), method, "Orders.java"), 7};
    return pm_chain_add(&(struct pm_chain){.frames = &frame, .n_frames = 1});
}

/* A wait that `waker` ended just now. */
static struct pm_wait ended(pm_thread_id thread, pm_blocker_id blocker, pm_chain_id chain,
                            pm_thread_id waker)
{
    return (struct pm_wait){.begin_ns = NOW_NS - 10 * MS_NS,
                            .duration_ns = 10 * MS_NS,
                            .wake_ns = NOW_NS,
                            .thread = thread,
                            .blocker = blocker,
                            .chain = chain,
                            .waker = waker,
                            .wake_cause = PM_WAKE_COMPLETION};
}

static struct pm_follow waiting(pm_thread_id thread, pm_blocker_id blocker, pm_chain_id chain)
{
    return (struct pm_follow){
        .open = true,
        .thread = thread,
        .wait = {.blocker = blocker, .chain = chain, .begin_ns = NOW_NS - 10 * MS_NS}};
}

struct fixture {
    struct pm_enders *enders;
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_ENDERS];
    size_t n;
    pm_thread_id threads[4];
    pm_chain_id chain;
};

static void set_up(struct fixture *fixture)
{
    static const char *const names[] = {"one", "two", "three", "four"};
    *fixture = (struct fixture){.enders = pm_enders_new(), .chain = add_chain("await")};
    for (int i = 0; i < 4; i++)
        fixture->threads[i] = add_thread(names[i]);
}

static void wish(struct fixture *fixture, struct pm_follow *slots, size_t n)
{
    g_autofree struct pm_follow_mark *marks = g_new0(struct pm_follow_mark, n);
    struct pm_follower follower = {.slots = slots, .marks = marks, .n = n, .now_ns = NOW_NS};
    fixture->n = pm_enders_wishes(fixture->enders, &follower, fixture->wishes);
}

/* All threads but those of the fixture in use have ended, so that none of another test is met. */
static void tear_down(struct fixture *fixture)
{
    for (int i = 0; i < 4; i++)
        pm_thread_end(fixture->threads[i], NOW_NS);
    pm_enders_free(fixture->enders);
}

/* An object of the same class, at the same site: what ended others is offered, the latest first. */
static void test_enders_of_the_operation_are_offered(void)
{
    struct fixture f;
    set_up(&f);
    for (int i = 1; i < 3; i++) {
        struct pm_wait wait =
            ended(f.threads[0], add_blocker("shop.Order", 0), f.chain, f.threads[i]);
        pm_enders_note(f.enders, &wait, 1);
    }
    struct pm_follow slots[] = {waiting(f.threads[0], add_blocker("shop.Order", 0), f.chain),
                                waiting(f.threads[3], add_blocker("shop.Order", 0), f.chain)};
    wish(&f, slots, 2);
    g_assert_cmpuint(f.n, ==, 2);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[2].n);
    g_assert_cmpuint(f.wishes[1].owner.n, ==, f.threads[1].n);
    g_assert_cmpuint(f.wishes[0].weight, ==, 2);
    g_assert_cmpint(f.wishes[0].role, ==, PM_SAMPLE_ENDER);
    tear_down(&f);
}

/* Virtual threads ended such waits, or carriers told that they had ended: whatever a carrier runs
 * now is offered. */
static void test_carriers_are_offered_for_virtual_enders(void)
{
    struct fixture f;
    set_up(&f);
    struct pm_thread_row row;
    g_assert_true(pm_thread_get(f.threads[3], &row));
    struct pm_slot *carrier = pm_slot_claim(f.threads[3], row.tid);
    pm_slot_set_carrier(carrier);
    const pm_thread_id task = pm_thread_add(next_tid++, "task", true, true, 1);
    const struct {
        const char *class_name;
        pm_thread_id ender;
    } cases[] = {{"java.util.concurrent.FutureTask", task},
                 {"java.util.concurrent.CountDownLatch", f.threads[3]}};
    const size_t n = pm_slot_pool_count();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree struct pm_follow *slots = g_new0(struct pm_follow, n);
        const pm_blocker_id blocker = add_blocker(cases[i].class_name, 0);
        struct pm_wait wait = ended(f.threads[0], blocker, f.chain, cases[i].ender);
        pm_enders_note(f.enders, &wait, 1);
        slots[0] = waiting(f.threads[0], blocker, f.chain);
        wish(&f, slots, n);
        g_assert_cmpuint(f.n, ==, 2);
        g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[3].n);
        g_assert_cmpuint(f.wishes[0].waiter.n, ==, f.threads[0].n);
        g_assert_cmpuint(f.wishes[1].owner.n, ==, 0); /* any virtual thread */
    }
    pm_slot_release(carrier);
    tear_down(&f);
}

/* Of those who end such waits some are virtual: they are looked at besides the others, as often for
 * those who wait. */
static void test_virtual_enders_are_offered_beside_others(void)
{
    struct fixture f;
    set_up(&f);
    const pm_thread_id task = pm_thread_add(next_tid++, "task", true, true, 1);
    const pm_blocker_id blocker = add_blocker("java.util.concurrent.Semaphore", 0);
    const struct pm_wait waits[] = {ended(f.threads[0], blocker, f.chain, task),
                                    ended(f.threads[0], blocker, f.chain, f.threads[1])};
    pm_enders_note(f.enders, waits, G_N_ELEMENTS(waits));
    struct pm_slot *carriers[2];
    for (int i = 0; i < 2; i++) {
        struct pm_thread_row row;
        g_assert_true(pm_thread_get(f.threads[2 + i], &row));
        carriers[i] = pm_slot_claim(f.threads[2 + i], row.tid);
        pm_slot_set_carrier(carriers[i]);
    }
    const size_t n = pm_slot_pool_count();
    g_autofree struct pm_follow *slots = g_new0(struct pm_follow, n);
    slots[0] = waiting(f.threads[0], blocker, f.chain);
    slots[1] = waiting(f.threads[3], blocker, f.chain);
    wish(&f, slots, n);
    g_assert_cmpuint(f.n, >, 2);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[1].n);
    g_assert_cmpuint(f.wishes[f.n - 1].owner.n, ==, 0); /* any virtual thread */
    for (size_t i = 0; i < f.n; i++) {
        g_assert_cmpuint(f.wishes[i].weight, ==, 2);
        g_assert_cmpuint(f.wishes[i].group, !=, 0);
        g_assert_cmpint(f.wishes[i].group == f.wishes[0].group, ==, i == 0);
    }
    pm_slot_release(carriers[0]);
    pm_slot_release(carriers[1]);
    tear_down(&f);
}

/* It ends waits for references all the time, and a look at it tells nothing. */
static void test_the_reference_handler_is_not_offered(void)
{
    struct fixture f;
    set_up(&f);
    pm_thread_id handler = add_thread("Reference Handler");
    struct pm_wait wait =
        ended(f.threads[0], add_blocker("java.lang.ref.ReferenceQueue$Lock", 0), f.chain, handler);
    pm_enders_note(f.enders, &wait, 1);
    struct pm_follow slot = waiting(f.threads[0], wait.blocker, f.chain);
    wish(&f, &slot, 1);
    g_assert_cmpuint(f.n, ==, 0);
    pm_thread_end(handler, NOW_NS);
    tear_down(&f);
}

static void test_who_waits_is_not_offered(void)
{
    struct fixture f;
    set_up(&f);
    struct pm_wait wait = ended(f.threads[0], add_blocker("shop.Order", 0), f.chain, f.threads[1]);
    pm_enders_note(f.enders, &wait, 1);
    struct pm_slot *slot = park(f.threads[1]);
    struct pm_follow slots[] = {waiting(f.threads[0], add_blocker("shop.Order", 0), f.chain)};
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 0);
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 1);
    tear_down(&f);
}

static void test_young_or_owned_waits_are_left_out(void)
{
    struct fixture f;
    set_up(&f);
    struct pm_follow slots[] = {waiting(f.threads[0], add_blocker("shop.Order", 0), f.chain),
                                waiting(f.threads[1], add_blocker("shop.Order", 0), f.chain),
                                waiting(f.threads[2], add_blocker("shop.Order", 0), f.chain)};
    slots[0].wait.begin_ns = NOW_NS - PM_SAMPLER_AGE_NS + 1;
    slots[1].wait.owner = slots[1].owner = f.threads[3];
    slots[2].wait.kind = PM_KIND_ENTER;
    wish(&f, slots, 3);
    g_assert_cmpuint(f.n, ==, 0);
    tear_down(&f);
}

/* One was woken, and woke the next at once: whoever woke the first ends them all. */
static void test_a_wake_passed_on_is_of_its_origin(void)
{
    struct fixture f;
    set_up(&f);
    pm_blocker_id blocker = add_blocker("shop.Latch", 0);
    struct pm_wait first = ended(f.threads[0], blocker, f.chain, f.threads[1]);
    struct pm_wait next = ended(f.threads[2], blocker, f.chain, f.threads[0]);
    next.wake_cause = PM_WAKE_PROPAGATION;
    pm_enders_note(f.enders, &first, 1);
    pm_enders_note(f.enders, &next, 1);
    struct pm_follow slots[] = {waiting(f.threads[3], blocker, f.chain)};
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 1);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[1].n);
    tear_down(&f);
}

/* Nobody ever ended such a wait: everybody who does something is a candidate, but none of us and
 * of the JVM's own. */
static void test_without_history_all_threads_alternate(void)
{
    struct fixture f;
    set_up(&f);
    pm_thread_id ours = add_thread("parkmeter-sweep");
    pm_thread_id jvms = add_thread("Reference Handler");
    struct pm_slot *slot = park(f.threads[0]);
    struct pm_follow slots[] = {waiting(f.threads[0], add_blocker("shop.Gate", 0), f.chain),
                                waiting(f.threads[0], add_blocker("?", PM_BLOCKER_NULL), f.chain)};
    wish(&f, slots, 2);
    g_assert_cmpuint(f.n, ==, 6);
    for (size_t i = 0; i < f.n; i++) {
        g_assert_cmpuint(f.wishes[i].owner.n, ==, f.threads[1 + i / 2].n);
        g_assert_cmpint(f.wishes[i].queue, ==, i % 2 ? PM_SAMPLE_QUEUE_LOW : PM_SAMPLE_QUEUE_ENDER);
    }
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    pm_thread_end(ours, NOW_NS);
    pm_thread_end(jvms, NOW_NS);
    tear_down(&f);
}

/* A thread of a pool that waits for a task: who gave tasks before is looked at, if there is time.
 * The JVM's cleaner was never woken: it is left alone. */
static pm_chain_id add_idle_chain(void)
{
    struct pm_frame frame = {pm_method_add(pm_class_add("java.util.concurrent.ThreadPoolExecutor"),
                                           "getTask", "ThreadPoolExecutor.java"),
                             7};
    return pm_chain_add(&(struct pm_chain){.frames = &frame, .n_frames = 1});
}

static void test_who_rests_comes_last(void)
{
    struct fixture f;
    set_up(&f);
    pm_chain_id rests = add_idle_chain();
    pm_blocker_id queue = add_blocker("shop.Queue", 0);
    struct pm_follow slots[] = {waiting(f.threads[0], queue, rests)};
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 0);
    struct pm_wait wait = ended(f.threads[0], queue, rests, f.threads[1]);
    pm_enders_note(f.enders, &wait, 1);
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 1);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[1].n);
    g_assert_cmpint(f.wishes[0].queue, ==, PM_SAMPLE_QUEUE_LOW);
    tear_down(&f);
}

/* All pools rest in one method: who gives one of them work is not forgotten because of the many who
 * give work to another one. */
static void test_each_pool_has_its_own(void)
{
    enum { N_BUSY = 20 };
    struct fixture f;
    pm_thread_id busy[N_BUSY];
    set_up(&f);
    pm_chain_id rests = add_idle_chain();
    pm_blocker_id quiet_queue = add_blocker("shop.Queue", 0);
    pm_blocker_id busy_queue = add_blocker("shop.Queue", 0);
    struct pm_wait wait = ended(f.threads[0], quiet_queue, rests, f.threads[1]);
    pm_enders_note(f.enders, &wait, 1);
    for (int i = 0; i < N_BUSY; i++) {
        busy[i] = add_thread("busy");
        wait = ended(f.threads[2], busy_queue, rests, busy[i]);
        pm_enders_note(f.enders, &wait, 1);
    }
    struct pm_follow slots[] = {waiting(f.threads[0], quiet_queue, rests)};
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 1);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[1].n);
    for (int i = 0; i < N_BUSY; i++)
        pm_thread_end(busy[i], NOW_NS);
    tear_down(&f);
}

/* Nor do very many pools at rest keep those from being sought that somebody waits for. */
static void test_pools_leave_room(void)
{
    enum { N_POOLS = 200 };
    struct fixture f;
    set_up(&f);
    pm_chain_id rests = add_idle_chain();
    pm_blocker_id order = add_blocker("shop.Order", 0);
    g_autofree struct pm_follow *slots = g_new(struct pm_follow, N_POOLS + 1);
    for (int i = 0; i < N_POOLS; i++)
        slots[i] = waiting(f.threads[0], add_blocker("shop.Queue", 0), rests);
    slots[N_POOLS] = waiting(f.threads[3], order, f.chain);
    struct pm_wait wait = ended(f.threads[3], order, f.chain, f.threads[1]);
    pm_enders_note(f.enders, &wait, 1);
    wish(&f, slots, N_POOLS + 1);
    g_assert_cmpuint(f.n, ==, 1);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[1].n);
    tear_down(&f);
}

/* The oldest operations make room; none is ever lost while it is used. */
static void test_many_operations_are_bounded(void)
{
    struct fixture f;
    char name[32];
    set_up(&f);
    pm_blocker_id kept = add_blocker("shop.Kept", 0);
    for (int i = 0; i < 20000; i++) {
        g_snprintf(name, sizeof name, "shop.Order%d", i);
        struct pm_wait wait = ended(f.threads[0], add_blocker(name, 0), f.chain, f.threads[1]);
        pm_enders_note(f.enders, &wait, 1);
        if (i % 100 == 0) {
            wait = ended(f.threads[0], kept, f.chain, f.threads[2]);
            pm_enders_note(f.enders, &wait, 1);
        }
    }
    struct pm_follow slots[] = {waiting(f.threads[3], kept, f.chain)};
    wish(&f, slots, 1);
    g_assert_cmpuint(f.n, ==, 1);
    g_assert_cmpuint(f.wishes[0].owner.n, ==, f.threads[2].n);
    tear_down(&f);
}

/* How the samples of a second and a half are shared. */
static void count_samples(const struct pm_sample_wish *wishes, size_t n, guint ret_counts[3])
{
    struct pm_owner_sample samples[128];
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    pm_sampler_offer(wishes, n);
    g_usleep(1500000);
    pm_sampler_stop();
    n = pm_sampler_take(samples, G_N_ELEMENTS(samples));
    g_assert_cmpuint(n, >=, 12);
    g_assert_cmpuint(n, <=, 80);
    memset(ret_counts, 0, 3 * sizeof *ret_counts);
    for (size_t i = 0; i < n; i++)
        ret_counts[samples[i].blocker.n]++;
}

static gint n_attaches;

/* As of a JVM whose heap is full just then. */
static int attach_at_the_second_time(const char *name)
{
    return g_atomic_int_add(&n_attaches, 1) == 0 ? -1 : 0;
}

static void detach(void)
{
}

static void test_who_could_not_attach_tries_again(void)
{
    struct fixture f;
    struct pm_owner_sample sample;
    size_t n = 0;
    set_up(&f);
    const struct pm_sample_wish wish = {.owner = f.threads[0], .group = 1, .weight = 1};
    pm_sampler_set_hooks(attach_at_the_second_time, detach);
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    for (int tries = 0; n == 0; tries++) {
        g_assert_cmpint(tries, <, 600);
        g_assert_cmpint(pm_sampler_run(&wish, 1, INT64_C(120000000000)), ==, 0);
        n = pm_sampler_take(&sample, 1);
        g_usleep(20000);
    }
    pm_sampler_stop();
    g_assert_cmpint(n_attaches, ==, 2);
    pm_sampler_set_hooks(NULL, NULL);
    tear_down(&f);
}

static void test_owners_and_enders_share_the_samples(void)
{
    struct fixture f;
    guint counts[3];
    set_up(&f);
    /* Blockers 0 to 2: an owner's, an ender's, a park without one. */
    struct pm_sample_wish wishes[] = {
        {.owner = f.threads[0], .group = 1, .weight = 1},
        {.owner = f.threads[1],
         .group = 2,
         .role = PM_SAMPLE_ENDER,
         .queue = PM_SAMPLE_QUEUE_ENDER,
         .blocker = {1},
         .weight = 1},
        {.owner = f.threads[2],
         .group = 3,
         .role = PM_SAMPLE_ENDER,
         .queue = PM_SAMPLE_QUEUE_LOW,
         .blocker = {2},
         .weight = 1},
    };
    count_samples(wishes, 3, counts);
    g_assert_cmpuint(counts[0], >=, 5);
    g_assert_cmpuint(ABS((int)counts[0] - (int)(counts[1] + counts[2])), <=, 2);
    g_assert_cmpuint(ABS((int)counts[1] - (int)counts[2]), <=, 2);
    wishes[0] = wishes[1];
    count_samples(wishes, 3, counts);
    g_assert_cmpuint(counts[2], >=, 2);
    g_assert_cmpuint(2 * counts[2], <=, counts[1] + 4);
    count_samples(&wishes[2], 1, counts); /* nobody waits for what is done in particular */
    g_assert_cmpuint(counts[2], <=, 32);
    tear_down(&f);
}

/* An owner that waits itself is looked at when nobody else is to be, and so is who is waited for to
 * end: their waits tell what they do. */
static void test_owners_that_wait_come_later(void)
{
    struct fixture f;
    set_up(&f);
    struct pm_follow slots[] = {waiting(f.threads[0], add_blocker("shop.Lock", 0), f.chain),
                                waiting(f.threads[1], add_blocker("shop.Thread", 0), f.chain)};
    struct pm_follower follower = {.slots = slots, .n = 2, .now_ns = NOW_NS};
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    slots[0].owner = slots[1].owner = f.threads[2];
    slots[1].wait.kind = PM_KIND_WAIT;
    for (int parked = 0; parked < 2; parked++) {
        struct pm_slot *slot = parked ? park(f.threads[2]) : NULL;
        g_assert_cmpuint(pm_owner_wishes(&follower, false, wishes), ==, 2);
        g_assert_cmpint(wishes[0].queue, ==, parked ? PM_SAMPLE_QUEUE_LOW : PM_SAMPLE_QUEUE_OWNER);
        g_assert_cmpint(wishes[1].queue, ==, PM_SAMPLE_QUEUE_LOW);
        if (slot)
            pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    }
    tear_down(&f);
}

/* It may have been handed over as the wait began: who ends it is the owner that it has by now. */
static void test_a_lock_with_an_owner_by_now(void)
{
    struct fixture f;
    struct pm_owner_sample samples[2];
    set_up(&f);
    const struct pm_sample_wish wish = {.owner = f.threads[0],
                                        .kind = PM_KIND_PARK,
                                        .role = PM_SAMPLE_ENDER,
                                        .queue = PM_SAMPLE_QUEUE_ENDER,
                                        .blocker = {1},
                                        .weight = 1};
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    for (guint i = 0; i < 2; i++) {
        owner_now = i == 0 ? (pm_thread_id){0} : f.threads[1];
        g_assert_cmpint(pm_sampler_run(&wish, 1, INT64_C(120000000000)), ==, 0);
        g_assert_cmpuint(pm_sampler_take(samples, G_N_ELEMENTS(samples)), ==, 1);
        g_assert_cmpuint(samples[0].owner.n, ==, f.threads[i].n);
        g_assert_cmpint(samples[0].role, ==, i == 0 ? PM_SAMPLE_ENDER : PM_SAMPLE_OWNER);
    }
    owner_now.n = 0;
    pm_sampler_stop();
    tear_down(&f);
}

/* Who waited for one lock as the owner was to be looked at may wait for another one by now. */
static void test_an_owner_of_what_is_waited_for_now(void)
{
    struct fixture f;
    struct pm_owner_sample samples[2];
    set_up(&f);
    const struct pm_sample_wish wish = {.owner = f.threads[0],
                                        .waiter = f.threads[2],
                                        .kind = PM_KIND_PARK,
                                        .role = PM_SAMPLE_OWNER,
                                        .queue = PM_SAMPLE_QUEUE_OWNER,
                                        .blocker = {1},
                                        .weight = 1};
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    wait_now = (struct pm_raw_wait){.blocker = {2}, .owner = f.threads[1]};
    owner_now = f.threads[1];
    g_assert_cmpint(pm_sampler_run(&wish, 1, INT64_C(120000000000)), ==, 0);
    g_assert_cmpuint(pm_sampler_take(samples, G_N_ELEMENTS(samples)), ==, 1);
    g_assert_cmpuint(samples[0].blocker.n, ==, 2);
    g_assert_cmpuint(samples[0].owner.n, ==, f.threads[1].n);
    wait_now.blocker.n = owner_now.n = 0;
    pm_sampler_stop();
    tear_down(&f);
}

static struct pm_sample_wish ender_wish(pm_thread_id thread)
{
    return (struct pm_sample_wish){.owner = thread,
                                   .role = PM_SAMPLE_ENDER,
                                   .queue = PM_SAMPLE_QUEUE_ENDER,
                                   .group = thread.n,
                                   .weight = 1};
}

/* What is waited for again and again, briefly, is offered for two seconds more, once. */
static void test_recent_wishes_stay_for_a_while(void)
{
    struct fixture f;
    struct pm_recent_wishes recent = {0};
    struct pm_sample_wish wishes[PM_SAMPLER_MAX];
    set_up(&f);
    const struct pm_sample_wish ender = {.owner = f.threads[0],
                                         .waiter = f.threads[1],
                                         .group = 7,
                                         .role = PM_SAMPLE_ENDER,
                                         .queue = PM_SAMPLE_QUEUE_ENDER,
                                         .weight = 3};
    const struct pm_sample_wish owner = {
        .owner = f.threads[2], .waiter = f.threads[1], .group = 8, .weight = 1};
    wishes[0] = ender;
    wishes[1] = owner;
    wishes[2] = ender; /* a pool at rest */
    wishes[2].queue = PM_SAMPLE_QUEUE_LOW;
    wishes[2].group = 9;
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS, wishes, 3), ==, 3);
    g_assert_false(wishes[0].again);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 100 * MS_NS, wishes, 0), ==, 2);
    for (guint i = 0; i < 2; i++) {
        g_assert_true(wishes[i].again);
        g_assert_cmpuint(wishes[i].weight, ==, 1);
        g_assert_cmpuint(wishes[i].group, ==, 7 + i);
    }
    /* Another thread waits there at this tick, and that one for another lock. */
    wishes[0] = ender;
    wishes[0].waiter = f.threads[3];
    wishes[1] = owner;
    wishes[1].group = 10;
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 200 * MS_NS, wishes, 2), ==, 2);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 1900 * MS_NS, wishes, 0), ==, 3);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 2150 * MS_NS, wishes, 0), ==, 2);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 2300 * MS_NS, wishes, 0), ==, 0);
    /* Of many some stay. */
    for (guint i = 0; i < 100; i++) {
        wishes[i] = owner;
        wishes[i].group = 100 + i;
    }
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 3000 * MS_NS, wishes, 100), ==, 100);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 3100 * MS_NS, wishes, 0), ==,
                     PM_SAMPLER_MAX_RECENT / 2); /* of owners */
    /* It is not known what a group of all operations waits for. */
    wishes[0] = ender;
    wishes[0].group = 2;
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 9000 * MS_NS, wishes, 1), ==, 1);
    g_assert_cmpuint(pm_recent_wishes_add(&recent, NOW_NS + 9100 * MS_NS, wishes, 0), ==, 0);
    tear_down(&f);
}

/* It counts while its waiter waits there again, whatever object it is this time, and takes no look
 * from others while it does not. */
static void test_recent_wishes_count_while_somebody_waits(void)
{
    struct fixture f;
    struct pm_owner_sample samples[128];
    set_up(&f);
    const pm_blocker_id first = add_blocker("shop.Order", 0), next = add_blocker("shop.Order", 0),
                        other = add_blocker("shop.Other", 0);
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_RECENT + 1];
    for (guint i = 0; i < PM_SAMPLER_MAX_RECENT; i++)
        wishes[i] = (struct pm_sample_wish){.owner = f.threads[0],
                                            .waiter = f.threads[2],
                                            .blocker = first,
                                            .group = pm_operation_of(f.chain, first, NULL) + i,
                                            .role = PM_SAMPLE_ENDER,
                                            .queue = PM_SAMPLE_QUEUE_ENDER,
                                            .weight = 1,
                                            .again = true};
    wishes[PM_SAMPLER_MAX_RECENT] = ender_wish(f.threads[1]);
    for (guint waits = 0; waits < 3; waits++) {
        const int64_t since_ns = pm_clock_now() - (waits == 1 ? 0 : 100 * MS_NS);
        wait_now = (struct pm_raw_wait){.blocker = waits == 2   ? other
                                                   : waits == 1 ? next
                                                                : (pm_blocker_id){0},
                                        .chain = f.chain,
                                        .begin_ns = since_ns};
        guint n_again = 0, n_others = 0;
        g_assert_cmpint(pm_sampler_start(), ==, 0);
        pm_sampler_offer(wishes, G_N_ELEMENTS(wishes));
        g_usleep(1000000);
        pm_sampler_stop();
        const size_t n = pm_sampler_take(samples, G_N_ELEMENTS(samples));
        for (size_t i = 0; i < n; i++) {
            n_again += samples[i].owner.n == f.threads[0].n;
            n_others += samples[i].owner.n == f.threads[1].n;
            if (samples[i].owner.n == f.threads[0].n)
                g_assert_cmpuint(samples[i].blocker.n, ==, next.n);
        }
        g_assert_cmpuint(n, >=, 5);
        g_assert_cmpint(n_again > 0, ==, waits == 1);
        g_assert_cmpuint(n_others, >, 0);
    }
    wait_now.blocker.n = 0;
    tear_down(&f);
}

/* How many samples of a thread there are in a second and a half. */
static guint count_of(pm_thread_id thread, const struct pm_sample_wish *wishes, size_t n)
{
    struct pm_owner_sample samples[128];
    guint n_of = 0;
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    pm_sampler_offer(wishes, n);
    g_usleep(1500000);
    pm_sampler_stop();
    n = pm_sampler_take(samples, G_N_ELEMENTS(samples));
    for (size_t i = 0; i < n; i++)
        n_of += samples[i].owner.n == thread.n;
    return n_of;
}

/* A lock that nobody waits for again, though somebody did a moment ago, takes no looks from who
 * ends other waits, nor they from it. */
static void test_what_is_over_takes_no_look_of_another_kind(void)
{
    struct fixture f;
    set_up(&f);
    for (guint is_owner = 0; is_owner < 2; is_owner++) {
        struct pm_sample_wish wishes[] = {ender_wish(f.threads[0]), ender_wish(f.threads[1])};
        wishes[is_owner].role = PM_SAMPLE_OWNER;
        wishes[is_owner].queue = PM_SAMPLE_QUEUE_OWNER;
        wishes[0].kind = wishes[1].kind = PM_KIND_WAIT;
        wishes[1].waiter = f.threads[2];
        wishes[1].again = true;
        n_looked_for = 0;
        const guint n = count_of(f.threads[0], wishes, 2);
        g_assert_cmpuint(n, >=, 3);
        g_assert_cmpuint(n_looked_for, >, 0);
        g_assert_cmpuint(n_looked_for, <=, n + 1); /* once for each sample of the other */
    }
    tear_down(&f);
}

/* No thread is stopped for more than a thousandth of the time, and samples go on. */
static void test_samples_are_paid_for(void)
{
    struct fixture f;
    set_up(&f);
    const struct pm_sample_wish wish = ender_wish(f.threads[0]);
    stopped_ns = 150000;
    const guint n = count_of(f.threads[0], &wish, 1);
    stopped_ns = 0;
    g_assert_cmpuint(n, <=, 11);
    g_assert_cmpuint(n, >=, 4);
    tear_down(&f);
}

/* Operations take turns whatever the order and however many enders each has; one for which more
 * wait has more of them. */
static void test_no_operation_starves(void)
{
    struct fixture f;
    guint counts[3];
    set_up(&f);
    struct pm_sample_wish wishes[4];
    for (guint i = 0; i < 4; i++) {
        wishes[i] = (struct pm_sample_wish){.owner = f.threads[i],
                                            .group = i < 3 ? 1 : 2,
                                            .role = PM_SAMPLE_ENDER,
                                            .queue = PM_SAMPLE_QUEUE_ENDER,
                                            .blocker = {i < 3 ? 1 : 2},
                                            .weight = 1};
    }
    count_samples(wishes, 4, counts);
    g_assert_cmpuint(ABS((int)counts[1] - (int)counts[2]), <=, 1);
    for (guint i = 0; i < 3; i++)
        wishes[i].weight = 4;
    count_samples(wishes, 4, counts);
    g_assert_cmpuint(counts[1], >, 2 * counts[2]);
    g_assert_cmpuint(counts[2], >=, 2);
    tear_down(&f);
}

static pm_thread_id first_taken(void)
{
    struct pm_owner_sample samples[128];
    size_t n = 0;
    for (guint i = 0; i < 1000 && n == 0; i++) {
        g_usleep(5000);
        n = pm_sampler_take(samples, G_N_ELEMENTS(samples));
    }
    return n ? samples[0].owner : (pm_thread_id){0};
}

/* A search of thousands of threads pauses: others are sampled meanwhile, who asks is answered, and
 * the end waits for none of it. */
static void test_a_search_holds_up_nothing(void)
{
    struct fixture f;
    set_up(&f);
    struct pm_sample_wish wishes[3];
    struct pm_owner_sample samples[128];
    for (guint i = 0; i < 3; i++)
        wishes[i] = ender_wish(f.threads[i]);
    for (guint is_asked = 0; is_asked < 2; is_asked++) {
        sought = f.threads[0].n;
        g_atomic_int_set(&pauses_left, 600);
        g_assert_cmpint(pm_sampler_start(), ==, 0);
        pm_sampler_offer(wishes, 2);
        if (is_asked) {
            g_usleep(100000);
            g_assert_cmpint(pm_sampler_run(&wishes[2], 1, INT64_C(20000000000)), ==, 0);
        }
        g_assert_cmpuint(first_taken().n, !=, 0);
        g_assert_cmpint(g_atomic_int_get(&pauses_left), >, 0);
        gint64 since = g_get_monotonic_time();
        pm_sampler_stop();
        g_assert_cmpint(g_get_monotonic_time() - since, <, 10 * G_USEC_PER_SEC);
        g_assert_cmpint(g_atomic_int_get(&pauses_left), >, 0); /* given up */
        g_atomic_int_set(&pauses_left, 0);
        while (pm_sampler_take(samples, G_N_ELEMENTS(samples)) > 0) {
        }
    }
    sought = 0;
    tear_down(&f);
}

/* What nobody uses any more can be freed meanwhile, and samples are in order of time: that which
 * the search is for is of the time after it. */
static void test_a_search_keeps_nothing(void)
{
    struct fixture f;
    set_up(&f);
    const struct pm_sample_wish wish = ender_wish(f.threads[0]);
    struct pm_owner_sample sample;
    sought = f.threads[0].n;
    g_atomic_int_set(&pauses_left, 600);
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    pm_sampler_offer(&wish, 1);
    while (g_atomic_int_get(&pauses_left) == 600)
        g_usleep(1000);
    const uint32_t readers = pm_epoch_note_readers();
    while (pm_epoch_has_readers(readers) && g_atomic_int_get(&pauses_left) > 0)
        g_usleep(1000);
    g_assert_cmpint(g_atomic_int_get(&pauses_left), >, 0);
    g_atomic_int_set(&pauses_left, 0);
    const int64_t over_ns = pm_clock_now() + 500 * MS_NS;
    for (int64_t before_ns = 0; before_ns < over_ns;) {
        if (pm_sampler_take(&sample, 1) > 0) {
            g_assert_cmpint(sample.at_ns, >=, before_ns);
            before_ns = sample.at_ns;
        } else {
            g_usleep(1000);
        }
    }
    pm_sampler_stop();
    tear_down(&f);
}

/* Whoever waits for the samples waits for a part of the pauses. */
static void test_who_asks_waits_for_short_pauses(void)
{
    struct fixture f;
    set_up(&f);
    const struct pm_sample_wish asked = ender_wish(f.threads[0]);
    sought = f.threads[0].n;
    g_atomic_int_set(&pauses_left, 100); /* ten seconds of them */
    g_assert_cmpint(pm_sampler_start(), ==, 0);
    g_assert_cmpint(pm_sampler_run(&asked, 1, INT64_C(6000000000)), ==, 0);
    g_assert_cmpint(g_atomic_int_get(&pauses_left), ==, 0);
    g_assert_cmpuint(first_taken().n, ==, f.threads[0].n);
    pm_sampler_stop();
    tear_down(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_assert_cmpint(pm_slot_pool_init(&(struct pm_slot_limits){0}), ==, 0);
    g_test_add_func("/agent/ender/enders-of-the-operation-are-offered",
                    test_enders_of_the_operation_are_offered);
    g_test_add_func("/agent/ender/the-reference-handler-is-not-offered",
                    test_the_reference_handler_is_not_offered);
    g_test_add_func("/agent/ender/carriers-are-offered-for-virtual-enders",
                    test_carriers_are_offered_for_virtual_enders);
    g_test_add_func("/agent/ender/virtual-enders-are-offered-beside-others",
                    test_virtual_enders_are_offered_beside_others);
    g_test_add_func("/agent/ender/who-waits-is-not-offered", test_who_waits_is_not_offered);
    g_test_add_func("/agent/ender/young-or-owned-waits-are-left-out",
                    test_young_or_owned_waits_are_left_out);
    g_test_add_func("/agent/ender/a-wake-passed-on-is-of-its-origin",
                    test_a_wake_passed_on_is_of_its_origin);
    g_test_add_func("/agent/ender/without-history-all-threads-alternate",
                    test_without_history_all_threads_alternate);
    g_test_add_func("/agent/ender/who-rests-comes-last", test_who_rests_comes_last);
    g_test_add_func("/agent/ender/each-pool-has-its-own", test_each_pool_has_its_own);
    g_test_add_func("/agent/ender/pools-leave-room", test_pools_leave_room);
    g_test_add_func("/agent/ender/many-operations-are-bounded", test_many_operations_are_bounded);
    g_test_add_func("/agent/sampler/who-could-not-attach-tries-again",
                    test_who_could_not_attach_tries_again);
    g_test_add_func("/agent/sampler/owners-and-enders-share-the-samples",
                    test_owners_and_enders_share_the_samples);
    g_test_add_func("/agent/sampler/owners-that-wait-come-later", test_owners_that_wait_come_later);
    g_test_add_func("/agent/sampler/a-lock-with-an-owner-by-now", test_a_lock_with_an_owner_by_now);
    g_test_add_func("/agent/sampler/an-owner-of-what-is-waited-for-now",
                    test_an_owner_of_what_is_waited_for_now);
    g_test_add_func("/agent/sampler/recent-wishes-stay-for-a-while",
                    test_recent_wishes_stay_for_a_while);
    g_test_add_func("/agent/sampler/recent-wishes-count-while-somebody-waits",
                    test_recent_wishes_count_while_somebody_waits);
    g_test_add_func("/agent/sampler/what-is-over-takes-no-look-of-another-kind",
                    test_what_is_over_takes_no_look_of_another_kind);
    g_test_add_func("/agent/sampler/samples-are-paid-for", test_samples_are_paid_for);
    g_test_add_func("/agent/sampler/a-search-holds-up-nothing", test_a_search_holds_up_nothing);
    g_test_add_func("/agent/sampler/a-search-keeps-nothing", test_a_search_keeps_nothing);
    g_test_add_func("/agent/sampler/who-asks-waits-for-short-pauses",
                    test_who_asks_waits_for_short_pauses);
    g_test_add_func("/agent/sampler/no-operation-starves", test_no_operation_starves);
    return g_test_run();
}

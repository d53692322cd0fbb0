/* recorder/agent/tables/reclaim.h: what nobody uses goes, what anybody holds stays. */
#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/reclaim.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/slot.h"

static pm_chain_id noted; /* by a hook, as notifiers do */
static uint64_t n_drained;

static void use_noted(void)
{
    pm_chain_use(noted);
}

/* A chain of three methods of a class that only `number` has. */
static pm_chain_id guest(uint32_t number)
{
    char name[32];
    g_snprintf(name, sizeof name, "Guest%05u", number);
    struct pm_frame frames[3];
    pm_class_id class = pm_class_add(name);
    for (int i = 0; i < 3; i++) {
        g_snprintf(name, sizeof name, "m%u-%d", number, i);
        frames[i] = (struct pm_frame){pm_method_add(class, name, "Guest.java"), (int)number};
    }
    pm_chain_id id = pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 3});
    g_assert_cmpuint(id.n, !=, 0);
    return id;
}

static bool is_guest(pm_chain_id id, uint32_t number)
{
    struct pm_chain chain;
    struct pm_method method;
    struct pm_class class;
    char name[32];
    if (!pm_chain_get(id, &chain) || chain.n_frames != 3)
        return false;
    for (int i = 0; i < 3; i++) {
        g_snprintf(name, sizeof name, "m%u-%d", number, i);
        if (!pm_method_get(chain.frames[i].method, &method) || method.name.length != strlen(name) ||
            memcmp(method.name.bytes, name, method.name.length) != 0 ||
            !pm_class_get(method.class_id, &class))
            return false;
        g_snprintf(name, sizeof name, "Guest%05u", number);
        if (class.name.length != strlen(name) ||
            memcmp(class.name.bytes, name, class.name.length) != 0)
            return false;
    }
    return true;
}

#define PASS 64 /* as many steps as it ever takes, and some */

static void steps(int n)
{
    for (int i = 0; i < n; i++)
        pm_reclaim_step(++n_drained, 0);
}

static void unload(void)
{
    pm_reclaim_note_unload();
    steps(PASS);
}

static void test_unused_go(void)
{
    uint32_t n_chains = pm_chain_count(), n_methods = pm_method_count();
    pm_chain_id id = guest(1);
    g_assert_true(is_guest(id, 1));
    unload();
    g_assert_false(is_guest(id, 1));
    g_assert_cmpuint(pm_chain_count(), <=, n_chains);
    g_assert_cmpuint(pm_method_count(), <=, n_methods);
    /* It comes again, and is another. */
    pm_chain_id again = guest(1);
    g_assert_cmpuint(again.n, >, id.n);
    g_assert_true(is_guest(again, 1));
    g_assert_false(pm_chain_use(id));
}

static void test_nothing_goes_while_no_class_does(void)
{
    pm_chain_id id = guest(2);
    steps(PASS);
    g_assert_true(is_guest(id, 2));
}

static void test_keys_of_what_went_find_nothing(void)
{
    pm_chain_id id = guest(3);
    pm_chain_keep_key(0x333, id);
    g_assert_cmpuint(pm_chain_find_key(0x333).n, ==, id.n);
    unload();
    g_assert_cmpuint(pm_chain_find_key(0x333).n, ==, 0);
    id = guest(3);
    pm_chain_keep_key(0x333, id);
    /* Being found is being used. */
    pm_reclaim_note_unload();
    steps(1);
    g_assert_cmpuint(pm_chain_find_key(0x333).n, ==, id.n);
    steps(PASS);
    g_assert_true(is_guest(id, 3));
}

static pm_chain_id woken_by;

static pm_chain_id get_woken_by(void *context, uint8_t *ret_cause)
{
    return woken_by;
}

static void test_what_is_written_down_stays(void)
{
    struct pm_slot *parked = pm_slot_claim((pm_thread_id){1}, 101);
    struct pm_slot *woken = pm_slot_claim((pm_thread_id){2}, 102);
    struct pm_raw_wait wait = {.blocker = {1}, .chain = guest(10)};
    pm_slot_enter(parked);
    pm_slot_begin(parked, &wait);
    wait.kind = PM_KIND_WAIT; /* leaves the record for the next park */
    wait.chain.n = 0;
    pm_slot_enter(woken);
    pm_slot_begin(woken, &wait);
    woken_by = guest(11);
    pm_slot_wake(woken, 102, (pm_thread_id){1}, get_woken_by, NULL);
    pm_chain_id first = guest(12);
    pm_class_id class = pm_class_add("Blocker12");
    pm_blocker_id blocker =
        pm_blocker_add(&(struct pm_blocker){.class_id = class, .first_chain = first});
    noted = guest(13);
    pm_chain_id collected = guest(14);

    unload();
    g_assert_false(is_guest(collected, 14));
    struct pm_slot_view view;
    g_assert_true(pm_slot_look(parked, &view));
    g_assert_true(is_guest(view.wait.chain, 10));
    g_assert_true(is_guest(woken_by, 11));
    g_assert_true(is_guest(first, 12));
    g_assert_true(is_guest(noted, 13));
    struct pm_class got;
    g_assert_true(pm_class_get(class, &got));
    g_assert_cmpmem(got.name.bytes, got.name.length, "Blocker12", 9);

    pm_slot_end(parked, PM_WAKE_UNKNOWN, 0);
    pm_slot_end(woken, PM_WAKE_UNKNOWN, 0);
    pm_slot_enter(woken);
    pm_slot_begin(woken, &(struct pm_raw_wait){.blocker = {1}});
    pm_slot_end(woken, PM_WAKE_UNKNOWN, 0); /* takes the record */
    pm_blocker_leave(blocker, PM_BLOCKER_COLLECTED);
    g_assert_cmpuint(pm_blocker_take_collected(&blocker, 1), ==, 1);
    pm_blocker_forget(blocker);
    struct pm_raw_wait waits[4];
    g_assert_cmpuint(pm_slot_drain(woken, waits, 4), ==, 2);
    g_assert_cmpuint(waits[1].waker_chain.n, ==, woken_by.n);
    g_assert_cmpuint(pm_slot_drain(parked, waits, 4), ==, 1);
    noted.n = 0;
    unload();
    g_assert_false(is_guest(first, 12));
    g_assert_false(is_guest(woken_by, 11));
    g_assert_false(pm_class_get(class, &got));
    pm_slot_release(parked);
    pm_slot_release(woken);
    pm_slot_pool_tidy();
}

static void test_who_reads_is_waited_for(void)
{
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 201);
    pm_slot_enter(slot);
    pm_chain_id id = guest(20);
    unload();
    steps(PASS);
    g_assert_true(is_guest(id, 20));
    pm_slot_begin(slot, &(struct pm_raw_wait){.blocker = {1}, .chain = id});
    steps(PASS);
    g_assert_true(is_guest(id, 20));
    /* Ended, it lies in the buffer until that is drained. */
    pm_reclaim_note_unload();
    steps(1);
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    for (int i = 0; i < 20; i++)
        pm_reclaim_step(n_drained, 0);
    g_assert_true(is_guest(id, 20));
    steps(PASS);
    g_assert_false(is_guest(id, 20));
    pm_slot_release(slot);
    struct pm_raw_wait waits[4];
    pm_slot_drain(slot, waits, 4);
    pm_slot_pool_tidy();
}

static pm_chain_id wake_within(void *context, uint8_t *ret_cause)
{
    woken_by = guest(30);
    unload();
    steps(PASS);
    g_assert_true(is_guest(woken_by, 30));
    return woken_by;
}

static void test_who_wakes_is_waited_for(void)
{
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 301);
    pm_slot_enter(slot);
    pm_slot_begin(slot, &(struct pm_raw_wait){.blocker = {1}});
    pm_slot_wake(slot, 301, (pm_thread_id){2}, wake_within, NULL);
    steps(PASS);
    g_assert_true(is_guest(woken_by, 30));
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    pm_slot_release(slot);
    struct pm_raw_wait waits[4];
    pm_slot_drain(slot, waits, 4);
    pm_slot_pool_tidy();
}

static void test_who_holds_is_waited_for(void)
{
    uint32_t hold = pm_epoch_enter();
    pm_chain_id id = guest(40);
    unload();
    steps(PASS);
    g_assert_true(is_guest(id, 40));
    pm_epoch_leave(hold);
    steps(PASS);
    g_assert_false(is_guest(id, 40));
}

/* At every instant someone holds. */
static void test_who_holds_later_is_not_waited_for(void)
{
    uint32_t hold = pm_epoch_enter();
    pm_chain_id id = guest(41);
    pm_reclaim_note_unload();
    for (int i = 0; i < PASS; i++) {
        uint32_t next = pm_epoch_enter();
        pm_epoch_leave(hold);
        hold = next;
        steps(1);
    }
    pm_epoch_leave(hold);
    g_assert_false(is_guest(id, 41));
}

/* A waiter that takes a note holds what nothing mentions any more when another note comes. */
static void test_taken_notes_are_waited_for(void)
{
    noted = guest(42);
    pm_chain_id taken = {0};
    uint32_t hold = 0;
    pm_reclaim_note_unload();
    steps(2);
    /* At every instant from when the new epoch's holders are told from the old one's. */
    hold = pm_epoch_enter();
    taken = noted;
    noted.n = 0;
    steps(PASS);
    g_assert_true(is_guest(taken, 42));
    pm_epoch_leave(hold);
    steps(PASS);
    g_assert_false(is_guest(taken, 42));
}

/* Those who want a table wait for a piece of it, not for all. */
static void test_few_are_freed_at_once(void)
{
    enum { N = 20000, MOST = 4096 };
    for (uint32_t i = 0; i < N; i++)
        guest(600000 + i);
    uint32_t chains = pm_chain_count(), methods = pm_method_count(), all = chains;
    pm_reclaim_note_unload();
    for (int i = 0; i < PASS; i++) {
        steps(1);
        g_assert_cmpuint(chains - pm_chain_count(), <=, MOST);
        g_assert_cmpuint(methods - pm_method_count(), <=, MOST);
        chains = pm_chain_count();
        methods = pm_method_count();
    }
    g_assert_cmpuint(chains + N, <=, all);
}

/* Who read the epoch's number before it began, and marks after those who came since. */
static void test_marks_never_go_back(void)
{
    uint32_t used = 0;
    pm_epoch_mark(&used, 5);
    pm_epoch_mark(&used, 4);
    g_assert_cmpuint(used, ==, 5);
    pm_epoch_mark(&used, 6);
    g_assert_cmpuint(used, ==, 6);
}

/* Guests for months: room is used again. */
static void test_memory_is_bounded(void)
{
    uint64_t before = 0;
    for (uint32_t round = 0; round < 300; round++) {
        for (uint32_t i = 0; i < 500; i++)
            guest(100000 + round * 500 + i);
        unload();
        if (round == 2)
            before = pm_chain_memory() + pm_names_memory();
    }
    g_assert_cmpuint(pm_chain_memory() + pm_names_memory(), <=, before + 65536);
}

static void test_pseudo_blockers_make_room(void)
{
    enum { N = 45000 };
    pm_blocker_id all[N], collected[1000], again;
    struct pm_blocker row;
    for (uint32_t i = 0; i < N; i++)
        all[i] = i % 2 ? pm_blocker_add_null(1000 + i, (pm_chain_id){0}, (pm_thread_id){1})
                       : pm_blocker_add_folded((pm_class_id){1000 + i}, (pm_chain_id){0},
                                               (pm_thread_id){1});
    g_assert_cmpuint(pm_blocker_count(), >=, N);
    pm_reclaim_note_unload();
    steps(1);
    again = pm_blocker_add_null(1001, (pm_chain_id){0}, (pm_thread_id){1});
    g_assert_cmpuint(again.n, ==, all[1].n);
    steps(PASS);
    /* Those not used meanwhile left, and are not found again. */
    size_t n = 0, taken;
    while ((taken = pm_blocker_take_collected(collected, 1000)) > 0) {
        for (size_t i = 0; i < taken; i++) {
            g_assert_cmpuint(collected[i].n, !=, all[1].n);
            g_assert_true(pm_blocker_get(collected[i], &row));
            g_assert_cmpuint(row.flags & PM_BLOCKER_EVICTED, !=, 0);
            pm_blocker_forget(collected[i]);
        }
        n += taken;
    }
    g_assert_cmpuint(n, >=, N - 1);
    again = pm_blocker_add_null(1001, (pm_chain_id){0}, (pm_thread_id){1});
    g_assert_cmpuint(again.n, ==, all[1].n);
    again = pm_blocker_add_null(1003, (pm_chain_id){0}, (pm_thread_id){1});
    g_assert_cmpuint(again.n, >, all[N - 1].n);
    g_assert_true(pm_blocker_get(pm_blocker_last_resort(), &row));
    /* With room, they stay. */
    unload();
    g_assert_cmpuint(pm_blocker_take_collected(collected, 1000), ==, 0);
    g_assert_true(pm_blocker_get(again, &row));
}

/* Who found a pseudo-blocker before it was closed may still wait for it. */
static void test_found_pseudo_blockers_stay_until_written_down(void)
{
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){1}, 501);
    struct pm_raw_wait wait = {0};
    pm_blocker_id collected[1000];
    struct pm_blocker row;
    pm_slot_enter(slot);
    wait.blocker = pm_blocker_add_null(7, (pm_chain_id){0}, (pm_thread_id){1});
    pm_blocker_id first = {0};
    for (uint32_t i = 0; i < 45000; i++)
        first = pm_blocker_add_null(200000 + i, (pm_chain_id){0}, (pm_thread_id){1});
    unload();
    steps(PASS);
    g_assert_cmpuint(pm_blocker_take_collected(collected, 1000), ==, 0);
    pm_slot_begin(slot, &wait);
    steps(PASS);
    pm_blocker_id next = pm_blocker_add_null(244999, (pm_chain_id){0}, (pm_thread_id){1});
    g_assert_cmpuint(next.n, >, first.n);
    size_t taken;
    while ((taken = pm_blocker_take_collected(collected, 1000)) > 0) {
        for (size_t i = 0; i < taken; i++) {
            g_assert_cmpuint(collected[i].n, !=, wait.blocker.n);
            pm_blocker_forget(collected[i]);
        }
    }
    g_assert_true(pm_blocker_get(wait.blocker, &row));
    /* Nor does it leave while they wait. */
    for (uint32_t i = 0; i < 45000; i++)
        pm_blocker_add_null(300000 + i, (pm_chain_id){0}, (pm_thread_id){1});
    unload();
    size_t n = 0;
    while ((taken = pm_blocker_take_collected(collected, 1000)) > 0) {
        for (size_t i = 0; i < taken; i++) {
            g_assert_cmpuint(collected[i].n, !=, wait.blocker.n);
            pm_blocker_forget(collected[i]);
        }
        n += taken;
    }
    g_assert_cmpuint(n, >=, 45000);
    next = pm_blocker_add_null(7, (pm_chain_id){0}, (pm_thread_id){1});
    g_assert_cmpuint(next.n, ==, wait.blocker.n);
    pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    pm_slot_release(slot);
    pm_slot_drain(slot, &wait, 1);
    pm_slot_pool_tidy();
}

/* Threads wait under chains of ever new guests while epochs pass; whatever comes out of their
 * buffers must be what it was when it went in. */
#define N_WAITERS 4
static _Atomic bool stop;

static void *wait_as_guests(void *data)
{
    uint32_t me = GPOINTER_TO_UINT(data);
    struct pm_slot *slot = pm_slot_claim((pm_thread_id){me + 1}, 1000 + me);
    GRand *random = g_rand_new_with_seed(me);
    for (uint32_t i = 0; !stop; i++) {
        /* Some come again soon, some late, some never. */
        uint32_t number = 1000000 * (me + 1) + (g_rand_boolean(random) ? i % 7 : i);
        pm_slot_enter(slot);
        struct pm_raw_wait wait = {.blocker = {1}, .aqs_state = (int)number};
        wait.chain = guest(number);
        pm_slot_begin(slot, &wait);
        if (i % 64 == 0)
            g_usleep(1000);
        pm_slot_end(slot, PM_WAKE_UNKNOWN, 0);
    }
    g_rand_free(random);
    return slot;
}

static void test_waits_keep_their_chains(void)
{
    pthread_t threads[N_WAITERS];
    uint64_t n_waits = 0, n_passes = 0;
    uint32_t most = 0;
    stop = false;
    for (unsigned i = 0; i < N_WAITERS; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, wait_as_guests, GUINT_TO_POINTER(i)), ==,
                        0);
    while (n_passes < 40 || n_waits < 20000) {
        for (size_t s = 0; s < pm_slot_pool_count(); s++) {
            struct pm_raw_wait waits[64];
            size_t n;
            do { /* until it is empty, however fast the waiters are */
                n = pm_slot_drain(pm_slot_pool_at(s), waits, 64);
                for (size_t i = 0; i < n; i++, n_waits++)
                    g_assert_true(is_guest(waits[i].chain, (uint32_t)waits[i].aqs_state));
            } while (n == 64);
        }
        n_drained++;
        uint32_t before = pm_chain_count();
        pm_reclaim_note_unload();
        pm_reclaim_step(n_drained, 0);
        n_passes += pm_chain_count() < before;
        most = MAX(most, before);
        g_usleep(100);
    }
    stop = true;
    for (unsigned i = 0; i < N_WAITERS; i++) {
        void *slot;
        pthread_join(threads[i], &slot);
        pm_slot_release(slot);
    }
    g_test_message("%" G_GUINT64_FORMAT " waits, %" G_GUINT64_FORMAT " times chains were freed, %u "
                   "chains at most",
                   n_waits, n_passes, most);
}

int main(int argc, char **argv)
{
    static const struct pm_reclaim_hooks hooks = {.mark = use_noted};
    static const struct pm_slot_limits limits = {.max_slots = 64};
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_assert_cmpint(pm_slot_pool_init(&limits), ==, 0);
    g_assert_cmpint(pm_reclaim_init(&hooks, true), ==, 0);
    g_test_add_func("/agent/reclaim/unused-go-and-come-again-as-others", test_unused_go);
    g_test_add_func("/agent/reclaim/nothing-goes-while-no-class-does",
                    test_nothing_goes_while_no_class_does);
    g_test_add_func("/agent/reclaim/keys-of-what-went-find-nothing",
                    test_keys_of_what_went_find_nothing);
    g_test_add_func("/agent/reclaim/what-is-written-down-stays", test_what_is_written_down_stays);
    g_test_add_func("/agent/reclaim/who-reads-is-waited-for", test_who_reads_is_waited_for);
    g_test_add_func("/agent/reclaim/who-wakes-is-waited-for", test_who_wakes_is_waited_for);
    g_test_add_func("/agent/reclaim/who-holds-is-waited-for", test_who_holds_is_waited_for);
    g_test_add_func("/agent/reclaim/who-holds-later-is-not-waited-for",
                    test_who_holds_later_is_not_waited_for);
    g_test_add_func("/agent/reclaim/taken-notes-are-waited-for", test_taken_notes_are_waited_for);
    g_test_add_func("/agent/reclaim/marks-never-go-back", test_marks_never_go_back);
    g_test_add_func("/agent/reclaim/few-are-freed-at-once", test_few_are_freed_at_once);
    g_test_add_func("/agent/reclaim/memory-is-bounded", test_memory_is_bounded);
    g_test_add_func("/agent/reclaim/pseudo-blockers-make-room", test_pseudo_blockers_make_room);
    g_test_add_func("/agent/reclaim/found-pseudo-blockers-stay-until-written-down",
                    test_found_pseudo_blockers_stay_until_written_down);
    g_test_add_func("/agent/reclaim/waits-keep-their-chains", test_waits_keep_their_chains);
    return g_test_run();
}

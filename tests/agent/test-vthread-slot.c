/* recorder/agent/waits/vthread-slot.h: what virtual threads need is there with the first of them,
 * as far as there is memory. */
#include <glib.h>

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
    g_assert_nonnull(vslot->slot);
    g_assert_true(pm_vthread_slot_any());
    g_assert_true(pm_vthread_slot_find(1 << 20) == vslot);
    g_assert_cmpint(pm_memory_kib("VmData") - data, <=, 256);
    pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){0});
    g_assert_false(pm_vthread_slot_any());
    clear();
}

static void count(void *context, const struct pm_overflow *overflow)
{
    *(uint64_t *)context += (uint64_t)overflow->waits;
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
        n_slotted += vslot && vslot->slot;
        n_bare += vslot && !vslot->slot;
    }
    g_assert_cmpuint(n_slotted, >, 100);
    g_assert_cmpuint(n_slotted + n_bare, <, N_THREADS);
    g_assert_cmpuint(n_slotted + n_bare, >, 1000);
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
        if (!vslot)
            continue;
        g_assert_cmpint(vslot->tid, ==, tid);
        pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){0});
        g_assert_null(pm_vthread_slot_find(tid));
    }
    g_assert_false(pm_vthread_slot_any());
    for (size_t i = 0; i < pm_slot_pool_count(); i++) {
        struct pm_raw_wait some[4];
        n_told += pm_slot_drain(pm_slot_pool_at(i), some, 4);
        pm_slot_drain_overflow(pm_slot_pool_at(i), count, &n_told);
    }
    g_assert_cmpuint(n_told, ==, n_slotted + n_bare);
    pm_memory_allow_all();
    for (int64_t tid = 1; tid <= N_THREADS; tid++) {
        g_assert_nonnull(wait_in(tid));
        g_assert_nonnull(pm_vthread_slot_find(tid)->slot);
    }
    clear();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/vslot/nothing-before-the-first", test_nothing_before_the_first);
    g_test_add_func("/agent/vslot/refused-memory-loses-no-wait", test_refused_memory);
    return g_test_run();
}

/* recorder/agent/waits/grace-period.h: it is over once all who read have moved on, whoever could
 * be noted.
 */
#include <glib.h>

#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/grace-period.h"
#include "tests/agent/memory.h"

#define N_SLOTS 3000

static struct pm_slot *slots[N_SLOTS];

static void enter(int from, int to)
{
    for (int i = from; i < to; i++)
        pm_slot_enter(slots[i]);
}

static void leave(int from, int to)
{
    for (int i = from; i < to; i++)
        pm_slot_cancel(slots[i]);
}

static void begin(struct pm_grace_period *grace_period)
{
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    g_assert_cmpint(pm_grace_period_init(grace_period), ==, 0);
    for (int i = 0; i < N_SLOTS; i++)
        g_assert_nonnull(slots[i] = pm_slot_claim((pm_thread_id){1}, i + 1));
}

static void test_over_when_all_moved_on(void)
{
    struct pm_grace_period grace_period;
    begin(&grace_period);
    enter(0, N_SLOTS);
    pm_grace_period_note(&grace_period);
    g_assert_false(pm_grace_period_is_over(&grace_period));
    leave(1, N_SLOTS);
    g_assert_false(pm_grace_period_is_over(&grace_period));
    enter(1, 20); /* who comes later is not waited for */
    leave(0, 1);
    enter(0, 1);
    g_assert_true(pm_grace_period_is_over(&grace_period));
    pm_reservation_clear(&grace_period.places);
    pm_slot_pool_clear();
}

/* No memory to note all of them: nobody is overlooked. */
static void test_refused_memory(void)
{
    if (!pm_memory_is_ours())
        return;
    struct pm_grace_period grace_period;
    begin(&grace_period);
    enter(0, N_SLOTS);
    pm_memory_allow_more(20);
    pm_grace_period_note(&grace_period);
    leave(0, N_SLOTS - 1);
    for (int i = 0; i < 5; i++)
        g_assert_false(pm_grace_period_is_over(&grace_period));
    leave(N_SLOTS - 1, N_SLOTS);
    g_assert_true(pm_grace_period_is_over(&grace_period));
    pm_memory_allow_all();
    pm_reservation_clear(&grace_period.places);
    pm_slot_pool_clear();
}

/* Threads without a slot, as there are more of them than slots; whoever else waits for some. */
static void test_holders(void)
{
    struct pm_grace_period one, other;
    begin(&one);
    g_assert_cmpint(pm_grace_period_init(&other), ==, 0);
    uint32_t first = pm_epoch_enter(), second;
    pm_grace_period_note(&one);
    g_assert_false(pm_grace_period_is_over(&one));
    second = pm_epoch_enter();
    pm_grace_period_note(&other);
    g_assert_false(pm_grace_period_is_over(&other));
    pm_epoch_leave(first);
    g_assert_true(pm_grace_period_is_over(&one));
    g_assert_false(pm_grace_period_is_over(&other));
    /* Who comes later is not waited for, if there is always somebody. */
    for (int i = 0; i < 3; i++) {
        uint32_t next = pm_epoch_enter();
        pm_epoch_leave(second);
        second = next;
    }
    g_assert_true(pm_grace_period_is_over(&other));
    g_assert_true(pm_grace_period_is_over(&one));
    pm_epoch_leave(second);
    pm_reservation_clear(&other.places);
    pm_reservation_clear(&one.places);
    pm_slot_pool_clear();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/grace-period/over-when-all-moved-on", test_over_when_all_moved_on);
    g_test_add_func("/agent/grace-period/refused-memory-overlooks-nobody", test_refused_memory);
    g_test_add_func("/agent/grace-period/holders-of-an-epoch-are-waited-for", test_holders);
    return g_test_run();
}

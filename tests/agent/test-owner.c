/* recorder/agent/drain/owner.h over waits in progress that are set by hand. */
#include <glib.h>

#include "recorder/agent/drain/owner.h"

#define NOW_NS 1000000000000
#define S_NS   1000000000

static struct pm_follow waiting(uint32_t thread, uint32_t blocker, uint8_t kind, uint32_t owner,
                                int64_t age_ns)
{
    return (struct pm_follow){
        .open = true,
        .thread = {thread},
        .owner = {owner},
        .wait = {
            .blocker = {blocker}, .kind = kind, .owner = {owner}, .begin_ns = NOW_NS - age_ns}};
}

static struct pm_follower follower_of(struct pm_follow *slots, size_t n)
{
    return (struct pm_follower){.slots = slots, .n = n, .now_ns = NOW_NS};
}

static void test_one_wish_for_each_old_wait_with_an_owner(void)
{
    struct pm_follow slots[] = {
        waiting(1, 10, PM_KIND_PARK, 5, S_NS),
        waiting(2, 10, PM_KIND_PARK, 5, S_NS),                  /* the same lock */
        waiting(3, 11, PM_KIND_PARK, 5, PM_SAMPLER_AGE_NS - 1), /* young */
        waiting(4, 12, PM_KIND_PARK, 0, S_NS),                  /* nobody owns it */
        waiting(6, 13, PM_KIND_ENTER, 0, S_NS),                 /* somebody does */
        waiting(7, 14, PM_KIND_PARK, 5, S_NS),                  /* over */
    };
    slots[5].open = false;
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    g_assert_cmpuint(pm_owner_wishes(&follower, false, wishes), ==, 2);
    g_assert_cmpuint(wishes[0].waiter.n, ==, 1);
    g_assert_cmpuint(wishes[0].blocker.n, ==, 10);
    g_assert_cmpuint(wishes[0].owner.n, ==, 5);
    g_assert_cmpuint(wishes[1].waiter.n, ==, 6);
    g_assert_cmpint(wishes[1].kind, ==, PM_KIND_ENTER);
}

/* A lock is handed over while a thread begins to wait for it, and a writer's is the readers' later:
 * what counts is the owner that was seen last. */
static void test_the_last_owner_that_was_seen_counts(void)
{
    struct pm_follow slots[] = {waiting(1, 10, PM_KIND_PARK, 0, S_NS),
                                waiting(2, 11, PM_KIND_PARK, 5, S_NS)};
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    pm_owner_learn(&follower,
                   &(struct pm_owner_sample){.blocker = {10}, .owner = {9}, .at_ns = NOW_NS});
    pm_owner_learn(&follower,
                   &(struct pm_owner_sample){.blocker = {11}, .owner = {0}, .at_ns = NOW_NS});
    g_assert_cmpuint(pm_owner_wishes(&follower, false, wishes), ==, 1);
    g_assert_cmpuint(wishes[0].waiter.n, ==, 1);
    g_assert_cmpuint(wishes[0].owner.n, ==, 9);
}

static void test_all_wishes_begin_with_those_that_have_an_owner(void)
{
    struct pm_follow slots[PM_SAMPLER_MAX_WISHES + 1];
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    for (uint32_t i = 0; i < G_N_ELEMENTS(slots); i++)
        slots[i] = waiting(1 + i, 1, PM_KIND_PARK, 0, 0);
    slots[PM_SAMPLER_MAX_WISHES] = waiting(1000, 2, PM_KIND_PARK, 5, 0);
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    g_assert_cmpuint(pm_owner_wishes(&follower, true, wishes), ==, PM_SAMPLER_MAX_WISHES);
    g_assert_cmpuint(wishes[0].waiter.n, ==, 1000);
    g_assert_cmpuint(wishes[1].waiter.n, ==, 1);
}

static void test_sample_is_of_the_waits_of_its_time(void)
{
    struct pm_follow slots[] = {
        waiting(1, 10, PM_KIND_PARK, 5, 2 * S_NS),
        waiting(2, 10, PM_KIND_PARK, 6, 0), /* began after the sample */
        waiting(3, 11, PM_KIND_PARK, 7, 2 * S_NS),
        waiting(4, 10, PM_KIND_PARK, 8, 2 * S_NS),
    };
    slots[3].open = false;
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    pm_owner_learn(&follower, &(struct pm_owner_sample){
                                  .blocker = {10}, .owner = {9}, .at_ns = NOW_NS - S_NS});
    g_assert_cmpuint(slots[0].owner.n, ==, 9);
    for (uint32_t i = 1; i < G_N_ELEMENTS(slots); i++)
        g_assert_cmpuint(slots[i].owner.n, ==, 5 + i);
}

/* Who waits to be notified waits for nobody, and does not own the monitor that it waits in. */
static void test_sample_is_not_of_who_waits_to_be_notified(void)
{
    struct pm_follow slots[] = {
        waiting(1, 10, PM_KIND_WAIT, 0, 2 * S_NS),
        waiting(2, 10, PM_KIND_WAIT, 0, 2 * S_NS),
        waiting(3, 10, PM_KIND_WAIT, 7, 2 * S_NS), /* for the end of 7 */
        waiting(4, 10, PM_KIND_ENTER, 0, 2 * S_NS),
    };
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    pm_owner_learn(&follower, &(struct pm_owner_sample){
                                  .blocker = {10}, .owner = {1}, .at_ns = NOW_NS - S_NS});
    g_assert_cmpuint(slots[0].owner.n, ==, 0);
    g_assert_cmpuint(slots[1].owner.n, ==, 0);
    g_assert_cmpuint(slots[2].owner.n, ==, 7);
    g_assert_cmpuint(slots[3].owner.n, ==, 1);
    g_assert_cmpuint(pm_owner_deadlocks(&follower), ==, 0);
}

static void test_cycles_of_old_waits_are_deadlocks(void)
{
    struct pm_follow slots[] = {
        waiting(1, 10, PM_KIND_PARK, 2, S_NS), waiting(2, 11, PM_KIND_PARK, 1, S_NS),
        waiting(3, 12, PM_KIND_PARK, 4, S_NS), waiting(4, 13, PM_KIND_PARK, 3, 0),
        waiting(5, 14, PM_KIND_PARK, 6, S_NS), waiting(6, 15, PM_KIND_PARK, 5, S_NS),
    };
    struct pm_follower follower = follower_of(slots, G_N_ELEMENTS(slots));
    g_assert_cmpuint(pm_owner_deadlocks(&follower), ==, 2); /* 3 and 4: perhaps a stale owner */
    slots[4].open = false;
    g_assert_cmpuint(pm_owner_deadlocks(&follower), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/owner/the-last-owner-that-was-seen-counts",
                    test_the_last_owner_that_was_seen_counts);
    g_test_add_func("/agent/owner/one-wish-for-each-old-wait-with-an-owner",
                    test_one_wish_for_each_old_wait_with_an_owner);
    g_test_add_func("/agent/owner/all-wishes-begin-with-those-that-have-an-owner",
                    test_all_wishes_begin_with_those_that_have_an_owner);
    g_test_add_func("/agent/owner/sample-is-of-the-waits-of-its-time",
                    test_sample_is_of_the_waits_of_its_time);
    g_test_add_func("/agent/owner/sample-is-not-of-who-waits-to-be-notified",
                    test_sample_is_not_of_who_waits_to_be_notified);
    g_test_add_func("/agent/owner/cycles-of-old-waits-are-deadlocks",
                    test_cycles_of_old_waits_are_deadlocks);
    return g_test_run();
}

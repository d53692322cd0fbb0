/* recorder/agent/base/transition.h beside a plain stable sort. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/base/transition.h"

/* `packed` numbers the transitions in the order they were added. */
static void add(struct pm_transitions *transitions, uint64_t key, uint32_t number)
{
    g_assert_cmpint(pm_transitions_reserve(transitions, 1), ==, 0);
    pm_transitions_add(transitions, (struct pm_transition){.key = key, .packed = number});
}

static int compare(gconstpointer left, gconstpointer right)
{
    const struct pm_transition *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->packed > b->packed) - (a->packed < b->packed);
}

#define RISE UINT64_MAX /* the keys of the next span rise */

static void assert_next_are(struct pm_transitions *transitions, uint64_t limit,
                            const struct pm_transition *expected, size_t n_expected)
{
    size_t n;
    const struct pm_transition *due = pm_transitions_sort_due(transitions, limit, &n);
    g_assert_cmpuint(n, ==, n_expected);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpuint(due[i].key, ==, expected[i].key);
        g_assert_cmpuint(due[i].packed, ==, expected[i].packed);
    }
    pm_transitions_drop_due(transitions, n);
}

/* Few and many transitions, whose keys differ in few bits and in all of them, or rise but for a few
 * places; in two sweeps, the first up to the middle. */
static void test_due_transitions_come_in_order_of_time(void)
{
    static const uint64_t spans[] = {1,    4,  2047, 2048, UINT64_C(400000000), UINT64_C(1) << 62,
                                     RISE, 40, RISE, 4000};
    static const uint32_t lengths[] = {0, 1, 2, 47, 48, 49, 1000, 5000};
    GRand *random = g_rand_new_with_seed(20261121);
    for (size_t s = 0; s < G_N_ELEMENTS(spans); s++) {
        uint64_t rise = spans[s] == RISE ? 8 : 0; /* of each */
        s += rise > 0;
        for (size_t l = 0; l < G_N_ELEMENTS(lengths); l++) {
            struct pm_transitions transitions = {0};
            struct pm_transition *expected = g_new0(struct pm_transition, lengths[l] + 1);
            for (uint32_t i = 0; i < lengths[l]; i++) {
                uint64_t bits = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
                expected[i] =
                    (struct pm_transition){.key = 1000 + i * rise + bits % spans[s], .packed = i};
                add(&transitions, expected[i].key, i);
            }
            qsort(expected, lengths[l], sizeof(*expected), compare);
            uint64_t middle = lengths[l] ? expected[lengths[l] / 2].key : 1000;
            size_t n_due = 0;
            while (n_due < lengths[l] && expected[n_due].key < middle)
                n_due++;
            assert_next_are(&transitions, middle, expected, n_due);
            g_assert_cmpuint(transitions.n, ==, lengths[l] - n_due);
            assert_next_are(&transitions, UINT64_MAX, expected + n_due, lengths[l] - n_due);
            g_assert_cmpuint(transitions.n, ==, 0);
            g_free(expected);
            pm_transitions_clear(&transitions);
        }
    }
    g_rand_free(random);
}

/* Of few and of many threads, tick by tick, where what is due lags behind by several ticks. */
static void test_each_comes_once_however_late(void)
{
    enum { TICKS = 30, LAG = 4, TICK = 1000 };
    GRand *random = g_rand_new_with_seed(20261129);
    for (uint32_t n_threads = 1; n_threads <= 64; n_threads *= 4) {
        struct pm_transitions transitions = {0};
        uint64_t last = 0;
        uint32_t n_added = 0, n_come = 0;
        for (uint64_t tick = 1; tick <= TICKS + LAG; tick++) {
            for (uint32_t thread = 0; thread < n_threads && tick <= TICKS; thread++)
                for (uint64_t at = 0; at < TICK; at += (uint64_t)g_rand_int_range(random, 1, 90))
                    add(&transitions, tick * TICK + at, n_added++);
            const uint64_t limit = tick > LAG ? (tick - LAG + 1) * TICK - TICK / 2 : 0;
            size_t n;
            const struct pm_transition *due =
                pm_transitions_sort_due(&transitions, tick < TICKS + LAG ? limit : UINT64_MAX, &n);
            for (size_t i = 0; i < n; i++) {
                g_assert_cmpuint(due[i].key, >=, last);
                g_assert_cmpuint(due[i].key, <, tick < TICKS + LAG ? limit : UINT64_MAX);
                last = due[i].key;
                n_come++;
            }
            pm_transitions_drop_due(&transitions, n);
            g_assert_cmpuint(transitions.n, ==, n_added - n_come);
        }
        g_assert_cmpuint(n_come, ==, n_added);
        g_assert_cmpuint(transitions.n, ==, 0);
        pm_transitions_clear(&transitions);
    }
    g_rand_free(random);
}

static void test_memory_of_a_burst_is_given_back(void)
{
    struct pm_transitions transitions = {0};
    size_t n;
    for (uint32_t i = 0; i < 100000; i++)
        add(&transitions, i, i);
    pm_transitions_sort_due(&transitions, 50000, &n);
    pm_transitions_drop_due(&transitions, n);
    g_assert_cmpuint(transitions.capacity, >=, 100000);
    pm_transitions_sort_due(&transitions, 99000, &n);
    pm_transitions_drop_due(&transitions, n);
    for (int i = 0; i < 1000; i++) { /* quiet, but for a thousand that are not due */
        pm_transitions_sort_due(&transitions, 99000, &n);
        pm_transitions_drop_due(&transitions, n);
        g_assert_cmpuint(transitions.n, <=, transitions.capacity);
    }
    g_assert_cmpuint(transitions.capacity, <, 10000);
    const struct pm_transition *left = pm_transitions_sort_due(&transitions, UINT64_MAX, &n);
    g_assert_cmpuint(n, ==, 1000);
    g_assert_cmpuint(left[0].key, ==, 99000);
    g_assert_cmpuint(left[999].key, ==, 99999);
    pm_transitions_drop_due(&transitions, n);
    pm_transitions_clear(&transitions);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/transition/due-ones-come-in-order-of-time",
                    test_due_transitions_come_in_order_of_time);
    g_test_add_func("/agent/transition/each-comes-once-however-late",
                    test_each_comes_once_however_late);
    g_test_add_func("/agent/transition/memory-of-a-burst-is-given-back",
                    test_memory_of_a_burst_is_given_back);
    return g_test_run();
}

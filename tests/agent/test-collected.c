/* recorder/agent/counters/collected.h: the last counters of collected blockers are told once, and
 * no sooner than they are the last; the ledger and the tables forget them no sooner than nobody
 * mentions them. */
#include <glib.h>

#include "recorder/agent/counters/collected.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/tables.h"
#include "tests/format/in-memory.h"

struct house {
    struct pm_memory *memory;
    struct pm_writer *writer;
    struct pm_ledger *ledger;
    struct pm_collected collected;
    int64_t swept_ns;
    GArray *told; /* struct pm_counters */
    struct pm_ledger_telling telling;
};

static int on_told(void *context, const struct pm_counters *counters)
{
    g_array_append_val((GArray *)context, *counters);
    return 0;
}

static void set_up(struct house *house)
{
    static const struct pm_facts facts = {.pid = 1, .begin_ns = 1};
    static const struct pm_writer_options options = {0};
    *house = (struct house){.told = g_array_new(FALSE, FALSE, sizeof(struct pm_counters))};
    house->telling = (struct pm_ledger_telling){.fold_above = 1000,
                                                .fold_of = pm_tables_blocker_fold,
                                                .each = on_told,
                                                .context = house->told};
    g_assert_cmpint(pm_memory_new(0, &house->memory), ==, 0);
    g_assert_cmpint(pm_writer_open(pm_memory_sink(house->memory), &facts, pm_tables_dictionary(),
                                   &options, &house->writer, NULL),
                    ==, 0);
    g_assert_cmpint(pm_ledger_new(&house->ledger), ==, 0);
}

static void tear_down(struct house *house)
{
    pm_collected_clear(&house->collected);
    pm_ledger_free(house->ledger);
    pm_writer_abandon(house->writer);
    pm_memory_free(house->memory);
    g_array_unref(house->told);
}

static pm_blocker_id add_waited_on(struct house *house, uint32_t hash)
{
    pm_blocker_id blocker = pm_blocker_add(&(struct pm_blocker){.hash = hash});
    g_assert_cmpuint(blocker.n, !=, 0);
    const struct pm_wait wait = {.begin_ns = house->swept_ns + 10,
                                 .duration_ns = 10,
                                 .blocker = blocker,
                                 .kind = PM_KIND_PARK};
    g_assert_cmpint(pm_ledger_waits(house->ledger, &wait, 1), ==, 0);
    house->swept_ns += 30;
    pm_ledger_sweep(house->ledger, house->swept_ns);
    return blocker;
}

static guint tell(struct house *house, uint64_t tick, uint64_t chunk)
{
    g_array_set_size(house->told, 0);
    g_assert_cmpint(pm_collected_tell(&house->collected, house->ledger, house->writer, tick, chunk,
                                      &house->telling),
                    ==, 0);
    return house->told->len;
}

static bool is_known(const struct house *house, pm_blocker_id blocker)
{
    struct pm_blocker row;
    struct pm_counters counters;
    bool in_table = pm_blocker_get(blocker, &row);
    bool in_ledger = pm_ledger_get(house->ledger, blocker, PM_KIND_PARK, &counters);
    g_assert_cmpint(in_table, ==, in_ledger);
    return in_table;
}

static void test_told_once_when_its_last_wait_is_swept(void)
{
    struct house house;
    set_up(&house);
    pm_blocker_id blocker = add_waited_on(&house, 1);
    g_assert_cmpint(pm_ledger_begin(house.ledger, blocker, PM_KIND_PARK, 40, true), ==, 0);
    pm_ledger_sweep(house.ledger, 50);
    pm_blocker_leave(blocker, PM_BLOCKER_COLLECTED);
    pm_collected_take(&house.collected, 7);
    g_assert_cmpuint(tell(&house, 9, 1), ==, 0); /* one goes on */
    g_assert_cmpint(pm_ledger_end(house.ledger, blocker, PM_KIND_PARK, 40, 60), ==, 0);
    pm_ledger_sweep(house.ledger, 70);
    g_assert_cmpuint(tell(&house, 10, 1), ==, 1);
    const struct pm_counters *last = &g_array_index(house.told, struct pm_counters, 0);
    g_assert_cmpuint(last->blocker.n, ==, blocker.n);
    g_assert_cmpint(last->times, ==, 2);
    g_assert_cmpint(last->thread_time_ns, ==, 30);
    g_assert_cmpuint(tell(&house, 11, 1), ==, 0);
    tear_down(&house);
}

static void test_known_while_its_chunk_goes_on(void)
{
    struct house house;
    set_up(&house);
    pm_blocker_id blocker = add_waited_on(&house, 2);
    pm_blocker_leave(blocker, PM_BLOCKER_COLLECTED);
    pm_collected_take(&house.collected, 0);
    pm_collected_forget(&house.collected, house.ledger, 5);
    g_assert_true(is_known(&house, blocker));    /* not told yet */
    g_assert_cmpuint(tell(&house, 1, 5), ==, 0); /* waits may lie in buffers yet */
    g_assert_cmpuint(tell(&house, 2, 5), ==, 1);
    pm_collected_forget(&house.collected, house.ledger, 5);
    g_assert_true(is_known(&house, blocker)); /* the chunk's END snapshot is to come */
    pm_collected_forget(&house.collected, house.ledger, 6);
    g_assert_false(is_known(&house, blocker));
    g_assert_cmpuint(house.collected.n, ==, 0);
    tear_down(&house);
}

static void test_too_many_are_forgotten_at_once(void)
{
    struct house house;
    set_up(&house);
    house.telling.fold_above = UINT32_MAX; /* a row each */
    pm_blocker_id last = {0};
    for (uint32_t i = 0; i <= PM_COLLECTED_MAX; i++) {
        last = add_waited_on(&house, i);
        pm_blocker_leave(last, PM_BLOCKER_COLLECTED);
    }
    pm_collected_take(&house.collected, 0);
    g_assert_cmpuint(house.collected.n, ==, PM_COLLECTED_MAX + 1);
    g_assert_cmpuint(tell(&house, 2, 5), ==, PM_COLLECTED_MAX + 1);
    pm_collected_forget(&house.collected, house.ledger, 5);
    g_assert_cmpuint(house.collected.n, ==, 0);
    g_assert_false(is_known(&house, last));
    tear_down(&house);
}

static void test_folded_one_is_not_told(void)
{
    struct house house;
    set_up(&house);
    house.telling.fold_above = 0;
    pm_blocker_id blocker = add_waited_on(&house, 3);
    pm_blocker_id fold = pm_tables_blocker_fold(blocker);
    pm_blocker_leave(blocker, PM_BLOCKER_COLLECTED);
    pm_collected_take(&house.collected, 0);
    g_assert_cmpuint(tell(&house, 2, 5), ==, 0);
    struct pm_counters counters;
    g_assert_true(pm_ledger_get(house.ledger, fold, PM_KIND_PARK, &counters));
    g_assert_cmpint(counters.times, ==, 1);
    pm_collected_forget(&house.collected, house.ledger, 5);
    g_assert_cmpuint(house.collected.n, ==, 0); /* nothing will tell it any more */
    g_assert_false(is_known(&house, blocker));
    tear_down(&house);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_test_add_func("/agent/collected/told-once-when-its-last-wait-is-swept",
                    test_told_once_when_its_last_wait_is_swept);
    g_test_add_func("/agent/collected/known-while-its-chunk-goes-on",
                    test_known_while_its_chunk_goes_on);
    g_test_add_func("/agent/collected/too-many-are-forgotten-at-once",
                    test_too_many_are_forgotten_at_once);
    g_test_add_func("/agent/collected/folded-one-is-not-told", test_folded_one_is_not_told);
    return g_test_run();
}

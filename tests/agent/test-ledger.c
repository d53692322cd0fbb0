/* The ledger beside brute force: counters from a sorted list of all events, as 004 §3.7 defines
 * them. */
#include <glib.h>

#include "recorder/agent/counters/ledger.h"

#define N_BLOCKERS 5
#define N_WAITS    600

struct wait {
    pm_blocker_id blocker;
    uint8_t kind;
    int64_t begin_ns, end_ns;
    bool counted;
};

struct event {
    int64_t at_ns;
    int rank;
    int change;
    int64_t duration_ns;
    bool counted;
};

static struct pm_wait row_of(const struct wait *wait)
{
    return (struct pm_wait){.begin_ns = wait->begin_ns,
                            .duration_ns = wait->end_ns - wait->begin_ns,
                            .blocker = wait->blocker,
                            .kind = wait->kind,
                            .flags = wait->counted ? 0 : PM_WAIT_BEGIN_UNKNOWN};
}

static void tell(struct pm_ledger *ledger, const struct wait *wait)
{
    const struct pm_wait row = row_of(wait);
    g_assert_cmpint(pm_ledger_waits(ledger, &row, 1), ==, 0);
}

static int by_time(const void *a, const void *b)
{
    const struct event *left = a;
    const struct event *right = b;
    if (left->at_ns != right->at_ns)
        return left->at_ns < right->at_ns ? -1 : 1;
    return left->rank - right->rank;
}

/* Counters of all waits on (blocker, kind), those going on at `at_ns` up to there. */
static struct pm_counters brute_force(const struct wait *waits, size_t n, pm_blocker_id blocker,
                                      uint8_t kind, int64_t at_ns)
{
    struct event *events = g_new(struct event, 2 * n + 1);
    size_t n_events = 0;
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &waits[i];
        if (wait->blocker.n != blocker.n || wait->kind != kind || wait->begin_ns >= at_ns)
            continue;
        int64_t duration_ns = wait->end_ns - wait->begin_ns;
        events[n_events++] = (struct event){wait->begin_ns, 1, 1, 0, wait->counted};
        if (wait->end_ns < at_ns) {
            events[n_events++] =
                (struct event){wait->end_ns, duration_ns > 0 ? 0 : 2, -1, duration_ns, false};
        }
    }
    qsort(events, n_events, sizeof(*events), by_time);
    struct pm_counters result = {.blocker = blocker, .kind = kind};
    for (size_t i = 0; i < n_events; i++) {
        int64_t next_ns = i + 1 < n_events ? events[i + 1].at_ns : at_ns;
        if (i == 0)
            result.first_ns = events[0].at_ns;
        result.last_ns = events[i].at_ns;
        result.now += (uint32_t)events[i].change;
        result.times += events[i].change > 0 && events[i].counted;
        result.peak = MAX(result.peak, result.now);
        result.longest_ns = MAX(result.longest_ns, events[i].duration_ns);
        if (result.now > 0) {
            result.thread_time_ns += result.now * (next_ns - events[i].at_ns);
            result.real_time_ns += next_ns - events[i].at_ns;
            if (i + 1 == n_events)
                result.last_ns = at_ns;
        }
    }
    g_free(events);
    return result;
}

static void assert_equal(const struct pm_counters *got, const struct pm_counters *want)
{
    g_assert_cmpint(got->times, ==, want->times);
    g_assert_cmpuint(got->now, ==, want->now);
    g_assert_cmpuint(got->peak, ==, want->peak);
    g_assert_cmpint(got->thread_time_ns, ==, want->thread_time_ns);
    g_assert_cmpint(got->real_time_ns, ==, want->real_time_ns);
    g_assert_cmpint(got->longest_ns, ==, want->longest_ns);
    g_assert_cmpint(got->first_ns, ==, want->first_ns);
    g_assert_cmpint(got->last_ns, ==, want->last_ns);
}

static size_t make_waits(GRand *random, struct wait *waits, int64_t span_ns)
{
    for (size_t i = 0; i < N_WAITS; i++) {
        int64_t begin_ns = g_rand_int_range(random, 0, (gint32)span_ns);
        /* Coarse times now and then, so that events meet at one instant. */
        if (i % 3 == 0)
            begin_ns -= begin_ns % 50;
        int64_t duration_ns = i % 7 == 0 ? 0 : g_rand_int_range(random, 0, i % 11 == 0 ? 900 : 60);
        if (i % 3 == 0)
            duration_ns -= duration_ns % 50;
        waits[i] = (struct wait){{1 + (uint32_t)g_rand_int_range(random, 0, N_BLOCKERS)},
                                 (uint8_t)g_rand_int_range(random, 0, PM_N_KINDS),
                                 begin_ns,
                                 begin_ns + duration_ns,
                                 i % 13 != 0};
    }
    return N_WAITS;
}

static void compare_all(const struct pm_ledger *ledger, const struct wait *waits, size_t n,
                        int64_t at_ns)
{
    for (uint32_t blocker = 1; blocker <= N_BLOCKERS; blocker++) {
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            struct pm_counters want = brute_force(waits, n, (pm_blocker_id){blocker}, kind, at_ns);
            struct pm_counters got = {0};
            bool found = pm_ledger_get(ledger, (pm_blocker_id){blocker}, kind, &got);
            if (want.times > 0 || want.now > 0) {
                g_assert_true(found);
                assert_equal(&got, &want);
                g_assert_false(got.bound);
            }
        }
    }
}

/* As the drain does it: each tick tells what ended and what is in progress, in any order, and
 * sweeps to the tick before. */
static void test_equals_brute_force(void)
{
    GRand *random = g_rand_new_with_seed(20261121);
    for (int round = 0; round < 40; round++) {
        struct wait waits[N_WAITS];
        int64_t span_ns = round % 2 ? 4000 : 400;
        size_t n = make_waits(random, waits, span_ns);
        bool begun[N_WAITS] = {0};
        bool ended[N_WAITS] = {0};
        struct pm_ledger *ledger;
        g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
        int64_t previous_ns = 0;
        int64_t step_ns = g_rand_int_range(random, 1, (gint32)span_ns);
        for (int64_t tick_ns = step_ns; previous_ns <= span_ns + 1000; tick_ns += step_ns) {
            struct pm_wait rows[N_WAITS];
            size_t n_rows = 0;
            for (size_t i = 0; i < n; i++) {
                const struct wait *w = &waits[i];
                int error = 0;
                if (!ended[i] && w->end_ns < tick_ns) {
                    if (begun[i])
                        error = pm_ledger_end(ledger, w->blocker, w->kind, w->begin_ns, w->end_ns);
                    else
                        rows[n_rows++] = row_of(w);
                    ended[i] = true;
                } else if (!begun[i] && !ended[i] && w->begin_ns < tick_ns) {
                    error = pm_ledger_begin(ledger, w->blocker, w->kind, w->begin_ns, w->counted);
                    begun[i] = true;
                }
                g_assert_cmpint(error, ==, 0);
            }
            g_assert_cmpint(pm_ledger_waits(ledger, rows, n_rows), ==, 0);
            pm_ledger_sweep(ledger, previous_ns);
            if (previous_ns > 0)
                compare_all(ledger, waits, n, previous_ns);
            previous_ns = tick_ns;
        }
        for (size_t i = 0; i < n; i++)
            g_assert_true(ended[i]);
        pm_ledger_sweep(ledger, previous_ns);
        compare_all(ledger, waits, n, previous_ns);
        g_assert_cmpuint(pm_ledger_n_pending(ledger), ==, 0);
        pm_ledger_free(ledger);
    }
    g_rand_free(random);
}

/* Whatever is lost of the order, times and thread-time are not. */
static void test_overflow_keeps_times_and_thread_time(void)
{
    GRand *random = g_rand_new_with_seed(7);
    for (int round = 0; round < 40; round++) {
        struct wait waits[N_WAITS];
        size_t n = make_waits(random, waits, 4000);
        struct pm_ledger *ledger;
        g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
        for (size_t i = 0; i < n; i++) {
            struct wait *w = &waits[i];
            w->counted = true;
            int64_t duration_ns = w->end_ns - w->begin_ns;
            struct pm_overflow overflow = {w->blocker,  w->kind,     1,        duration_ns,
                                           duration_ns, w->begin_ns, w->end_ns};
            switch (g_rand_int_range(random, 0, 3)) {
            case 0: /* seen in its slot, then told by an overflow cell */
                pm_ledger_begin(ledger, w->blocker, w->kind, w->begin_ns, true);
                pm_ledger_undo(ledger, w->blocker, w->kind, w->begin_ns,
                               w->begin_ns + duration_ns / 2, true);
                pm_ledger_overflow(ledger, &overflow);
                break;
            case 1:
                pm_ledger_overflow(ledger, &overflow);
                break;
            default: /* too late now and then */
                tell(ledger, &(struct wait){w->blocker, w->kind, w->begin_ns, w->end_ns, true});
            }
            if (i % 50 == 0)
                pm_ledger_sweep(ledger, (int64_t)i * 4000 / N_WAITS);
        }
        int64_t end_ns = 6000;
        pm_ledger_sweep(ledger, end_ns);
        for (uint32_t blocker = 1; blocker <= N_BLOCKERS; blocker++) {
            for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
                struct pm_counters want =
                    brute_force(waits, n, (pm_blocker_id){blocker}, kind, end_ns);
                struct pm_counters got = {0};
                if (want.times == 0)
                    continue;
                g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){blocker}, kind, &got));
                g_assert_cmpint(got.times, ==, want.times);
                g_assert_cmpint(got.thread_time_ns, ==, want.thread_time_ns);
                g_assert_cmpint(got.longest_ns, ==, want.longest_ns);
                g_assert_cmpuint(got.now, ==, 0);
                g_assert_cmpint(got.real_time_ns, <=, want.real_time_ns);
                g_assert_true(got.bound);
            }
        }
        pm_ledger_free(ledger);
    }
    g_rand_free(random);
}

static void test_wait_in_progress_counts_up_to_the_watermark(void)
{
    struct pm_ledger *ledger;
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    pm_blocker_id lock = {9};
    g_assert_cmpint(pm_ledger_begin(ledger, lock, PM_KIND_PARK, 100, true), ==, 0);
    g_assert_cmpint(pm_ledger_begin(ledger, lock, PM_KIND_PARK, 150, false), ==, 0);
    pm_ledger_sweep(ledger, 1100);
    struct pm_counters got;
    g_assert_true(pm_ledger_get(ledger, lock, PM_KIND_PARK, &got));
    g_assert_cmpint(got.times, ==, 1);
    g_assert_cmpuint(got.now, ==, 2);
    g_assert_cmpint(got.thread_time_ns, ==, 1000 + 950);
    g_assert_cmpint(got.real_time_ns, ==, 1000);
    g_assert_cmpint(got.last_ns, ==, 1100);
    pm_ledger_age(ledger, lock, PM_KIND_PARK, 1000);
    g_assert_true(pm_ledger_get(ledger, lock, PM_KIND_PARK, &got));
    g_assert_cmpint(got.longest_ns, ==, 1000);
    pm_ledger_free(ledger);
}

static int count_each(void *context, const struct pm_counters *counters)
{
    ++*(int *)context;
    return 0;
}

static void test_forgets_settled_blockers(void)
{
    GRand *random = g_rand_new_with_seed(3);
    struct pm_ledger *ledger;
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    bool alive[5001] = {0};
    for (uint32_t i = 1; i <= 5000; i++) {
        tell(ledger, &(struct wait){{i}, PM_KIND_PARK, i, i + 5, true});
        g_assert_false(pm_ledger_is_settled(ledger, (pm_blocker_id){i}));
        alive[i] = true;
        if (i % 10 == 0) {
            pm_ledger_sweep(ledger, i + 6);
            for (int j = 0; j < 9; j++) {
                uint32_t collected = (uint32_t)g_rand_int_range(random, 1, (gint32)i + 1);
                g_assert_true(pm_ledger_is_settled(ledger, (pm_blocker_id){collected}));
                pm_ledger_forget(ledger, (pm_blocker_id){collected});
                alive[collected] = false;
            }
        }
    }
    int n_alive = 0;
    for (uint32_t i = 1; i <= 5000; i++) {
        struct pm_counters got;
        bool found = pm_ledger_get(ledger, (pm_blocker_id){i}, PM_KIND_PARK, &got);
        g_assert_true(found == alive[i]);
        g_assert_true(!found || (got.times == 1 && got.thread_time_ns == 5));
        n_alive += found;
    }
    int n = 0;
    pm_ledger_each(ledger, INT64_MIN, true, count_each, &n);
    g_assert_cmpint(n, ==, n_alive);
    g_assert_cmpuint(pm_ledger_n_cells(ledger), ==, (guint)n_alive);
    pm_ledger_free(ledger);
    g_rand_free(random);
}

/* 004 §3.3.3: records of objects that are gone go with the print, however few waits they had; those
 * of objects that live stay, whether a thread is parked on them just now or not. */
static void test_forgets_what_was_collected_and_keeps_what_lives(void)
{
    struct pm_ledger *ledger;
    struct pm_counters counters;

    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    for (int64_t at = 10; at < 500; at += 10)
        tell(ledger, &(struct wait){{1}, PM_KIND_PARK, at, at + 5, true});
    tell(ledger, &(struct wait){{2}, PM_KIND_PARK, 10, 20, true});
    tell(ledger, &(struct wait){{3}, PM_KIND_PARK, 10, 20, true});
    pm_ledger_begin(ledger, (pm_blocker_id){4}, PM_KIND_ENTER, 30, true);
    for (int64_t at = 10; at < 500; at += 10)
        tell(ledger, &(struct wait){{5}, PM_KIND_WAIT, at, at + 5, true});
    pm_ledger_sweep(ledger, 1000);
    pm_ledger_mark_collected(ledger, (pm_blocker_id){2});
    pm_ledger_mark_collected(ledger, (pm_blocker_id){5});
    pm_ledger_forget_collected(ledger);
    g_assert_cmpuint(pm_ledger_n_cells(ledger), ==, 3);
    g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){1}, PM_KIND_PARK, &counters));
    g_assert_cmpint(counters.times, ==, 49);
    g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){3}, PM_KIND_PARK, &counters));
    g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){4}, PM_KIND_ENTER, &counters));
    g_assert_false(pm_ledger_get(ledger, (pm_blocker_id){2}, PM_KIND_PARK, &counters));
    g_assert_false(pm_ledger_get(ledger, (pm_blocker_id){5}, PM_KIND_WAIT, &counters));
    pm_ledger_free(ledger);
}

static void test_each_tells_what_changed(void)
{
    struct pm_ledger *ledger;
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    tell(ledger, &(struct wait){{1}, PM_KIND_PARK, 10, 20, true});
    pm_ledger_begin(ledger, (pm_blocker_id){2}, PM_KIND_PARK, 10, true);
    pm_ledger_sweep(ledger, 100);
    tell(ledger, &(struct wait){{3}, PM_KIND_PARK, 110, 120, true});
    pm_ledger_sweep(ledger, 200);
    int n = 0;
    pm_ledger_each(ledger, 101, false, count_each, &n);
    g_assert_cmpint(n, ==, 2); /* 2 is still parked on, 3 is new */
    pm_ledger_free(ledger);
}

/* An edge holds 17 s of a duration; hours are as exact. */
static void test_long_waits_are_exact(void)
{
    const int64_t hour_ns = INT64_C(3600000000000);
    struct pm_ledger *ledger;
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    struct wait waits[] = {{{1}, PM_KIND_PARK, 10, 10 + hour_ns, true},
                           {{1}, PM_KIND_PARK, 20, 20 + (INT64_C(1) << 34), true},
                           {{1}, PM_KIND_PARK, 30, 29 + (INT64_C(1) << 34), true}};
    for (size_t i = 0; i < G_N_ELEMENTS(waits); i++)
        tell(ledger, &waits[i]);
    pm_ledger_begin(ledger, (pm_blocker_id){2}, PM_KIND_PARK, 40, true);
    pm_ledger_sweep(ledger, 2 * hour_ns);
    struct pm_counters got;
    struct pm_counters want =
        brute_force(waits, G_N_ELEMENTS(waits), (pm_blocker_id){1}, PM_KIND_PARK, 2 * hour_ns);
    g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){1}, PM_KIND_PARK, &got));
    assert_equal(&got, &want);
    pm_ledger_undo(ledger, (pm_blocker_id){2}, PM_KIND_PARK, 40, 40 + 2 * hour_ns, true);
    pm_ledger_sweep(ledger, 3 * hour_ns);
    g_assert_true(pm_ledger_get(ledger, (pm_blocker_id){2}, PM_KIND_PARK, &got));
    g_assert_cmpint(got.times, ==, 0);
    g_assert_cmpint(got.thread_time_ns, ==, 0);
    pm_ledger_free(ledger);
}

/* What stands for many may itself be forgotten, as its blocker was not used for long: what is
 * folded later goes to the one that stands for them then, and room is found for ever new ones. */
static pm_blocker_id stands_for_many;

static pm_blocker_id fold_of_all(pm_blocker_id blocker)
{
    return stands_for_many;
}

static int count_told(void *context, const struct pm_counters *counters)
{
    if (counters->blocker.n == stands_for_many.n)
        *(int64_t *)context = counters->times;
    return 0;
}

static void test_fold_is_forgotten(void)
{
    int64_t times = 0;
    struct pm_ledger *ledger;
    struct pm_ledger_telling telling = {
        .fold_above = 1, .fold_of = fold_of_all, .each = count_told, .context = &times};
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    for (uint32_t i = 1; i <= 10; i++)
        tell(ledger, &(struct wait){{i}, PM_KIND_PARK, 1000 * i, 1000 * i + 10, true});
    pm_ledger_sweep(ledger, 1000000);
    stands_for_many.n = 100;
    g_assert_cmpint(pm_ledger_tell(ledger, &telling), ==, 0);
    g_assert_cmpint(times, ==, 10);
    g_assert_true(pm_ledger_fold(ledger, (pm_blocker_id){1}, &telling));
    for (uint32_t i = 2; i <= 9; i++) {
        pm_ledger_forget(ledger, stands_for_many);
        stands_for_many.n = 100 + i;
        g_assert_true(pm_ledger_fold(ledger, (pm_blocker_id){i}, &telling));
        struct pm_counters counters;
        g_assert_true(pm_ledger_get(ledger, stands_for_many, PM_KIND_PARK, &counters));
        g_assert_cmpint(counters.times, ==, 1);
    }
    pm_ledger_free(ledger);
}

/* Whoever left when few were there was told by itself, and is not among the many that come later.
 */
static void test_who_left_alone_is_told_once(void)
{
    int64_t times = 0;
    struct pm_ledger *ledger;
    struct pm_ledger_telling telling = {
        .fold_above = 1, .fold_of = fold_of_all, .each = count_told, .context = &times};
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    stands_for_many.n = 100;
    tell(ledger, &(struct wait){{1}, PM_KIND_PARK, 1000, 1010, true});
    pm_ledger_sweep(ledger, 1020);
    g_assert_false(pm_ledger_fold(ledger, (pm_blocker_id){1}, &telling));
    pm_ledger_mark_collected(ledger, (pm_blocker_id){1});
    for (uint32_t i = 2; i <= 10; i++)
        tell(ledger, &(struct wait){{i}, PM_KIND_PARK, 1000 * i, 1000 * i + 10, true});
    pm_ledger_sweep(ledger, 1000000);
    g_assert_cmpint(pm_ledger_tell(ledger, &telling), ==, 0);
    g_assert_cmpint(times, ==, 9);
    pm_ledger_fold_all(ledger, INT64_MAX, &telling);
    times = 0;
    g_assert_cmpint(pm_ledger_tell(ledger, &telling), ==, 0);
    g_assert_cmpint(times, <=, 9);
    pm_ledger_free(ledger);
}

static void test_folds_come_and_go(void)
{
    int64_t times = 0;
    struct pm_ledger *ledger;
    struct pm_ledger_telling telling = {
        .fold_above = 0, .fold_of = fold_of_all, .each = count_told, .context = &times};
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    for (uint32_t i = 1; i <= 10000; i++) {
        tell(ledger, &(struct wait){{i}, PM_KIND_PARK, 1000 * i, 1000 * i + 10, true});
        pm_ledger_sweep(ledger, 1000 * i + 20);
        stands_for_many.n = 1000000 + i;
        g_assert_true(pm_ledger_fold(ledger, (pm_blocker_id){i}, &telling));
        pm_ledger_forget(ledger, stands_for_many);
    }
    g_assert_cmpuint(pm_ledger_n_cells(ledger), ==, 0);
    pm_ledger_free(ledger);
}

/* Waits in progress that left no transitions count while they are told, and no longer. */
static void test_crowds_count_while_they_stand(void)
{
    struct pm_ledger *ledger;
    struct pm_counters got;
    const pm_blocker_id latch = {1};
    g_assert_cmpint(pm_ledger_new(&ledger), ==, 0);
    g_assert_cmpint(pm_ledger_begin(ledger, latch, PM_KIND_PARK, 100, true), ==, 0);
    pm_ledger_sweep(ledger, 1000);
    pm_ledger_clear_crowds(ledger, 1000);
    for (int64_t begin_ns = 200; begin_ns < 203; begin_ns++)
        g_assert_cmpint(pm_ledger_add_to_crowd(ledger, latch, PM_KIND_PARK, begin_ns), ==, 0);
    g_assert_true(pm_ledger_get(ledger, latch, PM_KIND_PARK, &got));
    g_assert_cmpuint(got.now, ==, 4);
    g_assert_cmpuint(got.peak, ==, 4);
    g_assert_cmpint(got.times, ==, 4);
    g_assert_cmpint(got.thread_time_ns, ==, 900 + 800 + 799 + 798);
    g_assert_cmpint(got.not_stored, ==, 3);
    g_assert_true(got.bound);
    const struct pm_overflow ended = {.blocker = latch,
                                      .kind = PM_KIND_PARK,
                                      .no_slot = true,
                                      .waits = 2,
                                      .thread_time_ns = 1600};
    g_assert_cmpint(pm_ledger_overflow(ledger, &ended), ==, 0);
    g_assert_true(pm_ledger_get(ledger, latch, PM_KIND_PARK, &got));
    g_assert_cmpint(got.times, ==, 4);
    g_assert_cmpuint(got.now, ==, 2);
    g_assert_cmpint(got.thread_time_ns, ==, 900 + 1600 + 797);
    g_assert_cmpint(pm_ledger_end(ledger, latch, PM_KIND_PARK, 100, 1500), ==, 0);
    pm_ledger_sweep(ledger, 2000);
    g_assert_false(pm_ledger_is_settled(ledger, latch));
    pm_ledger_clear_crowds(ledger, 2000);
    g_assert_true(pm_ledger_is_settled(ledger, latch));
    g_assert_true(pm_ledger_get(ledger, latch, PM_KIND_PARK, &got));
    g_assert_cmpuint(got.now, ==, 0);
    g_assert_cmpint(got.times, ==, 3);
    g_assert_cmpint(got.thread_time_ns, ==, 1400 + 1600);
    pm_ledger_free(ledger);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/ledger/equals-brute-force", test_equals_brute_force);
    g_test_add_func("/agent/ledger/overflow-keeps-times-and-thread-time",
                    test_overflow_keeps_times_and_thread_time);
    g_test_add_func("/agent/ledger/wait-in-progress-counts-up-to-the-watermark",
                    test_wait_in_progress_counts_up_to_the_watermark);
    g_test_add_func("/agent/ledger/forgets-settled-blockers", test_forgets_settled_blockers);
    g_test_add_func("/agent/ledger/forgets-what-was-collected-and-keeps-what-lives",
                    test_forgets_what_was_collected_and_keeps_what_lives);
    g_test_add_func("/agent/ledger/each-tells-what-changed", test_each_tells_what_changed);
    g_test_add_func("/agent/ledger/long-waits-are-exact", test_long_waits_are_exact);
    g_test_add_func("/agent/ledger/what-stands-for-many-may-be-forgotten", test_fold_is_forgotten);
    g_test_add_func("/agent/ledger/folds-come-and-go", test_folds_come_and_go);
    g_test_add_func("/agent/ledger/who-left-alone-is-told-once", test_who_left_alone_is_told_once);
    g_test_add_func("/agent/ledger/crowds-count-while-they-stand",
                    test_crowds_count_while_they_stand);
    return g_test_run();
}

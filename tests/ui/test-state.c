/* The state behind a window: filters, ranges, history, and results that come from the worker. */
#include "tests/analysis/made.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/compute.h"
#include "viewer/ui/model/state.h"

#define DURATION G_GINT64_CONSTANT(1000000)

typedef struct {
    PmState *state;
    PmRecording *recording;
    guint seen;      /* of the mask since the last look */
    guint n_results; /* of how many questions RESULTS came … */
    guint n_early;   /* … with the tree before the rest */
    PmView *view;    /* of the newest */
} Fixture;

static void changed_cb(PmState *state, guint mask, gpointer data)
{
    Fixture *fixture = data;

    fixture->seen |= mask;
    PmResults *tree = pm_state_get_tree_results(state);
    if (mask & (PM_CHANGE_RESULTS | PM_CHANGE_TREE) && tree && tree->view != fixture->view) {
        pm_view_ref(tree->view);
        g_clear_pointer(&fixture->view, pm_view_unref);
        fixture->view = tree->view;
        fixture->n_results++;
        fixture->n_early += tree != pm_state_get_results(state);
    }
}

static void wait_for_worker(Fixture *fixture)
{
    while (pm_state_is_busy(fixture->state))
        g_main_context_iteration(NULL, TRUE);
}

static void set_up(Fixture *fixture, gconstpointer data)
{
    *fixture = (Fixture){.state = pm_state_new()};
    fixture->recording = pm_made_random(5, 2000, 20, DURATION);
    g_signal_connect(fixture->state, "changed", G_CALLBACK(changed_cb), fixture);
    pm_state_set_recording(fixture->state, fixture->recording);
    wait_for_worker(fixture);
    fixture->seen = 0;
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    g_object_unref(fixture->state);
    g_clear_pointer(&fixture->view, pm_view_unref);
    pm_recording_unref(fixture->recording);
}

/* By definition: what the numbers of a range must be, one wait after the other. */
static gint64 clipped_time(const PmRecording *recording, gint64 from, gint64 to, guint32 only,
                           guint32 but)
{
    const PmWaits *waits = &recording->waits;
    gint64 sum = 0;

    for (gsize i = 0; i < waits->n; i++) {
        if (pm_category_is_idle(pm_wait_category(waits, i)) ||
            (only && pm_wait_blocker(waits, i) != only) ||
            (but && pm_wait_blocker(waits, i) == but))
            continue;
        gint64 begin = MAX(pm_wait_begin(waits, i), from), end = MIN(pm_wait_end(waits, i), to);
        sum += MAX(end - begin, 0);
    }
    return sum;
}

static gint64 sum_of_metrics(PmState *state)
{
    const PmMetrics *metrics = pm_state_get_results(state)->metrics;
    gint64 sum = 0;

    for (gsize i = 0; i < metrics->n; i++)
        sum += metrics->rows[i].thread_time;
    return sum;
}

static void test_the_first_results_are_of_the_whole(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 from, to;

    g_assert_false(pm_state_get_range(state, &from, &to));
    g_assert_nonnull(pm_state_get_results(state));
    g_assert_nonnull(pm_state_get_curves(state));
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==,
                    clipped_time(fixture->recording, from, to, 0, 0));
    g_assert_cmpint(pm_state_get_tree_results(state)->tree->root->thread_time, ==,
                    pm_state_get_view(state)->thread_time);
    g_assert_cmpint(sum_of_metrics(state), ==, pm_state_get_view(state)->thread_time);
}

static void test_a_range_changes_every_number(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    GRand *rand = g_rand_new_with_seed(3);

    for (int round = 0; round < 10; round++) {
        gint64 a = g_rand_int_range(rand, 0, DURATION), b = g_rand_int_range(rand, 0, DURATION);
        if (a == b)
            continue;
        pm_state_set_range(state, MIN(a, b), MAX(a, b));
        g_assert_cmpuint(fixture->seen & PM_CHANGE_RANGE, !=, 0);
        wait_for_worker(fixture);
        gint64 wanted = clipped_time(fixture->recording, MIN(a, b), MAX(a, b), 0, 0);
        g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, wanted);
        g_assert_cmpint(pm_state_get_tree_results(state)->tree->root->thread_time, ==, wanted);
        g_assert_cmpint(sum_of_metrics(state), ==, wanted);
    }
    g_rand_free(rand);
}

static void test_the_curves_are_of_all_time(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    PmCurves *before = pm_state_get_curves(state);

    pm_state_set_range(state, 1000, 2000);
    wait_for_worker(fixture);
    g_assert_true(pm_state_get_curves(state) == before);
}

static void test_old_results_stay_until_the_new_are_there(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    PmResults *before = pm_state_get_results(state);

    pm_state_set_range(state, 10, 5000);
    g_assert_true(pm_state_is_busy(state));
    g_assert_true(pm_state_get_results(state) == before);
    wait_for_worker(fixture);
    g_assert_true(pm_state_get_results(state) != before);
    g_assert_cmpuint(fixture->seen & PM_CHANGE_BUSY, !=, 0);
}

static void test_the_last_question_is_answered(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;

    for (int i = 1; i <= 300; i++) {
        pm_state_set_range(state, i, 50000 + 100 * i);
        if (i % 7 == 0)
            g_main_context_iteration(NULL, FALSE);
    }
    wait_for_worker(fixture);
    g_assert_cmpint(pm_state_get_view(state)->from, ==, 300);
    g_assert_cmpint(pm_state_get_view(state)->to, ==, 80000);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==,
                    clipped_time(fixture->recording, 300, 80000, 0, 0));
}

static void test_a_drag_computes_at_most_ten_times_a_second(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 begin = g_get_monotonic_time();

    pm_state_begin_drag(state);
    fixture->n_results = 0;
    for (int i = 1; i <= 400; i++) {
        pm_state_set_range(state, 100, 1000 + i * 100);
        g_main_context_iteration(NULL, FALSE);
        g_usleep(1000);
    }
    pm_state_end_drag(state);
    wait_for_worker(fixture);
    gint64 took_ms = (g_get_monotonic_time() - begin) / 1000;
    g_assert_cmpint(fixture->n_results, >=, 1);
    g_assert_cmpint(fixture->n_results, <=, took_ms / PM_COMPUTE_DRAG_MS + 2);
    g_assert_cmpint(pm_state_get_view(state)->to, ==, 41000);
    /* The whole drag is one step back. */
    gint64 from, to;
    g_assert_true(pm_state_back(state));
    g_assert_false(pm_state_get_range(state, &from, &to));
    g_assert_false(pm_state_can_back(state));
}

/* The tree is there before the rest is computed, with the numbers that it keeps; back to where one
 * was, none of another range is left. */
static void test_the_tree_of_a_range_comes_first(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    PmResults *old = pm_results_ref(pm_state_get_results(state));

    fixture->n_early = 0;
    pm_state_set_range(state, 100, 41000);
    while (fixture->n_early == 0)
        g_main_context_iteration(NULL, TRUE);
    g_assert_true(pm_state_get_results(state) == old);
    g_assert_cmpint(pm_state_get_tree_results(state)->view->to, ==, 41000);
    g_assert_cmpint(pm_state_get_tree_results(state)->tree->root->thread_time, ==,
                    clipped_time(fixture->recording, 100, 41000, 0, 0));
    pm_state_set_range(state, 0, 0); /* while the rest is computed */
    wait_for_worker(fixture);
    g_assert_true(pm_state_get_tree_results(state) == pm_state_get_results(state));
    g_assert_cmpint(pm_state_get_tree_results(state)->tree->root->thread_time, ==,
                    old->tree->root->thread_time);
    pm_state_set_range(state, 100, 41000);
    wait_for_worker(fixture);
    g_assert_true(pm_state_get_tree_results(state) == pm_state_get_results(state));
    g_assert_true(pm_state_get_results(state) != old);
    pm_results_unref(old);
}

static void test_filter_in_and_out_are_complements(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 whole = pm_state_get_view(state)->thread_time;
    gint64 from, to;

    pm_state_set_aspects(state, &pm_state_on_what[1], 2);
    wait_for_worker(fixture);
    fixture->seen = 0;
    PmTreeNode *first = pm_state_get_tree_results(state)->tree->root->children[0];
    guint64 key = first->key;
    pm_state_get_whole(state, &from, &to);
    g_assert_cmpint(first->aspect, ==, PM_ASPECT_BLOCKER);
    gint64 its_time = first->thread_time;
    pm_state_select_key(state, PM_ASPECT_BLOCKER, key);
    g_assert_cmpuint(fixture->seen & (PM_CHANGE_FILTER | PM_CHANGE_RESULTS), ==, 0);

    g_assert_true(pm_state_filter_selection(state, FALSE));
    wait_for_worker(fixture);
    g_assert_cmpuint(pm_state_n_chips(state), ==, 1);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, its_time);
    g_assert_cmpint(its_time, ==, clipped_time(fixture->recording, from, to, (guint32)key, 0));
    /* Its place in the order, and so its colour, is what it was. */
    g_assert_cmpuint(pm_band_order_find(pm_state_get_curves(state)->order, key), ==, 0);

    pm_state_remove_chip(state, 0);
    g_assert_true(pm_state_filter_selection(state, TRUE));
    wait_for_worker(fixture);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, whole - its_time);
    pm_state_clear_filters(state);
    wait_for_worker(fixture);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, whole);
}

static void test_a_selection_changes_no_number(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    PmResults *results = pm_state_get_results(state);

    pm_state_select_key(state, PM_ASPECT_BLOCKER, 2);
    pm_state_set_hover(state, TRUE, PM_ASPECT_BLOCKER, 3);
    g_assert_false(pm_state_is_busy(state));
    g_assert_true(pm_state_get_results(state) == results);
    g_assert_cmpuint(fixture->seen, ==, PM_CHANGE_SELECTION | PM_CHANGE_HOVER);
    fixture->seen = 0;
    pm_state_select_key(state, PM_ASPECT_BLOCKER, 2);
    g_assert_cmpuint(fixture->seen, ==, 0);
}

static void test_idle_is_left_out_but_counted(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 without = pm_state_get_view(state)->thread_time,
           idle = pm_state_get_view(state)->idle_time;

    g_assert_cmpint(idle, >, 0);
    pm_state_set_idle(state, TRUE);
    wait_for_worker(fixture);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, without + idle);
}

static void test_the_same_chip_twice_is_one(Fixture *fixture, gconstpointer data)
{
    pm_state_add_chip(fixture->state, PM_ASPECT_GROUP, "pool-*", FALSE);
    pm_state_add_chip(fixture->state, PM_ASPECT_GROUP, "pool-*", FALSE);
    g_assert_cmpuint(pm_state_n_chips(fixture->state), ==, 1);
    pm_state_remove_chip(fixture->state, 7);
    g_assert_cmpuint(pm_state_n_chips(fixture->state), ==, 1);
    wait_for_worker(fixture);
}

static void test_back_and_forward_bring_everything_back(Fixture *fixture, gconstpointer data)
{
    static const PmAspect by_thread[] = {PM_ASPECT_THREAD};
    PmState *state = fixture->state;
    gint64 from, to;
    guint n;

    pm_state_set_range(state, 100, 9000);
    pm_state_add_chip(state, PM_ASPECT_GROUP, "pool-*", FALSE);
    pm_state_set_aspects(state, by_thread, 1);
    pm_state_set_page(state, PM_PAGE_TREE);
    pm_state_set_visible(state, 50, 20000);
    for (int i = 0; i < 5; i++)
        g_assert_true(pm_state_back(state));
    g_assert_false(pm_state_back(state));
    g_assert_false(pm_state_get_range(state, &from, &to));
    g_assert_cmpuint(pm_state_n_chips(state), ==, 0);
    g_assert_cmpint(pm_state_get_aspects(state, &n)[0], ==, PM_ASPECT_ALIKE);
    g_assert_cmpint(pm_state_get_page(state), ==, PM_PAGE_SUMMARY);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, ==, 0);
    g_assert_cmpint(to, ==, DURATION);
    for (int i = 0; i < 5; i++)
        g_assert_true(pm_state_forward(state));
    g_assert_false(pm_state_can_forward(state));
    g_assert_true(pm_state_get_range(state, &from, &to));
    g_assert_cmpint(to, ==, 9000);
    g_assert_cmpuint(pm_state_n_chips(state), ==, 1);
    g_assert_cmpint(pm_state_get_aspects(state, &n)[0], ==, PM_ASPECT_THREAD);
    g_assert_cmpint(pm_state_get_page(state), ==, PM_PAGE_TREE);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(to, ==, 20000);
    wait_for_worker(fixture);
    g_assert_cmpuint(pm_state_get_tree_results(state)->tree->n_aspects, ==, 1);
    g_assert_cmpint(pm_state_get_curves(state)->aspect, ==, PM_ASPECT_THREAD);
    /* A new step forgets what was ahead. */
    pm_state_back(state);
    pm_state_set_range(state, 0, 0);
    g_assert_false(pm_state_can_forward(state));
    wait_for_worker(fixture);
}

static void test_a_run_of_zooms_is_one_step(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 from, to;

    for (int i = 0; i < 10; i++)
        pm_state_zoom(state, 0.8, DURATION / 3);
    pm_state_pan(state, 0.1);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(to - from, <, DURATION / 5);
    g_assert_true(pm_state_back(state));
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(to - from, ==, DURATION);
    g_assert_false(pm_state_can_back(state));
}

static void test_zoom_keeps_the_anchor(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 from, to, anchor = DURATION / 4;

    for (int i = 0; i < 12; i++) {
        pm_state_zoom(state, 0.7, anchor);
        pm_state_get_visible(state, &from, &to);
        g_assert_cmpfloat_with_epsilon((double)(anchor - from) / (double)(to - from), 0.25, 0.01);
    }
    for (int i = 0; i < 40; i++)
        pm_state_zoom(state, 1.6, anchor);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, ==, 0);
    g_assert_cmpint(to, ==, DURATION);
}

static void test_the_visible_range_is_clamped(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    gint64 from, to;

    pm_state_set_visible(state, -5000, 100);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, ==, 0);
    g_assert_cmpint(to, ==, 5100);
    pm_state_set_visible(state, DURATION + 10, DURATION + 20);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(to, ==, DURATION);
    g_assert_cmpint(to - from, ==, 1000); /* never less than 1 µs */
    pm_state_set_range(state, -100, 3 * DURATION);
    pm_state_get_range(state, &from, &to);
    g_assert_cmpint(from, ==, 0);
    g_assert_cmpint(to, ==, DURATION);
    wait_for_worker(fixture);
}

static void test_another_recording_starts_afresh(Fixture *fixture, gconstpointer data)
{
    PmState *state = fixture->state;
    PmRecording *other = pm_made_random(9, 100, 4, DURATION / 2);
    gint64 from, to;

    pm_state_set_range(state, 5, 500);
    pm_state_select_key(state, PM_ASPECT_BLOCKER, 1);
    pm_state_add_chip(state, PM_ASPECT_GROUP, "pool-*", TRUE);
    pm_state_set_recording(state, other);
    g_assert_null(pm_state_get_results(state));
    g_assert_null(pm_state_get_curves(state));
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 0);
    g_assert_cmpuint(pm_state_n_chips(state), ==, 0);
    g_assert_false(pm_state_can_back(state));
    g_assert_false(pm_state_get_range(state, &from, &to));
    g_assert_cmpint(to, ==, DURATION / 2);
    wait_for_worker(fixture);
    g_assert_true(pm_state_get_view(state)->recording == other);
    pm_state_set_recording(state, NULL);
    g_assert_null(pm_state_get_recording(state));
    g_assert_false(pm_state_is_busy(state));
    pm_recording_unref(other);
}

/* Two locks of one place, and one of another, which comes first where `other_first`. */
static PmRecording *made_alike(gboolean other_first)
{
    PmMade m = pm_made_begin();
    const guint32 thread = pm_made_thread(&m, "one");

    for (guint i = 0; i < 3; i++) {
        const gboolean is_other = other_first ? i == 0 : i == 2;
        const guint32 chain = is_other ? m.other_chain : m.lock_chain;
        const guint32 lock = pm_made_blocker(&m, m.lock_class, is_other ? 9 : i + 1, chain);
        pm_made_wait(&m, thread, lock, chain, 1000 * i, 1000 * i + 900, 0);
    }
    m.assembly->duration = 3000;
    return pm_assembly_finish(m.assembly);
}

/* In all of a recording another one may be the first of what is alike than in its end. */
static void test_what_is_alike_stays_selected_in_a_newer_dump(Fixture *fixture, gconstpointer data)
{
    g_autoptr(PmRecording) end = made_alike(TRUE), all = made_alike(FALSE);
    const PmSelection selection = {
        .n = 1, .aspects = {PM_ASPECT_ALIKE}, .keys = {pm_recording_private(end)->alike[2]}};

    g_assert_cmpuint(selection.keys[0], ==, 2);
    pm_state_set_recording(fixture->state, end);
    wait_for_worker(fixture);
    pm_state_set_selection(fixture->state, &selection);
    pm_state_renew_recording(fixture->state, all);
    while (pm_state_get_recording(fixture->state) != all)
        g_main_context_iteration(NULL, TRUE);
    g_assert_cmpuint(pm_state_get_selection(fixture->state)->n, ==, 1);
    g_assert_cmpuint(pm_state_get_selection(fixture->state)->keys[0], ==, 1);
}

/* Threads, places, stack traces and causes may have other indices in all of a recording than in its
 * end. */
static PmRecording *made_in_order(gboolean backwards)
{
    PmMade m = pm_made_begin();
    guint32 threads[3], chains[3];

    for (guint k = 0; k < 3; k++) {
        const guint i = backwards ? 2 - k : k;
        g_autofree char *method = g_strdup_printf("com.acme.Shop.part%u", i);
        threads[i] = pm_made_thread(&m, "worker-%u", i);
        g_array_index(m.assembly->threads, PmThread, threads[i]).tid = 100 + i;
        chains[i] = pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                                  "com.acme.Shop.take", "com.acme.Shop.find", "com.acme.Shop.get",
                                  method, "java.lang.Thread.run", NULL);
    }
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    for (guint i = 0; i < 3; i++)
        PM_MADE_WAIT(m.assembly, 1000 * i, 1000 * i + 900, threads[i], lock, chains[i],
                     .wake = 1000 * i + 900, .wake_cause = PM_WAKE_RELEASE,
                     .waker = threads[(i + 1) % 3], .waker_chain = chains[(i + 1) % 3]);
    m.assembly->duration = 3000;
    return pm_assembly_finish(m.assembly);
}

static void test_what_has_another_index_stays_selected_in_a_newer_dump(Fixture *fixture,
                                                                       gconstpointer data)
{
    const PmAspect aspects[] = {PM_ASPECT_THREAD, PM_ASPECT_SITE,        PM_ASPECT_CHAIN,
                                PM_ASPECT_CAUSE,  PM_ASPECT_CAUSE_CHAIN, PM_ASPECT_CAUSE_SITE};
    g_autoptr(PmRecording) end = made_in_order(TRUE), all = made_in_order(FALSE);

    for (guint i = 0; i < G_N_ELEMENTS(aspects); i++) {
        g_autoptr(PmView) view = pm_made_view(end);
        g_autoptr(PmTree) tree = pm_tree_new(view, &aspects[i], 1, NULL);
        for (guint k = 0; k < tree->root->n_children; k++) {
            const PmSelection selection = {
                .n = 1, .aspects = {aspects[i]}, .keys = {tree->root->children[k]->key}};
            const guint64 key = selection.keys[0];
            g_autofree char *text =
                pm_aspect_is_chain(aspects[i])
                    ? pm_label_frames(end, (guint32)key, 0, G_MAXUINT, pm_label_frame)
                    : pm_aspect_key_text(end, aspects[i], key);
            pm_state_set_recording(fixture->state, end);
            wait_for_worker(fixture);
            pm_state_set_selection(fixture->state, &selection);
            pm_state_renew_recording(fixture->state, all);
            while (pm_state_get_recording(fixture->state) != all)
                g_main_context_iteration(NULL, TRUE);
            const PmSelection *now = pm_state_get_selection(fixture->state);
            g_assert_cmpuint(now->n, ==, 1);
            g_autofree char *now_text =
                pm_aspect_is_chain(aspects[i])
                    ? pm_label_frames(all, (guint32)now->keys[0], 0, G_MAXUINT, pm_label_frame)
                    : pm_aspect_key_text(all, aspects[i], now->keys[0]);
            g_assert_cmpstr(now_text, ==, text);
        }
    }
}

static void test_it_can_go_while_the_worker_runs(void)
{
    for (int i = 0; i < 20; i++) {
        PmState *state = pm_state_new();
        PmRecording *recording = pm_made_random(i, 500, 8, DURATION);
        pm_state_set_recording(state, recording);
        if (i % 2)
            g_main_context_iteration(NULL, FALSE);
        g_object_unref(state);
        pm_recording_unref(recording);
    }
    while (g_main_context_iteration(NULL, FALSE)) {
    }
}

/* One wait of 1 ns among a million: at every zoom its column says so. */
static void test_the_shortest_wait_is_seen_at_every_zoom(void)
{
    enum { N = 1000000, COLUMNS = 500 };
    const gint64 second = G_GINT64_CONSTANT(1000000000), alone = 777 * second + 123456789;
    PmMade made = pm_made_begin();
    guint32 thread = pm_made_thread(&made, "busy-1"), other = pm_made_thread(&made, "rare-1");
    guint32 lock = pm_made_blocker(&made, made.lock_class, 1, made.lock_chain),
            rare = pm_made_blocker(&made, made.lock_class, 2, made.other_chain);

    for (int i = 0; i < N - 1; i++) {
        /* The million ends before, so that the rare one has its column to itself when zoomed in. */
        pm_made_wait(&made, thread, lock, made.lock_chain, i * (700 * second / N),
                     i * (700 * second / N) + 1000, 0);
    }
    pm_made_wait(&made, other, rare, made.other_chain, alone, alone + 1, 0);
    made.assembly->duration = 1000 * second;
    made.assembly->facts.file = "made.park";
    PmRecording *recording = pm_assembly_finish(made.assembly);
    PmFilter *filter = pm_filter_new();
    PmQuestion question = {
        .recording = recording, .filter = filter, .aspects = {PM_ASPECT_BLOCKER}, .n_aspects = 1};
    PmCurves *curves;
    g_autoptr(PmResults) results = pm_compute_all(&question, &curves, NULL);
    guint n_bands = pm_band_order_n(curves->order) + 1,
          band = pm_band_order_find(curves->order, rare);
    g_autofree PmBucket *buckets = g_new0(PmBucket, COLUMNS);
    g_autofree double *means = g_new0(double, COLUMNS *n_bands);

    for (gint64 width = 1000 * second; width >= 1000; width /= 2) {
        gint64 from = MAX(alone - width / 3, 0), to = MIN(from + width, recording->duration);
        pm_parked_now_read(curves->parked_now, from, to, COLUMNS, buckets);
        pm_bands_read(curves->bands, from, to, COLUMNS, means);
        guint seen = 0, painted = 0;
        for (int i = 0; i < COLUMNS; i++) {
            gint64 begin = from + (gint64)((double)(to - from) * i / COLUMNS),
                   end = from + (gint64)((double)(to - from) * (i + 1) / COLUMNS) + 1;
            gboolean near = begin - 2 <= alone && alone <= end + 2;
            if (begin > 710 * second) {
                g_assert_true(near || buckets[i].max == 0);
                seen += buckets[i].max == 1;
            }
            painted += means[i * n_bands + band] > 0;
        }
        g_assert_cmpuint(seen, >=, 1);
        g_assert_cmpuint(painted, >=, 1);
    }
    pm_curves_unref(curves);
    pm_filter_free(filter);
    pm_recording_unref(recording);
}

#define ADD(name, function) g_test_add(name, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/ui/state/first-results-are-of-the-whole", test_the_first_results_are_of_the_whole);
    ADD("/ui/state/a-range-changes-every-number", test_a_range_changes_every_number);
    ADD("/ui/state/curves-are-of-all-time", test_the_curves_are_of_all_time);
    ADD("/ui/state/old-results-stay-until-the-new-are-there",
        test_old_results_stay_until_the_new_are_there);
    ADD("/ui/state/the-last-question-is-answered", test_the_last_question_is_answered);
    ADD("/ui/state/the-tree-of-a-range-comes-first", test_the_tree_of_a_range_comes_first);
    ADD("/ui/state/a-drag-computes-at-most-ten-times-a-second",
        test_a_drag_computes_at_most_ten_times_a_second);
    ADD("/ui/state/filter-in-and-out-are-complements", test_filter_in_and_out_are_complements);
    ADD("/ui/state/a-selection-changes-no-number", test_a_selection_changes_no_number);
    ADD("/ui/state/idle-is-left-out-but-counted", test_idle_is_left_out_but_counted);
    ADD("/ui/state/the-same-chip-twice-is-one", test_the_same_chip_twice_is_one);
    ADD("/ui/state/back-and-forward-bring-everything-back",
        test_back_and_forward_bring_everything_back);
    ADD("/ui/state/a-run-of-zooms-is-one-step", test_a_run_of_zooms_is_one_step);
    ADD("/ui/state/zoom-keeps-the-anchor", test_zoom_keeps_the_anchor);
    ADD("/ui/state/the-visible-range-is-clamped", test_the_visible_range_is_clamped);
    ADD("/ui/state/another-recording-starts-afresh", test_another_recording_starts_afresh);
    ADD("/ui/state/what-is-alike-stays-selected-in-a-newer-dump",
        test_what_is_alike_stays_selected_in_a_newer_dump);
    ADD("/ui/state/what-has-another-index-stays-selected-in-a-newer-dump",
        test_what_has_another_index_stays_selected_in_a_newer_dump);
    g_test_add_func("/ui/state/it-can-go-while-the-worker-runs",
                    test_it_can_go_while_the_worker_runs);
    g_test_add_func("/ui/state/the-shortest-wait-is-seen-at-every-zoom",
                    test_the_shortest_wait_is_seen_at_every_zoom);
    return g_test_run();
}

/* The detail of a selection against brute force: a wait belongs to it, or does not, by its own
 * keys; sums, percentiles, bins and shares are counted again from those waits alone. */
#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/slices/detail.h"

static int compare_ns(gconstpointer a, gconstpointer b)
{
    const gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

static gint64 time_of_key(const GArray *parts, guint64 key)
{
    gint64 time = 0;

    for (guint i = 0; i < parts->len; i++)
        if (g_array_index(parts, PmDetailPart, i).key == key)
            time += g_array_index(parts, PmDetailPart, i).thread_time;
    return time;
}

static void assert_most_first(const GArray *parts)
{
    for (guint i = 1; i < parts->len; i++)
        g_assert_cmpint(g_array_index(parts, PmDetailPart, i - 1).thread_time, >=,
                        g_array_index(parts, PmDetailPart, i).thread_time);
}

/* The part of a wait that is within the selection: all of it, or the parts with the key. */
static gint64 time_within(PmView *view, guint32 row, const PmPathStep *step, gboolean *ret_is_in)
{
    const PmRecording *r = view->recording;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    gint64 time = 0;

    *ret_is_in = FALSE;
    if (!step || !pm_aspect_is_split(step->aspect)) {
        *ret_is_in = !step || pm_aspect_key(r, step->aspect, row) == step->key;
        return pm_view_clip(view, row);
    }
    pm_contention_split(pm_recording_contention(view->recording, NULL), row, view->from, view->to,
                        parts);
    for (guint i = 0; i < parts->len; i++) {
        const PmPart *part = &g_array_index(parts, PmPart, i);
        if (pm_part_key(r, step->aspect, part) != step->key)
            continue;
        time += part->end - part->begin;
        *ret_is_in = TRUE;
    }
    return time;
}

/* How many of the waits have a piece of that cause, whatever the number of pieces. */
static gint64 waits_of_cause(const PmDetail *detail, const PmPathStep *step, guint64 key)
{
    PmView *view = detail->view;
    const gboolean split = step && pm_aspect_is_split(step->aspect);
    gint64 n = 0;

    for (gsize i = 0; i < detail->n; i++) {
        g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
        gboolean has = FALSE;
        pm_contention_split(pm_recording_contention(view->recording, NULL),
                            pm_detail_row(detail, i), view->from, view->to, parts);
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            has =
                has || (pm_part_key(view->recording, PM_ASPECT_CAUSE_SITE, part) == key &&
                        (!split || pm_part_key(view->recording, step->aspect, part) == step->key));
        }
        n += has;
    }
    return n;
}

static void check(PmView *view, const PmPathStep *step)
{
    const PmWaits *w = &view->recording->waits;
    g_autoptr(PmDetail) detail = pm_detail_new(view, step, step ? 1 : 0, NULL);
    g_autoptr(GArray) durations = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree gint64 *of_group = g_new0(gint64, view->recording->n_groups);
    g_autofree gint64 *of_blocker = g_new0(gint64, view->recording->n_blockers);
    guint64 bins[PM_DETAIL_BINS] = {0}, in_progress = 0;
    gint64 time = 0, longest = 0;
    gsize n = 0;

    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        gboolean is_in;
        const gint64 within = time_within(view, row, step, &is_in);
        if (!is_in)
            continue;
        const gint64 duration = pm_wait_end(w, row) - pm_wait_begin(w, row);
        guint bin = 0;
        g_assert_cmpuint(pm_detail_row(detail, n++), ==, row);
        g_array_append_val(durations, duration);
        time += within;
        longest = MAX(longest, within);
        in_progress += (pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0;
        of_group[view->recording->threads[pm_wait_thread(w, row)].group] += within;
        of_blocker[pm_wait_blocker(w, row)] += within;
        for (guint b = 1; b < PM_DETAIL_BINS; b++)
            bin = duration >= pm_detail_bin_begin(b) ? b : bin;
        bins[bin]++;
    }
    g_assert_cmpuint(detail->n, ==, n);
    g_assert_cmpint(detail->thread_time, ==, time);
    g_assert_cmpint(detail->longest, ==, longest);
    g_assert_cmpuint(detail->in_progress, ==, in_progress);
    for (guint b = 0; b < PM_DETAIL_BINS; b++)
        g_assert_cmpuint(detail->bins[b], ==, bins[b]);
    g_array_sort(durations, compare_ns);
    if (n > 0) {
        g_assert_cmpint(detail->p50, ==, g_array_index(durations, gint64, (n - 1) / 2));
        g_assert_cmpint(detail->p90, ==, g_array_index(durations, gint64, (n - 1) * 9 / 10));
        g_assert_cmpint(detail->p99, ==, g_array_index(durations, gint64, (n - 1) * 99 / 100));
        for (guint b = 0; b < view->recording->n_blockers; b++)
            g_assert_cmpint(of_blocker[detail->blocker], >=, of_blocker[b]);
    }
    for (guint g = 0; g < view->recording->n_groups; g++)
        g_assert_cmpint(time_of_key(detail->groups, g), ==, of_group[g]);
    /* The causes share out all of the time, to the nanosecond. */
    gint64 caused = 0;
    for (guint i = 0; i < detail->causes->len; i++)
        caused += g_array_index(detail->causes, PmDetailPart, i).thread_time;
    g_assert_cmpint(caused, ==, time);
    for (guint i = 0; i < detail->causes->len; i++) {
        const PmDetailPart *part = &g_array_index(detail->causes, PmDetailPart, i);
        g_assert_cmpint(part->count, ==, waits_of_cause(detail, step, part->key));
    }
    assert_most_first(detail->groups);
    assert_most_first(detail->causes);
    assert_most_first(detail->owners);
    assert_most_first(detail->wakers);
}

static void test_is_the_sum_of_its_waits(void)
{
    static const PmAspect aspects[] = {PM_ASPECT_BLOCKER, PM_ASPECT_GROUP, PM_ASPECT_THREAD,
                                       PM_ASPECT_SITE,    PM_ASPECT_CAUSE, PM_ASPECT_OWNER};

    /* Waits of up to a millisecond, a second, a quarter of an hour. */
    gint64 duration = 1000000;
    pm_detail_piece_rows = 64;
    for (guint32 seed = 1; seed <= 3; seed++, duration *= 1000) {
        PmRecording *recording = pm_made_random(seed, 400, 6, duration);
        for (guint ranged = 0; ranged < 2; ranged++) {
            g_autoptr(PmFilter) filter = pm_filter_new();
            filter->idle = ranged == 0;
            filter->from = ranged ? duration / 10 * 3 : 0;
            filter->to = ranged ? duration / 10 * 7 : 0;
            g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
            check(view, NULL);
            for (guint a = 0; a < G_N_ELEMENTS(aspects); a++) {
                for (guint64 key = 0; key < 8; key++) {
                    PmPathStep step = {aspects[a], key};
                    if (aspects[a] == PM_ASPECT_SITE && view->n > 0)
                        step.key = pm_aspect_key(recording, PM_ASPECT_SITE,
                                                 pm_view_row(view, key * (view->n - 1) / 7));
                    check(view, &step);
                }
            }
        }
        pm_recording_unref(recording);
    }
}

/* Of very many waits causes are asked for of some: all else is exact, they are near. */
static void test_causes_of_many_are_estimated(void)
{
    PmMade m = pm_made_begin();
    const guint32 threads[] = {pm_made_thread(&m, "a"), pm_made_thread(&m, "b"),
                               pm_made_thread(&m, "c"), pm_made_thread(&m, "waiter")};
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    gint64 at = 0, time[4] = {0}, all = 0;
    guint n = 60000;
    for (guint i = 0; i < n; i++) { /* each owner has more than the one before */
        const guint owner = i % 7 < 4 ? 2 : i % 7 < 6 ? 1 : 0;
        const gint64 length = 100000 + i * 7919 % 1000 * 100;
        pm_made_held_wait(&m, threads[3], lock, m.lock_chain, threads[owner], at, at + length, 0);
        time[owner] += length;
        all += length;
        at += length + 1000000;
    }
    m.assembly->duration = at;
    PmRecording *recording = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(recording);
    const PmPathStep step = {PM_ASPECT_BLOCKER, lock};
    g_autoptr(PmDetail) detail = pm_detail_new(view, &step, 1, NULL);
    g_autoptr(PmDetail) plain = pm_detail_new_plain(view, &step, 1, NULL);
    g_assert_true(detail->estimated);
    g_assert_cmpuint(detail->n_followed, <=, 20000);
    g_assert_cmpuint(detail->n_followed, >, 10000);
    g_assert_cmpuint(detail->n, ==, n);
    g_assert_cmpint(detail->thread_time, ==, all);
    gint64 sum = 0, count = 0;
    for (guint i = 0; i < detail->owners->len; i++) {
        const PmDetailPart *part = &g_array_index(detail->owners, PmDetailPart, i);
        const double share = (double)part->thread_time / (double)all;
        for (guint k = 0; k < 3; k++)
            if (threads[k] == part->key)
                g_assert_cmpfloat(fabs(share - (double)time[k] / (double)all), <, 0.02);
        sum += part->thread_time;
        count += part->count;
        g_assert_cmpint(part->inferred_time, ==, part->thread_time);
    }
    g_assert_cmpuint(detail->owners->len, ==, 3);
    g_assert_cmpfloat(fabs((double)sum / (double)all - 1), <, 0.02);
    g_assert_cmpfloat(fabs((double)count / n - 1), <, 0.05);
    g_assert_false(plain->estimated);
    g_assert_cmpuint(plain->causes->len, ==, 0);
    g_assert_cmpint(plain->thread_time, ==, all);
    g_assert_cmpint(time_of_key(plain->groups, recording->threads[threads[3]].group), ==, all);
    pm_recording_unref(recording);
}

/* That it has no waker does not make a wait one of another blocker. */
static void test_without_waker(void)
{
    PmMade m = pm_made_begin();
    const guint32 thread = pm_made_thread(&m, "a");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 other = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);

    PM_MADE_WAIT(m.assembly, 10, 20, thread, lock, m.lock_chain, .wake_cause = PM_WAKE_TIME_OUT);
    PM_MADE_WAIT(m.assembly, 30, 40, thread, other, m.lock_chain, .wake_cause = PM_WAKE_TIME_OUT);
    m.assembly->duration = 100;
    PmRecording *recording = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(recording);
    const PmPathStep steps[] = {{PM_ASPECT_BLOCKER, lock},
                                {PM_ASPECT_WAKER, pm_aspect_key(recording, PM_ASPECT_WAKER, 0)}};
    g_autoptr(PmDetail) detail = pm_detail_new_plain(view, steps, 2, NULL);
    g_assert_cmpuint(detail->n, ==, 1);
    g_assert_cmpuint(pm_detail_row(detail, 0), ==, 0);
    pm_recording_unref(recording);
}

static void test_can_be_cancelled(void)
{
    PmRecording *recording = pm_made_random(9, 100, 4, 1000000);
    g_autoptr(PmView) view = pm_made_view(recording);
    const gint cancel = 1;

    g_assert_null(pm_detail_new(view, NULL, 0, &cancel));
    pm_recording_unref(recording);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/detail/is-the-sum-of-its-waits", test_is_the_sum_of_its_waits);
    g_test_add_func("/analysis/detail/causes-of-many-are-estimated",
                    test_causes_of_many_are_estimated);
    g_test_add_func("/analysis/detail/without-waker", test_without_waker);
    g_test_add_func("/analysis/detail/can-be-cancelled", test_can_be_cancelled);
    return g_test_run();
}

#include "viewer/analysis/curves/series.h"

#include <math.h>

#include "tests/analysis/made.h"

static gboolean is_open(const PmView *v, guint32 k)
{
    const PmWaits *w = &v->recording->waits;
    return pm_wait_end(w, k) > v->to || (pm_wait_flags(w, k) & PM_WAIT_IN_PROGRESS) != 0;
}

/* The step function at `t`, and whether a wait of no length stands there. */
static guint32 value_at(const PmView *v, gint64 t, gboolean *ret_spike)
{
    const PmWaits *w = &v->recording->waits;
    guint32 n = 0;
    *ret_spike = FALSE;
    if (t < v->from || t > v->to)
        return 0;
    for (gsize i = 0; i < v->n; i++) {
        guint32 k = pm_view_row(v, i);
        gint64 begin = MAX(pm_wait_begin(w, k), v->from);
        if (is_open(v, k) ? begin <= t : begin <= t && t < pm_wait_end(w, k))
            n++;
        else if (begin == t && pm_wait_end(w, k) == t)
            *ret_spike = TRUE;
    }
    return n;
}

static void check_read(const PmView *v, const PmParkedNow *p, gint64 from, gint64 to, gsize n)
{
    g_autofree PmBucket *buckets = g_new(PmBucket, n);
    pm_parked_now_read(p, from, to, n, buckets);
    for (gsize i = 0; i < n; i++) {
        gint64 begin = from + (to - from) * (gint64)i / (gint64)n;
        gint64 end = from + (to - from) * (gint64)(i + 1) / (gint64)n;
        gboolean spike = FALSE;
        if (end == begin) {
            guint32 value = value_at(v, begin, &spike);
            g_assert_cmpuint(buckets[i].min, ==, value);
            continue;
        }
        guint32 min = G_MAXUINT32, max = 0, last = 0;
        gint64 sum = 0;
        for (gint64 t = begin; t < end; t++) {
            /* Beyond the range nothing waits, but its last instant still shows. */
            guint32 value = t >= v->to ? 0 : value_at(v, t, &spike);
            if (t > v->to)
                spike = FALSE;
            min = MIN(min, value);
            max = MAX(max, value + spike);
            last = value;
            sum += value;
            if (t == v->to) {
                value = value_at(v, t, &spike);
                max = MAX(max, value + spike);
            }
        }
        if (end == v->to) {
            last = value_at(v, v->to, &spike);
            max = MAX(max, last + spike);
        }
        g_assert_cmpuint(buckets[i].min, ==, min);
        g_assert_cmpuint(buckets[i].max, ==, max);
        g_assert_cmpuint(buckets[i].last, ==, last);
        g_assert_cmpfloat(fabs(buckets[i].mean - (double)sum / (double)(end - begin)), <, 1e-9);
    }
}

static void buckets_equal_brute_force(void)
{
    for (guint32 seed = 1; seed <= 12; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 60 * seed, 3 + seed, 900);
        g_autoptr(PmFilter) f = pm_filter_new();
        f->idle = seed % 2;
        if (seed % 3 == 0) {
            f->from = 100;
            f->to = 700;
        }
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
        static const gsize cuts[] = {1, 2, 7, 100, 640, 2000};
        for (gsize i = 0; i < G_N_ELEMENTS(cuts); i++) {
            check_read(v, p, v->from, v->to, cuts[i]);
            check_read(v, p, v->from + 37, v->from + 211, cuts[i]);
        }
        check_read(v, p, -50, 950, 77);
        for (gint64 t = v->from; t <= v->to; t += 13) {
            gboolean spike = FALSE;
            g_assert_cmpuint(pm_parked_now_at(p, t), ==, value_at(v, t, &spike));
        }
    }
}

/* Many events, so that every level of the pyramid is used: the peak of any range equals the one
 * that a plain sweep finds. */
static void pyramid_equals_a_sweep(void)
{
    g_autoptr(PmRecording) r = pm_made_random(21, 60000, 40, 5000000);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
    const PmWaits *w = &r->waits;
    GRand *rand = g_rand_new_with_seed(22);
    for (guint round = 0; round < 60; round++) {
        gint64 from = g_rand_int_range(rand, 0, 4900000);
        gint64 to = from + 1 + g_rand_int_range(rand, 0, round % 2 ? 4900000 : 5000);
        to = MIN(to, v->to - 1);
        if (from >= to)
            continue;
        g_autoptr(GArray) at = g_array_new(FALSE, FALSE, sizeof(gint64));
        g_array_append_val(at, from);
        for (gsize i = 0; i < v->n; i++) {
            if (pm_wait_begin(w, pm_view_row(v, i)) >= from &&
                pm_wait_begin(w, pm_view_row(v, i)) < to) {
                gint64 begin = pm_wait_begin(w, pm_view_row(v, i));
                g_array_append_val(at, begin);
            }
        }
        /* The maximum is reached where a wait begins, or at the range's begin. */
        guint32 peak = 0;
        guint step = MAX(at->len / 200, 1);
        for (guint i = 0; i < at->len; i += step)
            peak = MAX(peak, pm_parked_now_at(p, g_array_index(at, gint64, i)));
        guint32 got = pm_parked_now_peak(p, from, to);
        g_assert_cmpuint(got, >=, peak);
        guint32 exact = 0;
        for (guint i = 0; i < at->len && exact < got; i++) {
            gint64 t = g_array_index(at, gint64, i);
            guint32 value = pm_parked_now_at(p, t);
            exact =
                MAX(exact, value + 1 == got ? got : value); /* one of no length may stand there */
        }
        g_assert_cmpuint(exact, ==, got);
    }
    g_rand_free(rand);
}

static void one_nanosecond_shows_at_every_zoom(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b"), c = pm_made_thread(&m, "c");
    const gint64 n = 1000000, step = 1000;
    for (gint64 i = 0; i < n; i++)
        pm_made_wait(&m, a, lock, m.lock_chain, i * step, i * step + 500, 0);
    gint64 at = 617283 * step + 250;
    pm_made_wait(&m, b, lock, m.lock_chain, at, at + 1, 0);
    pm_made_wait(&m, c, lock, m.lock_chain, 3 * step + 10, 3 * step + 10, 0); /* of no length */
    m.assembly->duration = n * step;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
    enum { COLUMNS = 1200 };
    g_autofree PmBucket *buckets = g_new(PmBucket, COLUMNS);
    for (gint64 width = n * step; width >= 4; width /= 3) {
        gint64 from = CLAMP(at - width / 2, 0, n * step - width);
        pm_parked_now_read(p, from, from + width, COLUMNS, buckets);
        guint shown = 0;
        for (guint i = 0; i < COLUMNS; i++)
            shown += buckets[i].max == 2;
        g_assert_cmpuint(shown, >=, 1);
    }
    g_assert_cmpuint(pm_parked_now_peak(p, 0, 5 * step), ==, 2);
    g_assert_cmpuint(pm_parked_now_peak(p, 5 * step, 600000 * step), ==, 1);
}

/* Of many events: each bucket is what the one of the same stretch is alone, but for a 32nd of it at
 * either end, and shows its peak. */
static void wide_buckets_are_off_by_a_32nd(void)
{
    g_autoptr(PmRecording) r = pm_made_random(41, 400000, 30, 40000000);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
    g_autoptr(PmBandOrder) order = pm_band_order_new(r, PM_ASPECT_CLASS, TRUE);
    g_autoptr(PmBands) bands = pm_bands_new(p, order, NULL);
    const guint n_bands = pm_band_order_n(order) + 1;
    enum { N = 50 };
    const gint64 length = v->to / N;
    g_autofree double *means = g_new(double, N *n_bands);
    PmBucket buckets[N], alone, gap;
    double all = 0;
    guint n_moved = 0;
    pm_parked_now_read(p, 0, length * N, N, buckets);
    pm_bands_read(bands, 0, length * N, N, means);
    for (gint64 i = 0; i < N; i++) {
        double sum = 0;
        pm_parked_now_read(p, length * i, length * (i + 1), 1, &alone);
        pm_parked_now_read(p, MAX(length * i - length / 32, 0), length * (i + 1) + length / 32, 1,
                           &gap);
        for (guint k = 0; k < n_bands; k++)
            sum += means[i * n_bands + k];
        g_assert_cmpfloat(fabs(sum - buckets[i].mean), <, 1e-9);
        g_assert_cmpfloat(fabs(alone.mean - buckets[i].mean), <=, gap.max / 32.0);
        g_assert_cmpuint(buckets[i].max, >=, alone.max);
        g_assert_cmpuint(buckets[i].max, <=, gap.max);
        g_assert_cmpuint(buckets[i].min, <=, alone.min);
        n_moved += fabs(alone.mean - buckets[i].mean) > 1e-9;
        all += buckets[i].mean / N;
    }
    pm_parked_now_read(p, 0, length * N, 1, &alone);
    g_assert_cmpfloat(fabs(all - alone.mean), <, alone.max / 32.0 / N);
    g_assert_cmpuint(n_moved, >, N / 2); /* else nothing was tested */
}

/* The mean of a band between two instants, wait by wait. */
static double mean_of_band(const PmView *v, const PmBandOrder *order, PmAspect aspect, guint band,
                           gint64 begin, gint64 end)
{
    const PmContention *contention = pm_recording_contention(v->recording, NULL);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    gint64 sum = 0;
    for (gsize i = 0; i < v->n; i++) {
        const guint32 row = pm_view_row(v, i);
        g_array_set_size(parts, 0);
        if (pm_aspect_is_split(aspect)) {
            pm_contention_split(contention, row, v->from, v->to, parts);
        } else {
            PmPart whole = {.begin = MAX(pm_wait_begin(&v->recording->waits, row), v->from),
                            .end = MIN(pm_wait_end(&v->recording->waits, row), v->to)};
            g_array_append_val(parts, whole);
        }
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            const guint64 key = pm_aspect_is_split(aspect)
                                    ? pm_part_key(v->recording, aspect, part)
                                    : pm_aspect_key(v->recording, aspect, row);
            if (pm_band_order_find(order, key) == band)
                sum += MAX(MIN(part->end, end) - MAX(part->begin, begin), 0);
        }
    }
    return (double)sum / (double)(end - begin);
}

/* A tree that begins with the aspect has the same order. */
static void check_order_of_tree(PmRecording *r, const PmBandOrder *order, PmAspect aspect)
{
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_autoptr(PmTree) tree = pm_tree_new(v, (PmAspect[]){aspect, PM_ASPECT_GROUP}, 2, NULL);
    g_autoptr(PmBandOrder) other = pm_band_order_of_tree(tree);
    g_assert_cmpuint(pm_band_order_n(other), ==, pm_band_order_n(order));
    for (guint i = 0; i <= pm_band_order_n(order); i++) {
        const PmBand *x = pm_band_order_get(order, i), *y = pm_band_order_get(other, i);
        g_assert_true(x->key == y->key && x->others == y->others && x->category == y->category &&
                      x->rank == y->rank && x->thread_time == y->thread_time);
    }
}

/* Made together, bands and threads waiting are the same. */
static gboolean check_together(const PmView *v, const PmBandOrder *order, const double *means,
                               const PmBucket *buckets, gint64 from, gint64 to, gsize n)
{
    const guint n_bands = pm_band_order_n(order) + 1;
    g_autoptr(PmBands) bands = NULL;
    g_autoptr(PmParkedNow) p = pm_parked_now_new_with_bands(v, order, &bands, NULL);
    g_autofree PmBucket *same = g_new(PmBucket, n);
    g_autofree double *same_means = g_new(double, n *n_bands);

    pm_parked_now_read(p, from, to, n, same);
    for (gsize i = 0; i < n; i++)
        g_assert_true(same[i].min == buckets[i].min && same[i].max == buckets[i].max &&
                      same[i].last == buckets[i].last && same[i].mean == buckets[i].mean);
    if (!bands) /* a wait's parts go to several */
        return FALSE;
    pm_bands_read(bands, from, to, n, same_means);
    g_assert_cmpmem(same_means, n * n_bands * sizeof *means, means, n * n_bands * sizeof *means);
    return TRUE;
}

/* `scale`: so many times as long and with so many waits more. */
static void check_bands(gint scale)
{
    static const PmAspect aspects[] = {PM_ASPECT_BLOCKER, PM_ASPECT_THREAD, PM_ASPECT_CLASS,
                                       PM_ASPECT_CAUSE};
    g_autoptr(PmRecording) r = pm_made_random(31, 900 * (guint)scale, 14, 6000 * (gint64)scale);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    f->from = 200 * (gint64)scale;
    f->to = 5500 * (gint64)scale;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
    for (gsize a = 0; a < G_N_ELEMENTS(aspects); a++) {
        g_autoptr(PmBandOrder) order = pm_band_order_new(r, aspects[a], TRUE);
        g_autoptr(PmBands) bands = pm_bands_new(p, order, NULL);
        check_order_of_tree(r, order, aspects[a]);
        guint n_bands = pm_band_order_n(order) + 1;
        /* So many parts that borders are moved. */
        const double off = scale > 1 && pm_aspect_is_split(aspects[a]) ? 14 / 32.0 : 1e-9;
        g_assert_cmpuint(n_bands, <=, PM_N_BANDS + 1);
        g_assert_true(pm_band_order_get(order, n_bands - 1)->others);
        for (guint i = 1; i + 1 < n_bands; i++)
            g_assert_cmpint(pm_band_order_get(order, i - 1)->thread_time, >=,
                            pm_band_order_get(order, i)->thread_time);
        enum { N = 173 };
        g_autofree double *means = g_new(double, N *n_bands);
        g_autofree PmBucket *buckets = g_new(PmBucket, N);
        const gint64 from = 100 * (gint64)scale, to = 5800 * (gint64)scale;
        pm_bands_read(bands, from, to, N, means);
        pm_parked_now_read(p, from, to, N, buckets);
        for (guint i = 0; i < N; i++) {
            double sum = 0;
            for (guint k = 0; k < n_bands; k++)
                sum += means[i * n_bands + k];
            g_assert_cmpfloat(fabs(sum - buckets[i].mean), <, off);
        }
        g_assert_cmpint(check_together(v, order, means, buckets, from, to, N), ==,
                        !pm_aspect_is_split(aspects[a]));
        for (guint i = 0; i<N; i += scale> 1 ? 60 : 1) {
            const gint64 begin = from + (to - from) * i / N, end = from + (to - from) * (i + 1) / N;
            for (guint k = 0; k < n_bands; k++)
                g_assert_cmpfloat(fabs(means[i * n_bands + k] -
                                       mean_of_band(v, order, aspects[a], k, begin, end)),
                                  <, off);
        }
    }
}

static void bands_add_up_to_the_mean(void)
{
    check_bands(1);
    check_bands(150); /* so many that several threads read them */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/series/buckets-equal-brute-force", buckets_equal_brute_force);
    g_test_add_func("/analysis/series/pyramid-equals-a-sweep", pyramid_equals_a_sweep);
    g_test_add_func("/analysis/series/one-nanosecond-shows-at-every-zoom",
                    one_nanosecond_shows_at_every_zoom);
    g_test_add_func("/analysis/series/wide-buckets-are-off-by-a-32nd",
                    wide_buckets_are_off_by_a_32nd);
    g_test_add_func("/analysis/series/bands-add-up-to-the-mean", bands_add_up_to_the_mean);
    return g_test_run();
}

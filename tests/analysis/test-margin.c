/* How far off shares may be that rest on samples. */
#include "viewer/analysis/evidence/margin.h"

#include <math.h>

#include "tests/analysis/made.h"

#define MS G_GINT64_CONSTANT(1000000)

static void margin_shrinks_with_samples(void)
{
    g_assert_cmpfloat(pm_margin_of(0.5, 0), ==, 0);
    g_assert_cmpfloat_with_epsilon(pm_margin_of(0.5, 100), 0.0962, 0.0005);
    g_assert_cmpfloat_with_epsilon(pm_margin_of(1, 27), 0.1246, 0.0005);
    for (double n = 1; n < 1000; n *= 2)
        g_assert_cmpfloat(pm_margin_of(0.3, 2 * n), <, pm_margin_of(0.3, n));
}

/* Of many polls the share that a poll tells is as near to the true one as it says, 19 of 20 times.
 */
static void margin_has_the_share_in_it(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(17);
    for (double share = 0.05; share < 1; share += 0.15) {
        guint n_near = 0;
        for (guint poll = 0; poll < 2000; poll++) {
            guint n = 0;
            for (guint i = 0; i < 40; i++)
                n += g_rand_double(random) < share;
            n_near += fabs(n / 40.0 - share) <= pm_margin_of(n / 40.0, 40);
        }
        g_assert_cmpuint(n_near, >, 1860);
    }
}

/* What is sampled `n` times, and otherwise as good as `most` samples. */
static double as_of(double n, double most)
{
    return 1 / (1 / n + 1 / most);
}

/* Two causes of three are told by samples, of 300 and 100 ms, 30 and 10 of them; the third, of 400
 * ms, is known. Samples out of the view tell nothing, as those of other code. */
static void margin_is_of_what_samples_place(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 1000 * MS;
    const guint32 worker = pm_made_thread(&m, "worker");
    const guint32 chains[] = {pm_made_chain(a, "com.acme.Prices.load", NULL),
                              pm_made_chain(a, "com.acme.Prices.sum", NULL), m.other_chain};
    g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
        static const gint64 times[] = {300 * MS, 100 * MS, 400 * MS};
        const PmCulprit culprit = {.cause = {.thread = worker, .chain = chains[i]},
                                   .time = times[i]};
        g_array_append_val(culprits, culprit);
    }
    for (guint i = 0; i < 60; i++) {
        const PmOwnerSample sample = {.at = i * 20 * MS,
                                      .owner = worker,
                                      .chain = i < 30   ? chains[0]
                                               : i < 40 ? chains[1]
                                               : i < 50 ? m.lock_chain
                                                        : chains[0]};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmView) view = pm_made_view(r);
    const guint of[] = {0, 1, 2};
    PmFindingCause causes[3] = {0};
    pm_margins_find(view, culprits, of, 800 * MS, causes, 3);
    const double poll = as_of(40, PM_MARGIN_OF_OWNERS);
    g_assert_cmpfloat_with_epsilon(causes[0].margin, 0.5 * pm_margin_of(0.75, poll), 1e-9);
    g_assert_cmpfloat_with_epsilon(causes[1].margin, 0.5 * pm_margin_of(0.25, poll), 1e-9);
    g_assert_cmpfloat(causes[2].margin, ==, 0);
    const guint as_one[] = {0, 1, 1}; /* of the second one most is known */
    PmFindingCause two[2] = {0};
    pm_margins_find(view, culprits, as_one, 800 * MS, two, 2);
    g_assert_cmpfloat(two[0].margin, ==, causes[0].margin);
    g_assert_cmpfloat(two[1].margin, ==, 0);
    g_autofree char *text = pm_finding_margin_text(&causes[0]);
    g_assert_cmpstr(text, ==, "≤ 10");
    g_assert_null(pm_finding_margin_text(&causes[2]));
}

/* A thousand samples leave what is inferred about them as uncertain as it is; so is what no sample
 * shows, unless it is exact. Who owns a lock is known better than who keeps one of a resource. */
static void margin_is_of_what_is_inferred_too(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 1000 * MS;
    const guint32 worker = pm_made_thread(&m, "worker");
    for (guint i = 0; i < 1000; i++) {
        const PmOwnerSample sample = {.at = i * MS, .owner = worker, .chain = m.lock_chain};
        g_array_append_val(a->samples, sample);
    }
    const PmCulprit of[] = {{.cause = {.thread = worker, .chain = m.lock_chain}, .time = 600 * MS},
                            {.cause = {.thread = worker, .chain = m.other_chain},
                             .time = 200 * MS,
                             .inferred_time = 200 * MS},
                            {.cause = {.thread = worker}, .time = 200 * MS}};
    static const struct {
        PmCauseKind kind;
        gboolean kept;
        double poll;
    } rows[] = {{PM_CAUSE_WAKER, FALSE, PM_MARGIN_OF_ENDERS},
                {PM_CAUSE_OWNER, FALSE, PM_MARGIN_OF_OWNERS},
                {PM_CAUSE_OWNER, TRUE, PM_MARGIN_OF_KEEPERS}};
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmView) view = pm_made_view(r);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GArray) culprits = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
        static const guint nth[] = {0, 1, 2};
        PmFindingCause causes[3] = {0};
        g_array_append_vals(culprits, of, 3);
        for (guint k = 0; k < 3; k++) {
            PmCulprit *culprit = &g_array_index(culprits, PmCulprit, k);
            culprit->cause.kind = rows[i].kind;
            culprit->kept_time = rows[i].kept ? culprit->time : 0;
        }
        pm_margins_find(view, culprits, nth, 1000 * MS, causes, 3);
        const double poll = 1 / (0.75 * 0.75 / 1000 + 1 / rows[i].poll);
        g_assert_cmpfloat_with_epsilon(causes[0].margin, 0.8 * pm_margin_of(0.75, poll), 1e-9);
        g_assert_cmpfloat_with_epsilon(causes[1].margin, 0.8 * pm_margin_of(0.25, poll), 1e-9);
        g_assert_cmpfloat(causes[2].margin, ==, 0);
    }
}

/* Nothing has a share below none or above all. */
static void margin_is_told_within_what_a_share_can_be(void)
{
    static const struct {
        double share, margin;
        const char *text;
    } rows[] = {
        {0.38, 0.08, "± 8"},    {0.38, 0.001, "± 1"}, {0.99, 0.48, "≥ 51"}, {0.99, 0.034, "≥ 95"},
        {0.17, 0.2601, "≤ 44"}, {0.5, 0.7, "± 70"},   {0.5, 0, NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const PmFindingCause cause = {.share = rows[i].share, .margin = rows[i].margin};
        g_autofree char *text = pm_finding_margin_text(&cause);
        g_assert_cmpstr(text, ==, rows[i].text);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/margin/shrinks-with-samples", margin_shrinks_with_samples);
    g_test_add_func("/analysis/margin/has-the-share-in-it", margin_has_the_share_in_it);
    g_test_add_func("/analysis/margin/is-of-what-samples-place", margin_is_of_what_samples_place);
    g_test_add_func("/analysis/margin/is-of-what-is-inferred-too",
                    margin_is_of_what_is_inferred_too);
    g_test_add_func("/analysis/margin/is-told-within-what-a-share-can-be",
                    margin_is_told_within_what_a_share_can_be);
    return g_test_run();
}

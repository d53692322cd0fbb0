#include "tests/analysis/made.h"
#include "viewer/analysis/locks/followed.h"

typedef struct {
    const PmRecording *recording;
    guint32 place, thread;
    gint64 at;
} Asked;

/* The row before `next` among those asked for, by end, then by row; G_MAXUINT32: none. */
static guint32 look_everywhere(const Asked *asked, guint32 next)
{
    const PmWaits *w = &asked->recording->waits;
    guint32 best = G_MAXUINT32;
    for (guint32 row = 0; row < w->n; row++) {
        const gint64 end = pm_wait_end(w, row);
        if (!pm_wait_waker(w, row) || pm_wait_thread(w, row) != asked->thread ||
            pm_followed_place(asked->recording, row) != asked->place || end > asked->at)
            continue;
        if (next != G_MAXUINT32 &&
            (end > pm_wait_end(w, next) || (end == pm_wait_end(w, next) && row >= next)))
            continue;
        if (best == G_MAXUINT32 || end >= pm_wait_end(w, best))
            best = row;
    }
    return best;
}

/* Beside a search through all rows, on random recordings: `n` waits of few threads, so that lists
 * are longer than what lies between two ends that are kept, and end in any order. */
static void check(guint32 seed, guint n, guint n_threads)
{
    g_autoptr(PmRecording) r = pm_made_random(seed, n, n_threads, 1000000);
    g_autofree guint8 *wanted = g_malloc(pm_followed_n_places(r));
    guint n_found = 0;
    for (guint32 i = 0; i < pm_followed_n_places(r); i++)
        wanted[i] = TRUE;
    PmFollowed *followed = pm_followed_new(r, wanted, NULL);
    g_assert_nonnull(followed);
    for (guint32 i = 0; i < r->waits.n; i += 7) {
        const guint32 place = pm_followed_place(r, i), thread = pm_wait_thread(&r->waits, i);
        const gint64 end = pm_wait_end(&r->waits, i);
        for (gint64 at = end - 1; at <= end + 1; at++) {
            const Asked asked = {r, place, thread, at};
            PmBefore before = pm_followed_until(followed, place, thread, at);
            guint32 expected = G_MAXUINT32;
            for (guint k = 0; k < 3; k++) {
                expected = look_everywhere(&asked, expected);
                g_assert_cmpuint(pm_before_next(&before), ==, expected);
                if (expected == G_MAXUINT32)
                    break;
                n_found++;
            }
        }
    }
    g_assert_cmpuint(n_found, >, 0);
    g_assert_cmpuint(pm_followed_until(followed, 0, r->n_threads - 1, G_MININT64).n, ==, 0);
    pm_followed_free(followed);
}

static void finds_what_a_search_finds(void)
{
    check(1, 2000, 12);
    check(2, 2000, 2);
    check(3, 300, 1);
}

static void finds_only_what_is_wanted(void)
{
    g_autoptr(PmRecording) r = pm_made_random(4, 500, 3, 1000000);
    g_autofree guint8 *wanted = g_malloc0(pm_followed_n_places(r));
    gint cancel = TRUE;
    PmFollowed *followed = pm_followed_new(r, wanted, NULL);
    for (guint32 row = 0; row < r->waits.n; row++)
        g_assert_cmpuint(pm_followed_until(followed, pm_followed_place(r, row),
                                           pm_wait_thread(&r->waits, row), G_MAXINT64)
                             .n,
                         ==, 0);
    pm_followed_free(followed);
    wanted[pm_followed_place(r, 0)] = TRUE;
    g_assert_null(pm_followed_new(r, wanted, &cancel));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/followed/finds-what-a-search-finds", finds_what_a_search_finds);
    g_test_add_func("/analysis/followed/finds-only-what-is-wanted", finds_only_what_is_wanted);
    return g_test_run();
}

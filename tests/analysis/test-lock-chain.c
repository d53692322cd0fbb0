#include "viewer/analysis/aggregation/lock-chain.h"

#include "tests/analysis/made.h"

#define MS G_GINT64_CONSTANT(1000000)

static void owners_that_wait_pass_the_blame_on(void)
{
    PmMade m = pm_made_begin();
    guint32 a = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 b = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 c = pm_made_blocker(&m, m.lock_class, 3, m.lock_chain);
    guint32 leaf = pm_made_thread(&m, "leaf"), middle = pm_made_thread(&m, "middle");
    guint32 root = pm_made_thread(&m, "root"), last = pm_made_thread(&m, "last");
    /* leaf waits 100 ms for a, held by middle, which waits 80 of them for b, held by root, which
     * waits 60 for c, held by last. */
    PmWaitRow rows[] = {
        {.begin = 0, .end = 100 * MS, .thread = leaf, .blocker = a, .owner = middle},
        {.begin = 10 * MS, .end = 90 * MS, .thread = middle, .blocker = b, .owner = root},
        {.begin = 20 * MS, .end = 80 * MS, .thread = root, .blocker = c, .owner = last},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        rows[i].chain = m.lock_chain;
        rows[i].wake = rows[i].end;
        rows[i].waker = rows[i].owner;
        rows[i].wake_cause = PM_WAKE_RELEASE;
        pm_assembly_add_wait(m.assembly, &rows[i]);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    const PmContention *contention = pm_recording_contention(r, NULL);

    PmLockLink link;
    g_assert_true(pm_lock_chain_link(v, contention, a, &link));
    g_assert_cmpuint(link.next, ==, b);
    g_assert_cmpint(link.owner_time, ==, 100 * MS);
    g_assert_cmpint(link.thread_time, ==, 80 * MS);
    g_assert_false(pm_lock_chain_link(v, contention, c, &link));

    PmLockLink links[8];
    g_autoptr(GHashTable) known = pm_lock_links_new();
    g_assert_cmpuint(pm_lock_chain_follow(v, contention, known, a, links, 8), ==, 2);
    g_assert_cmpuint(links[1].next, ==, c);
    g_assert_cmpint(links[1].thread_time, ==, 60 * MS);
    g_assert_cmpuint(pm_lock_chain_follow(v, contention, known, a, links, 1), ==, 1);
    /* Chains of other locks end at the same ones, which are asked for once. */
    g_assert_cmpuint(g_hash_table_size(known), ==, 3);
    PmLockLink *last_link = g_hash_table_lookup(known, GUINT_TO_POINTER(c));
    g_assert_cmpuint(last_link->next, ==, 0);
    *last_link = (PmLockLink){.blocker = c, .next = a, .owner_time = 1, .thread_time = 1};
    g_assert_cmpuint(pm_lock_chain_follow(v, contention, known, b, links, 8), ==, 3);
    g_assert_cmpuint(links[1].next, ==, a);
}

/* Instant by instant, beside a brute force over random recordings. */
static void overlap_equals_brute_force(void)
{
    for (guint32 seed = 1; seed <= 6; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 150, 6, 700);
        const PmWaits *w = &r->waits;
        g_autoptr(PmView) v = pm_made_view(r);
        const PmContention *contention = pm_recording_contention(r, NULL);
        g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
        for (guint32 blocker = 1; blocker < r->n_blockers; blocker++) {
            g_autofree gint64 *times = g_new0(gint64, r->n_blockers);
            for (gsize i = 0; i < v->n; i++) {
                if (pm_wait_blocker(w, pm_view_row(v, i)) != blocker)
                    continue;
                g_array_set_size(parts, 0);
                pm_contention_split(contention, pm_view_row(v, i), v->from, v->to, parts);
                for (guint k = 0; k < parts->len; k++) {
                    const PmPart *part = &g_array_index(parts, PmPart, k);
                    for (gint64 at = part->begin; part->kind == PM_CAUSE_OWNER && at < part->end;
                         at++) {
                        for (gsize j = 0; j < w->n; j++)
                            if (pm_wait_thread(w, j) == part->thread && pm_wait_owner(w, j) != 0 &&
                                pm_wait_begin(w, j) <= at && at < pm_wait_end(w, j) &&
                                pm_wait_blocker(w, j) != blocker)
                                times[pm_wait_blocker(w, j)]++;
                    }
                }
            }
            guint32 best = 0;
            for (guint32 b = 1; b < r->n_blockers; b++)
                if (times[b] > times[best])
                    best = b;
            PmLockLink link;
            gboolean found = pm_lock_chain_link(v, contention, blocker, &link);
            g_assert_cmpint(found, ==, best != 0);
            if (found) {
                g_assert_cmpuint(link.next, ==, best);
                g_assert_cmpint(link.thread_time, ==, times[best]);
            }
        }
    }
}

/* A clerk waits for a lock again and again, the longer the later; its owner waits for another one
 * for the first part of that, for one in three a third one. */
static void of_very_many_waits_some_are_looked_at(void)
{
    enum { N = 3 * PM_LOCK_CHAIN_MOST };
    PmMade m = pm_made_begin();
    guint32 locks[3];
    for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
        locks[i] = pm_made_blocker(&m, m.lock_class, i + 1, m.lock_chain);
    const guint32 clerk = pm_made_thread(&m, "clerk"), owner = pm_made_thread(&m, "owner");
    const guint32 other = pm_made_thread(&m, "other");
    gint64 at = 0, owner_time = 0, times[3] = {0};
    for (guint i = 0; i < N; i++) {
        const gint64 length = 1000 + i;
        const guint which = i % 3 == 0 ? 2 : 1;
        PmWaitRow rows[] = {
            {.begin = at, .end = at + length, .thread = clerk, .blocker = locks[0], .owner = owner},
            {.begin = at,
             .end = at + length * 3 / 4,
             .thread = owner,
             .blocker = locks[which],
             .owner = other},
        };
        for (guint k = 0; k < G_N_ELEMENTS(rows); k++) {
            rows[k].chain = m.lock_chain;
            rows[k].wake = rows[k].end;
            rows[k].waker = rows[k].owner;
            rows[k].wake_cause = PM_WAKE_RELEASE;
            pm_assembly_add_wait(m.assembly, &rows[k]);
        }
        owner_time += length;
        times[which] += length * 3 / 4;
        at += 2 * length;
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    PmLockLink link;
    g_assert_true(pm_lock_chain_link(v, pm_recording_contention(r, NULL), locks[0], &link));
    g_assert_true(link.estimated);
    g_assert_cmpuint(link.next, ==, locks[1]);
    g_assert_cmpfloat_with_epsilon((double)link.owner_time / (double)owner_time, 1, 0.02);
    g_assert_cmpfloat_with_epsilon((double)link.thread_time / (double)times[1], 1, 0.02);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/lock-chain/owners-that-wait-pass-the-blame-on",
                    owners_that_wait_pass_the_blame_on);
    g_test_add_func("/analysis/lock-chain/overlap-equals-brute-force", overlap_equals_brute_force);
    g_test_add_func("/analysis/lock-chain/of-very-many-waits-some-are-looked-at",
                    of_very_many_waits_some_are_looked_at);
    return g_test_run();
}

#include "viewer/analysis/aggregation/tree.h"

#include <string.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/code/account.h"
#include "viewer/analysis/recording/category.h"

static void every_aspect_is_a_whole_row(void)
{
    for (guint i = 0; i < PM_N_ASPECTS; i++) {
        const PmAspectRow *row = &pm_aspects[i];
        PmAspect parsed = PM_N_ASPECTS;
        g_assert_nonnull(row->name);
        g_assert_true(pm_aspect_parse(row->name, &parsed));
        g_assert_cmpint(parsed, ==, i);
        g_assert_cmpstr(row->title, >, "");
        g_assert_cmpstr(row->help, >, "");
        g_assert_nonnull(row->none);
        g_assert_true((row->key != NULL) == (row->split == PM_SPLIT_NONE));
        g_assert_true((row->part_key != NULL) == (row->split != PM_SPLIT_NONE));
        /* only of a waker it is told why there is none */
        g_assert_true((row->missing_key != NULL) ==
                      (!row->split && (row->column == PM_WAIT_COLUMN_WAKER ||
                                       row->column == PM_WAIT_COLUMN_WAKER_CHAIN)));
        g_assert_true(row->text && row->matches && row->lasting_name);
    }
    PmAspect parsed = PM_ASPECT_KIND;
    g_assert_false(pm_aspect_parse("ownr-site", &parsed));
}

/* What each aspect makes of one wait: worker-3 takes a lock in Shop.take, for the server, and
 * keeper-7 releases it. */
static const struct {
    const char *text, *lasting;
} examples[PM_N_ASPECTS] = {
    [PM_ASPECT_KIND] = {"park", "park"},
    [PM_ASPECT_CATEGORY] = {"lock", "lock"},
    [PM_ASPECT_CLASS] = {"ReentrantLock", "ReentrantLock"},
    [PM_ASPECT_ALIKE] = {"ReentrantLock 4f3c91d2 · Shop.take", "ReentrantLock · Shop.take"},
    [PM_ASPECT_BLOCKER] = {"ReentrantLock 4f3c91d2 · Shop.take", "ReentrantLock · Shop.take"},
    [PM_ASPECT_THREAD] = {"worker-3", "worker-*"},
    [PM_ASPECT_GROUP] = {"worker-*", "worker-*"},
    [PM_ASPECT_CHAIN] = {"Shop.take (Shop.java:3) < Task.run (Task.java:4)",
                         "Shop.take < Task.run"},
    [PM_ASPECT_SITE] = {"Shop.take (Shop.java:3)", "Shop.take"},
    [PM_ASPECT_METHOD] = {"Shop.take", "Shop.take"},
    [PM_ASPECT_CAUSE] = {"keeper-7", "keeper-*"},
    [PM_ASPECT_CAUSE_CHAIN] = {"Stock.count (Stock.java:2) < Task.run (Task.java:3)",
                               "Stock.count < Task.run"},
    [PM_ASPECT_CAUSE_SITE] = {"Stock.count (Stock.java:2)", "Stock.count"},
    [PM_ASPECT_OWNER] = {"keeper-7", "keeper-*"},
    [PM_ASPECT_OWNER_CHAIN] = {"Stock.count (Stock.java:2) < Task.run (Task.java:3)",
                               "Stock.count < Task.run"},
    [PM_ASPECT_OWNER_SITE] = {"Stock.count (Stock.java:2)", "Stock.count"},
    [PM_ASPECT_WAKER] = {"keeper-7", "keeper-*"},
    [PM_ASPECT_WAKER_CHAIN] = {"Stock.count (Stock.java:2) < Task.run (Task.java:3)",
                               "Stock.count < Task.run"},
    [PM_ASPECT_WAKER_SITE] = {"Stock.count (Stock.java:2)", "Stock.count"},
    [PM_ASPECT_WAKE_CAUSE] = {"release", "release"},
    [PM_ASPECT_ACCOUNT] = {"shop", "shop"},
    [PM_ASPECT_PRINCIPAL] = {"server", "server"},
};

static PmRecording *example(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 take = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                       "java.util.concurrent.locks.LockSupport.park",
                                       "com.acme.Shop.take", "org.server.Task.run", NULL);
    const guint32 release = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                          "com.acme.Stock.count", "org.server.Task.run", NULL);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, take);
    a->duration = 100;
    PmWaitRow row = {.begin = 10,
                     .end = 90,
                     .wake = 90,
                     .thread = pm_made_thread(&m, "worker-3"),
                     .blocker = lock,
                     .chain = take,
                     .wake_cause = PM_WAKE_RELEASE,
                     .waker_chain = release};
    pm_made_thread(&m, "worker-4");
    row.owner = row.waker = pm_made_thread(&m, "keeper-7");
    pm_made_thread(&m, "keeper-8");
    pm_assembly_add_wait(a, &row);
    g_autoptr(PmAccounts) accounts = pm_accounts_parse("server=org.server.*;shop=com.acme.*", NULL);
    PmRecording *r = pm_assembly_finish(a);
    pm_recording_set_accounts(r, accounts);
    return r;
}

static void every_aspect_has_an_example(void)
{
    g_autoptr(PmRecording) r = example();
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    pm_contention_split(pm_recording_contention(r, NULL), 0, 0, r->duration, parts);
    g_assert_cmpuint(parts->len, ==, 1);
    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        const guint64 key = pm_aspect_is_split(aspect)
                                ? pm_part_key(r, aspect, &g_array_index(parts, PmPart, 0))
                                : pm_aspect_key(r, aspect, 0);
        g_autofree char *text = pm_aspect_key_text(r, aspect, key);
        g_autofree char *lasting = pm_aspect_lasting_name(r, aspect, key);
        if (g_strcmp0(text, examples[aspect].text) || g_strcmp0(lasting, examples[aspect].lasting))
            g_error("%s of the example: \"%s\", in any run \"%s\", not \"%s\" and \"%s\"",
                    pm_aspect_name(aspect), text, lasting, examples[aspect].text,
                    examples[aspect].lasting);
    }
}

/* Whether one of the wait's keys is called so. */
static gboolean is_named(PmRecording *r, PmAspect aspect, gsize row, const char *text)
{
    if (!pm_aspect_is_split(aspect)) {
        g_autofree char *own = pm_aspect_key_text(r, aspect, pm_aspect_key(r, aspect, row));
        return strcmp(own, text) == 0;
    }
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    pm_contention_split(pm_recording_contention(r, NULL), (guint32)row, r->window_begin,
                        r->duration, parts);
    for (guint i = 0; i < parts->len; i++) {
        g_autofree char *own =
            pm_aspect_key_text(r, aspect, pm_part_key(r, aspect, &g_array_index(parts, PmPart, i)));
        if (strcmp(own, text) == 0)
            return TRUE;
    }
    return FALSE;
}

/* A view keeps exactly the rows of which a chip names a key's text. */
static void chips_keep_what_they_name(void)
{
    g_autoptr(PmRecording) r = pm_made_random(3, 400, 9, 5000);
    const PmWaits *w = &r->waits;
    g_autoptr(PmFilter) plain = pm_filter_new();
    plain->idle = TRUE;
    g_autoptr(PmView) all = pm_view_new(r, plain, NULL);
    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        g_autoptr(PmTree) tree = pm_tree_new(all, &aspect, 1, NULL);
        g_assert_cmpuint(tree->root->n_children, >, 0);
        for (guint k = 0; k < tree->root->n_children; k += 3) {
            g_autofree char *text = pm_aspect_key_text(r, aspect, tree->root->children[k]->key);
            for (guint exclude = 0; exclude < 2; exclude++) {
                g_autoptr(PmFilter) f = pm_filter_new();
                f->idle = TRUE;
                pm_filter_add_chip(f, aspect, text, exclude);
                g_autoptr(PmView) v = pm_view_new(r, f, NULL);
                gsize expected = 0, i = 0;
                for (gsize j = 0; j < w->n; j++) {
                    if (pm_wait_end(w, j) <= 0 && pm_wait_begin(w, j) < 0 &&
                        (pm_wait_flags(w, j) & PM_WAIT_IN_PROGRESS) == 0)
                        continue;
                    if (is_named(r, aspect, j, text) != (exclude == 0))
                        continue;
                    expected++;
                    g_assert_cmpuint(i, <, v->n);
                    g_assert_cmpuint(pm_view_row(v, i++), ==, j);
                }
                g_assert_cmpuint(v->n, ==, expected);
            }
        }
    }
}

/* A wait has the part of its time that lies in the range: all that ended before it none, the last
 * nanosecond of one that reaches into it. */
static void a_range_has_its_part_of_a_wait(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 200;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    pm_made_wait(&m, pm_made_thread(&m, "a"), lock, m.lock_chain, 0, 50, 0);
    pm_made_wait(&m, pm_made_thread(&m, "b"), lock, m.lock_chain, 10, 100, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->from = 99;
    f->to = 200;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_assert_cmpuint(v->n, ==, 1);
    g_assert_cmpint(v->thread_time, ==, 1);
    g_assert_cmpint(pm_view_clip(v, pm_view_row(v, 0)), ==, 1);
    g_assert_cmpint(pm_view_clip(v, 0), ==, 0);
}

/* What ended before the window is in the file by chance only: no range shows it, and no share is of
 * time of which nothing is stored. */
static void a_range_is_cut_to_the_window(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 thread = pm_made_thread(&m, "a");
    PmInterval stop = {700, 800};
    pm_made_wait(&m, thread, lock, m.lock_chain, 100, 200, 0);
    pm_made_wait(&m, thread, lock, m.lock_chain, 550, 650, 0);
    pm_made_wait(&m, thread, lock, m.lock_chain, 900, 950, 0);
    g_array_append_val(m.assembly->stopped, stop);
    m.assembly->window_begin = 600;
    m.assembly->duration = 1000;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    static const gint64 froms[] = {-500, 0, 150, 600};
    for (gsize i = 0; i < G_N_ELEMENTS(froms); i++) {
        g_autoptr(PmFilter) f = pm_filter_new();
        f->from = froms[i];
        f->to = 1000;
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        g_assert_cmpint(v->from, ==, 600);
        g_assert_cmpint(v->recorded, ==, 300);
        g_assert_cmpuint(v->n, ==, 2);
        g_assert_cmpint(v->thread_time, ==, 100);
    }
    g_autoptr(PmView) all = pm_view_since_start(r);
    g_assert_cmpint(all->from, ==, 0);
    g_assert_cmpint(all->to, ==, 1000);
    g_assert_cmpint(all->recorded, ==, 900);
    g_assert_cmpuint(all->n, ==, 0);
}

/* A group of one is shown by its thread's name: that too must find it again. */
static void a_group_is_found_by_either_name(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 lone = pm_made_thread(&m, "http-8080-Poller");
    guint32 one = pm_made_thread(&m, "worker-1"), two = pm_made_thread(&m, "worker-2");
    pm_made_wait(&m, lone, lock, m.lock_chain, 100, 200, 0);
    pm_made_wait(&m, one, lock, m.lock_chain, 100, 200, 0);
    pm_made_wait(&m, two, lock, m.lock_chain, 100, 200, 0);
    m.assembly->duration = 1000;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    static const struct {
        const char *pattern;
        guint n;
    } cases[] = {{"http-*-Poller", 1}, {"http-8080-Poller", 1}, {"http-8080-*", 1},
                 {"worker-*", 2},      {"worker-1", 0},         {"*", 3}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(PmFilter) f = pm_filter_new();
        pm_filter_add_chip(f, PM_ASPECT_GROUP, cases[i].pattern, FALSE);
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        g_assert_cmpuint(v->n, ==, cases[i].n);
    }
    g_assert_cmpstr(r->groups[r->threads[lone].group].shown, ==, "http-8080-Poller");
    g_assert_cmpstr(r->groups[r->threads[one].group].shown, ==, "worker-*");
}

static void idle_is_left_out_and_counted(void)
{
    g_autoptr(PmRecording) r = pm_made_random(4, 400, 9, 5000);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) without = pm_view_new(r, f, NULL);
    f->idle = TRUE;
    g_autoptr(PmView) with = pm_view_new(r, f, NULL);
    g_assert_cmpuint(without->idle_waits, >, 0);
    g_assert_cmpuint(with->idle_waits, ==, 0);
    g_assert_cmpuint(without->n + without->idle_waits, ==, with->n);
    g_assert_cmpint(without->thread_time + without->idle_time, ==, with->thread_time);
    for (gsize i = 0; i < without->n; i++)
        g_assert_false(pm_category_is_idle(pm_wait_category(&r->waits, pm_view_row(without, i))));

    f->idle = FALSE;
    pm_filter_add_chip(f, PM_ASPECT_CATEGORY, "pool-idle", FALSE);
    g_autoptr(PmView) asked = pm_view_new(r, f, NULL);
    g_assert_cmpuint(asked->n, ==, without->idle_waits);
}

static void words_for_a_blocker(void)
{
    g_autoptr(PmRecording) r = pm_made_random(5, 100, 4, 5000);
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "1000"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "00001000"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "ReentrantLock 00001000"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "#1"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "ReentrantLock*"));
    g_assert_false(pm_aspect_key_matches(r, PM_ASPECT_BLOCKER, 1, "1001"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_CLASS, 1, "java.util.concurrent.locks.*"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_CLASS, 1, "ReentrantLock"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_KIND, PM_KIND_ENTER, "enter"));
    g_assert_true(pm_aspect_key_matches(r, PM_ASPECT_KIND, PM_KIND_ENTER, "synchronized"));
}

static void values_compare_and_copy(void)
{
    g_autoptr(PmFilter) a = pm_filter_new();
    a->from = 5;
    a->to = 9;
    pm_filter_add_chip(a, PM_ASPECT_SITE, "X.y", TRUE);
    g_autoptr(PmFilter) b = pm_filter_copy(a);
    g_assert_true(pm_filter_equal(a, b));
    pm_filter_remove_chip(b, 0);
    g_assert_false(pm_filter_equal(a, b));
    pm_filter_add_chip(b, PM_ASPECT_SITE, "X.y", FALSE);
    g_assert_false(pm_filter_equal(a, b));
}

static void cancel_gives_nothing(void)
{
    g_autoptr(PmRecording) r = pm_made_random(5, 100, 4, 5000);
    g_autoptr(PmFilter) f = pm_filter_new();
    gint cancel = 1;
    g_assert_null(pm_view_new(r, f, &cancel));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/aspect/every-one-has-a-name", every_aspect_is_a_whole_row);
    g_test_add_func("/analysis/filter/every-aspect-has-an-example", every_aspect_has_an_example);
    g_test_add_func("/analysis/filter/chips-keep-what-they-name", chips_keep_what_they_name);
    g_test_add_func("/analysis/filter/a-group-is-found-by-either-name",
                    a_group_is_found_by_either_name);
    g_test_add_func("/analysis/filter/a-range-has-its-part-of-a-wait",
                    a_range_has_its_part_of_a_wait);
    g_test_add_func("/analysis/filter/a-range-is-cut-to-the-window", a_range_is_cut_to_the_window);
    g_test_add_func("/analysis/filter/idle-is-left-out-and-counted", idle_is_left_out_and_counted);
    g_test_add_func("/analysis/filter/words-for-a-blocker", words_for_a_blocker);
    g_test_add_func("/analysis/filter/values-compare-and-copy", values_compare_and_copy);
    g_test_add_func("/analysis/filter/cancel-gives-nothing", cancel_gives_nothing);
    return g_test_run();
}

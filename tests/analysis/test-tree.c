#include "viewer/analysis/aggregation/tree.h"

#include <string.h>

#include "tests/analysis/made.h"

/* Sums what a node claims to sum: the waits whose keys are those of its path. */
static void check_node(const PmTree *tree, const PmTreeNode *node, guint depth)
{
    const PmView *v = tree->view;
    guint64 keys[PM_N_ASPECTS];
    const PmTreeNode *up = node;
    for (guint level = depth; level-- > 0; up = up->parent) {
        g_assert_cmpint(up->aspect, ==, tree->aspects[level]);
        keys[level] = up->key;
    }
    gint64 count = 0, time = 0, longest = 0;
    for (gsize i = 0; i < v->n; i++) {
        gboolean in = TRUE;
        for (guint level = 0; level < depth && in; level++)
            in =
                pm_aspect_key(v->recording, tree->aspects[level], pm_view_row(v, i)) == keys[level];
        if (!in)
            continue;
        count++;
        time += pm_view_clip(v, pm_view_row(v, i));
        longest = MAX(longest, pm_view_clip(v, pm_view_row(v, i)));
    }
    g_assert_cmpint(node->count, ==, count);
    g_assert_cmpint(node->thread_time, ==, time);
    g_assert_cmpint(node->longest, ==, longest);
    g_assert_cmpint(node->inferred_time, ==, 0);
    gint64 sum = 0;
    for (guint i = 0; i < node->n_children; i++) {
        const PmTreeNode *child = node->children[i];
        g_assert_true(child->parent == node);
        if (i > 0) {
            const PmTreeNode *before = node->children[i - 1];
            g_assert_cmpint(before->pseudo, <=, child->pseudo);
            if (before->pseudo == child->pseudo)
                g_assert_cmpint(before->thread_time, >=, child->thread_time);
        }
        sum += child->thread_time;
        check_node(tree, child, depth + 1);
    }
    if (depth < tree->n_aspects)
        g_assert_cmpint(sum, ==, time);
    else
        g_assert_cmpuint(node->n_children, ==, 0);
}

static void sums_what_its_paths_name(void)
{
    static const PmAspect orders[][3] = {
        {PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_CHAIN},
        {PM_ASPECT_WAKER, PM_ASPECT_SITE, PM_ASPECT_KIND},
        {PM_ASPECT_GROUP, PM_ASPECT_THREAD, PM_ASPECT_CATEGORY},
        {PM_ASPECT_ACCOUNT, PM_ASPECT_WAKE_CAUSE, PM_ASPECT_WAKER_SITE},
    };
    g_autoptr(PmRecording) r = pm_made_random(11, 300, 8, 4000);
    for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
        g_autoptr(PmFilter) f = pm_filter_new();
        f->idle = i % 2;
        f->from = i * 300;
        f->to = 3000;
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        for (guint n = 0; n <= 3; n++) {
            g_autoptr(PmTree) tree = pm_tree_new(v, orders[i], n, NULL);
            check_node(tree, tree->root, 0);
        }
    }
}

/* So many waits that several threads add them up. */
static void many_waits_are_summed_like_few(void)
{
    static const PmAspect aspects[] = {PM_ASPECT_GROUP, PM_ASPECT_BLOCKER};
    static const PmAspect causes[] = {PM_ASPECT_CAUSE, PM_ASPECT_BLOCKER};
    g_autoptr(PmRecording) r = pm_made_random(14, 100000, 20, 1000000);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_assert_cmpuint(v->n, >, 1 << 16);
    g_autoptr(PmTree) tree = pm_tree_new(v, aspects, 2, NULL);
    check_node(tree, tree->root, 0);

    g_autoptr(PmTree) by_cause = pm_tree_new(v, causes, 2, NULL);
    g_assert_cmpint(by_cause->root->count, ==, (gint64)v->n);
    g_assert_cmpint(by_cause->root->thread_time, ==, v->thread_time);
    g_assert_cmpint(by_cause->root->longest, ==, tree->root->longest);
    /* Each part, added by hand. */
    const PmContention *c = pm_recording_contention(r, NULL);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (guint i = 0; i < by_cause->root->n_children; i++) {
        const PmTreeNode *node = by_cause->root->children[i];
        gint64 count = 0, time = 0;
        for (gsize k = 0; k < v->n; k++) {
            gboolean in = FALSE;
            g_array_set_size(parts, 0);
            pm_contention_split(c, pm_view_row(v, k), v->from, v->to, parts);
            for (guint p = 0; p < parts->len; p++) {
                const PmPart *part = &g_array_index(parts, PmPart, p);
                if (pm_part_key(r, PM_ASPECT_CAUSE, part) != node->key)
                    continue;
                in = TRUE;
                time += part->end - part->begin;
            }
            if (parts->len == 0)
                in = pm_part_key(r, PM_ASPECT_CAUSE, &(PmPart){.kind = PM_CAUSE_UNKNOWN}) ==
                     node->key;
            count += in;
        }
        g_assert_cmpint(node->count, ==, count);
        g_assert_cmpint(node->thread_time, ==, time);
    }
}

static gint64 sum_of(const PmTreeNode *node, guint depth)
{
    if (depth == 0)
        return node->thread_time;
    gint64 sum = 0;
    for (guint i = 0; i < node->n_children; i++)
        sum += sum_of(node->children[i], depth - 1);
    return sum;
}

static void parts_add_up_at_every_level(void)
{
    static const PmAspect orders[][2] = {
        {PM_ASPECT_CAUSE, PM_ASPECT_BLOCKER},    {PM_ASPECT_CAUSE_SITE, PM_ASPECT_SITE},
        {PM_ASPECT_OWNER, PM_ASPECT_THREAD},     {PM_ASPECT_BLOCKER, PM_ASPECT_OWNER_SITE},
        {PM_ASPECT_CAUSE_CHAIN, PM_ASPECT_KIND}, {PM_ASPECT_GROUP, PM_ASPECT_OWNER_CHAIN}};
    g_autoptr(PmRecording) r = pm_made_random(12, 400, 8, 4000);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    f->from = 100;
    f->to = 3900;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
        g_autoptr(PmTree) tree = pm_tree_new(v, orders[i], 2, NULL);
        g_assert_nonnull(tree);
        g_assert_cmpint(tree->root->count, ==, (gint64)v->n);
        for (guint depth = 0; depth <= 2; depth++)
            g_assert_cmpint(sum_of(tree->root, depth), ==, v->thread_time);
    }
}

static void chips_keep_waits_with_a_part_of_the_key(void)
{
    g_autoptr(PmRecording) r = pm_made_random(13, 400, 8, 4000);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) all = pm_view_new(r, f, NULL);
    const PmContention *c = pm_recording_contention(r, NULL);
    PmAspect aspect = PM_ASPECT_CAUSE;
    g_autoptr(PmTree) tree = pm_tree_new(all, &aspect, 1, NULL);
    g_assert_cmpuint(tree->root->n_children, >, 2);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (guint i = 0; i < tree->root->n_children; i++) {
        g_autoptr(PmFilter) g = pm_filter_copy(f);
        g_autofree char *text = pm_aspect_key_text(r, aspect, tree->root->children[i]->key);
        pm_filter_add_chip(g, aspect, text, FALSE);
        g_autoptr(PmView) v = pm_view_new(r, g, NULL);
        gsize n = 0;
        for (gsize k = 0; k < all->n; k++) {
            g_array_set_size(parts, 0);
            pm_contention_split(c, pm_view_row(all, k), all->from, all->to, parts);
            gboolean has = FALSE;
            for (guint p = 0; p < parts->len; p++)
                has = has || pm_part_key(r, aspect, &g_array_index(parts, PmPart, p)) ==
                                 tree->root->children[i]->key;
            n += has;
        }
        /* The tree also counts waits of no length under (unknown). */
        if (strcmp(text, "(unknown)") != 0)
            g_assert_cmpint(tree->root->children[i]->count, ==, (gint64)n);
        g_assert_cmpuint(v->n, ==, n);
    }
}

static void cancel_gives_nothing(void)
{
    g_autoptr(PmRecording) r = pm_made_random(5, 100, 4, 5000);
    g_autoptr(PmView) v = pm_made_view(r);
    gint cancel = 1;
    PmAspect aspect = PM_ASPECT_CLASS;
    g_assert_null(pm_tree_new(v, &aspect, 1, &cancel));
}

/* Below `exact`, in shares of the whole; a row that the estimate has not is little. */
static void check_near(const PmTreeNode *exact, const PmTreeNode *estimate, double whole)
{
    for (guint i = 0; i < exact->n_children; i++) {
        const PmTreeNode *node = exact->children[i], *other = NULL;
        for (guint k = 0; k < estimate->n_children; k++)
            if (estimate->children[k]->key == node->key)
                other = estimate->children[k];
        const double time = other ? (double)other->thread_time : 0;
        g_assert_cmpfloat(ABS(time - (double)node->thread_time) / whole, <, 0.01);
        if (!other || node->pseudo) /* waits of no length are not followed */
            continue;
        const double count = (double)other->count - (double)node->count;
        g_assert_cmpfloat(ABS(count) / (double)exact->count, <, 0.05);
        g_assert_cmpint(other->longest, <=, node->longest);
        check_near(node, other, whole);
    }
}

static void causes_of_very_many_waits_are_estimated(void)
{
    static const PmAspect aspects[] = {PM_ASPECT_BLOCKER, PM_ASPECT_CAUSE};
    g_autoptr(PmRecording) r =
        pm_made_random(15, PM_TREE_MANY_WAITS * 5 / 4, 20, G_GINT64_CONSTANT(1000000000));
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_assert_cmpuint(v->n, >, PM_TREE_MANY_WAITS);
    g_autoptr(PmTree) exact = pm_tree_new(v, aspects, 2, NULL);
    g_autoptr(PmTree) estimate = pm_tree_new_bounded(v, aspects, 2, NULL);
    g_assert_false(exact->estimated);
    g_assert_true(estimate->estimated);
    g_assert_cmpuint(estimate->n_followed, <, v->n / 10);
    g_assert_cmpuint(estimate->n_followed, >, v->n / 100);
    g_assert_cmpint(estimate->root->count, ==, exact->root->count);
    g_assert_cmpint(estimate->root->thread_time, ==, exact->root->thread_time);
    check_near(exact->root, estimate->root, (double)exact->root->thread_time);

    /* What asks for no causes, or of fewer waits, is exact all the same. */
    g_autoptr(PmTree) plain = pm_tree_new_bounded(v, aspects, 1, NULL);
    g_assert_false(plain->estimated);
    check_node(plain, plain->root, 0);
    f->to = r->duration / 2;
    f->from = 1;
    g_autoptr(PmView) half = pm_view_new(r, f, NULL);
    g_autoptr(PmTree) of_half = pm_tree_new_bounded(half, aspects, 2, NULL);
    g_assert_false(of_half->estimated);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/tree/sums-what-its-paths-name", sums_what_its_paths_name);
    g_test_add_func("/analysis/tree/many-waits-are-summed-like-few",
                    many_waits_are_summed_like_few);
    g_test_add_func("/analysis/tree/parts-add-up-at-every-level", parts_add_up_at_every_level);
    g_test_add_func("/analysis/tree/chips-keep-waits-with-a-part-of-the-key",
                    chips_keep_waits_with_a_part_of_the_key);
    g_test_add_func("/analysis/tree/causes-of-very-many-waits-are-estimated",
                    causes_of_very_many_waits_are_estimated);
    g_test_add_func("/analysis/tree/cancel-gives-nothing", cancel_gives_nothing);
    return g_test_run();
}

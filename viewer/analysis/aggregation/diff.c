#include "viewer/analysis/aggregation/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/base/sum.h"

static PmDiffNode *node_new(PmDiffNode *parent, PmAspect aspect, char *key)
{
    PmDiffNode *node = g_new0(PmDiffNode, 1);
    node->aspect = aspect;
    node->key = key;
    node->parent = parent;
    if (parent) {
        parent->children = g_renew(PmDiffNode *, parent->children, parent->n_children + 1);
        parent->children[parent->n_children++] = node;
    }
    return node;
}

static void node_free(PmDiffNode *node)
{
    if (!node)
        return;
    for (guint i = 0; i < node->n_children; i++)
        node_free(node->children[i]);
    g_free(node->children);
    g_free(node->key);
    g_free(node);
}

/* Several nodes of one side may have one name: they are summed. */
static void merge(PmDiffNode *to, const PmTreeNode *from, const PmView *view, gboolean after)
{
    PmDiffSide *side = after ? &to->after : &to->before;
    side->count += from->count;
    pm_sum_add(&side->thread_time, from->thread_time);
    side->longest = MAX(side->longest, from->longest);
    if (side->thread_time >= (after ? to->before : to->after).thread_time)
        to->category = from->category;
    to->pseudo = from->pseudo;

    g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < to->n_children; i++)
        g_hash_table_insert(by_name, to->children[i]->key, to->children[i]);
    for (guint i = 0; i < from->n_children; i++) {
        const PmTreeNode *child = from->children[i];
        char *name = pm_aspect_lasting_name(view->recording, child->aspect, child->key);
        PmDiffNode *node = g_hash_table_lookup(by_name, name);
        if (!node) {
            node = node_new(to, child->aspect, name);
            g_hash_table_insert(by_name, node->key, node);
        } else {
            g_free(name);
        }
        merge(node, child, view, after);
    }
}

static int compare_nodes(const void *left, const void *right)
{
    const PmDiffNode *a = *(PmDiffNode *const *)left, *b = *(PmDiffNode *const *)right;
    if (fabs(a->change) != fabs(b->change))
        return fabs(a->change) > fabs(b->change) ? -1 : 1;
    return strcmp(a->key, b->key);
}

static void settle(PmDiffNode *node, gint64 known_before, gint64 known_after)
{
    if (known_before > 0)
        node->before.threads = (double)node->before.thread_time / (double)known_before;
    if (known_after > 0)
        node->after.threads = (double)node->after.thread_time / (double)known_after;
    node->change = node->after.threads - node->before.threads;
    for (guint i = 0; i < node->n_children; i++)
        settle(node->children[i], known_before, known_after);
    if (node->n_children > 1)
        qsort(node->children, node->n_children, sizeof *node->children, compare_nodes);
}

PmDiff *pm_diff_new(PmView *before, PmView *after, const PmAspect *aspects, guint n_aspects,
                    const gint *cancel)
{
    g_return_val_if_fail(before != NULL && after != NULL, NULL);
    g_autoptr(PmTree) first = pm_tree_new(before, aspects, n_aspects, cancel);
    g_autoptr(PmTree) second = pm_tree_new(after, aspects, n_aspects, cancel);
    if (!first || !second)
        return NULL;

    PmDiff *diff = g_new0(PmDiff, 1);
    diff->before = pm_view_ref(before);
    diff->after = pm_view_ref(after);
    diff->n_aspects = n_aspects;
    for (guint i = 0; i < n_aspects; i++)
        diff->aspects[i] = aspects[i];
    diff->root = node_new(NULL, PM_ASPECT_KIND, g_strdup(""));
    merge(diff->root, first->root, before, FALSE);
    merge(diff->root, second->root, after, TRUE);
    settle(diff->root, before->known, after->known);
    return diff;
}

void pm_diff_free(PmDiff *diff)
{
    if (!diff)
        return;
    node_free(diff->root);
    pm_view_unref(diff->before);
    pm_view_unref(diff->after);
    g_free(diff);
}

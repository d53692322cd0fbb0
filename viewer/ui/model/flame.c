#include "viewer/ui/model/flame.h"

#include <string.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"

#define LEAST_PART 4000

/* What the waits with one stack trace come to. */
struct sum {
    guint32 chain;
    gint64 time, family[PM_N_FAMILIES];
    guint64 waits;
};

struct build {
    const PmRecording *recording;
    GArray *sums;  /* of struct sum, by frames from the outermost inwards */
    GArray *nodes; /* of PmFlameNode */
    gint64 least;
    guint depth;
};

/* Frames down to the code that waits. */
static guint n_frames(const PmRecording *recording, guint32 chain)
{
    const PmChain *c = &recording->chains[chain];

    return c->n_frames - MIN(c->site, c->n_frames);
}

static guint32 method_at(const PmRecording *recording, guint32 chain, guint depth)
{
    const PmChain *c = &recording->chains[chain];

    return c->frames[c->n_frames - 1 - depth].method;
}

static int by_frames(gconstpointer a, gconstpointer b, gpointer data)
{
    const PmRecording *recording = data;
    const guint32 x = ((const struct sum *)a)->chain, y = ((const struct sum *)b)->chain;
    const guint nx = n_frames(recording, x), ny = n_frames(recording, y);

    for (guint depth = 0; depth < MIN(nx, ny); depth++) {
        const guint32 mx = method_at(recording, x, depth), my = method_at(recording, y, depth);
        if (mx != my)
            return mx < my ? -1 : 1;
    }
    return nx != ny ? (nx < ny ? -1 : 1) : (x > y) - (x < y);
}

static int by_time(gconstpointer a, gconstpointer b)
{
    const PmFlameNode *x = a, *y = b;

    return x->time != y->time ? (x->time < y->time ? 1 : -1)
                              : (x->method > y->method) - (x->method < y->method);
}

/* The node of the sums from `lo` to `hi`, which have a method in common. */
static PmFlameNode node_of(const struct build *build, guint lo, guint hi, guint depth)
{
    PmFlameNode node = {.depth = depth};
    gint64 most = -1;

    for (guint i = lo; i < hi; i++) {
        const struct sum *sum = &g_array_index(build->sums, struct sum, i);
        pm_sum_add(&node.time, sum->time);
        node.waits += sum->waits;
        if (n_frames(build->recording, sum->chain) == depth)
            pm_sum_add(&node.own_time, sum->time);
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            pm_sum_add(&node.family[f], sum->family[f]);
        if (sum->time > most) {
            most = sum->time;
            node.chain = sum->chain;
        }
    }
    if (depth)
        node.method = method_at(build->recording, g_array_index(build->sums, struct sum, lo).chain,
                                depth - 1);
    return node;
}

struct span {
    PmFlameNode node; /* first: sorted as one */
    guint lo, hi;
};

/* The boxes below the one at `parent`, whose stack traces are those from `lo` to `hi`. */
static void split(struct build *build, guint parent, guint lo, guint hi)
{
    const guint depth = g_array_index(build->nodes, PmFlameNode, parent).depth;
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(struct span));

    for (guint i = lo, next; i < hi; i = next) {
        const guint32 chain = g_array_index(build->sums, struct sum, i).chain;
        next = i + 1;
        if (n_frames(build->recording, chain) <= depth)
            continue; /* it waits in the parent itself */
        const guint32 method = method_at(build->recording, chain, depth);
        while (next < hi &&
               method_at(build->recording, g_array_index(build->sums, struct sum, next).chain,
                         depth) == method)
            next++;
        struct span span = {node_of(build, i, next, depth + 1), i, next};
        if (span.node.time >= build->least)
            g_array_append_val(spans, span);
    }
    if (!spans->len)
        return;
    g_array_sort(spans, by_time);
    const guint first = build->nodes->len;
    gint64 begin = g_array_index(build->nodes, PmFlameNode, parent).begin;
    for (guint i = 0; i < spans->len; i++) {
        PmFlameNode *node = &g_array_index(spans, struct span, i).node;
        node->parent = parent;
        node->begin = begin;
        pm_sum_add(&begin, node->time);
        g_array_append_val(build->nodes, *node);
    }
    g_array_index(build->nodes, PmFlameNode, parent).first_child = first;
    g_array_index(build->nodes, PmFlameNode, parent).n_children = spans->len;
    build->depth = MAX(build->depth, depth + 2);
    for (guint i = 0; i < spans->len; i++)
        split(build, first + i, g_array_index(spans, struct span, i).lo,
              g_array_index(spans, struct span, i).hi);
}

/* NULL: cancelled. */
static GArray *sum_up(const PmView *view, const gint *cancel)
{
    const PmWaits *waits = &view->recording->waits;
    g_autofree struct sum *by_chain = g_new0(struct sum, view->recording->n_chains + 1);
    GArray *sums = g_array_new(FALSE, FALSE, sizeof(struct sum));

    for (gsize i = 0; i < view->n; i++) {
        if (i % 65536 == 0 && pm_cancelled(cancel)) {
            g_array_unref(sums);
            return NULL;
        }
        const guint32 row = pm_view_row(view, i);
        const gint64 time = pm_view_clip(view, row);
        struct sum *sum = &by_chain[pm_wait_chain(waits, row)];
        sum->waits++;
        pm_sum_add(&sum->time, time);
        pm_sum_add(&sum->family[pm_category_family(pm_wait_category(waits, row))], time);
    }
    for (guint32 c = 0; c < view->recording->n_chains; c++) {
        by_chain[c].chain = c;
        if (by_chain[c].waits)
            g_array_append_val(sums, by_chain[c]);
    }
    g_array_sort_with_data(sums, by_frames, view->recording);
    return sums;
}

PmFlame *pm_flame_new(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view, NULL);
    g_autoptr(GArray) sums = sum_up(view, cancel);
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(PmFlameNode));

    if (!sums)
        return NULL;
    struct build build = {view->recording, sums, nodes, 1, 1};
    const PmFlameNode root = node_of(&build, 0, sums->len, 0);
    build.least = MAX(root.time / LEAST_PART, 1);
    g_array_append_val(nodes, root);
    split(&build, 0, 0, sums->len);
    PmFlame *flame = g_new0(PmFlame, 1);
    flame->view = pm_view_ref(view);
    flame->n = nodes->len;
    flame->nodes = g_memdup2(nodes->data, nodes->len * sizeof(PmFlameNode));
    flame->depth = build.depth;
    return flame;
}

void pm_flame_free(PmFlame *flame)
{
    if (!flame)
        return;
    pm_view_unref(flame->view);
    g_free(flame->nodes);
    g_free(flame);
}

PmFamily pm_flame_family(const PmFlameNode *node)
{
    guint most = 0;

    for (guint f = 1; f < PM_N_FAMILIES; f++)
        if (node->family[f] > node->family[most])
            most = f;
    return node->family[most] >= node->time - node->time / 10 ? most : PM_N_FAMILIES;
}

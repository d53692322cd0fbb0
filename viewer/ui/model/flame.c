#include "viewer/ui/model/flame.h"

#include <string.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"

#define LEAST_PART 4000

/* A box of a stack trace: a method, or a fold of so many frames. */
struct step {
    guint32 method, n_frames;
};

/* What the waits with one stack trace come to. */
struct sum {
    guint32 chain;
    guint n_steps; /* from the outermost inwards, down to the code that waits */
    struct step *steps;
    gint64 time, family[PM_N_FAMILIES];
    guint64 waits;
};

struct build {
    GArray *sums;  /* of struct sum, by steps */
    GArray *nodes; /* of PmFlameNode */
    gint64 least;
    guint depth;
    gboolean folded;
};

static void clear_sum(gpointer sum)
{
    g_free(((struct sum *)sum)->steps);
}

static void add_steps(struct sum *sum, const PmRecording *recording, gboolean fold)
{
    const PmChain *c = &recording->chains[sum->chain];
    const PmOwnCode *own = fold ? pm_own_code(recording) : NULL;
    const guint site = MIN(c->site, c->n_frames);

    sum->steps = g_new(struct step, MAX(c->n_frames, 1));
    for (guint i = c->n_frames; i > site;) {
        guint n = 0;
        while (own && i > site + n + 1 &&
               pm_own_is_around(own, recording, sum->chain, (gint)(i - n - 1)))
            n++;
        sum->steps[sum->n_steps++] =
            (struct step){n > 1 ? PM_FLAME_FOLD : c->frames[i - 1].method, MAX(n, 1)};
        i -= MAX(n, 1);
    }
}

static int by_steps(gconstpointer a, gconstpointer b)
{
    const struct sum *x = a, *y = b;

    for (guint depth = 0; depth < MIN(x->n_steps, y->n_steps); depth++)
        if (x->steps[depth].method != y->steps[depth].method)
            return x->steps[depth].method < y->steps[depth].method ? -1 : 1;
    return x->n_steps != y->n_steps ? (x->n_steps < y->n_steps ? -1 : 1)
                                    : (x->chain > y->chain) - (x->chain < y->chain);
}

static int by_time(gconstpointer a, gconstpointer b)
{
    const PmFlameNode *x = a, *y = b;

    return x->time != y->time ? (x->time < y->time ? 1 : -1)
                              : (x->method > y->method) - (x->method < y->method);
}

/* The node of the sums from `lo` to `hi`, which have a step in common. */
static PmFlameNode node_of(struct build *build, guint lo, guint hi, guint depth)
{
    PmFlameNode node = {.depth = depth, .least_frames = G_MAXUINT32};
    gint64 most = -1;

    for (guint i = lo; i < hi; i++) {
        const struct sum *sum = &g_array_index(build->sums, struct sum, i);
        pm_sum_add(&node.time, sum->time);
        node.waits += sum->waits;
        if (sum->n_steps == depth)
            pm_sum_add(&node.own_time, sum->time);
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            pm_sum_add(&node.family[f], sum->family[f]);
        if (sum->time > most) {
            most = sum->time;
            node.chain = sum->chain;
        }
        if (!depth)
            continue;
        node.method = sum->steps[depth - 1].method;
        node.least_frames = MIN(node.least_frames, sum->steps[depth - 1].n_frames);
        node.n_frames = MAX(node.n_frames, sum->steps[depth - 1].n_frames);
    }
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
        const struct sum *sum = &g_array_index(build->sums, struct sum, i);
        next = i + 1;
        if (sum->n_steps <= depth)
            continue; /* it waits in the parent itself */
        const guint32 method = sum->steps[depth].method;
        while (next < hi &&
               g_array_index(build->sums, struct sum, next).steps[depth].method == method)
            next++;
        build->folded |= method == PM_FLAME_FOLD;
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
static GArray *sum_up(const PmView *view, gboolean fold, const gint *cancel)
{
    const PmWaits *waits = &view->recording->waits;
    g_autofree struct sum *by_chain = g_new0(struct sum, view->recording->n_chains + 1);
    GArray *sums = g_array_new(FALSE, FALSE, sizeof(struct sum));

    g_array_set_clear_func(sums, clear_sum);
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
        if (!by_chain[c].waits)
            continue;
        by_chain[c].chain = c;
        add_steps(&by_chain[c], view->recording, fold);
        g_array_append_val(sums, by_chain[c]);
    }
    g_array_sort(sums, by_steps);
    return sums;
}

PmFlame *pm_flame_new(PmView *view, gboolean fold, const gint *cancel)
{
    g_return_val_if_fail(view, NULL);
    g_autoptr(GArray) sums = sum_up(view, fold, cancel);
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(PmFlameNode));

    if (!sums)
        return NULL;
    struct build build = {.sums = sums, .nodes = nodes, .least = 1, .depth = 1};
    const PmFlameNode root = node_of(&build, 0, sums->len, 0);
    build.least = MAX(root.time / LEAST_PART, 1);
    g_array_append_val(nodes, root);
    split(&build, 0, 0, sums->len);
    PmFlame *flame = g_new0(PmFlame, 1);
    flame->view = pm_view_ref(view);
    flame->n = nodes->len;
    flame->nodes = g_memdup2(nodes->data, nodes->len * sizeof(PmFlameNode));
    flame->depth = build.depth;
    flame->folded = build.folded;
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

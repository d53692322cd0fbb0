#include "viewer/analysis/memory/hot-spot.h"

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/memory/memory-tree.h"

#define MIN_SHARE  0.5  /* of what was allocated: as certain as three standard errors */
#define MIN_PAUSED 0.05 /* of the time, by that share of the pauses */
#define MIN_RATE   (32.0 * 1024 * 1024)
#define MIN_GCS    8
#define MAX_OLD    0.125 /* of the collections */

static const PmMemoryNode *greatest(const PmMemoryNode *node)
{
    const PmMemoryNode *most = NULL;
    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        if (!most || child->total.bytes > most->total.bytes)
            most = child;
    }
    return most;
}

/* That of the site in what all allocated, at the worst for it. */
static double least_share(const PmEstimate *site, const PmEstimate *all, double unseen)
{
    const PmEstimate rest = pm_estimate_since(all, site);
    const double low = pm_estimate_bytes(site).low;
    const double high = MAX(pm_estimate_bytes(&rest).high, unseen);
    return low > 0 ? low / (low + high) : 0;
}

/* Collections that snapshots of the range tell of. */
static void add_collections(const PmRecording *r, gint64 from, gint64 to, PmHotSpot *spot)
{
    const PmMemorySnapshot *first = NULL, *last = NULL;
    for (guint i = 0; i < r->n_snapshots; i++) {
        const PmMemorySnapshot *s = &r->snapshots[i];
        if (s->at < from || s->at > to)
            continue;
        first = first ? first : s;
        last = s;
    }
    spot->gcs = last ? last->gcs - first->gcs : 0;
    spot->old_gcs = last ? last->old_gcs - first->old_gcs : 0;
}

gboolean pm_hot_spot_find(PmRecording *r, gint64 from, gint64 to, PmHotSpot *ret_spot)
{
    static const PmMemoryAspect by[] = {PM_ASPECT_SITE, PM_ASPECT_CHAIN, PM_ASPECT_CLASS};
    const PmFilter range = {.from = from, .to = to};
    if (r->n_snapshots == 0 || r->n_gc == 0)
        return FALSE;
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(r, &range, by, G_N_ELEMENTS(by), NULL);
    const PmMemoryNode *site = tree ? greatest(tree->root) : NULL;
    if (!site || site->key == 0 || tree->last <= tree->first)
        return FALSE;
    const PmMemoryNode *chain = greatest(site);
    PmHotSpot spot = {
        .site = site->key,
        .chain = (guint32)chain->key,
        .class_index = (guint32)greatest(chain)->key,
        .total = site->total,
        .share = site->total.bytes / tree->root->total.bytes,
        .share_low = least_share(&site->total, &tree->root->total, pm_memory_unseen(r, tree->last)),
        .rate = pm_memory_rate(tree, site)};
    const PmIntervalSum pauses = pm_interval_sum(r->gc, r->n_gc, tree->first, tree->last);
    spot.pauses = pauses.n;
    spot.paused = pauses.time;
    spot.longest_pause = pauses.longest;
    spot.paused_share = (double)pauses.time / (double)(tree->last - tree->first);
    add_collections(r, tree->first, tree->last, &spot);
    if (spot.share_low < MIN_SHARE || spot.paused_share * spot.share_low < MIN_PAUSED ||
        spot.rate < MIN_RATE || spot.gcs < MIN_GCS ||
        (double)spot.old_gcs > MAX_OLD * (double)spot.gcs)
        return FALSE;
    *ret_spot = spot;
    return TRUE;
}

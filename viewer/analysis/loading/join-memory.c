/* Joins what the chunks of a file say about memory: part of the loader (load-private.h). */
#include "viewer/analysis/loading/load-private.h"
#include "viewer/analysis/base/sort.h"

int pm_chunk_load_on_allocation(void *context, const struct pm_allocation *allocation)
{
    g_array_append_val(((PmChunkLoad *)context)->allocations, *allocation);
    return 0;
}

int pm_chunk_load_on_memory(void *context, const struct pm_memory_snapshot *snapshot)
{
    PmChunkLoad *c = context;
    PmTold told = {.at = snapshot->head.at_ns,
                   .head = snapshot->head,
                   .first_cell = c->cells->len,
                   .n_cells = (guint)snapshot->n_cells};
    g_array_append_val(c->told, told);
    g_array_append_vals(c->cells, snapshot->cells, (guint)snapshot->n_cells);
    c->last = MAX(c->last, snapshot->head.at_ns);
    return pm_loading_go_on(c->loading) ? 0 : PM_ERROR_CANCELLED;
}

int pm_chunk_load_on_live(void *context, const struct pm_live_objects *live)
{
    PmChunkLoad *c = context;
    PmListed listed = {live->at_ns, live->complete, c->live->len, (guint)live->n};
    g_array_append_val(c->listed, listed);
    g_array_append_vals(c->live, live->objects, (guint)live->n);
    return pm_loading_go_on(c->loading) ? 0 : PM_ERROR_CANCELLED;
}

static PmAllocation allocation_of(const PmLoading *l, const struct pm_allocation *from)
{
    return (PmAllocation){.at = pm_loading_since_begin(l, from->at_ns),
                          .size = from->size_bytes,
                          .interval = from->interval_bytes,
                          .thread = pm_id_map_get(&l->threads, from->thread.n),
                          .class_index = pm_id_map_get(&l->classes, from->class_id.n),
                          .chain = pm_id_map_get(&l->chains, from->chain.n),
                          .age = from->age,
                          .halvings = from->halvings};
}

/* 0 is no instant in a file. */
static gint64 instant_of(const PmLoading *l, gint64 ns)
{
    return ns != 0 ? pm_loading_since_begin(l, ns) : G_MININT64;
}

static void add_cells(PmLoading *l, const PmTold *told)
{
    const GArray *cells = l->chunks[told->chunk].cells;
    for (guint i = told->first_cell; i < told->first_cell + told->n_cells; i++) {
        const struct pm_memory_cell *from = &g_array_index(cells, struct pm_memory_cell, i);
        PmMemoryCell cell = {.class_index = pm_id_map_get(&l->classes, from->class_id.n),
                             .chain = pm_id_map_get(&l->chains, from->chain.n),
                             .total = from->total,
                             .live = from->live};
        g_array_append_val(l->assembly->cells, cell);
    }
}

/* Parts of one snapshot have one instant; so has the same snapshot in an overview. */
static void join_snapshots(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(PmTold));
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->told->len; i++) {
            PmTold told = g_array_index(c->told, PmTold, i);
            told.chunk = k;
            g_array_append_val(all, told);
        }
    }
    g_array_sort(all, pm_compare_instants);
    for (guint i = 0; i < all->len; i++) {
        const PmTold *told = &g_array_index(all, PmTold, i);
        const struct pm_memory_head *h = &told->head;
        if (i == 0 || told->at != (told - 1)->at) {
            PmMemorySnapshot snapshot = {.at = pm_loading_since_begin(l, h->at_ns),
                                         .live_at = instant_of(l, h->live_at_ns),
                                         .exact_from = instant_of(l, h->exact_from_ns),
                                         .interval = h->interval_bytes,
                                         .gcs = h->gcs,
                                         .old_gcs = h->old_gcs,
                                         .not_stored = h->not_stored,
                                         .total = h->total,
                                         .live = h->live,
                                         .flags = h->flags,
                                         .first_cell = a->cells->len};
            g_array_append_val(a->snapshots, snapshot);
        }
        add_cells(l, told);
        g_array_index(a->snapshots, PmMemorySnapshot, a->snapshots->len - 1).n_cells +=
            told->n_cells;
    }
}

/* The last that is there to its end; what it consists of may lie in several chunks. */
static void join_live(PmLoading *l)
{
    gint64 last = G_MININT64;
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->listed->len; i++) {
            const PmListed *listed = &g_array_index(c->listed, PmListed, i);
            if (listed->complete)
                last = MAX(last, listed->at);
        }
    }
    if (last == G_MININT64)
        return;
    l->assembly->listed_at = pm_loading_since_begin(l, last);
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->listed->len; i++) {
            const PmListed *listed = &g_array_index(c->listed, PmListed, i);
            for (guint row = 0; listed->at == last && row < listed->n; row++) {
                PmAllocation object = allocation_of(
                    l, &g_array_index(c->live, struct pm_allocation, listed->first + row));
                g_array_append_val(l->assembly->live, object);
            }
        }
    }
}

void pm_loading_join_memory(PmLoading *l)
{
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->allocations->len; i++) {
            PmAllocation allocation =
                allocation_of(l, &g_array_index(c->allocations, struct pm_allocation, i));
            g_array_append_val(l->assembly->allocations, allocation);
        }
    }
    join_snapshots(l);
    join_live(l);
}

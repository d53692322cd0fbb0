/* Edges: the begins and ends of waits on their way to the ledger's cells, gathered in any order and
 * handed out in order of time. Used by one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Edges sort by key = instant * 4 + rank: ends first, so that a hand-over is no peak, but the end
 * of a wait of length 0 after its own begin. 2^61 ns are 73 years of uptime. */
enum pm_edge_rank {
    PM_EDGE_RANK_END = 0,
    PM_EDGE_RANK_FIRST = 0,
    PM_EDGE_RANK_BEGIN = 1,
    PM_EDGE_RANK_END_AT_ONCE = 2,
    PM_EDGE_RANK_LAST = 2,
};

enum pm_edge_what {
    PM_EDGE_BEGIN = 0,
    PM_EDGE_END = 1,
    PM_EDGE_UNDO = 2,
};

#define PM_EDGE_CELL_BITS     26
#define PM_EDGE_DURATION_BITS 34
#define PM_EDGE_DURATION_MAX  ((INT64_C(1) << PM_EDGE_DURATION_BITS) - 1) /* 17 s */

/* Millions may be pending in a burst, and are sorted: 16 bytes. */
struct pm_edge {
    uint64_t key;
    uint64_t cell : PM_EDGE_CELL_BITS;
    uint64_t what : 2;
    uint64_t counted : 1;
    uint64_t late : 1; /* came after the sweep had passed its instant */
    uint64_t duration_ns
        : PM_EDGE_DURATION_BITS; /* of END and UNDO; PM_EDGE_DURATION_MAX at most */
};

_Static_assert(sizeof(struct pm_edge) == 16, "two words");

struct pm_edges {
    struct pm_edge *edges;
    struct pm_edge *spare; /* the sort's second half */
    size_t n, capacity;
    uint32_t quiet; /* times in a row that less than an eighth of the capacity was used */
};

void pm_edges_clear(struct pm_edges *edges);
/* Room for `more` pm_edges_add. PM_ERROR_MEMORY: nothing changed. */
int pm_edges_reserve(struct pm_edges *edges, size_t more);
static inline void pm_edges_add(struct pm_edges *edges, struct pm_edge edge)
{
    edges->edges[edges->n++] = edge;
}

/* Those before `limit` (a key), in order of their keys, equal ones as they were added. Valid until
 * pm_edges_drop_due, which must follow. O(n log n) at worst; in practice three counting passes. */
const struct pm_edge *pm_edges_sort_due(struct pm_edges *edges, uint64_t limit, size_t *ret_n);
/* Forgets those `n_due`, and gives a burst's memory back once it is over. */
void pm_edges_drop_due(struct pm_edges *edges, size_t n_due);

#include "recorder/agent/drain/transition.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"

#define DIGIT_BITS 11
#define DIGIT_SIZE (1u << DIGIT_BITS)

void pm_transitions_clear(struct pm_transitions *edges)
{
    free(edges->edges);
    free(edges->spare);
    *edges = (struct pm_transitions){0};
}

/* Of both arrays, each at least as long as `edges->capacity` says all the while. */
static int resize(struct pm_transitions *edges, size_t capacity)
{
    struct pm_transition *both[2] = {
        realloc(edges->edges, capacity * sizeof(struct pm_transition)),
        realloc(edges->spare, capacity * sizeof(struct pm_transition))};
    edges->edges = both[0] ? both[0] : edges->edges;
    edges->spare = both[1] ? both[1] : edges->spare;
    if (capacity > edges->capacity && (!both[0] || !both[1])) {
        return PM_ERROR_MEMORY;
    }
    edges->capacity = capacity;
    return 0;
}

int pm_transitions_reserve(struct pm_transitions *edges, size_t more)
{
    if (edges->n + more <= edges->capacity) {
        return 0;
    }
    return resize(edges, edges->capacity ? edges->capacity * 2 : 256);
}

static void sort_few(struct pm_transition *edges, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct pm_transition edge = edges[i];
        size_t j = i;
        for (; j > 0 && edges[j - 1].key > edge.key; j--) {
            edges[j] = edges[j - 1];
        }
        edges[j] = edge;
    }
}

/* Sorts by key, stable; one counting pass for each 11 bits in which keys differ: three for a tick
 * of 100 ms. Returns where the result is, `edges` or `spare`. */
static struct pm_transition *sort(struct pm_transition *edges, struct pm_transition *spare,
                                  size_t n)
{
    if (n < 48) {
        sort_few(edges, n);
        return edges;
    }
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        least = edges[i].key < least ? edges[i].key : least;
        most = edges[i].key > most ? edges[i].key : most;
    }
    uint32_t count[DIGIT_SIZE];
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
        memset(count, 0, sizeof(count));
        for (size_t i = 0; i < n; i++) {
            count[(edges[i].key - least) >> shift & (DIGIT_SIZE - 1)]++;
        }
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < DIGIT_SIZE; digit++) {
            uint32_t here = count[digit];
            count[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++) {
            spare[count[(edges[i].key - least) >> shift & (DIGIT_SIZE - 1)]++] = edges[i];
        }
        struct pm_transition *swap = edges;
        edges = spare;
        spare = swap;
    }
    return edges;
}

const struct pm_transition *pm_transitions_sort_due(struct pm_transitions *edges, uint64_t limit,
                                                    size_t *ret_n)
{
    /* Due edges to the front, in the order they came; the rest waits behind them. */
    size_t n_due = 0;
    size_t n_rest = 0;
    for (size_t i = 0; i < edges->n; i++) {
        if (edges->edges[i].key < limit) {
            edges->edges[n_due++] = edges->edges[i];
        } else {
            edges->spare[n_rest++] = edges->edges[i];
        }
    }
    if (n_rest > 0) {
        memcpy(edges->edges + n_due, edges->spare, n_rest * sizeof(struct pm_transition));
    }
    *ret_n = n_due;
    return sort(edges->edges, edges->spare, n_due);
}

void pm_transitions_drop_due(struct pm_transitions *edges, size_t n_due)
{
    size_t n_rest = edges->n - n_due;
    if (n_due > 0) {
        memmove(edges->edges, edges->edges + n_due, n_rest * sizeof(struct pm_transition));
    }
    edges->quiet = edges->n > edges->capacity / 8 ? 0 : edges->quiet + 1;
    edges->n = n_rest;
    if (edges->quiet > 50 && edges->capacity > 1024) {
        (void)resize(edges, edges->capacity / 4);
        edges->quiet = 0;
    }
}

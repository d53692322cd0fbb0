/* Transitions: the begins and ends of waits on their way to the ledger's cells, gathered in any
 * order and handed out in order of time. Used by one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Transitions sort by key = instant * 4 + rank: ends first, so that a handoff is no peak, but the
 * end of a wait of length 0 after its own begin. 2^61 ns are 73 years of uptime. */
enum pm_transition_rank {
    PM_TRANSITION_RANK_END = 0,
    PM_TRANSITION_RANK_FIRST = 0,
    PM_TRANSITION_RANK_BEGIN = 1,
    PM_TRANSITION_RANK_END_AT_ONCE = 2,
    PM_TRANSITION_RANK_LAST = 2,
};

enum pm_transition_what {
    PM_TRANSITION_BEGIN = 0,
    PM_TRANSITION_END = 1,
    PM_TRANSITION_UNDO = 2,
};

#define PM_TRANSITION_CELL_BITS     26
#define PM_TRANSITION_DURATION_BITS 34
#define PM_TRANSITION_DURATION_MAX  ((INT64_C(1) << PM_TRANSITION_DURATION_BITS) - 1) /* 17 s */

/* Millions may be pending in a burst, and are sorted: 16 bytes. */
struct pm_transition {
    uint64_t key;
    uint64_t cell : PM_TRANSITION_CELL_BITS;
    uint64_t what : 2;
    uint64_t counted : 1;
    uint64_t late : 1; /* came after the sweep had passed its instant */
    uint64_t duration_ns
        : PM_TRANSITION_DURATION_BITS; /* of END and UNDO; PM_TRANSITION_DURATION_MAX at most */
};

_Static_assert(sizeof(struct pm_transition) == 16, "two words");

struct pm_transitions {
    struct pm_transition *items;
    struct pm_transition *spare; /* the sort's second half */
    size_t n, capacity;
    uint32_t quiet; /* times in a row that less than an eighth of the capacity was used */
};

void pm_transitions_clear(struct pm_transitions *transitions);
/* Room for `more` pm_transitions_add. PM_ERROR_MEMORY: nothing changed. */
int pm_transitions_reserve(struct pm_transitions *transitions, size_t more);
static inline void pm_transitions_add(struct pm_transitions *transitions,
                                      struct pm_transition transition)
{
    transitions->items[transitions->n++] = transition;
}

/* Those before `limit` (a key), in order of their keys, equal ones as they were added. Valid until
 * pm_transitions_drop_due, which must follow. O(n log n) at worst; in practice three counting
 * passes. */
const struct pm_transition *pm_transitions_sort_due(struct pm_transitions *transitions,
                                                    uint64_t limit, size_t *ret_n);
/* Forgets those `n_due`, and gives a burst's memory back once it is over. */
void pm_transitions_drop_due(struct pm_transitions *transitions, size_t n_due);

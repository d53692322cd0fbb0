/* Transitions: beginnings and ends of intervals, each belonging to one of many cells, gathered in
 * any order and returned in order of time. Used by one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Transitions sort by key = instant * 4 + rank: ends first, so that a handoff does not count as a
 * peak, except that a zero-length interval ends after its own beginning. 2^61 ns are 73 years of
 * uptime. */
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

/* Millions may be pending in a burst, and are sorted: 16 bytes each. `packed` is built with shifts,
 * because bit-fields would be written to memory one by one: 0 cell | 26 what | 28 counted | 30
 * duration of END and UNDO, PM_TRANSITION_DURATION_MAX at most */
struct pm_transition {
    uint64_t key;
    uint64_t packed;
};

static inline uint64_t pm_transition_pack(uint32_t cell, enum pm_transition_what what, bool counted,
                                          int64_t duration_ns)
{
    return cell | (uint64_t)what << 26 | (uint64_t)counted << 28 | (uint64_t)duration_ns << 30;
}
static inline uint32_t pm_transition_cell(struct pm_transition transition)
{
    return transition.packed & ((1u << PM_TRANSITION_CELL_BITS) - 1);
}
static inline enum pm_transition_what pm_transition_what(struct pm_transition transition)
{
    return (enum pm_transition_what)(transition.packed >> 26 & 3);
}
static inline bool pm_transition_is_counted(struct pm_transition transition)
{
    return transition.packed >> 28 & 1;
}
static inline int64_t pm_transition_duration(struct pm_transition transition)
{
    return (int64_t)(transition.packed >> 30);
}

struct pm_transitions {
    struct pm_transition *items;
    struct pm_transition *spare; /* of as many; for sorting */
    size_t n, capacity;
    uint32_t quiet; /* number of consecutive times that less than an eighth of the capacity was used
                     */
};

void pm_transitions_clear(struct pm_transitions *transitions);
int pm_transitions_grow(struct pm_transitions *transitions);
/* Makes room for `more` calls of pm_transitions_add, at most 256. PM_ERROR_MEMORY: nothing changed.
 */
static inline int pm_transitions_reserve(struct pm_transitions *transitions, size_t more)
{
    return transitions->n + more <= transitions->capacity ? 0 : pm_transitions_grow(transitions);
}
static inline void pm_transitions_add(struct pm_transitions *transitions,
                                      struct pm_transition transition)
{
    transitions->items[transitions->n++] = transition;
}

/* Those before `limit` (a key), ordered by key, equal ones in the order they were added. Valid
 * until pm_transitions_drop_due, which must follow. O(n log r) of those for r runs of transitions
 * that were added in order, O(n) for very many; the others are passed over. */
const struct pm_transition *pm_transitions_sort_due(struct pm_transitions *transitions,
                                                    uint64_t limit, size_t *ret_n);
/* Drops those `n_due`, and frees a burst's memory once it is over. */
void pm_transitions_drop_due(struct pm_transitions *transitions, size_t n_due);

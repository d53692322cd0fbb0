#include "recorder/agent/drain/transition.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"

#define DIGIT_BITS 11
#define DIGIT_SIZE (1u << DIGIT_BITS)

void pm_transitions_clear(struct pm_transitions *transitions)
{
    free(transitions->items);
    free(transitions->spare);
    *transitions = (struct pm_transitions){0};
}

/* Of both arrays, each at least as long as `transitions->capacity` says all the while. */
static int resize(struct pm_transitions *transitions, size_t capacity)
{
    struct pm_transition *both[2] = {
        realloc(transitions->items, capacity * sizeof(struct pm_transition)),
        realloc(transitions->spare, capacity * sizeof(struct pm_transition))};
    transitions->items = both[0] ? both[0] : transitions->items;
    transitions->spare = both[1] ? both[1] : transitions->spare;
    if (capacity > transitions->capacity && (!both[0] || !both[1])) {
        return PM_ERROR_MEMORY;
    }
    transitions->capacity = capacity;
    return 0;
}

int pm_transitions_reserve(struct pm_transitions *transitions, size_t more)
{
    if (transitions->n + more <= transitions->capacity) {
        return 0;
    }
    return resize(transitions, transitions->capacity ? transitions->capacity * 2 : 256);
}

static void sort_few(struct pm_transition *transitions, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct pm_transition transition = transitions[i];
        size_t j = i;
        for (; j > 0 && transitions[j - 1].key > transition.key; j--) {
            transitions[j] = transitions[j - 1];
        }
        transitions[j] = transition;
    }
}

/* Sorts by key, stable; one counting pass for each 11 bits in which keys differ: three for a tick
 * of 100 ms. Returns where the result is, `transitions` or `spare`. */
static struct pm_transition *sort(struct pm_transition *transitions, struct pm_transition *spare,
                                  size_t n)
{
    if (n < 48) {
        sort_few(transitions, n);
        return transitions;
    }
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        least = transitions[i].key < least ? transitions[i].key : least;
        most = transitions[i].key > most ? transitions[i].key : most;
    }
    uint32_t count[DIGIT_SIZE];
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
        memset(count, 0, sizeof(count));
        for (size_t i = 0; i < n; i++) {
            count[(transitions[i].key - least) >> shift & (DIGIT_SIZE - 1)]++;
        }
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < DIGIT_SIZE; digit++) {
            uint32_t here = count[digit];
            count[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++) {
            spare[count[(transitions[i].key - least) >> shift & (DIGIT_SIZE - 1)]++] =
                transitions[i];
        }
        struct pm_transition *swap = transitions;
        transitions = spare;
        spare = swap;
    }
    return transitions;
}

const struct pm_transition *pm_transitions_sort_due(struct pm_transitions *transitions,
                                                    uint64_t limit, size_t *ret_n)
{
    /* Due transitions to the front, in the order they came; the rest waits behind them. */
    size_t n_due = 0;
    size_t n_rest = 0;
    for (size_t i = 0; i < transitions->n; i++) {
        if (transitions->items[i].key < limit) {
            transitions->items[n_due++] = transitions->items[i];
        } else {
            transitions->spare[n_rest++] = transitions->items[i];
        }
    }
    if (n_rest > 0) {
        memcpy(transitions->items + n_due, transitions->spare,
               n_rest * sizeof(struct pm_transition));
    }
    *ret_n = n_due;
    return sort(transitions->items, transitions->spare, n_due);
}

void pm_transitions_drop_due(struct pm_transitions *transitions, size_t n_due)
{
    size_t n_rest = transitions->n - n_due;
    if (n_due > 0) {
        memmove(transitions->items, transitions->items + n_due,
                n_rest * sizeof(struct pm_transition));
    }
    transitions->quiet = transitions->n > transitions->capacity / 8 ? 0 : transitions->quiet + 1;
    transitions->n = n_rest;
    if (transitions->quiet > 50 && transitions->capacity > 1024) {
        (void)resize(transitions, transitions->capacity / 4);
        transitions->quiet = 0;
    }
}

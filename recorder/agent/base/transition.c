#include "recorder/agent/base/transition.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"

#define DIGIT_BITS 11
#define DIGIT_SIZE (1u << DIGIT_BITS)
#define MAX_RUNS   32 /* so many are merged; more are sorted */

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
    if (capacity > transitions->capacity && (!both[0] || !both[1]))
        return PM_ERROR_MEMORY;
    transitions->capacity = capacity;
    return 0;
}

int pm_transitions_grow(struct pm_transitions *transitions)
{
    return resize(transitions, transitions->capacity ? transitions->capacity * 2 : 256);
}

/* Where runs of transitions in order begin, and after the last one the end. Returns how many they
 * are; MAX_RUNS + 1 when there are more. */
static size_t find_runs(const struct pm_transition *transitions, size_t n,
                        size_t ret_starts[MAX_RUNS + 1])
{
    size_t n_runs = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && transitions[i - 1].key <= transitions[i].key)
            continue;
        if (n_runs == MAX_RUNS)
            return MAX_RUNS + 1;
        ret_starts[n_runs++] = i;
    }
    ret_starts[n_runs] = n;
    return n_runs;
}

/* Two runs, one behind the other, into one. Without a branch on the keys: which run is next is hard
 * to predict. */
static void merge_two(const struct pm_transition *left, const struct pm_transition *right,
                      const struct pm_transition *end, struct pm_transition *to)
{
    const struct pm_transition *left_end = right;
    while (left < left_end && right < end) {
        size_t is_right = right->key < left->key;
        const struct pm_transition *both[2] = {left, right};
        *to++ = *both[is_right];
        right += is_right;
        left += 1 - is_right;
    }
    memcpy(to, left, (size_t)(left_end - left) * sizeof *to);
    memcpy(to + (left_end - left), right, (size_t)(end - right) * sizeof *to);
}

/* Merges neighbouring runs until there is one. Returns where it is, `transitions` or `spare`. */
static struct pm_transition *merge(struct pm_transition *transitions, struct pm_transition *spare,
                                   size_t starts[MAX_RUNS + 1], size_t n_runs)
{
    while (n_runs > 1) {
        size_t n_merged = 0;
        for (size_t i = 0; i < n_runs; i += 2) {
            size_t middle = starts[i + 1];
            size_t end = i + 2 <= n_runs ? starts[i + 2] : middle;
            merge_two(transitions + starts[i], transitions + middle, transitions + end,
                      spare + starts[i]);
            starts[n_merged++] = starts[i];
            starts[n_merged] = end;
        }
        n_runs = n_merged;
        struct pm_transition *swap = transitions;
        transitions = spare;
        spare = swap;
    }
    return transitions;
}

/* By insertion, where each is a few places off, as of threads that wake each other; false: it is
 * not so. */
static bool sort_nearly(struct pm_transition *transitions, size_t n)
{
    size_t n_moves = 0;
    for (size_t i = 1; i < n; i++) {
        struct pm_transition next = transitions[i];
        size_t to = i;
        for (; to > 0 && transitions[to - 1].key > next.key; to--)
            transitions[to] = transitions[to - 1];
        transitions[to] = next;
        n_moves += i - to;
        if (n_moves > 4 * i + 1024)
            return false;
    }
    return true;
}

/* One counting pass for each 11 bits in which keys differ: three for a tick of 100 ms. Returns
 * where the result is, `transitions` or `spare`. */
static struct pm_transition *sort(struct pm_transition *transitions, struct pm_transition *spare,
                                  size_t n)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        least = transitions[i].key < least ? transitions[i].key : least;
        most = transitions[i].key > most ? transitions[i].key : most;
    }
    uint32_t count[DIGIT_SIZE];
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
        memset(count, 0, sizeof count);
        for (size_t i = 0; i < n; i++)
            count[(transitions[i].key - least) >> shift & (DIGIT_SIZE - 1)]++;
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

/* Moves the others, in their order, to `ret_others`. Returns how many are due. */
static size_t take_out_others(struct pm_transition *transitions, size_t n, uint64_t limit,
                              struct pm_transition *ret_others)
{
    size_t n_due = 0;
    while (n_due < n && transitions[n_due].key < limit)
        n_due++;
    for (size_t i = n_due; i < n; i++)
        if (transitions[i].key < limit)
            transitions[n_due++] = transitions[i];
        else
            *ret_others++ = transitions[i];
    return n_due;
}

const struct pm_transition *pm_transitions_sort_due(struct pm_transitions *transitions,
                                                    uint64_t limit, size_t *ret_n)
{
    struct pm_transition *due = transitions->items, *others = transitions->spare;
    size_t n = take_out_others(due, transitions->n, limit, others);
    struct pm_transition *spare = others + transitions->n - n;
    size_t starts[MAX_RUNS + 1];
    transitions->items = others;
    transitions->spare = due;
    *ret_n = n;
    /* A thread's transitions come in order. */
    size_t n_runs = find_runs(due, n, starts);
    if (n_runs <= MAX_RUNS)
        return merge(due, spare, starts, n_runs);
    return sort_nearly(due, n) ? due : sort(due, spare, n);
}

void pm_transitions_drop_due(struct pm_transitions *transitions, size_t n_due)
{
    transitions->quiet = transitions->n > transitions->capacity / 8 ? 0 : transitions->quiet + 1;
    transitions->n -= n_due;
    if (transitions->quiet > 50 && transitions->capacity > 1024) {
        (void)resize(transitions, transitions->capacity / 4);
        transitions->quiet = 0;
    }
}

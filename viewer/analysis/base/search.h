/* The binary search of everything that is sorted. */
#pragma once

/* Moves `low` to the first place of [low, high) whose element does not come before what is sought,
 * or to `high`. `before` is an expression of `middle`, true for a first part of the places. `high`
 * is changed. */
#define PM_LOWER_BOUND(low, high, middle, before)                                                  \
    while ((low) < (high)) {                                                                       \
        const gsize middle = (low) + ((high) - (low)) / 2;                                         \
        if (before)                                                                                \
            (low) = middle + 1;                                                                    \
        else                                                                                       \
            (high) = middle;                                                                       \
    }

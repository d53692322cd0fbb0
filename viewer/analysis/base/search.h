/* Binary search in anything that is sorted. */
#pragma once

/* Sets `low` to the first position in [low, high) whose element is not before the one sought, or to
 * `high`. `before` is an expression of `middle`, true for a prefix of the positions. Changes
 * `high`. */
#define PM_LOWER_BOUND(low, high, middle, before)                                                  \
    while ((low) < (high)) {                                                                       \
        const gsize middle = (low) + ((high) - (low)) / 2;                                         \
        if (before)                                                                                \
            (low) = middle + 1;                                                                    \
        else                                                                                       \
            (high) = middle;                                                                       \
    }

#include "format/idset.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"

static size_t home(const struct pm_idset *set, uint64_t key)
{
    /* Ids that follow one another, as they are asked for, lie so too. */
    return (size_t)(((key >> 6) * 0x9E3779B97F4A7C15u >> 20) + (key & 63)) & (set->capacity - 1);
}

void pm_idset_clear(struct pm_idset *set)
{
    free(set->keys);
    *set = (struct pm_idset){0};
}

void pm_idset_reset(struct pm_idset *set)
{
    /* One chunk with very many threads must not keep its memory for ever. */
    if (set->capacity > 8192 && set->n < set->capacity / 8) {
        pm_idset_clear(set);
        return;
    }
    if (set->n > 0)
        memset(set->keys, 0, set->capacity * sizeof set->keys[0]);
    set->n = 0;
}

bool pm_idset_has(const struct pm_idset *set, uint64_t key)
{
    if (set->n == 0)
        return false;
    for (size_t i = home(set, key);; i = (i + 1) & (set->capacity - 1)) {
        if (set->keys[i] == key)
            return true;
        if (set->keys[i] == 0)
            return false;
    }
}

static int grow(struct pm_idset *set)
{
    struct pm_idset bigger = {.capacity = set->capacity == 0 ? 1024 : set->capacity * 2};
    bigger.keys = calloc(bigger.capacity, sizeof bigger.keys[0]);
    if (!bigger.keys)
        return PM_ERROR_MEMORY;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->keys[i] != 0)
            pm_idset_add(&bigger, set->keys[i]);
    free(set->keys);
    *set = bigger;
    return PM_OK;
}

int pm_idset_add(struct pm_idset *set, uint64_t key)
{
    if (set->n * 2 >= set->capacity) {
        int result = grow(set);
        if (result != PM_OK)
            return result;
    }
    size_t i = home(set, key);
    while (set->keys[i] != 0) {
        if (set->keys[i] == key)
            return 0;
        i = (i + 1) & (set->capacity - 1);
    }
    set->keys[i] = key;
    set->n++;
    return 1;
}

void pm_idset_remove(struct pm_idset *set, uint64_t key)
{
    if (!pm_idset_has(set, key))
        return;
    size_t mask = set->capacity - 1;
    size_t hole = home(set, key);
    while (set->keys[hole] != key)
        hole = (hole + 1) & mask;
    /* Close the hole: a later key of the same run moves up unless that would pass its home. */
    for (size_t i = (hole + 1) & mask; set->keys[i] != 0; i = (i + 1) & mask) {
        size_t wanted = home(set, set->keys[i]);
        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            set->keys[hole] = set->keys[i];
            hole = i;
        }
    }
    set->keys[hole] = 0;
    set->n--;
}

/* Memory that grows in place: what was appended never moves, so readers need no lock. Freed pieces
 * are reused, whole or in parts. */
#pragma once

#include "recorder/agent/base/reservation.h"

#define PM_ARENA_UNIT  8
#define PM_ARENA_SIZES 512 /* lists of free pieces, by size in units; larger ones in parts */

struct pm_arena {
    char *base;
    struct pm_reservation reservation;
    _Atomic size_t used;           /* high-water mark */
    _Atomic size_t available;      /* of it, given back */
    uint32_t free[PM_ARENA_SIZES]; /* first piece of i + 1 units: its unit + 1 */
};

/* 0 or PM_ERROR_MEMORY. */
int pm_arena_init(struct pm_arena *arena, size_t capacity);
void pm_arena_clear(struct pm_arena *arena);
/* Space for `bytes`, aligned to 8; NULL if full or out of memory. One writer at a time. */
void *pm_arena_append(struct pm_arena *arena, size_t bytes);
/* Frees a piece that pm_arena_append returned for the same number of bytes and that is no longer
 * read. */
void pm_arena_give_back(struct pm_arena *arena, const void *piece, size_t bytes);
void pm_arena_empty(struct pm_arena *arena);
/* Whether more than three quarters of the capacity are in use. */
bool pm_arena_is_pressed(const struct pm_arena *arena);

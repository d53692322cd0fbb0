/* Memory that grows in place: what was appended never moves, so that readers need no lock. What is
 * given back is handed out again, whole or in parts. */
#pragma once

#include "recorder/agent/base/reservation.h"

#define PM_ARENA_UNIT  8
#define PM_ARENA_SIZES 512 /* lists of free pieces, by units; larger ones lie there in parts */

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
/* Room for `bytes`, aligned to 8; NULL when full, or when there is no memory. One writer at a time.
 */
void *pm_arena_append(struct pm_arena *arena, size_t bytes);
/* What pm_arena_append gave for as many bytes, which nobody reads any more. */
void pm_arena_give_back(struct pm_arena *arena, const void *piece, size_t bytes);
void pm_arena_empty(struct pm_arena *arena);
/* More than three quarters of what there can be are in use. */
bool pm_arena_is_pressed(const struct pm_arena *arena);

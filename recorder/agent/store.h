/* Memory that grows in place: what was appended never moves, so that readers need no lock. What is
 * given back is handed out again, whole or in parts. */
#pragma once

#include "recorder/agent/room.h"

#define PM_STORE_UNIT  8
#define PM_STORE_SIZES 512 /* lists of free pieces, by units; larger ones lie there in parts */

struct pm_store {
    char *base;
    struct pm_room room;
    _Atomic size_t used;           /* high-water mark */
    _Atomic size_t available;      /* of it, given back */
    uint32_t free[PM_STORE_SIZES]; /* first piece of i + 1 units: its unit + 1 */
};

/* 0 or PM_ERROR_MEMORY. */
int pm_store_init(struct pm_store *store, size_t capacity);
void pm_store_clear(struct pm_store *store);
/* Room for `bytes`, aligned to 8; NULL when full, or when there is no memory. One writer at a time.
 */
void *pm_store_append(struct pm_store *store, size_t bytes);
/* What pm_store_append gave for as many bytes, which nobody reads any more. */
void pm_store_give_back(struct pm_store *store, const void *piece, size_t bytes);
void pm_store_empty(struct pm_store *store);
/* More than three quarters of what there can be are in use. */
bool pm_store_is_pressed(const struct pm_store *store);

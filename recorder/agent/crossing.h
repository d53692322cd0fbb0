/* Threads that are at this instant entering or leaving a wait, or writing a wake record: they may
 * hold references and ids which are written down nowhere yet. Noted once and looked at again until
 * each has moved on; nobody is held up. One thread at a time for each `struct pm_crossing`. */
#pragma once

#include "recorder/agent/room.h"
#include "recorder/agent/slot.h"

struct pm_crossing {
    struct pm_room places;
    uint32_t n;
    bool is_partial; /* there was no memory to note all */
};

/* Looks until the copy is whole. */
struct pm_slot_view pm_crossing_look(const struct pm_slot *slot);

int pm_crossing_init(struct pm_crossing *crossing); /* 0 or PM_ERROR_MEMORY */

void pm_crossing_note(struct pm_crossing *crossing);
/* Whether all that were noted have moved on. When there was no memory to note all, those that cross
 * now are noted instead, and it is not over. */
bool pm_crossing_is_over(struct pm_crossing *crossing);

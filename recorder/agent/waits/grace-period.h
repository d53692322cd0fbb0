/* A grace period: it ends when every thread that was entering or leaving a wait, or writing a wake
 * record, as it began has moved on. Such threads may hold references and ids which are written down
 * nowhere yet. They are noted once and looked at again; nobody is held up. One thread at a time for
 * each `struct pm_grace_period`. */
#pragma once

#include "recorder/agent/base/reservation.h"
#include "recorder/agent/waits/slot.h"

struct pm_grace_period {
    struct pm_reservation places;
    uint32_t n;
    bool is_partial; /* there was no memory to note all */
};

/* Looks until the copy is whole. */
struct pm_slot_view pm_grace_period_look(const struct pm_slot *slot);

int pm_grace_period_init(struct pm_grace_period *grace_period); /* 0 or PM_ERROR_MEMORY */

void pm_grace_period_note(struct pm_grace_period *grace_period);
/* Whether all that were noted have moved on. When there was no memory to note all, those that do so
 * now are noted instead, and it is not over. */
bool pm_grace_period_is_over(struct pm_grace_period *grace_period);

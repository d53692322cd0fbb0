/* A grace period ends when every thread that was entering or leaving a wait, writing a wake record,
 * or holding an epoch (epoch.h), when it began has moved on. Such threads may hold references and
 * ids that are not written down anywhere yet. They are noted once and checked again later; no
 * thread is delayed. One thread at a time for each `struct pm_grace_period`. */
#pragma once

#include "recorder/agent/base/reservation.h"
#include "recorder/agent/waits/slot.h"

struct pm_grace_period {
    struct pm_reservation places;
    uint32_t n;
    uint32_t readers; /* of epochs, as noted */
    bool is_partial;  /* there was no memory to note all */
};

/* Looks until the copy is whole. */
struct pm_slot_view pm_grace_period_look(const struct pm_slot *slot);

int pm_grace_period_init(struct pm_grace_period *grace_period); /* 0 or PM_ERROR_MEMORY */

void pm_grace_period_note(struct pm_grace_period *grace_period);
/* Whether all noted threads have moved on. If there was no memory to note all of them, the current
 * ones are noted instead, and it is not over. */
bool pm_grace_period_is_over(struct pm_grace_period *grace_period);

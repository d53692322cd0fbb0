#include "recorder/agent/waits/grace-period.h"

#include "recorder/agent/waits/epoch.h"

#define MAX_PLACES 65536

struct pm_grace_place {
    struct pm_slot *slot;
    uint32_t sequence;
    bool reads; /* its thread does */
    bool woken; /* a waker writes to it */
};

int pm_grace_period_init(struct pm_grace_period *grace_period)
{
    grace_period->n = 0;
    grace_period->is_partial = false;
    return pm_reservation_init(&grace_period->places, MAX_PLACES * sizeof(struct pm_grace_place));
}

static struct pm_grace_place *place_at(struct pm_grace_period *grace_period, uint32_t number)
{
    return (struct pm_grace_place *)(void *)grace_period->places.base + number;
}

struct pm_slot_view pm_grace_period_look(const struct pm_slot *slot)
{
    struct pm_slot_view view;
    while (!pm_slot_look(slot, &view)) {
    }
    return view;
}

static bool reads(const struct pm_slot_view *view)
{
    return view->state == PM_SLOT_ENTERING || view->state == PM_SLOT_LEAVING;
}

static bool is_being_woken(const struct pm_slot *slot)
{
    pm_chain_id chain;
    return !pm_slot_wake_chain(slot, &chain);
}

void pm_grace_period_note(struct pm_grace_period *grace_period)
{
    size_t n = pm_slot_pool_count();
    grace_period->readers = pm_epoch_note_readers();
    grace_period->n = 0;
    grace_period->is_partial = false;
    for (size_t i = 0; i < n && !grace_period->is_partial; i++) {
        struct pm_slot *slot = pm_slot_pool_at(i);
        struct pm_slot_view view = pm_grace_period_look(slot);
        struct pm_grace_place place = {.slot = slot,
                                       .sequence = view.sequence,
                                       .reads = reads(&view),
                                       .woken = is_being_woken(slot)};
        if (!place.reads && !place.woken)
            continue;
        if (pm_reservation_open(&grace_period->places, (grace_period->n + 1) * sizeof place))
            *place_at(grace_period, grace_period->n++) = place;
        else
            grace_period->is_partial = true;
    }
}

bool pm_grace_period_is_over(struct pm_grace_period *grace_period)
{
    uint32_t n_left = 0;
    if (grace_period->is_partial) {
        pm_grace_period_note(grace_period);
        return false;
    }
    for (uint32_t i = 0; i < grace_period->n; i++) {
        struct pm_grace_place place = *place_at(grace_period, i);
        struct pm_slot_view view = pm_grace_period_look(place.slot);
        place.reads = place.reads && reads(&view) && view.sequence == place.sequence;
        place.woken = place.woken && is_being_woken(place.slot);
        if (place.reads || place.woken)
            *place_at(grace_period, n_left++) = place;
    }
    grace_period->n = n_left;
    return n_left == 0 && !pm_epoch_has_readers(grace_period->readers);
}

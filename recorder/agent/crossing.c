#include "recorder/agent/crossing.h"

#include "recorder/agent/store.h"

#define MAX_PLACES 65536

struct pm_crossing_place {
    struct pm_slot *slot;
    uint32_t sequence;
    bool crosses; /* its thread does */
    bool woken;   /* a waker writes to it */
};

int pm_crossing_init(struct pm_crossing *crossing)
{
    crossing->places = pm_reserve(MAX_PLACES * sizeof *crossing->places);
    crossing->n = 0;
    crossing->max = MAX_PLACES;
    return crossing->places ? 0 : PM_ERROR_MEMORY;
}

struct pm_slot_view pm_crossing_look(const struct pm_slot *slot)
{
    struct pm_slot_view view;
    while (!pm_slot_look(slot, &view)) {
    }
    return view;
}

static bool crosses(const struct pm_slot_view *view)
{
    return view->state == PM_SLOT_ENTERING || view->state == PM_SLOT_LEAVING;
}

static bool is_being_woken(const struct pm_slot *slot)
{
    pm_chain_id chain;
    return !pm_slot_wake_chain(slot, &chain);
}

void pm_crossing_note(struct pm_crossing *crossing)
{
    size_t n = pm_slot_pool_count();
    crossing->n = 0;
    for (size_t i = 0; i < n && crossing->n < crossing->max; i++) {
        struct pm_slot *slot = pm_slot_pool_at(i);
        struct pm_slot_view view = pm_crossing_look(slot);
        struct pm_crossing_place place = {.slot = slot,
                                          .sequence = view.sequence,
                                          .crosses = crosses(&view),
                                          .woken = is_being_woken(slot)};
        if (place.crosses || place.woken)
            crossing->places[crossing->n++] = place;
    }
}

bool pm_crossing_is_over(struct pm_crossing *crossing)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < crossing->n; i++) {
        struct pm_crossing_place place = crossing->places[i];
        struct pm_slot_view view = pm_crossing_look(place.slot);
        place.crosses = place.crosses && crosses(&view) && view.sequence == place.sequence;
        place.woken = place.woken && is_being_woken(place.slot);
        if (place.crosses || place.woken)
            crossing->places[n_left++] = place;
    }
    crossing->n = n_left;
    return n_left == 0;
}

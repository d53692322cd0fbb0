#include "recorder/agent/tables/reclaim.h"

#include <assert.h>
#include <stdatomic.h>

#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/grace-period.h"
#include "recorder/agent/waits/slot.h"

#define PAUSE_NS    10000000000
#define WORTH_CHAIN 1024 /* rows that came since the last time */
#define WORTH_NAMES 4096

enum phase {
    RESTS = 0,
    BEGUN,        /* the epoch; who reads then may not have been seen to do so yet */
    GRACE_PERIOD, /* who reads then may hold older ids */
    MARKED,       /* who reads then may hold what was not marked */
    DRAINING,     /* ended waits, not marked */
    CHAINS,       /* are freed from here on, a piece at each step */
    METHODS,
    CLASSES,
};

#define AT_ONCE 4096 /* places; those who want a table meanwhile wait less than a millisecond */

static struct {
    struct pm_reclaim_hooks hooks;
    bool eager;
    _Atomic uint32_t unloads;

    /* The drain thread's. */
    enum phase phase;
    struct pm_grace_period grace_period;
    uint32_t unloads_seen;
    uint32_t chains_left, names_left; /* by the last time */
    uint64_t n_drained;
    uint32_t next_place;
    int64_t next_ns;
} reclaim;

int pm_reclaim_init(const struct pm_reclaim_hooks *hooks, bool eager)
{
    reclaim.hooks = *hooks;
    reclaim.eager = eager;
    reclaim.phase = RESTS;
    reclaim.next_ns = 0;
    return pm_grace_period_init(&reclaim.grace_period);
}

void pm_reclaim_note_unload(void)
{
    atomic_fetch_add_explicit(&reclaim.unloads, 1, memory_order_relaxed);
}

static uint32_t count_names(void)
{
    return pm_class_count() + pm_method_count();
}

static bool is_due(int64_t now_ns)
{
    bool unloaded = atomic_load(&reclaim.unloads) != reclaim.unloads_seen;
    if (reclaim.eager && unloaded)
        return true;
    if (now_ns < reclaim.next_ns)
        return false;
    bool worth = pm_chain_count() > reclaim.chains_left + WORTH_CHAIN ||
                 count_names() > reclaim.names_left + WORTH_NAMES;
    return (unloaded && worth) || pm_chain_table_is_pressed() || pm_names_are_pressed() ||
           pm_blocker_table_is_pressed();
}

static void begin(void)
{
    reclaim.unloads_seen = atomic_load(&reclaim.unloads);
    pm_epoch_advance();
    if (reclaim.hooks.forget)
        reclaim.hooks.forget();
}

/* What threads stand at since before the epoch began is in use. */
static void use_blockers(void)
{
    for (size_t i = 0, n = pm_slot_pool_count(); i < n; i++) {
        struct pm_slot_view view = pm_grace_period_look(pm_slot_pool_at(i));
        pm_blocker_use(view.wait.blocker);
    }
}

static void mark(void)
{
    for (size_t i = 0, n = pm_slot_pool_count(); i < n; i++) {
        const struct pm_slot *slot = pm_slot_pool_at(i);
        struct pm_slot_view view = pm_grace_period_look(slot);
        pm_chain_id chain;
        pm_chain_use(view.wait.chain);
        if (pm_slot_wake_chain(slot, &chain))
            pm_chain_use(chain);
    }
    struct pm_blocker blocker;
    for (uint32_t i = 0; pm_blocker_visit(i, &blocker); i++) {
        pm_chain_use(blocker.first_chain);
        pm_class_use(blocker.class_id);
    }
    if (reclaim.hooks.mark)
        reclaim.hooks.mark();
}

static void free_piece(bool (*free_unused)(uint32_t first, uint32_t n), enum phase next)
{
    if (free_unused(reclaim.next_place, AT_ONCE)) {
        reclaim.next_place += AT_ONCE;
    } else {
        reclaim.next_place = 0;
        reclaim.phase = next;
    }
}

static void end(int64_t now_ns)
{
    reclaim.chains_left = pm_chain_count();
    reclaim.names_left = count_names();
    reclaim.next_ns = now_ns + PAUSE_NS;
}

void pm_reclaim_step(uint64_t n_drained, int64_t now_ns)
{
    assert(now_ns >= 0);
    switch (reclaim.phase) {
    case RESTS:
        if (is_due(now_ns)) {
            begin();
            reclaim.phase = BEGUN;
        }
        break;
    case BEGUN:
        pm_grace_period_note(&reclaim.grace_period);
        reclaim.phase = GRACE_PERIOD;
        break;
    case GRACE_PERIOD:
        if (pm_grace_period_is_over(&reclaim.grace_period)) {
            if (pm_blocker_table_is_pressed()) {
                use_blockers();
                pm_blocker_close_unused();
            }
            mark();
            pm_grace_period_note(&reclaim.grace_period);
            reclaim.phase = MARKED;
        }
        break;
    case MARKED:
        if (pm_grace_period_is_over(&reclaim.grace_period)) {
            pm_blocker_leave_closed();
            reclaim.n_drained = n_drained;
            reclaim.phase = DRAINING;
        }
        break;
    case DRAINING:
        if (n_drained > reclaim.n_drained)
            reclaim.phase = CHAINS;
        break;
    case CHAINS:
        free_piece(pm_chain_free_unused, METHODS);
        break;
    case METHODS:
        free_piece(pm_method_free_unused, CLASSES);
        break;
    case CLASSES:
        free_piece(pm_class_free_unused, RESTS);
        if (reclaim.phase == RESTS)
            end(now_ns);
        break;
    }
}

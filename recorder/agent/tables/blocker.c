#include "recorder/agent/tables/blocker.h"

#include "format/error.h"
#include "recorder/agent/base/registry.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/waits/epoch.h"

#define KEY_BUCKETS 4096 /* only pseudo-blockers have keys */

struct row {
    struct pm_blocker blocker;
    uint32_t used; /* a pseudo-blocker's: the epoch */
    bool closed;   /* … that is not found any more and will leave */
    bool has_left;
    uint32_t next_collected; /* the id that left after it */
};

static struct pm_registry table;
static pm_blocker_id last_resort;

/* Ids that left, until the drain takes them: a list through the rows, so it is never full. */
static struct {
    uint32_t first, last; /* 0: none */
    pthread_mutex_t lock;
} collected = {.lock = PTHREAD_MUTEX_INITIALIZER};

pm_blocker_id pm_blocker_add(const struct pm_blocker *blocker)
{
    struct row row = {.blocker = *blocker};
    return (pm_blocker_id){pm_registry_add(&table, 0, &row)};
}

struct use {
    uint32_t epoch;
    bool closed;
};

static void use_row(void *at, void *context)
{
    struct row *row = at;
    struct use *use = context;
    pm_epoch_mark(&row->used, use->epoch);
    use->closed = row->closed;
}

/* The pseudo-blocker with this key, which now counts as used; 0 when there is none. */
static uint32_t find_used(int64_t key)
{
    struct row row;
    struct use use = {.epoch = pm_epoch_now()};
    uint32_t id = pm_registry_find(&table, key);
    if (!id || !pm_registry_get(&table, id, &row))
        return 0;
    if (row.used == use.epoch && !row.closed)
        return id;
    return pm_registry_change(&table, id, use_row, &use) && !use.closed ? id : 0;
}

static pm_blocker_id add_keyed(uint64_t key, const struct pm_blocker *blocker)
{
    int64_t known = (int64_t)(key ? key : 1);
    pm_blocker_id id = {find_used(known)};
    if (!id.n) {
        struct row row = {.blocker = *blocker, .used = pm_epoch_now()};
        id.n = pm_registry_add(&table, known, &row);
    }
    return id;
}

int pm_blocker_table_init(uint32_t max_blockers)
{
    int error = pm_registry_init(&table, sizeof(struct row), max_blockers, KEY_BUCKETS);
    if (error)
        return error;
    collected.first = collected.last = 0;
    last_resort = add_keyed(UINT64_MAX, &(struct pm_blocker){.class_id = pm_class_unknown(),
                                                             .flags = PM_BLOCKER_FOLDED});
    if (last_resort.n)
        return 0;
    pm_registry_clear(&table);
    return PM_ERROR_MEMORY;
}

void pm_blocker_use(pm_blocker_id id)
{
    struct use use = {.epoch = pm_epoch_now()};
    pm_registry_change(&table, id.n, use_row, &use);
}

pm_blocker_id pm_blocker_add_null(uint64_t site_key, pm_chain_id first_chain,
                                  pm_thread_id first_thread)
{
    struct pm_blocker blocker = {
        .flags = PM_BLOCKER_NULL, .first_chain = first_chain, .first_thread = first_thread};
    pm_blocker_id id = add_keyed(site_key, &blocker);
    return id.n ? id : last_resort;
}

pm_blocker_id pm_blocker_add_folded(pm_class_id class_id, pm_chain_id first_chain,
                                    pm_thread_id first_thread)
{
    struct pm_blocker blocker = {.class_id = class_id,
                                 .flags = PM_BLOCKER_FOLDED,
                                 .first_chain = first_chain,
                                 .first_thread = first_thread};
    uint64_t key =
        (uint64_t)class_id.n << 32 | pm_chain_site_method(first_chain).n | UINT64_C(1) << 63;
    pm_blocker_id id = add_keyed(key, &blocker);
    return id.n ? id : last_resort;
}

pm_blocker_id pm_blocker_last_resort(void)
{
    return last_resort;
}

bool pm_blocker_get(pm_blocker_id id, struct pm_blocker *ret_blocker)
{
    struct row row;
    if (!pm_registry_get(&table, id.n, &row))
        return false;
    *ret_blocker = row.blocker;
    ret_blocker->id = id;
    return true;
}

bool pm_blocker_visit(uint32_t index, struct pm_blocker *ret_blocker)
{
    struct row row;
    uint32_t id;
    if (!pm_registry_visit(&table, index, &id, &row))
        return false;
    *ret_blocker = id ? row.blocker : (struct pm_blocker){0};
    ret_blocker->id.n = id;
    return true;
}

struct leaving {
    uint32_t flag;
    bool has_left; /* before */
};

static void let_leave(void *at, void *context)
{
    struct row *row = at;
    struct leaving *leaving = context;
    row->blocker.flags |= leaving->flag;
    leaving->has_left = row->has_left;
    row->has_left = true;
}

static void set_next_collected(void *row, void *context)
{
    ((struct row *)row)->next_collected = *(const uint32_t *)context;
}

void pm_blocker_leave(pm_blocker_id id, uint32_t flag)
{
    struct leaving leaving = {.flag = flag};
    if (!pm_registry_change(&table, id.n, let_leave, &leaving) || leaving.has_left)
        return;
    pthread_mutex_lock(&collected.lock);
    if (collected.last)
        pm_registry_change(&table, collected.last, set_next_collected, &id.n);
    else
        collected.first = id.n;
    collected.last = id.n;
    pthread_mutex_unlock(&collected.lock);
}

size_t pm_blocker_take_collected(pm_blocker_id *ret_ids, size_t max)
{
    size_t n = 0;
    struct row row;
    pthread_mutex_lock(&collected.lock);
    while (n < max && collected.first) {
        ret_ids[n++].n = collected.first;
        collected.first = pm_registry_get(&table, collected.first, &row) ? row.next_collected : 0;
    }
    if (!collected.first)
        collected.last = 0;
    pthread_mutex_unlock(&collected.lock);
    return n;
}

static bool close_unused(void *at, void *context)
{
    struct row *row = at;
    row->closed = row->used != *(const uint32_t *)context;
    return row->closed;
}

void pm_blocker_close_unused(void)
{
    uint32_t epoch = pm_epoch_now(), id;
    struct row row;
    for (uint32_t i = 0; pm_registry_visit(&table, i, &id, &row); i++) {
        bool pseudo = row.blocker.flags & (PM_BLOCKER_NULL | PM_BLOCKER_FOLDED);
        if (id && id != last_resort.n && pseudo && !row.closed)
            pm_registry_unkey(&table, id, close_unused, &epoch);
    }
}

void pm_blocker_leave_closed(void)
{
    struct row row;
    uint32_t id;
    for (uint32_t i = 0; pm_registry_visit(&table, i, &id, &row); i++)
        if (id && row.closed && !(row.blocker.flags & PM_BLOCKER_EVICTED))
            pm_blocker_leave((pm_blocker_id){id}, PM_BLOCKER_EVICTED);
}

bool pm_blocker_table_is_pressed(void)
{
    return pm_registry_count(&table) > pm_registry_limit(&table) / 8 * 5;
}

void pm_blocker_forget(pm_blocker_id id)
{
    pm_registry_remove(&table, id.n);
}

uint32_t pm_blocker_last_id(void)
{
    return pm_registry_last_id(&table);
}

uint32_t pm_blocker_count(void)
{
    return pm_registry_count(&table);
}

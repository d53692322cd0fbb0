#include "recorder/agent/blocker.h"

#include "format/error.h"
#include "recorder/agent/chain.h"
#include "recorder/agent/registry.h"
#include "recorder/agent/store.h"

static struct pm_registry table;
static pm_blocker_id last_resort;

/* Ids that left, until the drain takes them: a ring with room for every row there can be, so it is
 * never full. */
static struct {
    uint32_t *ids;
    uint32_t size; /* a power of two */
    uint32_t n_in, n_out;
    pthread_mutex_t lock;
} gone = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_blocker_table_init(uint32_t max_blockers)
{
    int error = pm_registry_init(&table, sizeof(struct pm_blocker), max_blockers, 0);
    if (error)
        return error;
    gone.size = 16;
    while (gone.size < max_blockers)
        gone.size *= 2;
    gone.n_in = gone.n_out = 0;
    gone.ids = pm_reserve(gone.size * sizeof *gone.ids);
    last_resort =
        pm_blocker_add_keyed(UINT64_MAX, &(struct pm_blocker){.flags = PM_BLOCKER_FOLDED});
    if (gone.ids && last_resort.n)
        return 0;
    pm_registry_clear(&table);
    return PM_ERROR_MEMORY;
}

void pm_blocker_table_clear(void)
{
    pm_unreserve(gone.ids, gone.size * sizeof *gone.ids);
    gone.ids = NULL;
    pm_registry_clear(&table);
}

pm_blocker_id pm_blocker_add(const struct pm_blocker *blocker)
{
    return (pm_blocker_id){pm_registry_add(&table, 0, blocker)};
}

pm_blocker_id pm_blocker_add_keyed(uint64_t key, const struct pm_blocker *blocker)
{
    return (pm_blocker_id){pm_registry_add(&table, (int64_t)(key ? key : 1), blocker)};
}

pm_blocker_id pm_blocker_add_null(uint64_t site_key, pm_chain_id first_chain,
                                  pm_thread_id first_thread)
{
    uint32_t known = pm_registry_find(&table, (int64_t)(site_key ? site_key : 1));
    if (known)
        return (pm_blocker_id){known};
    struct pm_blocker blocker = {
        .flags = PM_BLOCKER_NULL, .first_chain = first_chain, .first_thread = first_thread};
    pm_blocker_id id = pm_blocker_add_keyed(site_key, &blocker);
    return id.n ? id : last_resort;
}

pm_blocker_id pm_blocker_add_folded(pm_class_id class_id, pm_chain_id first_chain,
                                    pm_thread_id first_thread)
{
    struct pm_blocker row = {.class_id = class_id,
                             .flags = PM_BLOCKER_FOLDED,
                             .first_chain = first_chain,
                             .first_thread = first_thread};
    uint64_t key = (uint64_t)class_id.n << 32 | pm_chain_site(first_chain).n | UINT64_C(1) << 63;
    pm_blocker_id id = {pm_registry_find(&table, (int64_t)key)}; /* takes no lock, as adding does */
    id = id.n ? id : pm_blocker_add_keyed(key, &row);
    return id.n ? id : last_resort;
}

pm_blocker_id pm_blocker_last_resort(void)
{
    return last_resort;
}

bool pm_blocker_get(pm_blocker_id id, struct pm_blocker *ret_blocker)
{
    struct pm_blocker blocker;
    if (!pm_registry_get(&table, id.n, &blocker))
        return false;
    blocker.id = id;
    *ret_blocker = blocker;
    return true;
}

bool pm_blocker_visit(uint32_t index, struct pm_blocker *ret_blocker)
{
    struct pm_blocker blocker = {0};
    uint32_t id = 0;
    if (!pm_registry_visit(&table, index, &id, &blocker))
        return false;
    *ret_blocker = id ? blocker : (struct pm_blocker){0};
    ret_blocker->id.n = id;
    return true;
}

static void add_flag(void *row, void *context)
{
    ((struct pm_blocker *)row)->flags |= *(uint32_t *)context;
}

void pm_blocker_leave(pm_blocker_id id, uint32_t flag)
{
    if (!pm_registry_change(&table, id.n, add_flag, &flag))
        return;
    pthread_mutex_lock(&gone.lock);
    if (gone.n_in - gone.n_out < gone.size)
        gone.ids[gone.n_in++ & (gone.size - 1)] = id.n;
    pthread_mutex_unlock(&gone.lock);
}

size_t pm_blocker_take_gone(pm_blocker_id *ret_ids, size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&gone.lock);
    while (n < max && gone.n_out != gone.n_in)
        ret_ids[n++].n = gone.ids[gone.n_out++ & (gone.size - 1)];
    pthread_mutex_unlock(&gone.lock);
    return n;
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

uint64_t pm_blocker_memory(void)
{
    return pm_registry_memory(&table);
}

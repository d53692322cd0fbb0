#include "recorder/agent/tables/tables.h"

#include <string.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/thread.h"

struct pm_self_metrics pm_self_metrics;
struct pm_chain_cache pm_chain_cache PM_HOT_SMALL;

void pm_self_metrics_note_stop(int64_t ns)
{
    uint64_t longest = atomic_load(&pm_self_metrics.longest_stop_ns);
    atomic_fetch_add(&pm_self_metrics.stops, 1);
    atomic_fetch_add(&pm_self_metrics.stopped_ns, (uint64_t)ns);
    while (longest < (uint64_t)ns && !atomic_compare_exchange_weak(&pm_self_metrics.longest_stop_ns,
                                                                   &longest, (uint64_t)ns)) {
    }
}

static int get_class(void *context, pm_class_id id, struct pm_class *ret)
{
    return pm_class_get(id, ret) ? 0 : PM_ERROR_ARGUMENT;
}

static int get_method(void *context, pm_method_id id, struct pm_method *ret)
{
    return pm_method_get(id, ret) ? 0 : PM_ERROR_ARGUMENT;
}

static int get_chain(void *context, pm_chain_id id, struct pm_chain *ret)
{
    return pm_chain_get(id, ret) ? 0 : PM_ERROR_ARGUMENT;
}

static int get_thread(void *context, pm_thread_id id, struct pm_thread *ret)
{
    static struct pm_thread_row row; /* the name is borrowed until the next call */
    if (!pm_thread_get(id, &row))
        return PM_ERROR_ARGUMENT;
    *ret = (struct pm_thread){.id = id,
                              .tid = row.tid,
                              .name = {row.name, row.name_length},
                              .is_virtual = row.is_virtual,
                              .is_daemon = row.is_daemon};
    return 0;
}

static int get_blocker(void *context, pm_blocker_id id, struct pm_blocker *ret)
{
    return pm_blocker_get(id, ret) ? 0 : PM_ERROR_ARGUMENT;
}

const struct pm_dictionary *pm_tables_dictionary(void)
{
    static const struct pm_dictionary dictionary = {.get_class = get_class,
                                                    .get_method = get_method,
                                                    .get_chain = get_chain,
                                                    .get_thread = get_thread,
                                                    .get_blocker = get_blocker};
    return &dictionary;
}

uint32_t pm_tables_n_threads(void)
{
    return pm_thread_last_id();
}

uint32_t pm_tables_n_chains(void)
{
    return pm_chain_count();
}

bool pm_tables_thread_life(pm_thread_id id, int64_t *ret_begin_ns, int64_t *ret_end_ns)
{
    struct pm_thread_row row;
    if (!pm_thread_get(id, &row))
        return false;
    *ret_begin_ns = row.begin_ns;
    *ret_end_ns = row.end_ns;
    return true;
}

bool pm_tables_visit_thread(uint32_t index, pm_thread_id *ret_id, int64_t *ret_begin_ns,
                            int64_t *ret_end_ns)
{
    struct pm_thread_row row;
    if (!pm_thread_visit(index, ret_id, &row))
        return false;
    *ret_begin_ns = row.begin_ns;
    *ret_end_ns = row.end_ns;
    return true;
}

size_t pm_tables_take_renamed_threads(pm_thread_id *ret_ids, size_t max)
{
    return pm_thread_take_renamed(ret_ids, max);
}

size_t pm_tables_take_collected_blockers(pm_blocker_id *ret_ids, size_t max)
{
    return pm_blocker_take_collected(ret_ids, max);
}

void pm_tables_blocker_forget(pm_blocker_id id)
{
    pm_blocker_forget(id);
}

pm_blocker_id pm_tables_blocker_fold(pm_blocker_id id)
{
    struct pm_blocker row;
    if (!pm_blocker_get(id, &row) || row.flags & (PM_BLOCKER_NULL | PM_BLOCKER_FOLDED))
        return (pm_blocker_id){0};
    return pm_blocker_add_folded(row.class_id, row.first_chain, row.first_thread);
}

int pm_tables_init(void)
{
    return pm_names_init() || pm_thread_table_init(1u << 17) || pm_blocker_table_init(1u << 16) ||
                   pm_chain_table_init()
               ? PM_ERROR_MEMORY
               : 0;
}

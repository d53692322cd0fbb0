#include "recorder/agent/tables/thread.h"

#include <string.h>

#include "recorder/agent/base/registry.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/waits/vthread-slot.h"

#define N_LOOKED_AT 4096 /* rows, to find room among */
#define N_AT_ONCE   64   /* of them, under the lock */
#define N_PATIENCE  256  /* threads that are added before it is looked for again, once in vain */

_Atomic uint32_t pm_thread_removals;

static struct pm_registry table;
static _Atomic uint32_t sweep;         /* where room was last found */
static _Atomic int32_t patience;       /* threads to be added before room is looked for again */
static _Atomic int32_t n_removable[2]; /* rows that are so: platform, virtual threads */

int pm_thread_table_init(uint32_t max_threads)
{
    return pm_registry_init(&table, sizeof(struct pm_thread_row), max_threads, 0);
}

void pm_thread_table_clear(void)
{
    atomic_store(&n_removable[0], 0);
    atomic_store(&n_removable[1], 0);
    atomic_store(&patience, 0);
    pm_registry_clear(&table);
}

static void copy_name(struct pm_thread_row *row, const char *name)
{
    char text[PM_THREAD_NAME_MAX + 1];
    row->name_length = (uint16_t)pm_text_from_java(text, sizeof text, name);
    memcpy(row->name, text, row->name_length);
}

static void set_removable(void *row, void *context)
{
    struct pm_thread_row *thread = row;
    thread->end_ns = *(const int64_t *)context;
    if (!thread->is_removable)
        atomic_fetch_add(&n_removable[thread->is_virtual], 1);
    thread->is_removable = true;
}

/* A virtual thread in a wait lives, and the wait is to name it; those without a slot name nobody.
 */
static bool may_leave(const struct pm_thread_row *row)
{
    const struct pm_vthread_slot *vslot = row->is_virtual ? pm_vthread_slot_find(row->tid) : NULL;
    return row->is_removable && !(vslot && vslot->slot);
}

struct leaving {
    bool of_platform, of_virtual;
    uint32_t n;
};

static bool leaves(const void *row, void *context)
{
    const struct pm_thread_row *thread = row;
    struct leaving *leaving = context;
    if (!(thread->is_virtual ? leaving->of_virtual : leaving->of_platform) || !may_leave(thread))
        return false;
    atomic_fetch_sub(&n_removable[thread->is_virtual], 1);
    leaving->n++;
    return true;
}

/* Removes some threads that have been ended, or virtual, for longest, found by going round. */
static void make_room(bool of_platform, bool of_virtual)
{
    struct leaving leaving = {.of_platform = of_platform, .of_virtual = of_virtual};
    for (uint32_t looked = 0; looked < N_LOOKED_AT && leaving.n == 0; looked += N_AT_ONCE) {
        uint32_t first = atomic_fetch_add(&sweep, N_AT_ONCE);
        if (!pm_registry_remove_where(&table, first, N_AT_ONCE, leaves, &leaving))
            atomic_store(&sweep, 0);
    }
    if (leaving.n)
        atomic_fetch_add_explicit(&pm_thread_removals, 1, memory_order_relaxed);
    atomic_store(&patience, leaving.n ? 0 : N_PATIENCE);
}

pm_thread_id pm_thread_add(int64_t tid, const char *name, bool is_virtual, bool is_daemon,
                           int64_t begin_ns)
{
    struct pm_thread_row row = {.tid = tid,
                                .begin_ns = begin_ns,
                                .is_virtual = is_virtual,
                                .is_daemon = is_daemon,
                                .is_nameless = !name,
                                .is_removable = is_virtual}; /* nobody tells when it ends */
    copy_name(&row, name ? name : "");
    bool are_many = atomic_load_explicit(&n_removable[is_virtual], memory_order_relaxed) >
                    (is_virtual ? PM_THREADS_VIRTUAL_MAX : PM_THREADS_ENDED_MAX);
    if (are_many && atomic_fetch_sub_explicit(&patience, 1, memory_order_relaxed) <= 0)
        make_room(!is_virtual, is_virtual);
    bool is_new;
    uint32_t id = pm_registry_find_or_add(&table, tid, &row, &is_new);
    if (!id) {
        make_room(true, true);
        id = pm_registry_find_or_add(&table, tid, &row, &is_new);
    }
    if (is_new && is_virtual)
        atomic_fetch_add(&n_removable[1], 1);
    return (pm_thread_id){id};
}

pm_thread_id pm_thread_find(int64_t tid)
{
    return (pm_thread_id){pm_registry_find(&table, tid)};
}

bool pm_thread_get(pm_thread_id id, struct pm_thread_row *ret_row)
{
    return pm_registry_get(&table, id.n, ret_row);
}

/* Ids of the renamed, until the drain takes them; when it is full the oldest are forgotten. */
static struct {
    uint32_t ids[1024];
    uint32_t n_in, n_out;
    pthread_mutex_t lock;
} renamed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_name(void *row, void *context)
{
    const struct pm_thread_row *with_name = context;
    struct pm_thread_row *to = row;
    to->is_nameless = false;
    to->name_length = with_name->name_length;
    memcpy(to->name, with_name->name, with_name->name_length);
}

void pm_thread_rename(pm_thread_id id, const char *name)
{
    struct pm_thread_row row, now = {0};
    copy_name(&now, name);
    if (!pm_registry_get(&table, id.n, &row) ||
        (!row.is_nameless && row.name_length == now.name_length &&
         memcmp(row.name, now.name, now.name_length) == 0) ||
        !pm_registry_change(&table, id.n, set_name, &now))
        return;
    pthread_mutex_lock(&renamed.lock);
    renamed.ids[renamed.n_in++ % 1024] = id.n;
    if (renamed.n_in - renamed.n_out > 1024)
        renamed.n_out = renamed.n_in - 1024;
    pthread_mutex_unlock(&renamed.lock);
}

size_t pm_thread_take_renamed(pm_thread_id *ret_ids, size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&renamed.lock);
    while (n < max && renamed.n_out != renamed.n_in)
        ret_ids[n++].n = renamed.ids[renamed.n_out++ % 1024];
    pthread_mutex_unlock(&renamed.lock);
    return n;
}

#define OWN_PREFIX "parkmeter-"

bool pm_thread_is_ours(const struct pm_thread_row *row)
{
    return row->name_length > strlen(OWN_PREFIX) &&
           memcmp(row->name, OWN_PREFIX, strlen(OWN_PREFIX)) == 0;
}

bool pm_thread_is_of_jvm(const struct pm_thread_row *row)
{
    static const char *const names[] = {
        "Reference Handler",   "Finalizer",       "Signal Dispatcher", "Common-Cleaner",
        "Notification Thread", "Attach Listener", "Service Thread",    "Monitor Deflation Thread"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (row->name_length == strlen(names[i]) &&
            memcmp(row->name, names[i], row->name_length) == 0)
            return true;
    return false;
}

static void set_native(void *row, void *context)
{
    ((struct pm_thread_row *)row)->native_id = *(const int32_t *)context;
}

void pm_thread_set_native(pm_thread_id id, int32_t native_id)
{
    pm_registry_change(&table, id.n, set_native, &native_id);
}

static void set_activity(void *row, void *context)
{
    ((struct pm_thread_row *)row)->activity = *(const struct pm_thread_activity *)context;
}

void pm_thread_set_activity(pm_thread_id id, const struct pm_thread_activity *activity)
{
    struct pm_thread_activity copy = *activity;
    pm_registry_change(&table, id.n, set_activity, &copy);
}

void pm_thread_end(pm_thread_id id, int64_t end_ns)
{
    pm_registry_change(&table, id.n, set_removable, &end_ns);
}

bool pm_thread_visit(uint32_t index, pm_thread_id *ret_id, struct pm_thread_row *ret_row)
{
    return pm_registry_visit(&table, index, &ret_id->n, ret_row);
}

uint32_t pm_thread_last_id(void)
{
    return pm_registry_last_id(&table);
}

uint64_t pm_thread_memory(void)
{
    return pm_registry_memory(&table);
}

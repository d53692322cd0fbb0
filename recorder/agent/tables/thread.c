#include "recorder/agent/tables/thread.h"

#include <stddef.h>
#include <string.h>

#include "recorder/agent/base/arena.h"
#include "recorder/agent/base/registry.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/waits/vthread-slot.h"

#define N_LOOKED_AT 4096 /* rows, to find room among */
#define N_AT_ONCE   64   /* of them, under the lock */
#define N_PATIENCE  256  /* threads that are added before it is looked for again, once in vain */

_Atomic uint32_t pm_thread_removals;

#define ROW_BYTES offsetof(struct pm_thread_row, name) /* the names are apart: most are short */

/* Rows of one sort. Of virtual threads only those with a name have one. */
struct table {
    struct pm_registry rows;
    struct pm_arena names;
    pthread_mutex_t lock;        /* of the names; the registry's is taken before */
    int32_t max_removable;       /* whether they are told or not */
    int32_t max_told;            /* … that are told */
    _Atomic uint32_t sweep;      /* where room was last found */
    _Atomic int32_t patience;    /* threads to be added before room is looked for again */
    _Atomic int32_t n_removable; /* rows that are so */
};

static struct table tables[2];
static struct table *const platform = &tables[0];
static struct table *const named = &tables[1];

/* An id of a virtual thread is its Thread.tid, as far as there is room for it; the rest of the tid
 * is that of the latest ones. */
#define IS_VIRTUAL  UINT32_C(0x80000000)
#define LATEST_STEP 0xffff /* fewer writes to what all carriers read */
static _Atomic int64_t latest_tid;
static _Atomic int64_t told_ns;
static _Atomic bool are_nameless; /* some were told without the name that they may have */

int pm_thread_table_init(uint32_t max_threads)
{
    int error = 0;
    for (int i = 0; i < 2 && !error; i++) {
        pthread_mutex_init(&tables[i].lock, NULL);
        error = pm_registry_init(&tables[i].rows, ROW_BYTES, max_threads, 0);
        if (!error)
            error = pm_arena_init(&tables[i].names, (size_t)max_threads * PM_THREAD_NAME_MAX);
    }
    platform->max_removable = PM_THREADS_ENDED_MAX;
    platform->max_told = PM_THREADS_ENDED;
    named->max_removable = named->max_told = PM_THREADS_VIRTUAL_MAX;
    return error;
}

void pm_thread_table_clear(void)
{
    for (int i = 0; i < 2; i++) {
        atomic_store(&tables[i].n_removable, 0);
        atomic_store(&tables[i].patience, 0);
        pm_registry_clear(&tables[i].rows);
        pm_arena_clear(&tables[i].names);
    }
}

static void copy_name(struct pm_thread_row *row, const char *name)
{
    char text[PM_THREAD_NAME_MAX + 1];
    row->name_length = (uint16_t)pm_text_from_java(text, sizeof text, name);
    memcpy(row->name, text, row->name_length);
}

/* -- names -- */

/* False: there is no memory for it. */
static bool keep_name(struct table *table, struct pm_thread_row *row)
{
    pthread_mutex_lock(&table->lock);
    char *to = row->name_length ? pm_arena_append(&table->names, row->name_length) : NULL;
    pthread_mutex_unlock(&table->lock);
    if (to) {
        memcpy(to, row->name, row->name_length);
        row->name_at = (uint32_t)(to - table->names.base);
    }
    return to || !row->name_length;
}

/* Within a change of the row, or of one that nobody has seen. */
static void give_name_back(struct table *table, const struct pm_thread_row *row)
{
    if (!row->name_length)
        return;
    pthread_mutex_lock(&table->lock);
    pm_arena_give_back(&table->names, table->names.base + row->name_at, row->name_length);
    pthread_mutex_unlock(&table->lock);
}

struct reading {
    const struct table *table;
    struct pm_thread_row row;
};

/* What is there may be changing. */
static void read_row(const void *from, void *context)
{
    struct reading *reading = context;
    struct pm_thread_row *to = &reading->row;
    memcpy(to, from, ROW_BYTES);
    if (to->name_length <= PM_THREAD_NAME_MAX &&
        to->name_at + (size_t)to->name_length <= atomic_load(&reading->table->names.used))
        memcpy(to->name, reading->table->names.base + to->name_at, to->name_length);
}

static bool get_row(struct table *table, uint32_t id, struct pm_thread_row *ret_row)
{
    struct reading reading = {.table = table};
    if (!pm_registry_read(&table->rows, id, read_row, &reading))
        return false;
    *ret_row = reading.row;
    return true;
}

/* -- room -- */

static void set_removable(struct pm_thread_row *row, int64_t since_ns)
{
    if (!row->removable_ns != !since_ns)
        atomic_fetch_add(&platform->n_removable, since_ns ? 1 : -1);
    row->removable_ns = since_ns;
}

static void set_end(void *row, void *context)
{
    ((struct pm_thread_row *)row)->end_ns = *(const int64_t *)context;
    set_removable(row, *(const int64_t *)context);
}

/* The name of a virtual thread is not asked for again while it waits. */
static bool may_leave(const struct pm_thread_row *row)
{
    const struct pm_vthread_slot *vslot = row->is_virtual ? pm_vthread_slot_find(row->tid) : NULL;
    return row->removable_ns && !(vslot && !vslot->is_bare);
}

struct leaving {
    struct table *table;
    int64_t before_ns; /* who was removable earlier leaves */
    uint32_t n;
};

static bool leaves(const void *at, void *context)
{
    const struct pm_thread_row *row = at;
    struct leaving *leaving = context;
    bool leaves = may_leave(row) && row->removable_ns < leaving->before_ns;
    leaving->n += leaves;
    if (leaves)
        give_name_back(leaving->table, row);
    return leaves;
}

/* Removes some threads that have been ended, or virtual, for longest, found by going round. */
static void make_room(struct table *table, bool is_told_only)
{
    struct leaving leaving = {.table = table,
                              .before_ns = is_told_only ? atomic_load(&told_ns) : INT64_MAX};
    for (uint32_t looked = 0; looked < N_LOOKED_AT && leaving.n == 0; looked += N_AT_ONCE) {
        uint32_t first = atomic_fetch_add(&table->sweep, N_AT_ONCE);
        if (!pm_registry_remove_where(&table->rows, first, N_AT_ONCE, leaves, &leaving))
            atomic_store(&table->sweep, 0);
    }
    atomic_fetch_sub(&table->n_removable, (int32_t)leaving.n);
    if (leaving.n)
        atomic_fetch_add_explicit(&pm_thread_removals, 1, memory_order_relaxed);
    atomic_store(&table->patience, leaving.n ? 0 : N_PATIENCE);
}

static void note_renamed(pm_thread_id id);

bool pm_thread_is_virtual(pm_thread_id id)
{
    return id.n & IS_VIRTUAL;
}

static pm_thread_id virtual_id(int64_t tid)
{
    int64_t latest = atomic_load_explicit(&latest_tid, memory_order_relaxed);
    while (tid > latest && !atomic_compare_exchange_weak(&latest_tid, &latest, tid | LATEST_STEP)) {
    }
    return (pm_thread_id){IS_VIRTUAL | ((uint32_t)tid & ~IS_VIRTUAL)};
}

/* The latest one with that id. */
static int64_t tid_of(pm_thread_id id)
{
    int64_t latest = atomic_load_explicit(&latest_tid, memory_order_relaxed);
    return latest - (((uint32_t)latest - id.n) & ~IS_VIRTUAL);
}

static uint32_t row_of(pm_thread_id id)
{
    return pm_thread_is_virtual(id) ? pm_registry_find(&named->rows, tid_of(id)) : id.n;
}

static struct table *table_of(pm_thread_id id)
{
    return pm_thread_is_virtual(id) ? named : platform;
}

pm_thread_id pm_thread_virtual(int64_t tid, bool may_have_name)
{
    if (may_have_name)
        atomic_store_explicit(&are_nameless, true, memory_order_relaxed);
    return tid > 0 ? virtual_id(tid) : (pm_thread_id){0};
}

/* The id, 0 if there is no room or no memory. */
static uint32_t find_or_add(struct table *table, struct pm_thread_row *row, bool *ret_is_new)
{
    *ret_is_new = false;
    if (!keep_name(table, row))
        return 0;
    uint32_t id = pm_registry_find_or_add(&table->rows, row->tid, row, ret_is_new);
    if (!*ret_is_new)
        give_name_back(table, row);
    return id;
}

pm_thread_id pm_thread_add(int64_t tid, const char *name, bool is_virtual, bool is_daemon,
                           int64_t begin_ns)
{
    struct table *table = is_virtual ? named : platform;
    struct pm_thread_row row = {.tid = tid,
                                .begin_ns = begin_ns,
                                .is_virtual = is_virtual,
                                .is_daemon = is_daemon,
                                .removable_ns = is_virtual}; /* nobody tells when it ends */
    copy_name(&row, name);
    if (is_virtual && (row.name_length == 0 || tid <= 0))
        return pm_thread_virtual(tid, false);
    int32_t n_removable = atomic_load_explicit(&table->n_removable, memory_order_relaxed);
    if (n_removable > table->max_told &&
        atomic_fetch_sub_explicit(&table->patience, 1, memory_order_relaxed) <= 0)
        make_room(table, n_removable <= table->max_removable);
    bool is_new;
    uint32_t id = find_or_add(table, &row, &is_new);
    if (!id) {
        make_room(table, false);
        id = find_or_add(table, &row, &is_new);
    }
    if (!is_virtual)
        return (pm_thread_id){id};
    if (is_new) {
        atomic_fetch_add(&named->n_removable, 1);
        if (atomic_load_explicit(&are_nameless, memory_order_relaxed))
            note_renamed(virtual_id(tid));
    }
    return virtual_id(tid);
}

pm_thread_id pm_thread_find(int64_t tid)
{
    pm_thread_id id = {pm_registry_find(&platform->rows, tid)};
    return id.n || !pm_registry_find(&named->rows, tid) ? id : virtual_id(tid);
}

bool pm_thread_get(pm_thread_id id, struct pm_thread_row *ret_row)
{
    if (get_row(table_of(id), row_of(id), ret_row))
        return true;
    if (!pm_thread_is_virtual(id))
        return false;
    *ret_row = (struct pm_thread_row){
        .tid = tid_of(id), .is_virtual = true, .is_daemon = true, .removable_ns = 1};
    return true;
}

/* Ids of the renamed, until the drain takes them; when it is full the oldest are forgotten. */
static struct {
    uint32_t ids[1024];
    uint32_t n_in, n_out;
    pthread_mutex_t lock;
} renamed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_name(void *row, void *context)
{
    const struct reading *with_name = context;
    struct pm_thread_row *to = row;
    give_name_back((struct table *)with_name->table, to);
    to->name_length = with_name->row.name_length;
    to->name_at = with_name->row.name_at;
}

static void note_renamed(pm_thread_id id)
{
    pthread_mutex_lock(&renamed.lock);
    renamed.ids[renamed.n_in++ % 1024] = id.n;
    if (renamed.n_in - renamed.n_out > 1024)
        renamed.n_out = renamed.n_in - 1024;
    pthread_mutex_unlock(&renamed.lock);
}

void pm_thread_rename(pm_thread_id id, const char *name)
{
    struct table *table = table_of(id);
    struct pm_thread_row row;
    struct reading now = {.table = table};
    copy_name(&now.row, name);
    if (!get_row(table, row_of(id), &row) ||
        (row.name_length == now.row.name_length &&
         memcmp(row.name, now.row.name, row.name_length) == 0) ||
        !keep_name(table, &now.row))
        return;
    if (pm_registry_change(&table->rows, row_of(id), set_name, &now))
        note_renamed(id);
    else
        give_name_back(table, &now.row);
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

void pm_thread_told(int64_t until_ns)
{
    atomic_store_explicit(&told_ns, until_ns, memory_order_relaxed);
}

static bool is_named(const struct pm_thread_row *row, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (row->name_length == strlen(names[i]) &&
            memcmp(row->name, names[i], row->name_length) == 0)
            return true;
    return false;
}

bool pm_thread_is_ours(const struct pm_thread_row *row)
{
    static const char *const names[] = {PM_SAMPLER_THREAD, PM_SWEEP_THREAD};
    return is_named(row, names, sizeof names / sizeof *names);
}

bool pm_thread_is_of_jvm(const struct pm_thread_row *row)
{
    static const char *const names[] = {
        "Reference Handler",   "Finalizer",       "Signal Dispatcher", "Common-Cleaner",
        "Notification Thread", "Attach Listener", "Service Thread",    "Monitor Deflation Thread"};
    return is_named(row, names, sizeof names / sizeof *names);
}

bool pm_thread_is_reference_handler(const struct pm_thread_row *row)
{
    static const char *const names[] = {"Reference Handler"};
    return is_named(row, names, 1);
}

struct native {
    int32_t id;
    int64_t used_ns;
    int64_t begin_ns;
};

static void set_native(void *row, void *context)
{
    const struct native *native = context;
    ((struct pm_thread_row *)row)->native_id = native->id;
    ((struct pm_thread_row *)row)->activity.cpu_ns = native->used_ns;
}

void pm_thread_set_native(pm_thread_id id, int32_t native_id, int64_t used_ns)
{
    struct native native = {.id = native_id, .used_ns = used_ns};
    pm_registry_change(&platform->rows, id.n, set_native, &native);
}

/* It may have begun since it was looked at. */
static void set_absent(void *row, void *context)
{
    if (!((struct pm_thread_row *)row)->native_id)
        set_removable(row, *(const int64_t *)context);
}

void pm_thread_set_absent(pm_thread_id id, int64_t now_ns)
{
    pm_registry_change(&platform->rows, id.n, set_absent, &now_ns);
}

static void set_begin(void *row, void *context)
{
    set_native(row, context);
    set_removable(row, 0);
    ((struct pm_thread_row *)row)->begin_ns = ((const struct native *)context)->begin_ns;
}

void pm_thread_begin(pm_thread_id id, int64_t begin_ns, int32_t native_id, int64_t used_ns)
{
    struct native native = {native_id, used_ns, begin_ns};
    pm_registry_change(&platform->rows, id.n, set_begin, &native);
}

static void set_activity(void *row, void *context)
{
    ((struct pm_thread_row *)row)->activity = *(const struct pm_thread_activity *)context;
}

void pm_thread_set_activity(pm_thread_id id, const struct pm_thread_activity *activity)
{
    struct pm_thread_activity copy = *activity;
    pm_registry_change(&platform->rows, id.n, set_activity, &copy);
}

static void set_looked(void *row, void *context)
{
    ((struct pm_thread_row *)row)->looked_ns = *(const int64_t *)context;
}

void pm_thread_set_looked(pm_thread_id id, int64_t still_ns)
{
    pm_registry_change(&platform->rows, id.n, set_looked, &still_ns);
}

void pm_thread_end(pm_thread_id id, int64_t end_ns)
{
    pm_registry_change(&platform->rows, id.n, set_end, &end_ns);
}

bool pm_thread_visit(uint32_t index, pm_thread_id *ret_id, struct pm_thread_row *ret_row)
{
    if (!pm_registry_visit(&platform->rows, index, &ret_id->n, ret_row))
        return false;
    if (ret_id->n && !get_row(platform, ret_id->n, ret_row))
        ret_id->n = 0; /* it has left meanwhile */
    return true;
}

uint32_t pm_thread_last_id(void)
{
    return pm_registry_last_id(&platform->rows) + pm_registry_last_id(&named->rows);
}

uint64_t pm_thread_memory(void)
{
    return pm_registry_memory(&platform->rows) + pm_registry_memory(&named->rows) +
           atomic_load(&platform->names.used) + atomic_load(&named->names.used);
}

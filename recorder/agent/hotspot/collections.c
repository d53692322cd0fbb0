#include "recorder/agent/hotspot/collections.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/probe.h"
#include "recorder/agent/hotspot/vmstructs.h"

#define PREFIX          "sun.gc.collector."
#define MAX_COUNTERS    4
#define CONCURRENT_LAG  32         /* pauses of one cycle, twice, and some */
#define PERF_MAGIC      0xc0c0feca /* as the bytes ca fe c0 c0 are read */
#define MAX_PERF_BYTES  (1u << 20)
#define MAX_ENTRY_BYTES 4096

/* HotSpot's perfData, version 2.0, as jstat reads it. */
struct prologue {
    uint32_t magic;
    uint8_t byte_order, major, minor, accessible;
    int32_t used, overflow;
    int64_t modified;
    int32_t entry_offset, n_entries;
};

struct entry {
    int32_t length, name_offset, vector_length;
    uint8_t type, flags, units, variability;
    int32_t data_offset;
};

static struct {
    uintptr_t counters[MAX_COUNTERS]; /* of int64_t */
    int n_counters;
    uint32_t lag;
    _Atomic uint32_t n;
    /* Of pauses of young collections the last, in a ring; the VM thread's. */
    int64_t old_before;
    _Atomic int64_t young_ns[PM_YOUNG_PAUSES];
    _Atomic uint32_t n_young;
} collections = {.lag = 1};

static void take_entry(const char *bytes, const struct entry *entry, uintptr_t at)
{
    const char *name = bytes + entry->name_offset;
    const size_t prefix = strlen(PREFIX);
    /* The collector 0 is that of young objects. */
    if (strncmp(name, PREFIX, prefix) != 0 || name[prefix] < '1' || name[prefix] > '9' ||
        name[prefix + 1] != '.')
        return;
    const char *what = name + prefix + 2;
    if (strcmp(what, "invocations") == 0 && collections.n_counters < MAX_COUNTERS)
        collections.counters[collections.n_counters++] = at + (uintptr_t)entry->data_offset;
    const char *text = bytes + entry->data_offset;
    if (strcmp(what, "name") == 0 &&
        (text[0] == 'Z' || strncmp(text, "Shenandoah", strlen("Shenandoah")) == 0))
        collections.lag = CONCURRENT_LAG;
}

void pm_collections_learn_from(const void *perf_data, uint64_t size)
{
    uintptr_t begin = (uintptr_t)perf_data;
    struct prologue prologue;
    collections.n_counters = 0;
    collections.lag = 1;
    if (!begin || !pm_probe_read(begin, &prologue, sizeof prologue) ||
        prologue.magic != PERF_MAGIC || prologue.major != 2 || prologue.entry_offset < 0)
        return;
    size = size < MAX_PERF_BYTES ? size : MAX_PERF_BYTES;
    uint64_t at = (uint64_t)prologue.entry_offset;
    for (int32_t i = 0; i < prologue.n_entries; i++) {
        char bytes[MAX_ENTRY_BYTES + 1];
        struct entry entry;
        if (at + sizeof entry > size || !pm_probe_read(begin + at, &entry, sizeof entry) ||
            entry.length < (int32_t)sizeof entry || at + (uint64_t)entry.length > size)
            break;
        uint32_t length = (uint32_t)entry.length;
        if (length <= MAX_ENTRY_BYTES && entry.name_offset > 0 && entry.data_offset > 0 &&
            entry.name_offset < entry.length && entry.data_offset < entry.length &&
            pm_probe_read(begin + at, bytes, length)) {
            bytes[length] = '\0';
            take_entry(bytes, &entry, begin + at);
        }
        at += length;
    }
}

void pm_collections_learn(void)
{
    struct pm_vmstruct start, end;
    if (!pm_vmstruct_find("PerfMemory", "_start", &start) ||
        !pm_vmstruct_find("PerfMemory", "_end", &end) || !start.address || !end.address)
        return;
    const char *from = *(char *const *)start.address, *to = *(char *const *)end.address;
    if (from && to > from)
        pm_collections_learn_from(from, (uint64_t)(to - from));
}

void pm_collections_note(int64_t pause_ns)
{
    int64_t old = 0;
    atomic_fetch_add_explicit(&collections.n, 1, memory_order_relaxed);
    pm_collections_old(&old);
    if (old == collections.old_before) {
        uint32_t at = atomic_load_explicit(&collections.n_young, memory_order_relaxed);
        atomic_store_explicit(&collections.young_ns[at % PM_YOUNG_PAUSES], pause_ns,
                              memory_order_relaxed);
        atomic_store_explicit(&collections.n_young, at + 1, memory_order_release);
    }
    collections.old_before = old;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t pm_collections_young_pause(void)
{
    int64_t ns[PM_YOUNG_PAUSES];
    if (collections.lag > 1 ||
        atomic_load_explicit(&collections.n_young, memory_order_acquire) < PM_YOUNG_PAUSES)
        return 0;
    for (int i = 0; i < PM_YOUNG_PAUSES; i++)
        ns[i] = atomic_load_explicit(&collections.young_ns[i], memory_order_relaxed);
    qsort(ns, PM_YOUNG_PAUSES, sizeof *ns, compare_ns);
    return ns[PM_YOUNG_PAUSES / 2];
}

uint32_t pm_collections_count(void)
{
    return atomic_load_explicit(&collections.n, memory_order_relaxed);
}

bool pm_collections_old(int64_t *ret_pauses)
{
    int64_t sum = 0;
    for (int i = 0; i < collections.n_counters; i++) {
        int64_t value;
        if (!pm_probe_read(collections.counters[i], &value, sizeof value))
            return false;
        sum += value;
    }
    *ret_pauses = sum;
    return collections.n_counters > 0;
}

uint32_t pm_collections_lag(void)
{
    return collections.lag;
}

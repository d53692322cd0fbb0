#include "recorder/agent/java-thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "recorder/agent/spread.h"

#define MAX_PROBES 16

struct place {
    _Atomic uintptr_t address; /* 0 = never used; the thread has ended when tid is 0 */
    _Atomic int64_t tid;
};

static struct pm_spread places; /* made with the first thread */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t offset_of(uintptr_t address, size_t probe)
{
    size_t home = (size_t)((address >> 6) * 0x9e3779b97f4a7c15u >> 40);
    return ((home + probe) & (PM_JAVA_THREADS - 1)) * sizeof(struct place);
}

/* NULL: never used. */
static struct place *place_at(uintptr_t address, size_t probe)
{
    return pm_spread_at(&places, offset_of(address, probe));
}

void pm_java_thread_begin(uintptr_t address, int64_t tid)
{
    struct place *found = NULL;
    pthread_mutex_lock(&lock);
    if (!places.room.base)
        pm_spread_init(&places, PM_JAVA_THREADS * sizeof(struct place));
    for (size_t probe = 0; probe < MAX_PROBES; probe++) {
        struct place *place = pm_spread_open(&places, offset_of(address, probe));
        if (!place)
            break; /* no memory: its owner stays unknown */
        uintptr_t known = atomic_load(&place->address);
        if (known == address) {
            found = place;
            break;
        }
        if (!found && atomic_load(&place->tid) == 0)
            found = place;
        if (!known)
            break;
    }
    if (found) {
        atomic_store(&found->address, address);
        atomic_store(&found->tid, tid);
    }
    pthread_mutex_unlock(&lock);
}

void pm_java_thread_end(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    for (size_t probe = 0; probe < MAX_PROBES; probe++) {
        struct place *place = place_at(address, probe);
        if (place && atomic_load(&place->address) == address)
            atomic_store(&place->tid, 0);
    }
    pthread_mutex_unlock(&lock);
}

int64_t pm_java_thread_tid(uintptr_t address)
{
    for (size_t probe = 0; probe < MAX_PROBES; probe++) {
        struct place *place = place_at(address, probe);
        if (!place)
            return 0;
        uintptr_t known = atomic_load_explicit(&place->address, memory_order_acquire);
        if (known == address) {
            int64_t tid = atomic_load_explicit(&place->tid, memory_order_acquire);
            /* Another's by now? Then its address came before its tid. */
            return atomic_load_explicit(&place->address, memory_order_relaxed) == address ? tid : 0;
        }
        if (!known)
            return 0;
    }
    return 0;
}

#include "recorder/agent/buffer.h"

#include <string.h>
#include <sys/mman.h>

#include "recorder/agent/store.h"

/*  0        next   segment that continues this one; set once it is full
 *  8        n      waits written
 * 64 …      waits                                                                              */
struct pm_segment {
    _Atomic(struct pm_segment *) next;
    _Atomic uint32_t n;
    _Alignas(64) struct pm_raw_wait waits[];
};

static struct {
    char *base;
    size_t bytes; /* of a segment */
    uint32_t segment_waits;
    uint32_t max;
    _Atomic uint32_t n_used; /* ever given */
    /* Free segments: index + 1 in the low half, a count against ABA in the high half. The links lie
     * outside the segments, so that a free one needs no memory. */
    _Atomic uint64_t free;
    _Atomic uint32_t *links;
    bool *cold; /* given back to the system; whoever has the segment out may change it */
    _Atomic uint32_t n_free, n_cold;
} pool;

static struct pm_segment *at(uint32_t index)
{
    return (struct pm_segment *)(pool.base + (size_t)index * pool.bytes);
}

static uint32_t index_of(const struct pm_segment *segment)
{
    return (uint32_t)(((const char *)segment - pool.base) / (ptrdiff_t)pool.bytes);
}

int pm_buffer_pool_init(uint32_t segment_waits, uint32_t max_segments)
{
    size_t bytes = sizeof(struct pm_segment) + (size_t)segment_waits * sizeof(struct pm_raw_wait);
    void *base = pm_reserve(bytes * max_segments);
    if (!base)
        return PM_ERROR_MEMORY;
    pool.links = pm_reserve(max_segments * sizeof *pool.links);
    pool.cold = pm_reserve(max_segments * sizeof *pool.cold);
    if (!pool.links || !pool.cold) {
        pm_unreserve(base, bytes * max_segments);
        return PM_ERROR_MEMORY;
    }
    pool.base = base;
    pool.bytes = bytes;
    pool.segment_waits = segment_waits;
    pool.max = max_segments;
    atomic_store(&pool.n_used, 0);
    atomic_store(&pool.free, 0);
    atomic_store(&pool.n_free, 0);
    atomic_store(&pool.n_cold, 0);
    return 0;
}

void pm_buffer_pool_clear(void)
{
    pm_unreserve(pool.base, pool.bytes * pool.max);
    pm_unreserve((void *)pool.links, pool.max * sizeof *pool.links);
    pm_unreserve(pool.cold, pool.max * sizeof *pool.cold);
    pool.base = NULL;
}

uint64_t pm_buffer_pool_memory(void)
{
    uint32_t n = atomic_load_explicit(&pool.n_used, memory_order_relaxed);
    return (uint64_t)(n - atomic_load(&pool.n_cold)) * pool.bytes;
}

static struct pm_segment *pool_take(void)
{
    uint64_t head = atomic_load_explicit(&pool.free, memory_order_acquire);
    while ((uint32_t)head != 0) {
        uint32_t index = (uint32_t)head - 1;
        uint64_t next = ((head >> 32) + 1) << 32 |
                        atomic_load_explicit(&pool.links[index], memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&pool.free, &head, next, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            atomic_fetch_sub_explicit(&pool.n_free, 1, memory_order_relaxed);
            if (pool.cold[index]) {
                pool.cold[index] = false;
                atomic_fetch_sub_explicit(&pool.n_cold, 1, memory_order_relaxed);
            }
            return at(index);
        }
    }
    uint32_t n = atomic_load_explicit(&pool.n_used, memory_order_relaxed);
    while (n < pool.max) {
        if (atomic_compare_exchange_weak(&pool.n_used, &n, n + 1))
            return at(n);
    }
    return NULL;
}

static void pool_give(struct pm_segment *segment)
{
    uint32_t index = index_of(segment);
    atomic_fetch_add_explicit(&pool.n_free, 1, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&pool.free, memory_order_relaxed);
    uint64_t next;
    do {
        atomic_store_explicit(&pool.links[index], (uint32_t)head, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | (index + 1);
    } while (!atomic_compare_exchange_weak_explicit(&pool.free, &head, next, memory_order_release,
                                                    memory_order_relaxed));
}

/* After a burst: the memory of free segments goes back, but for some that stay at hand. They are
 * taken out like a writer takes them and put back, those at hand on top. */
void pm_buffer_pool_tidy(void)
{
    enum { AT_HAND = 256, AT_ONCE = 1024 };
    static uint32_t taken[AT_ONCE];
    uint32_t n_free = atomic_load_explicit(&pool.n_free, memory_order_relaxed);
    uint32_t n_cold = atomic_load_explicit(&pool.n_cold, memory_order_relaxed);
    if (n_free <= n_cold + AT_HAND || pool.bytes % 4096)
        return;
    uint32_t wanted = n_free - n_cold, n = 0;
    while (n < AT_ONCE && n < wanted) {
        struct pm_segment *segment = pool_take();
        if (!segment)
            break;
        taken[n++] = index_of(segment);
    }
    for (uint32_t i = n; i > 0; i--) {
        uint32_t index = taken[i - 1];
        if (i > AT_HAND && madvise(at(index), pool.bytes, MADV_DONTNEED) == 0) {
            pool.cold[index] = true;
            atomic_fetch_add_explicit(&pool.n_cold, 1, memory_order_relaxed);
        }
        pool_give(at(index));
    }
}

bool pm_buffer_append(struct pm_buffer *buffer, const struct pm_raw_wait *wait)
{
    /* Out of the reader's reach while it is written to: pm_buffer_tidy */
    uint64_t writing = atomic_exchange_explicit(&buffer->writing, 0, memory_order_acq_rel);
    struct pm_segment *segment = writing ? at((uint32_t)(writing >> 32) - 1) : NULL;
    uint32_t n = (uint32_t)writing;
    if (!segment || n == pool.segment_waits) {
        struct pm_segment *fresh = pool_take();
        if (!fresh) {
            atomic_store_explicit(&buffer->writing, writing, memory_order_release);
            return false;
        }
        atomic_store_explicit(&fresh->next, NULL, memory_order_relaxed);
        atomic_store_explicit(&fresh->n, 0, memory_order_relaxed);
        if (segment)
            atomic_store_explicit(&segment->next, fresh, memory_order_release);
        else
            atomic_store_explicit(&buffer->first, fresh, memory_order_release);
        segment = fresh;
        n = 0;
    }
    segment->waits[n] = *wait;
    atomic_store_explicit(&segment->n, n + 1, memory_order_release);
    atomic_store_explicit(&buffer->writing, ((uint64_t)index_of(segment) + 1) << 32 | (n + 1),
                          memory_order_release);
    return true;
}

size_t pm_buffer_take(struct pm_buffer *buffer, struct pm_raw_wait *ret_waits, size_t max)
{
    size_t taken = 0;
    struct pm_segment *segment = atomic_load_explicit(&buffer->first, memory_order_acquire);
    while (segment && taken < max) {
        /* `next` before `n`: it is set once `n` is final */
        struct pm_segment *next = atomic_load_explicit(&segment->next, memory_order_acquire);
        uint32_t n = atomic_load_explicit(&segment->n, memory_order_acquire);
        size_t some = n - buffer->read;
        if (some > max - taken)
            some = max - taken;
        memcpy(ret_waits + taken, segment->waits + buffer->read, some * sizeof *ret_waits);
        taken += some;
        buffer->read += (uint32_t)some;
        if (buffer->read < n || !next)
            break;
        atomic_store_explicit(&buffer->first, next, memory_order_relaxed);
        buffer->read = 0;
        pool_give(segment);
        segment = next;
    }
    if (taken)
        buffer->is_idle = false;
    return taken;
}

bool pm_buffer_tidy(struct pm_buffer *buffer, bool now)
{
    struct pm_segment *segment = atomic_load_explicit(&buffer->first, memory_order_acquire);
    if (!segment)
        return true;
    if (!now && !buffer->is_idle) {
        buffer->is_idle = true;
        return false;
    }
    if (atomic_load_explicit(&segment->next, memory_order_acquire) ||
        atomic_load_explicit(&segment->n, memory_order_acquire) != buffer->read)
        return false;
    /* Taken from the writer only if it is still just as full. `first` goes before: once `writing`
     * is 0 the writer may set it anew. */
    atomic_store_explicit(&buffer->first, NULL, memory_order_relaxed);
    uint64_t expected = ((uint64_t)index_of(segment) + 1) << 32 | buffer->read;
    if (!atomic_compare_exchange_strong_explicit(&buffer->writing, &expected, 0,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        atomic_store_explicit(&buffer->first, segment, memory_order_relaxed);
        return false;
    }
    buffer->read = 0;
    buffer->is_idle = false;
    pool_give(segment);
    return true;
}

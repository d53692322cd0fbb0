#include "recorder/agent/waits/buffer.h"

#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/reservation.h"

/*  0        next   segment that continues this one; set once it is full
 *  8        n      waits written
 * 64 …      waits                                                                              */
struct pm_segment {
    _Atomic(struct pm_segment *) next;
    _Atomic uint32_t n;
    _Alignas(64) struct pm_raw_wait waits[];
};

/* Two sorts of segment: a buffer starts with a short one, a quarter of a page, and goes on with
 * another while one lasts long, so that thousands of threads that wait now and then need little;
 * what fills a segment sooner goes on in pages. */
#define SHORT_WAITS 15
#define LONG_NS     INT64_C(100000000) /* the drain comes by as often, or oftener */

static struct pool {
    _Alignas(64) char *base;
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
    struct pm_reservation base_reservation, link_reservation, cold_reservation;
} pools[2] PM_HOT_DATA;

static struct pool *const short_pool = &pools[0];
static struct pool *const page_pool = &pools[1];

static struct {
    _Atomic uint32_t level; /* of pages in use; UINT32_MAX: not watched */
    void (*on_many)(void);
} watch = {.level = UINT32_MAX};

static struct pm_segment *at(struct pool *pool, uint32_t index)
{
    return (struct pm_segment *)(pool->base + (size_t)index * pool->bytes);
}

static struct pool *pool_of(const struct pm_segment *segment)
{
    uintptr_t offset = (uintptr_t)segment - (uintptr_t)short_pool->base;
    return offset < short_pool->base_reservation.size ? short_pool : page_pool;
}

static uint32_t index_of(struct pool *pool, const struct pm_segment *segment)
{
    return (uint32_t)(((const char *)segment - pool->base) / (ptrdiff_t)pool->bytes);
}

static void pool_clear(struct pool *pool)
{
    pm_reservation_clear(&pool->base_reservation);
    pm_reservation_clear(&pool->link_reservation);
    pm_reservation_clear(&pool->cold_reservation);
    memset(pool, 0, sizeof *pool);
}

static int pool_init(struct pool *pool, uint32_t segment_waits, uint32_t max_segments)
{
    size_t bytes = sizeof(struct pm_segment) + (size_t)segment_waits * sizeof(struct pm_raw_wait);
    pool_clear(pool);
    pool->bytes = bytes;
    pool->segment_waits = segment_waits;
    pool->max = max_segments;
    if (pm_reservation_init(&pool->base_reservation, bytes * max_segments) ||
        pm_reservation_init(&pool->link_reservation, max_segments * sizeof *pool->links) ||
        pm_reservation_init(&pool->cold_reservation, max_segments * sizeof *pool->cold))
        return PM_ERROR_MEMORY;
    pool->base = pool->base_reservation.base;
    pool->links = (_Atomic uint32_t *)(void *)pool->link_reservation.base;
    pool->cold = (bool *)(void *)pool->cold_reservation.base;
    return 0;
}

static bool can_grow(struct pool *pool, uint32_t n)
{
    return n < pool->max && pm_reservation_open(&pool->base_reservation, (n + 1) * pool->bytes) &&
           pm_reservation_open(&pool->link_reservation, (n + 1) * sizeof *pool->links) &&
           pm_reservation_open(&pool->cold_reservation, (n + 1) * sizeof *pool->cold);
}

int pm_buffer_pool_init(uint32_t segment_waits, uint32_t max_segments)
{
    uint32_t short_waits = segment_waits < SHORT_WAITS ? segment_waits : SHORT_WAITS;
    if (pool_init(short_pool, short_waits, max_segments) ||
        pool_init(page_pool, segment_waits, max_segments)) {
        pm_buffer_pool_clear();
        return PM_ERROR_MEMORY;
    }
    atomic_store(&watch.level, UINT32_MAX);
    return 0;
}

void pm_buffer_pool_clear(void)
{
    for (int i = 0; i < 2; i++)
        pool_clear(&pools[i]);
}

uint64_t pm_buffer_pool_memory(void)
{
    uint64_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t n = atomic_load_explicit(&pools[i].n_used, memory_order_relaxed);
        bytes += (uint64_t)(n - atomic_load(&pools[i].n_cold)) * pools[i].bytes;
    }
    return bytes;
}

uint64_t pm_buffer_pool_given_back(void)
{
    uint64_t bytes = 0;
    for (int i = 0; i < 2; i++)
        bytes += (uint64_t)atomic_load(&pools[i].n_cold) * pools[i].bytes;
    return bytes;
}

static uint32_t pages_in_use(void)
{
    uint32_t n_free = atomic_load_explicit(&page_pool->n_free, memory_order_relaxed);
    uint32_t n_used = atomic_load_explicit(&page_pool->n_used, memory_order_relaxed);
    return n_used > n_free ? n_used - n_free : 0;
}

void pm_buffer_pool_watch(uint32_t more_pages, void (*on_many)(void))
{
    watch.on_many = on_many;
    atomic_store_explicit(&watch.level, pages_in_use() + more_pages, memory_order_release);
}

/* Every 63 waits of a thread: two loads, and the call for one of many. */
static void note_page(void)
{
    uint32_t level = atomic_load_explicit(&watch.level, memory_order_acquire);
    if (pages_in_use() >= level && atomic_compare_exchange_strong(&watch.level, &level, UINT32_MAX))
        watch.on_many();
}

static struct pm_segment *pool_take(struct pool *pool)
{
    uint64_t head = atomic_load_explicit(&pool->free, memory_order_acquire);
    while ((uint32_t)head != 0) {
        uint32_t index = (uint32_t)head - 1;
        uint64_t next = ((head >> 32) + 1) << 32 |
                        atomic_load_explicit(&pool->links[index], memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&pool->free, &head, next, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            atomic_fetch_sub_explicit(&pool->n_free, 1, memory_order_relaxed);
            if (pool->cold[index]) {
                pool->cold[index] = false;
                atomic_fetch_sub_explicit(&pool->n_cold, 1, memory_order_relaxed);
            }
            return at(pool, index);
        }
    }
    uint32_t n = atomic_load_explicit(&pool->n_used, memory_order_relaxed);
    while (can_grow(pool, n))
        if (atomic_compare_exchange_weak(&pool->n_used, &n, n + 1))
            return at(pool, n);
    return NULL;
}

static void pool_give(struct pool *pool, uint32_t index)
{
    atomic_fetch_add_explicit(&pool->n_free, 1, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&pool->free, memory_order_relaxed);
    uint64_t next;
    do {
        atomic_store_explicit(&pool->links[index], (uint32_t)head, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | (index + 1);
    } while (!atomic_compare_exchange_weak_explicit(&pool->free, &head, next, memory_order_release,
                                                    memory_order_relaxed));
}

static void give(struct pm_segment *segment)
{
    struct pool *pool = pool_of(segment);
    pool_give(pool, index_of(pool, segment));
}

/* What `writing` says of a segment: the page pool's indices have the top bit. */
static uint64_t word_of(const struct pm_segment *segment, uint32_t n)
{
    struct pool *pool = pool_of(segment);
    uint64_t number = index_of(pool, segment) + 1u;
    return (number | (pool == page_pool ? UINT64_C(1) << 31 : 0)) << 32 | n;
}

static struct pm_segment *segment_of(uint64_t word, struct pool **ret_pool)
{
    uint32_t number = (uint32_t)(word >> 32);
    *ret_pool = number >> 31 ? page_pool : short_pool;
    return number ? at(*ret_pool, (number & INT32_MAX) - 1) : NULL;
}

/* After a burst: the memory of free pages goes back, but for some that stay at hand. They are taken
 * out like a writer takes them and put back, those at hand on top. */
void pm_buffer_pool_tidy(void)
{
    enum { AT_HAND = 256, AT_ONCE = 1024 };
    static uint32_t taken[AT_ONCE];
    struct pool *pool = page_pool;
    uint32_t n_free = atomic_load_explicit(&pool->n_free, memory_order_relaxed);
    uint32_t n_cold = atomic_load_explicit(&pool->n_cold, memory_order_relaxed);
    if (n_free <= n_cold + AT_HAND || pool->bytes % 4096)
        return;
    uint32_t wanted = n_free - n_cold, n = 0;
    while (n < AT_ONCE && n < wanted) {
        struct pm_segment *segment = pool_take(pool);
        if (!segment)
            break;
        taken[n++] = index_of(pool, segment);
    }
    for (uint32_t i = n; i > 0; i--) {
        uint32_t index = taken[i - 1];
        if (i > AT_HAND && pm_reservation_give_back(&pool->base_reservation,
                                                    (size_t)index * pool->bytes, pool->bytes)) {
            pool->cold[index] = true;
            atomic_fetch_add_explicit(&pool->n_cold, 1, memory_order_relaxed);
        }
        pool_give(pool, index);
    }
}

#define IN_USE UINT64_MAX

static bool lasted_long(const struct pm_segment *segment, int64_t until_ns)
{
    return until_ns - segment->waits[0].begin_ns > LONG_NS;
}

PM_HOT struct pm_raw_wait *pm_buffer_open(struct pm_buffer *buffer, int64_t begin_ns,
                                          uint64_t *ret_opened)
{
    /* Out of the reader's reach while it is written to: pm_buffer_tidy */
    uint64_t writing = atomic_exchange_explicit(&buffer->writing, IN_USE, memory_order_acq_rel);
    if (__builtin_expect(writing == IN_USE, 0))
        return NULL;
    struct pool *pool;
    struct pm_segment *segment = segment_of(writing, &pool);
    uint32_t n = (uint32_t)writing;
    if (!segment || n == pool->segment_waits) {
        struct pm_segment *fresh = NULL;
        if (!segment || lasted_long(segment, begin_ns))
            fresh = pool_take(short_pool);
        if (!fresh) {
            fresh = pool_take(page_pool);
            note_page();
        }
        if (!fresh) {
            atomic_store_explicit(&buffer->writing, writing, memory_order_release);
            return NULL;
        }
        atomic_store_explicit(&fresh->next, NULL, memory_order_relaxed);
        atomic_store_explicit(&fresh->n, 0, memory_order_relaxed);
        if (segment)
            atomic_store_explicit(&segment->next, fresh, memory_order_release);
        else
            atomic_store_explicit(&buffer->first, fresh, memory_order_release);
        segment = fresh;
        n = 0;
        writing = word_of(segment, 0);
    }
    *ret_opened = writing + 1; /* what `writing` will be */
    return &segment->waits[n];
}

PM_HOT void pm_buffer_close(struct pm_buffer *buffer, uint64_t opened)
{
    struct pool *pool;
    struct pm_segment *segment = segment_of(opened, &pool);
    atomic_store_explicit(&segment->n, (uint32_t)opened, memory_order_release);
    atomic_store_explicit(&buffer->writing, opened, memory_order_release);
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
        give(segment);
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
    uint64_t expected = word_of(segment, buffer->read);
    if (!atomic_compare_exchange_strong_explicit(&buffer->writing, &expected, 0,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        atomic_store_explicit(&buffer->first, segment, memory_order_relaxed);
        return false;
    }
    buffer->read = 0;
    buffer->is_idle = false;
    give(segment);
    return true;
}

#include "recorder/agent/base/reservation.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"

#define STEP_MIN   ((size_t)16 << 10)
#define STEP_MAX   ((size_t)1 << 20)
#define LARGE      ((size_t)1 << 20) /* smaller reservations are not scaled */
#define SCALE_MAX  6
#define REFUSED_NS INT64_C(1000000000)
#define SCARCE_NS  (10 * REFUSED_NS)

/* What is left to the host at least, beside three times what the reservations take: of address
 * space, of which the C library may set apart 64 MiB for the heap of each of the recorder's
 * threads, and takes twice that to find them; and of memory that may be locked, of which those
 * heaps take some.
 */
#define SPARE        ((size_t)512 << 20)
#define SPARE_LOCKED ((size_t)4 << 20)

static struct {
    struct pm_reservation *first;
    pthread_mutex_t lock; /* of the list */
} reservations = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned scale; /* how often reservations are halved */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* In a host that locks what it will map (mlockall), any new mapping counts against its limit of
 * locked memory, used or not, and fails beyond. So one page is mapped, unlocked, and grown: what is
 * not locked may grow. Where a filter of system calls refuses that, all of it is mapped. */
static void *reserve(size_t bytes)
{
    size_t page = page_size();
    void *first = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED)
        return NULL;
    munlock(first, page);
    void *base = mremap(first, page, bytes, MREMAP_MAYMOVE);
    if (base != MAP_FAILED)
        return base;
    bool filtered = errno != EAGAIN && errno != ENOMEM;
    munmap(first, page);
    base = filtered ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (base == MAP_FAILED)
        return NULL;
    munlock(base, bytes);
    return base;
}

static bool could_map(size_t bytes, void *base)
{
    if (base)
        munmap(base, bytes);
    return base;
}

bool pm_reservation_fit(size_t bytes)
{
    void *locked = mmap(NULL, SPARE_LOCKED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!could_map(SPARE_LOCKED, locked == MAP_FAILED ? NULL : locked))
        return false;
    for (scale = 0; scale <= SCALE_MAX; scale++) {
        size_t whole = round_up(4 * (bytes >> scale) + SPARE, page_size());
        if (could_map(whole, reserve(whole)))
            return true;
    }
    scale = 0;
    return false;
}

/* Out of the list, if it is there. */
static bool unlist(const struct pm_reservation *reservation)
{
    pthread_mutex_lock(&reservations.lock);
    struct pm_reservation **at = &reservations.first;
    while (*at && *at != reservation)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found)
        *at = reservation->next;
    pthread_mutex_unlock(&reservations.lock);
    return found;
}

int pm_reservation_init(struct pm_reservation *reservation, size_t bytes)
{
    assert(bytes > 0);
    pm_reservation_clear(reservation);
    size_t size = round_up(bytes >= LARGE ? bytes >> scale : bytes, page_size());
    void *base = reserve(size);
    if (!base)
        return PM_ERROR_MEMORY;
    madvise(base, size, MADV_NOHUGEPAGE); /* a page touched, not two megabytes */
    madvise(base, size, MADV_DONTDUMP);   /* a core file is for the host's own */
    reservation->base = base;
    reservation->size = size;
    pthread_mutex_lock(&reservations.lock);
    reservation->next = reservations.first;
    reservations.first = reservation;
    pthread_mutex_unlock(&reservations.lock);
    return 0;
}

void pm_reservation_clear(struct pm_reservation *reservation)
{
    if (unlist(reservation))
        munmap(reservation->base, reservation->size);
    *reservation = (struct pm_reservation){0};
}

void pm_reservation_forget(struct pm_reservation *reservation)
{
    unlist(reservation);
    *reservation = (struct pm_reservation){0};
}

/* Again for what is open already does no harm: two threads may meet here. The hooks leave errno as
 * it was. */
static bool open_range(const struct pm_reservation *reservation, size_t from, size_t to)
{
    int before = errno;
    munlock(reservation->base + from,
            to - from); /* else all of it would be made resident at once */
    bool done = mprotect(reservation->base + from, to - from, PROT_READ | PROT_WRITE) == 0;
    errno = before;
    return done;
}

static bool was_refused_within(const struct pm_reservation *reservation, int64_t for_ns)
{
    int64_t refused_ns = atomic_load_explicit(&reservation->refused_ns, memory_order_relaxed);
    return refused_ns && pm_clock_now() - refused_ns < for_ns;
}

/* Not in a row: each attempt holds up whoever maps memory in the host just then. */
static bool was_just_refused(const struct pm_reservation *reservation)
{
    return was_refused_within(reservation, REFUSED_NS);
}

static void note(struct pm_reservation *reservation, bool done)
{
    atomic_store_explicit(&reservation->refused_ns, done ? 0 : pm_clock_now(),
                          memory_order_relaxed);
}

bool pm_reservation_widen(struct pm_reservation *reservation, size_t bytes)
{
    if (bytes > reservation->size || was_just_refused(reservation))
        return false;
    size_t page = page_size();
    size_t from = atomic_load_explicit(&reservation->open, memory_order_acquire);
    size_t step = from / 4 < STEP_MIN ? STEP_MIN : from / 4 > STEP_MAX ? STEP_MAX : from / 4;
    size_t least = round_up(bytes, page);
    size_t to = round_up(from + step, page);
    if (to < least)
        to = least;
    if (to > reservation->size)
        to = reservation->size;
    bool done = open_range(reservation, from, to);
    if (!done && to > least)
        done = open_range(reservation, from, to = least);
    while (done && from < to &&
           !atomic_compare_exchange_weak_explicit(&reservation->open, &from, to,
                                                  memory_order_acq_rel, memory_order_acquire)) {
    }
    note(reservation, done);
    return done;
}

bool pm_reservation_open_part(struct pm_reservation *reservation, size_t at, size_t bytes)
{
    if (at + bytes > reservation->size || was_just_refused(reservation))
        return false;
    bool done = open_range(reservation, at, at + bytes);
    note(reservation, done);
    return done;
}

bool pm_reservation_give_back(struct pm_reservation *reservation, size_t at, size_t bytes)
{
    assert(at + bytes <= reservation->size);
    if (madvise(reservation->base + at, bytes, MADV_DONTNEED) == 0)
        return true;
    /* The host locked it. All of it is unlocked, not page by page: each piece would be a mapping.
     */
    return munlock(reservation->base, reservation->size) == 0 &&
           madvise(reservation->base + at, bytes, MADV_DONTNEED) == 0;
}

size_t pm_reservation_limit(const struct pm_reservation *reservation)
{
    return was_refused_within(reservation, SCARCE_NS)
               ? atomic_load_explicit(&reservation->open, memory_order_relaxed)
               : reservation->size;
}

uint64_t pm_reservation_memory(void)
{
    uint64_t bytes = 0;
    pthread_mutex_lock(&reservations.lock);
    for (const struct pm_reservation *reservation = reservations.first; reservation;
         reservation = reservation->next)
        bytes += atomic_load_explicit(&reservation->open, memory_order_relaxed) +
                 atomic_load_explicit(&reservation->in_parts, memory_order_relaxed);
    pthread_mutex_unlock(&reservations.lock);
    return bytes;
}

void pm_reservation_unlock_closed(void)
{
    pthread_mutex_lock(&reservations.lock);
    for (struct pm_reservation *reservation = reservations.first; reservation;
         reservation = reservation->next) {
        size_t open = atomic_load_explicit(&reservation->open, memory_order_acquire);
        if (open < reservation->size)
            munlock(reservation->base + open, reservation->size - open);
    }
    pthread_mutex_unlock(&reservations.lock);
}

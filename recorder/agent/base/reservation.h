/* A reservation: address space for the maximum size of a table, opened as the table fills. Closed
 * parts cost the host nothing: they are not charged to it, not locked in memory, do not count
 * against the limit on locked memory and are not in core files. Open parts start as zeroes, stay
 * open and never move, so readers need no lock: a writer opens first and publishes afterwards.
 *
 * If the host has no memory for more, the table counts as full and tries again a second later. Any
 * thread may open any reservation at any time; no lock is taken, only the kernel is called. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_reservation {
    char *base;
    size_t size;
    _Atomic size_t open;         /* bytes, from the front */
    _Atomic size_t in_parts;     /* bytes that are open elsewhere, as whoever opened them counts */
    _Atomic int64_t refused_ns;  /* when there was no memory for more; 0: never */
    struct pm_reservation *next; /* of all there are */
};

/* Announces that all reservations together need `bytes` of address space: they get at most a
 * quarter of what the host may still map. Large reservations made from now on are scaled down
 * accordingly, and are full sooner. False: even a sixty-fourth would be too much, or the host locks
 * everything it maps and may hardly lock any more; reserve nothing then. */
bool pm_reservation_fit(size_t bytes);

/* Makes a closed reservation. If it exists already, it loses its contents. 0 or PM_ERROR_MEMORY. */
int pm_reservation_init(struct pm_reservation *reservation, size_t bytes);
void pm_reservation_clear(struct pm_reservation *reservation); /* one that was never made is fine */
void pm_reservation_forget(
    struct pm_reservation *reservation); /* the same, but keeps its contents in place */

bool pm_reservation_widen(struct pm_reservation *reservation, size_t bytes);
/* Opens the first `bytes`. False: there is no memory or reservation for them. Rarely does anything,
 * and even more rarely calls the kernel: it is opened a quarter at a time. */
static inline bool pm_reservation_open(struct pm_reservation *reservation, size_t bytes)
{
    return bytes <= atomic_load_explicit(&reservation->open, memory_order_acquire) ||
           pm_reservation_widen(reservation, bytes);
}
/* The same for a range of whole pages in the middle; the caller tracks what is open. */
bool pm_reservation_open_part(struct pm_reservation *reservation, size_t at, size_t bytes);

/* Returns the memory of whole open pages to the host; they stay open and read as zeroes. False: it
 * failed. */
bool pm_reservation_give_back(struct pm_reservation *reservation, size_t at, size_t bytes);

/* How many bytes it can currently hold: fewer than requested if it was scaled down, or if there was
 * no memory for more some seconds ago. */
size_t pm_reservation_limit(const struct pm_reservation *reservation);

/* How many bytes of all reservations are open: a little more than is used. Without the stacks of
 * threads (native-thread.h). */
uint64_t pm_reservation_memory(void);

/* Unlocks closed parts of all reservations: a host that has locked all its memory has locked these
 * too, and they count against its limit. To be called occasionally. */
void pm_reservation_unlock_closed(void);

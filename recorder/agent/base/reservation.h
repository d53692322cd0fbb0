/* A reservation: address space for all that a table may ever hold, opened as it fills. What is
 * closed costs the host nothing: it is not charged to it, not locked into memory with its own,
 * counts against no limit on that and is in no core file. What is open begins as zeroes, stays open
 * and never moves, so that readers need no lock: who adds opens first and publishes then.
 *
 * When the host has no memory for more, the table is as full as it is, and asks again a second
 * later. Any thread may open any reservation at any time; no lock is taken, nothing is called but
 * the kernel. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_reservation {
    char *base;
    size_t size;
    _Atomic size_t open;         /* bytes, from the front */
    _Atomic int64_t refused_ns;  /* when there was no memory for more; 0: there was */
    struct pm_reservation *next; /* of all there are */
};

/* All reservations together are to take `bytes` of address space: of that which the host may still
 * map they get a quarter at most. Large reservations that are made from now on are scaled down to
 * that, and so are full sooner. False: a sixty-fourth would still be too much, or the host locks
 * whatever it maps and may hardly lock any more; then better take nothing. */
bool pm_reservation_fit(size_t bytes);

/* Closed. Made again, it loses what it held. 0 or PM_ERROR_MEMORY. */
int pm_reservation_init(struct pm_reservation *reservation, size_t bytes);
void pm_reservation_clear(struct pm_reservation *reservation); /* one that was never made is fine */
void pm_reservation_forget(
    struct pm_reservation *reservation); /* the same, but what it held stays where it is */

bool pm_reservation_widen(struct pm_reservation *reservation, size_t bytes);
/* The first `bytes` are open from now on. False: there is no memory, or no reservation, for them.
 * Hardly ever a call, and hardly ever one of the kernel: it is opened by the quarter. */
static inline bool pm_reservation_open(struct pm_reservation *reservation, size_t bytes)
{
    return bytes <= atomic_load_explicit(&reservation->open, memory_order_acquire) ||
           pm_reservation_widen(reservation, bytes);
}
/* The same for a part in the middle, of whole pages; who asks keeps in mind what is open. */
bool pm_reservation_open_part(struct pm_reservation *reservation, size_t at, size_t bytes);

/* Gives memory of whole open pages back to the host; they are zeroes again, and open. False: it
 * could not. */
bool pm_reservation_give_back(struct pm_reservation *reservation, size_t at, size_t bytes);

/* How many bytes it can hold, as things are: fewer than it was made for when it was scaled down, or
 * when there was no memory for more some seconds ago. */
size_t pm_reservation_limit(const struct pm_reservation *reservation);

/* A host that has locked all its memory has locked closed reservations too, which then count
 * against its limit: no longer. Of all reservations; now and then. */
void pm_reservation_unlock_closed(void);

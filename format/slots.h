/* The position of each chunk in a rolling file, and which one is replaced next. Offsets are in
 * slots from the end of the file header. Used by the writer only; a reader relies on the chunk
 * heads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_stored_chunk {
    uint64_t number;
    uint32_t slot, n_slots; /* more than one if the slots were once larger */
    bool overview;
    bool open; /* being written: never replaced */
    uint64_t used;
    int64_t begin_ns, end_ns;
    int64_t waits, thread_time_ns; /* once it is closed */
};

struct pm_slots {
    uint32_t slot_size, n_slots;
    struct pm_stored_chunk *chunks; /* by number */
    size_t n, capacity;
};

/* The slot size for a rolling file of `max_size`: 1/64 of it, a power of two, 64 KiB to 4 MiB;
 * `wanted` (0 = none) if that leaves at least four slots. */
uint32_t pm_slots_size_for(uint64_t max_size, uint32_t wanted);

void pm_slots_clear(struct pm_slots *slots);

/* A free slot for a chunk of the class. -1: the class has used its share (one slot in eight is for
 * overviews) or nothing is free, so the oldest must be removed first. */
int64_t pm_slots_find(const struct pm_slots *slots, bool overview);

/* The chunk to replace: the oldest of the class, else the oldest of all; NULL if all are open. */
struct pm_stored_chunk *pm_slots_oldest(struct pm_slots *slots, bool overview);

/* PM_ERROR_MEMORY. Numbers increase from call to call. */
int pm_slots_add(struct pm_slots *slots, const struct pm_stored_chunk *chunk);
struct pm_stored_chunk *pm_slots_get(struct pm_slots *slots, uint64_t number);
void pm_slots_remove(struct pm_slots *slots, struct pm_stored_chunk *chunk);

bool pm_slots_is_free(const struct pm_slots *slots, uint32_t first, uint32_t n);

/* Plans a smaller file of `n_slots` slots of `slot_size` (which divides the present one): the
 * newest chunks of each class that fit, in `ret_to`, with their new places. A chunk keeps its place
 * unless that is beyond the new end. PM_ERROR_MEMORY. */
int pm_slots_plan(const struct pm_slots *from, uint32_t slot_size, uint32_t n_slots,
                  struct pm_slots *ret_to);

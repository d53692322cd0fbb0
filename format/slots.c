#include "format/slots.h"

#include <stdlib.h>
#include <string.h>

#include "format/block.h"
#include "format/error.h"

uint32_t pm_slots_size_for(uint64_t max_size, uint32_t wanted)
{
    uint64_t room = max_size - PM_FILE_HEADER_SIZE;
    uint64_t aim = wanted != 0 ? wanted : max_size / 64;
    uint64_t most = wanted != 0 ? PM_SLOT_SIZE_MAX : 4u << 20;
    uint64_t size = PM_SLOT_SIZE_MIN;
    while (size * 2 <= aim && size * 2 <= most && room / (size * 2) >= 4)
        size *= 2;
    while (room / size > PM_SLOTS_MAX && size < PM_SLOT_SIZE_MAX)
        size *= 2;
    return (uint32_t)size;
}

static uint32_t share_of_overview(uint32_t n_slots)
{
    return n_slots / 8 < 1 ? 1 : n_slots / 8;
}

void pm_slots_clear(struct pm_slots *slots)
{
    free(slots->chunks);
    *slots = (struct pm_slots){0};
}

bool pm_slots_is_free(const struct pm_slots *slots, uint32_t first, uint32_t n)
{
    if (n > slots->n_slots || first > slots->n_slots - n)
        return false;
    for (size_t i = 0; i < slots->n; i++) {
        const struct pm_stored_chunk *chunk = &slots->chunks[i];
        if (chunk->slot < first + n && first < chunk->slot + chunk->n_slots)
            return false;
    }
    return true;
}

int64_t pm_slots_find(const struct pm_slots *slots, bool overview)
{
    uint32_t share = share_of_overview(slots->n_slots);
    uint32_t budget = overview ? share : slots->n_slots - share;
    uint32_t taken = 0;
    for (size_t i = 0; i < slots->n; i++)
        taken += slots->chunks[i].overview == overview ? slots->chunks[i].n_slots : 0;
    if (taken >= budget)
        return -1;
    /* The lowest free one: each chunk in the way says where to look next. */
    uint32_t slot = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < slots->n; i++) {
            const struct pm_stored_chunk *chunk = &slots->chunks[i];
            if (slot >= chunk->slot && slot < chunk->slot + chunk->n_slots) {
                slot = chunk->slot + chunk->n_slots;
                moved = true;
            }
        }
    }
    return slot < slots->n_slots ? (int64_t)slot : -1;
}

struct pm_stored_chunk *pm_slots_oldest(struct pm_slots *slots, bool overview)
{
    struct pm_stored_chunk *any = NULL;
    for (size_t i = 0; i < slots->n; i++) {
        struct pm_stored_chunk *chunk = &slots->chunks[i];
        if (chunk->open)
            continue;
        if (chunk->overview == overview)
            return chunk;
        if (!any)
            any = chunk;
    }
    return any;
}

int pm_slots_add(struct pm_slots *slots, const struct pm_stored_chunk *chunk)
{
    if (slots->n == slots->capacity) {
        size_t capacity = slots->capacity == 0 ? 64 : slots->capacity * 2;
        struct pm_stored_chunk *chunks = realloc(slots->chunks, capacity * sizeof *chunks);
        if (!chunks)
            return PM_ERROR_MEMORY;
        slots->chunks = chunks;
        slots->capacity = capacity;
    }
    slots->chunks[slots->n++] = *chunk;
    return PM_OK;
}

struct pm_stored_chunk *pm_slots_get(struct pm_slots *slots, uint64_t number)
{
    for (size_t i = slots->n; i-- > 0;)
        if (slots->chunks[i].number == number)
            return &slots->chunks[i];
    return NULL;
}

void pm_slots_remove(struct pm_slots *slots, struct pm_stored_chunk *chunk)
{
    size_t index = (size_t)(chunk - slots->chunks);
    memmove(chunk, chunk + 1, (slots->n - index - 1) * sizeof *chunk);
    slots->n--;
}

static int by_number(const void *a, const void *b)
{
    const struct pm_stored_chunk *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

int pm_slots_plan(const struct pm_slots *from, uint32_t slot_size, uint32_t n_slots,
                  struct pm_slots *ret_to)
{
    struct pm_slots to = {.slot_size = slot_size, .n_slots = n_slots};
    uint32_t room[2] = {n_slots - share_of_overview(n_slots), share_of_overview(n_slots)};
    /* The newest that fit, whatever place they have … */
    for (size_t i = from->n; i-- > 0;) {
        struct pm_stored_chunk chunk = from->chunks[i];
        chunk.n_slots = (uint32_t)((chunk.used + slot_size - 1) / slot_size);
        chunk.slot *= from->slot_size / slot_size;
        if (chunk.n_slots > room[chunk.overview]) {
            room[chunk.overview] = 0; /* nor anything older */
            continue;
        }
        room[chunk.overview] -= chunk.n_slots;
        if (pm_slots_add(&to, &chunk) != PM_OK) {
            pm_slots_clear(&to);
            return PM_ERROR_MEMORY;
        }
    }
    /* … then a place for those beyond the end, newest first; free runs may be too short. */
    for (size_t i = 0; i < to.n;) {
        struct pm_stored_chunk *chunk = &to.chunks[i];
        if ((uint64_t)chunk->slot + chunk->n_slots > n_slots) {
            uint32_t slot = 0;
            while (slot + chunk->n_slots <= n_slots && !pm_slots_is_free(&to, slot, chunk->n_slots))
                slot++;
            if (slot + chunk->n_slots > n_slots) {
                pm_slots_remove(&to, chunk);
                continue;
            }
            chunk->slot = slot;
        }
        i++;
    }
    if (to.n > 0)
        qsort(to.chunks, to.n, sizeof to.chunks[0], by_number);
    *ret_to = to;
    return PM_OK;
}

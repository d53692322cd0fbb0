#include "recorder/agent/base/arena.h"

#include <assert.h>
#include <string.h>

int pm_arena_init(struct pm_arena *arena, size_t capacity)
{
    int error = pm_reservation_init(&arena->reservation, capacity);
    arena->base = arena->reservation.base;
    pm_arena_empty(arena);
    return error;
}

void pm_arena_clear(struct pm_arena *arena)
{
    pm_reservation_clear(&arena->reservation);
    arena->base = NULL;
    pm_arena_empty(arena);
}

void pm_arena_empty(struct pm_arena *arena)
{
    memset(arena->free, 0, sizeof arena->free);
    atomic_store(&arena->used, 0);
    atomic_store(&arena->available, 0);
}

static size_t units_of(size_t bytes)
{
    return (bytes + PM_ARENA_UNIT - 1) / PM_ARENA_UNIT;
}

static uint32_t *piece_at(const struct pm_arena *arena, uint32_t unit)
{
    return (uint32_t *)(void *)(arena->base + (size_t)unit * PM_ARENA_UNIT);
}

/* A free piece begins with the next one of its size. */
static void push(struct pm_arena *arena, uint32_t unit, size_t units)
{
    *piece_at(arena, unit) = arena->free[units - 1];
    arena->free[units - 1] = unit + 1;
    atomic_fetch_add(&arena->available, units * PM_ARENA_UNIT);
}

static void *pop(struct pm_arena *arena, size_t units)
{
    uint32_t unit = arena->free[units - 1] - 1;
    arena->free[units - 1] = *piece_at(arena, unit);
    atomic_fetch_sub(&arena->available, units * PM_ARENA_UNIT);
    return piece_at(arena, unit);
}

void *pm_arena_append(struct pm_arena *arena, size_t bytes)
{
    size_t used = atomic_load_explicit(&arena->used, memory_order_relaxed);
    size_t units = units_of(bytes);
    if (units && units <= PM_ARENA_SIZES && arena->free[units - 1])
        return pop(arena, units);
    if (pm_reservation_open(&arena->reservation, used + units * PM_ARENA_UNIT)) {
        atomic_store_explicit(&arena->used, used + units * PM_ARENA_UNIT, memory_order_release);
        return arena->base + used;
    }
    for (size_t larger = units + 1; larger <= PM_ARENA_SIZES; larger++) {
        if (arena->free[larger - 1]) {
            char *piece = pop(arena, larger);
            push(arena, (uint32_t)((size_t)(piece - arena->base) / PM_ARENA_UNIT + units),
                 larger - units);
            return piece;
        }
    }
    return NULL;
}

void pm_arena_give_back(struct pm_arena *arena, const void *piece, size_t bytes)
{
    assert((const char *)piece >= arena->base &&
           (const char *)piece + bytes <= arena->base + arena->used);
    size_t unit = (size_t)((const char *)piece - arena->base) / PM_ARENA_UNIT;
    for (size_t units = units_of(bytes), part; units; units -= part, unit += part) {
        part = units < PM_ARENA_SIZES ? units : PM_ARENA_SIZES;
        push(arena, (uint32_t)unit, part);
    }
}

bool pm_arena_is_pressed(const struct pm_arena *arena)
{
    return atomic_load(&arena->used) - atomic_load(&arena->available) >
           pm_reservation_limit(&arena->reservation) / 4 * 3;
}

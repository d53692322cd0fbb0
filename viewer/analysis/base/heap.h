/* A min-heap of instants or lengths. All zero is an empty heap; free its items. */
#pragma once

#include <glib.h>

typedef struct {
    gsize n, room;
    gint64 *items;
} PmHeap;

/* Moves `value`, which belongs at `at` or below, to its place. */
static inline void pm_heap_sink(PmHeap *heap, gsize at, gint64 value)
{
    for (;;) {
        gsize least = 2 * at + 1;
        if (least >= heap->n)
            break;
        if (least + 1 < heap->n && heap->items[least + 1] < heap->items[least])
            least++;
        if (heap->items[least] >= value)
            break;
        heap->items[at] = heap->items[least];
        at = least;
    }
    heap->items[at] = value;
}

static inline void pm_heap_push(PmHeap *heap, gint64 value)
{
    if (heap->n == heap->room) {
        heap->room = MAX(2 * heap->room, 16);
        heap->items = g_renew(gint64, heap->items, heap->room);
    }
    gsize at = heap->n++;
    for (; at > 0 && heap->items[(at - 1) / 2] > value; at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = value;
}

/* Removes the minimum. The heap must not be empty. */
static inline void pm_heap_pop(PmHeap *heap)
{
    const gint64 last = heap->items[--heap->n];
    if (heap->n > 0)
        pm_heap_sink(heap, 0, last);
}

/* Replaces the minimum by `value`. The heap must not be empty. */
static inline void pm_heap_replace(PmHeap *heap, gint64 value)
{
    pm_heap_sink(heap, 0, value);
}

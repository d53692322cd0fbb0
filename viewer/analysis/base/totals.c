#include "viewer/analysis/base/totals.h"

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/sum.h"

/* So few are found by looking at each. */
#define FEW 8

void pm_totals_clear(PmTotals *totals)
{
    g_free(totals->items);
    g_free(totals->slots);
    *totals = (PmTotals){0};
}

/* There is room for the next power of two, and twice as many slots. */
static guint32 last_slot(guint32 n)
{
    guint32 room = FEW;
    while (room < n)
        room *= 2;
    return 2 * room - 1;
}

/* The slot of `key`, or the empty one where it belongs. */
static guint32 slot_of(const PmTotals *totals, guint32 last, guint32 key)
{
    guint32 slot = pm_pair_mix(key) & last;
    while (totals->slots[slot] && totals->items[totals->slots[slot] - 1].key != key)
        slot = (slot + 1) & last;
    return slot;
}

/* Its number from 1 on; 0: it is not there. */
static guint32 number_of(const PmTotals *totals, guint32 key)
{
    if (totals->slots)
        return totals->slots[slot_of(totals, last_slot(totals->n), key)];
    for (guint32 i = 0; i < totals->n; i++)
        if (totals->items[i].key == key)
            return i + 1;
    return 0;
}

static void grow(PmTotals *totals)
{
    const guint32 room = MAX(2 * totals->n, 1);
    totals->items = g_renew(PmTotal, totals->items, room);
    if (room <= FEW)
        return;
    g_free(totals->slots);
    totals->slots = g_new0(guint32, (gsize)last_slot(room) + 1);
    for (guint32 i = 0; i < totals->n; i++)
        totals->slots[slot_of(totals, last_slot(room), totals->items[i].key)] = i + 1;
}

gint64 *pm_totals_at(PmTotals *totals, guint32 key)
{
    const guint32 number = number_of(totals, key);
    if (number)
        return &totals->items[number - 1].total;
    if ((totals->n & (totals->n - 1)) == 0)
        grow(totals);
    totals->items[totals->n++] = (PmTotal){.key = key};
    if (totals->slots)
        totals->slots[slot_of(totals, last_slot(totals->n), key)] = totals->n;
    return &totals->items[totals->n - 1].total;
}

const gint64 *pm_totals_find(const PmTotals *totals, guint32 key)
{
    const guint32 number = number_of(totals, key);
    return number ? &totals->items[number - 1].total : NULL;
}

void pm_totals_join(PmTotals *totals, const PmTotals *other)
{
    for (guint32 i = 0; i < other->n; i++)
        pm_sum_add(pm_totals_at(totals, other->items[i].key), other->items[i].total);
}

guint32 pm_totals_most(const PmTotals *totals, gint64 *ret_total)
{
    guint32 best = 0;
    *ret_total = -1;
    for (guint32 i = 0; i < totals->n; i++) {
        const PmTotal *item = &totals->items[i];
        if (item->total > *ret_total || (item->total == *ret_total && item->key < best)) {
            best = item->key;
            *ret_total = item->total;
        }
    }
    return best;
}

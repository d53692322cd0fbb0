/* Totals by id: a set of ids, or how much time each has, in little memory: with one id 56
 * bytes, where a GHashTable takes some 300. All zero is an empty one. */
#pragma once

#include <glib.h>

typedef struct {
    guint32 key;
    gint64 total;
} PmTotal;

typedef struct {
    PmTotal *items; /* `n`, in the order in which they came */
    guint32 *slots; /* private to totals.c: where each is; NULL: they are few */
    guint32 n;
} PmTotals;

void pm_totals_clear(PmTotals *totals);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PmTotals, pm_totals_clear)
/* The total of `key`, which is added with 0 if it is new; valid until the next one is added. */
gint64 *pm_totals_at(PmTotals *totals, guint32 key);
/* The same if there is one; else NULL. */
const gint64 *pm_totals_find(const PmTotals *totals, guint32 key);
/* Adds the totals of `other`; sums saturate. */
void pm_totals_join(PmTotals *totals, const PmTotals *other);
/* The key with the greatest total, of equal ones the least; 0 and a total of -1: there is none. */
guint32 pm_totals_most(const PmTotals *totals, gint64 *ret_total);

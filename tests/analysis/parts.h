/* The parts of waits, checked: for tests of what made a wait last. */
#pragma once

#include "tests/analysis/made.h"
#include "viewer/analysis/causes/contention.h"

/* pm_contention_split or pm_contention_split_here. */
typedef void (*PmPartsOf)(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                          GArray *parts);

static inline guint32 pm_row_of(const PmRecording *r, guint32 thread, gint64 begin)
{
    for (gsize i = 0; i < r->waits.n; i++)
        if (pm_wait_thread(&r->waits, i) == thread && pm_wait_begin(&r->waits, i) == begin)
            return (guint32)i;
    g_assert_not_reached();
}

/* All parts of one wait, by contentions made for it alone. */
static inline GArray *pm_parts_of(const PmRecording *r, guint32 row, PmPartsOf split)
{
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    split(contention, row, G_MININT64, G_MAXINT64, parts);
    return parts;
}

static inline const PmPart *check_part(const GArray *parts, guint index, gint64 begin, gint64 end,
                                       PmCauseKind kind, guint32 thread)
{
    g_assert_cmpuint(index, <, parts->len);
    const PmPart *part = &g_array_index(parts, PmPart, index);
    g_assert_cmpint(part->begin, ==, begin);
    g_assert_cmpint(part->end, ==, end);
    g_assert_cmpint(part->kind, ==, kind);
    g_assert_cmpuint(part->thread, ==, thread);
    return part;
}

/* Of every wait: in order of time, without gaps, to the nanosecond; no owner waits for itself. */
static inline void pm_check_parts_add_up(const PmRecording *r, gint64 from, gint64 to,
                                         PmPartsOf split)
{
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = 0; i < r->waits.n; i++) {
        gint64 begin = MAX(pm_wait_begin(&r->waits, i), from), at = begin,
               end = MIN(pm_wait_end(&r->waits, i), to);
        g_array_set_size(parts, 0);
        split(contention, (guint32)i, from, to, parts);
        if (at >= end)
            g_assert_cmpuint(parts->len, ==, 0);
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            g_assert_cmpint(part->begin, ==, at);
            g_assert_cmpint(part->end, >, part->begin);
            g_assert_cmpint((part->kind == PM_CAUSE_OWNER || part->kind == PM_CAUSE_WAKER), ==,
                            part->thread != 0);
            if (part->kind == PM_CAUSE_OWNER)
                g_assert_cmpuint(part->thread, !=, pm_wait_thread(&r->waits, i));
            at = part->end;
        }
        g_assert_cmpint(at, ==, MAX(begin, end));
    }
}

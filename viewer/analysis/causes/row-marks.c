/* Which blocks of rows have something to look for, so that the others are passed over. */
#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/workers.h"

gboolean pm_contention_is_signalled(const PmRecording *r, guint32 row)
{
    const PmWaits *w = &r->waits;
    return r->blockers[pm_wait_blocker(w, row)].parent != 0 &&
           pm_wait_kind(w, row) == PM_KIND_PARK && pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
           pm_wait_waker(w, row) != 0 && pm_wait_wake(w, row) != 0;
}

gboolean pm_contention_is_notified(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_NOTIFY && pm_wait_waker(w, row) != 0 &&
           pm_wait_wake(w, row) != 0;
}

gboolean pm_contention_is_late_wake(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_UNKNOWN && !pm_wait_waker_chain(w, row);
}

gboolean pm_contention_is_passed_on(const PmWaits *w, guint32 row)
{
    return (pm_wait_wake_cause(w, row) == PM_WAKE_PROPAGATION ||
            pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION ||
            pm_contention_is_late_wake(w, row)) &&
           pm_wait_waker(w, row) && pm_wait_wake(w, row);
}

gboolean pm_contention_is_party(const PmWaits *w, gsize row)
{
    return pm_wait_category(w, row) == PM_CATEGORY_BARRIER;
}

gboolean pm_contention_is_taker(const PmWaits *w, gsize row)
{
    const PmCategory category = pm_wait_category(w, row);
    return pm_wait_kind(w, row) != PM_KIND_ENTER &&
           (pm_category_family(category) == PM_FAMILY_SIGNAL || category == PM_CATEGORY_SEMAPHORE ||
            category == PM_CATEGORY_OTHER);
}

gboolean pm_contention_may_be_counted(const PmRecording *r, gsize row)
{
    const PmWaits *w = &r->waits;
    return pm_wait_category(w, row) == PM_CATEGORY_LATCH && pm_wait_kind(w, row) == PM_KIND_PARK &&
           !g_str_has_prefix(r->classes[r->blockers[pm_wait_blocker(w, row)].class_index].name,
                             "java.util.concurrent.");
}

gboolean pm_contention_is_release(const PmWaits *w, gsize row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && pm_wait_waker(w, row);
}

/* Which of them a wait may be, by its cause and category. */
static inline guint8 candidate_marks(gint64 cause, gint64 category)
{
    guint8 marks = PM_HAS_TAKER | (category == PM_CATEGORY_BARRIER ? PM_HAS_PARTY : 0);
    if (cause == PM_WAKE_RELEASE)
        marks |= PM_HAS_WOKEN | PM_HAS_FOLLOWED | PM_HAS_RELEASE;
    else if (cause == PM_WAKE_NOTIFY)
        marks |= PM_HAS_WOKEN;
    else if (cause == PM_WAKE_UNKNOWN || cause == PM_WAKE_PROPAGATION ||
             cause == PM_WAKE_CANCELLATION)
        marks |= PM_HAS_FOLLOWED;
    return marks;
}

static guint8 marks_of(const PmRecording *r, gsize row, guint8 wanted)
{
    guint8 marks = 0;
    if (wanted & (PM_HAS_WOKEN | PM_HAS_FOLLOWED) && pm_contention_is_signalled(r, (guint32)row))
        marks |= PM_HAS_WOKEN | PM_HAS_FOLLOWED;
    if (wanted & PM_HAS_WOKEN && pm_contention_is_notified(&r->waits, row))
        marks |= PM_HAS_WOKEN;
    if (wanted & PM_HAS_FOLLOWED && pm_contention_is_passed_on(&r->waits, (guint32)row))
        marks |= PM_HAS_FOLLOWED;
    if (wanted & PM_HAS_PARTY && pm_contention_is_party(&r->waits, row))
        marks |= PM_HAS_PARTY;
    if (wanted & PM_HAS_RELEASE && pm_contention_is_release(&r->waits, row))
        marks |= PM_HAS_RELEASE;
    if (wanted & PM_HAS_TAKER &&
        (pm_contention_is_taker(&r->waits, row) || pm_contention_may_be_counted(r, row)))
        marks |= PM_HAS_TAKER;
    return marks;
}

static void mark_block(gpointer data, guint block)
{
    const PmContention *c = data;
    const PmRecording *r = c->recording;
    const gsize end = MIN(pm_recording_block_end(r, block), r->waits.n);
    gint64 causes[PM_READ_AT_ONCE], categories[PM_READ_AT_ONCE];
    guint8 marks = 0;
    for (gsize i = pm_recording_block_begin(r, block), n; i < end && marks != PM_HAS_ALL; i += n) {
        n = MIN(end - i, PM_READ_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKE_CAUSE, i, n, causes);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++) {
            const guint8 wanted = candidate_marks(causes[k], categories[k]) & ~marks;
            if (wanted)
                marks |= marks_of(r, i + k, wanted);
        }
    }
    c->marks[block] = marks;
}

void pm_contention_mark_blocks(PmContention *c)
{
    const PmRecording *r = c->recording;
    const guint n = r->waits.n > 0 ? (guint)pm_recording_block(r, r->waits.n - 1) + 1 : 0;
    c->marks = g_new0(guint8, n + 1);
    pm_workers_run(0, n, mark_block, c);
}

gsize pm_contention_marked_run(const PmContention *c, gsize *row, guint8 mark)
{
    const gsize n = c->recording->waits.n;
    *row = pm_contention_marked(c, *row, mark);
    return *row < n ? MIN(MIN(pm_recording_block_end(c->recording,
                                                     pm_recording_block(c->recording, *row)),
                              n) -
                              *row,
                          PM_READ_AT_ONCE)
                    : 0;
}

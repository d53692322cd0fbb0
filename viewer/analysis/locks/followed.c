/* The waits that a wake is followed back through, of each thread by place and time. */
#include "viewer/analysis/locks/followed.h"

#include <string.h>

#include "viewer/analysis/locks/timeline.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/workers.h"

/* Of a list, so many apart, it is kept when they end: to find one by time among few. */
#define END_EACH 64

#define READ_AT_ONCE 512 /* rows */

/* A thread's waits in one place. */
typedef struct {
    guint32 place;
    guint32 first, n; /* of the thread's rows */
    guint32 ends;     /* the first of its ends: of the END_EACHth wait, and so on */
} PlaceWaits;

typedef struct {
    GArray *places; /* of PlaceWaits, by place */
    guint32 *rows;  /* place by place, by end */
    gint64 *ends;
} ThreadWaits;

struct PmFollowed {
    const PmActivity *activity;
    ThreadWaits **threads; /* by thread; NULL: it has none */
};

guint32 pm_followed_place(const PmRecording *r, guint32 row)
{
    const PmBlocker *blocker = &r->blockers[pm_wait_blocker(&r->waits, row)];
    const guint8 category = pm_wait_category(&r->waits, row);
    return !blocker->parent && (category == PM_CATEGORY_BARRIER || category == PM_CATEGORY_FUTURE)
               ? r->n_blockers + blocker->class_index
               : pm_wait_owned_after(r, row);
}

/* -- building -- */

typedef struct {
    const PmActivity *activity;
    const guint8 *wanted; /* by place */
    ThreadWaits **threads;
} Building;

/* The position of the place among the thread's, or where it belongs. */
static guint place_index(const GArray *places, guint32 place)
{
    guint low = 0, high = places->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(places, PlaceWaits, middle).place < place)
    return low;
}

static PlaceWaits *waits_in(const GArray *places, guint32 place)
{
    const guint nth = place_index(places, place);
    PlaceWaits *its = nth < places->len ? &g_array_index(places, PlaceWaits, nth) : NULL;
    return its && its->place == place ? its : NULL;
}

/* Calls `add` for each of the thread's rows that was woken in a wanted place. */
static void each_wanted(const Building *building, guint32 thread,
                        void (*add)(ThreadWaits *its, guint32 place, guint32 row), ThreadWaits *its)
{
    const PmActivity *activity = building->activity;
    const PmRecording *r = activity->recording;
    guint32 rows[READ_AT_ONCE];
    gint64 wakers[READ_AT_ONCE];
    const guint32 n = pm_activity_n_waits(activity, thread);
    for (guint32 i = 0, some; i < n; i += some) {
        some = MIN(n - i, READ_AT_ONCE);
        for (guint32 k = 0; k < some; k++)
            rows[k] = pm_activity_wait(activity, thread, i + k);
        pm_row_values(&r->waits, PM_WAIT_COLUMN_WAKER, rows, some, wakers);
        for (guint32 k = 0; k < some; k++) {
            const guint32 place = wakers[k] ? pm_followed_place(r, rows[k]) : 0;
            if (wakers[k] && building->wanted[place])
                add(its, place, rows[k]);
        }
    }
}

static void count_one(ThreadWaits *its, guint32 place, guint32 row)
{
    PlaceWaits *waits = waits_in(its->places, place);
    if (waits) {
        waits->n++;
    } else {
        const PlaceWaits first = {.place = place, .n = 1};
        g_array_insert_val(its->places, place_index(its->places, place), first);
    }
}

static void add_one(ThreadWaits *its, guint32 place, guint32 row)
{
    PlaceWaits *waits = waits_in(its->places, place);
    its->rows[waits->first + waits->n++] = row;
}

static gint end_compare(gconstpointer left, gconstpointer right, gpointer waits)
{
    const guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    const gint64 end_a = pm_wait_end(waits, a), end_b = pm_wait_end(waits, b);
    return end_a != end_b ? (end_a > end_b) - (end_a < end_b) : (a > b) - (a < b);
}

/* A thread's waits end in the order in which they begin, unless a file says otherwise. */
static void sort_by_end(const PmWaits *w, guint32 *rows, guint32 n)
{
    guint32 i = 1;
    while (i < n && end_compare(&rows[i - 1], &rows[i], (gpointer)w) < 0)
        i++;
    if (i < n)
        g_qsort_with_data(rows, (gint)n, sizeof *rows, end_compare, (gpointer)w);
}

static void find_of_thread(gpointer data, guint thread)
{
    const Building *building = data;
    const PmWaits *w = &building->activity->recording->waits;
    ThreadWaits found = {.places = g_array_new(FALSE, FALSE, sizeof(PlaceWaits))};
    guint32 n = 0, n_ends = 0;
    each_wanted(building, thread, count_one, &found);
    if (!found.places->len) {
        g_array_unref(found.places);
        return;
    }
    for (guint i = 0; i < found.places->len; i++) {
        PlaceWaits *waits = &g_array_index(found.places, PlaceWaits, i);
        waits->first = n;
        waits->ends = n_ends;
        n += waits->n;
        n_ends += waits->n / END_EACH;
        waits->n = 0; /* counted again as they are added */
    }
    found.rows = g_new(guint32, n);
    found.ends = g_new(gint64, n_ends);
    each_wanted(building, thread, add_one, &found);
    for (guint i = 0; i < found.places->len; i++) {
        const PlaceWaits *waits = &g_array_index(found.places, PlaceWaits, i);
        guint32 *rows = found.rows + waits->first;
        sort_by_end(w, rows, waits->n);
        for (guint32 k = 0; k < waits->n / END_EACH; k++)
            found.ends[waits->ends + k] = pm_wait_end(w, rows[(k + 1) * END_EACH - 1]);
    }
    building->threads[thread] = g_memdup2(&found, sizeof found);
}

guint32 pm_followed_n_places(const PmRecording *r)
{
    return r->n_blockers + r->n_classes;
}

PmFollowed *pm_followed_new(const PmActivity *activity, const guint8 *wanted)
{
    const guint32 n = activity->recording->n_threads;
    PmFollowed *followed = g_new0(PmFollowed, 1);
    followed->activity = activity;
    followed->threads = g_new0(ThreadWaits *, n);
    Building building = {activity, wanted, followed->threads};
    if (memchr(wanted, TRUE, pm_followed_n_places(activity->recording)))
        pm_workers_run(0, n, find_of_thread, &building);
    return followed;
}

void pm_followed_free(PmFollowed *followed)
{
    if (!followed)
        return;
    for (guint32 i = 0; i < followed->activity->recording->n_threads; i++) {
        ThreadWaits *its = followed->threads[i];
        if (!its)
            continue;
        g_array_unref(its->places);
        g_free(its->rows);
        g_free(its->ends);
        g_free(its);
    }
    g_free(followed->threads);
    g_free(followed);
}

/* -- asking -- */

PmBefore pm_followed_until(const PmFollowed *followed, guint32 place, guint32 thread, gint64 at)
{
    const PmWaits *w = &followed->activity->recording->waits;
    const ThreadWaits *its = followed->threads[thread];
    const PlaceWaits *waits = its ? waits_in(its->places, place) : NULL;
    if (!waits)
        return (PmBefore){NULL, 0};
    const guint32 *rows = its->rows + waits->first;
    const gint64 *ends = its->ends + waits->ends;
    guint32 nth = 0, end = waits->n / END_EACH;
    PM_LOWER_BOUND(nth, end, middle, ends[middle] <= at)
    guint32 low = nth * END_EACH, high = MIN((nth + 1) * END_EACH, waits->n);
    PM_LOWER_BOUND(low, high, middle, pm_wait_end(w, rows[middle]) <= at)
    return (PmBefore){rows, low};
}

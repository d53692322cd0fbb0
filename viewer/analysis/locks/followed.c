#include "viewer/analysis/locks/followed.h"

#include <string.h>

#include "viewer/analysis/locks/timeline.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/search.h"

/* Of a list, so many apart, it is kept when they end: to find one by time among few. */
#define END_EACH 64

#define READ_AT_ONCE 512 /* rows */

/* A thread's waits in one place. */
typedef struct {
    guint32 thread;
    guint32 first, n; /* of the place's rows */
    guint32 ends;     /* the first of its ends: of the END_EACHth wait, and so on */
} ThreadWaits;

typedef struct {
    ThreadWaits *threads; /* in order */
    guint32 n_threads;
    guint32 *rows; /* thread by thread, by end */
    gint64 *ends;
} PlaceWaits;

struct PmFollowed {
    const PmRecording *recording;
    PlaceWaits **places; /* by place; NULL: there is none */
};

guint32 pm_followed_place(const PmRecording *r, guint32 row)
{
    const PmBlocker *blocker = &r->blockers[pm_wait_blocker(&r->waits, row)];
    const guint8 category = pm_wait_category(&r->waits, row);
    return !blocker->parent && (category == PM_CATEGORY_BARRIER || category == PM_CATEGORY_FUTURE)
               ? r->n_blockers + blocker->class_index
               : pm_wait_owned_after(r, row);
}

guint32 pm_followed_n_places(const PmRecording *r)
{
    return r->n_blockers + r->n_classes;
}

/* -- building -- */

/* What a worker knows of a thread while it is at one place. */
typedef struct {
    guint32 n, nth; /* rows; which of the place's threads */
    gint64 end;     /* of the last one met */
    gboolean mixed; /* some end before ones that begin sooner, as in a file that is not sound */
} Tally;

typedef struct {
    PmFollowed *followed;
    const guint8 *wanted; /* by place */
    Tally *tallies[PM_MOST_ROW_WORKERS];
    GArray *met[PM_MOST_ROW_WORKERS]; /* of guint32: threads with a tally */
} Building;

static void keys_of(const PmRecording *r, gsize first, gsize n, guint32 *keys, gconstpointer data)
{
    const Building *building = data;
    gint64 wakers[PM_ROW_KEYS];
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKER, first, n, wakers);
    for (gsize i = 0; i < n; i++) {
        const guint32 place = wakers[i] ? pm_followed_place(r, (guint32)(first + i)) : G_MAXUINT32;
        keys[i] = wakers[i] && building->wanted[place] ? place : G_MAXUINT32;
    }
}

/* Of at most READ_AT_ONCE rows. */
static void read_threads(const PmWaits *w, const guint32 *rows, gsize n, gint64 *threads,
                         gint64 *ends)
{
    gint64 lengths[READ_AT_ONCE];
    pm_row_values(w, PM_WAIT_COLUMN_THREAD, rows, n, threads);
    if (!ends)
        return;
    pm_row_values(w, PM_WAIT_COLUMN_BEGIN, rows, n, ends);
    pm_row_values(w, PM_WAIT_COLUMN_LENGTH, rows, n, lengths);
    for (gsize i = 0; i < n; i++)
        ends[i] += lengths[i];
}

static int compare_ids(gconstpointer left, gconstpointer right)
{
    const guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    return (a > b) - (a < b);
}

static gint compare_ends(gconstpointer left, gconstpointer right, gpointer waits)
{
    const guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    const gint64 end_a = pm_wait_end(waits, a), end_b = pm_wait_end(waits, b);
    return end_a != end_b ? (end_a > end_b) - (end_a < end_b) : (a > b) - (a < b);
}

static void tally_threads(const PmWaits *w, const guint32 *rows, gsize n, Tally *tallies,
                          GArray *met)
{
    gint64 threads[READ_AT_ONCE], ends[READ_AT_ONCE];
    g_array_set_size(met, 0);
    for (gsize done = 0, some; done < n; done += some) {
        some = MIN(n - done, READ_AT_ONCE);
        read_threads(w, rows + done, some, threads, ends);
        for (gsize i = 0; i < some; i++) {
            const guint32 thread = (guint32)threads[i];
            Tally *tally = &tallies[thread];
            if (tally->n++ == 0)
                g_array_append_val(met, thread);
            else
                tally->mixed |= ends[i] < tally->end;
            tally->end = ends[i];
        }
    }
    g_array_sort(met, compare_ids);
}

static void find_in_place(guint worker, guint32 place, const guint32 *rows, gsize n,
                          const PmRowWait *read, gpointer data)
{
    Building *building = data;
    const PmRecording *r = building->followed->recording;
    const PmWaits *w = &r->waits;
    if (!building->tallies[worker]) {
        building->tallies[worker] = g_new0(Tally, r->n_threads);
        building->met[worker] = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
    Tally *tallies = building->tallies[worker];
    GArray *met = building->met[worker];
    tally_threads(w, rows, n, tallies, met);

    PlaceWaits *its = g_new0(PlaceWaits, 1);
    guint32 first = 0, n_ends = 0;
    its->n_threads = met->len;
    its->threads = g_new(ThreadWaits, met->len);
    for (guint t = 0; t < met->len; t++) {
        const guint32 thread = g_array_index(met, guint32, t);
        its->threads[t] = (ThreadWaits){.thread = thread, .first = first, .ends = n_ends};
        tallies[thread].nth = t;
        first += tallies[thread].n;
        n_ends += tallies[thread].n / END_EACH;
    }
    its->rows = g_new(guint32, n);
    its->ends = g_new(gint64, n_ends);
    gint64 threads[READ_AT_ONCE];
    for (gsize done = 0, some; done < n; done += some) {
        some = MIN(n - done, READ_AT_ONCE);
        read_threads(w, rows + done, some, threads, NULL);
        for (gsize i = 0; i < some; i++) {
            ThreadWaits *waits = &its->threads[tallies[threads[i]].nth];
            its->rows[waits->first + waits->n++] = rows[done + i];
        }
    }
    for (guint t = 0; t < met->len; t++) {
        const ThreadWaits *waits = &its->threads[t];
        guint32 *own = its->rows + waits->first;
        if (tallies[waits->thread].mixed)
            g_qsort_with_data(own, (gint)waits->n, sizeof *own, compare_ends, (gpointer)w);
        for (guint32 k = 0; k < waits->n / END_EACH; k++)
            its->ends[waits->ends + k] = pm_wait_end(w, own[(k + 1) * END_EACH - 1]);
        tallies[waits->thread] = (Tally){0};
    }
    building->followed->places[place] = its;
}

PmFollowed *pm_followed_new(const PmRecording *r, const guint8 *wanted, const gint *cancel)
{
    const guint32 n = pm_followed_n_places(r);
    PmFollowed *followed = g_new0(PmFollowed, 1);
    followed->recording = r;
    followed->places = g_new0(PlaceWaits *, n);
    Building building = {.followed = followed, .wanted = wanted};
    const PmRowTask task = {.keys_of = keys_of, .work = find_in_place};
    const gboolean done =
        !memchr(wanted, TRUE, n) || pm_row_lists_run(r, &task, n, &building, cancel);
    for (guint i = 0; i < PM_MOST_ROW_WORKERS; i++) {
        g_free(building.tallies[i]);
        if (building.met[i])
            g_array_unref(building.met[i]);
    }
    if (!done) {
        pm_followed_free(followed);
        return NULL;
    }
    return followed;
}

void pm_followed_free(PmFollowed *followed)
{
    if (!followed)
        return;
    for (guint32 i = 0; i < pm_followed_n_places(followed->recording); i++) {
        PlaceWaits *its = followed->places[i];
        if (!its)
            continue;
        g_free(its->threads);
        g_free(its->rows);
        g_free(its->ends);
        g_free(its);
    }
    g_free(followed->places);
    g_free(followed);
}

/* -- asking -- */

PmBefore pm_followed_until(const PmFollowed *followed, guint32 place, guint32 thread, gint64 at)
{
    const PmWaits *w = &followed->recording->waits;
    const PlaceWaits *its = followed->places[place];
    guint32 nth = 0, end = its ? its->n_threads : 0;
    PM_LOWER_BOUND(nth, end, middle, its->threads[middle].thread < thread)
    if (!its || nth == its->n_threads || its->threads[nth].thread != thread)
        return (PmBefore){NULL, 0};
    const ThreadWaits *waits = &its->threads[nth];
    const guint32 *rows = its->rows + waits->first;
    const gint64 *ends = its->ends + waits->ends;
    nth = 0;
    end = waits->n / END_EACH;
    PM_LOWER_BOUND(nth, end, middle, ends[middle] <= at)
    guint32 low = nth * END_EACH, high = MIN((nth + 1) * END_EACH, waits->n);
    PM_LOWER_BOUND(low, high, middle, pm_wait_end(w, rows[middle]) <= at)
    return (PmBefore){rows, low};
}

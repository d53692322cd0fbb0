#include "viewer/analysis/locks/lock-acquisition.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

#define RW "java.util.concurrent.locks.ReentrantReadWriteLock"

/* AQS state of a ReentrantReadWriteLock: so many readers hold it. */
#define READERS_SHIFT 16

/* Fewer instants, or holds, than this say nothing. */
#define FEWEST 10

gboolean pm_lock_acquisition_is_shared_lock(const PmRecording *recording, guint32 blocker)
{
    const char *name = recording->classes[recording->blockers[blocker].class_index].name;
    return g_str_has_prefix(name, RW "$") && g_str_has_suffix(name, "Sync");
}

/* A release that woke somebody. */
typedef struct {
    gint64 at;
    gint64 watched_since; /* who was woken had waited since then */
    guint32 thread;
    gboolean shared, matched;
} Release;

static int compare_releases(gconstpointer left, gconstpointer right)
{
    const Release *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* The first of the sorted instants at or after `at`; G_MAXINT64 = there is none. */
static gint64 first_from(const GArray *instants, gint64 at)
{
    guint low = 0, high = instants->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(instants, gint64, middle) < at)
    return low < instants->len ? g_array_index(instants, gint64, low) : G_MAXINT64;
}

typedef struct {
    const PmRecording *recording;
    const guint32 *rows;
    guint n;
    gint64 from, to, repark;
    guint32 lock;
    GArray *acquisitions; /* the lock's own: those from `first` on */
    guint first;
    GArray *releases;    /* by thread, then by time */
    GHashTable *readers; /* chain + 1 → whether it is a reader's, + 1 */
} Reading;

static PmLockAcquisition *acquisition_at(const Reading *reading, guint i)
{
    return &g_array_index(reading->acquisitions, PmLockAcquisition, reading->first + i);
}

static guint n_acquisitions(const Reading *reading)
{
    return reading->acquisitions->len - reading->first;
}

static gboolean is_readers(Reading *reading, guint32 chain)
{
    gpointer known = g_hash_table_lookup(reading->readers, GUINT_TO_POINTER(chain + 1));
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    const PmRecording *r = reading->recording;
    gboolean is = FALSE;
    for (guint i = 0; chain && i < r->chains[chain].n_frames && !is; i++) {
        const PmMethod *method = &r->methods[r->chains[chain].frames[i].method];
        is = strcmp(r->classes[method->class_index].name, RW "$ReadLock") == 0;
    }
    g_hash_table_insert(reading->readers, GUINT_TO_POINTER(chain + 1), GUINT_TO_POINTER(is + 1));
    return is;
}

static void gather_releases(Reading *reading)
{
    const PmWaits *w = &reading->recording->waits;
    for (guint i = 0; i < reading->n; i++) {
        guint32 row = reading->rows[i];
        if (pm_wait_wake_cause(w, row) != PM_WAKE_RELEASE || !pm_wait_waker(w, row) ||
            !pm_wait_wake(w, row) || pm_wait_wake(w, row) > reading->to)
            continue;
        Release release = {.at = pm_wait_wake(w, row),
                           .watched_since = pm_wait_begin(w, row),
                           .thread = pm_wait_waker(w, row),
                           .shared = is_readers(reading, pm_wait_waker_chain(w, row))};
        g_array_append_val(reading->releases, release);
    }
    g_array_sort(reading->releases, compare_releases);
}

/* The first release of the thread within [from, to]. */
static Release *release_of(const Reading *reading, guint32 thread, gint64 from, gint64 to)
{
    Release *all = (Release *)reading->releases->data;
    guint low = 0, high = reading->releases->len;
    PM_LOWER_BOUND(low, high, middle,
                   all[middle].thread != thread ? all[middle].thread < thread
                                                : all[middle].at < from)
    if (low == reading->releases->len || all[low].thread != thread || all[low].at > to)
        return NULL;
    return &all[low];
}

/* -- who waited -- */

static void gather_waiters(Reading *reading)
{
    const PmWaits *w = &reading->recording->waits;
    gint64 asked = G_MININT64; /* by who waits again; G_MININT64: it does not */
    for (guint i = 0; i < reading->n; i++) {
        guint32 row = reading->rows[i], thread = pm_wait_thread(w, row);
        gint64 end = pm_wait_end(w, row), next = G_MAXINT64;
        gboolean waits =
            (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0 || end > reading->to;
        if (i + 1 < reading->n && pm_wait_thread(w, reading->rows[i + 1]) == thread)
            next = pm_wait_begin(w, reading->rows[i + 1]);
        asked = asked == G_MININT64 ? pm_wait_begin(w, row) : asked;
        PmLockAcquisition acquisition = {.asked = asked,
                                         .got = MIN(end, reading->to),
                                         .thread = thread,
                                         .lock = reading->lock,
                                         .shared = is_readers(reading, pm_wait_chain(w, row))};
        acquisition.got_latest = acquisition.got;
        asked = G_MININT64;
        Release *release = waits ? NULL : release_of(reading, thread, acquisition.got, next);
        if (!waits && !release && pm_wait_wake_cause(w, row) != PM_WAKE_TIME_OUT &&
            pm_wait_wake_cause(w, row) != PM_WAKE_INTERRUPT && next - end <= reading->repark) {
            asked = acquisition.asked;
            continue;
        }
        if (!waits && (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT ||
                       pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT))
            continue;
        acquisition.released = next; /* at most */
        if (release) {
            release->matched = TRUE;
            acquisition.release_seen = TRUE;
            acquisition.released = release->at;
        }
        g_array_append_val(reading->acquisitions, acquisition);
    }
}

/* How well a hold was seen. Who waited for the lock as it was taken knows nothing of how long it
 * will be held, and sees to it that nobody gives it back and takes it again unseen; so does who
 * came soon after, compared with what was left of it. */
typedef enum { WATCHED, SOON_WATCHED, ENDED, N_EVIDENCES } HoldEvidence;

static HoldEvidence evidence_of(const Reading *reading, const PmLockAcquisition *acquisition)
{
    gint64 since =
        release_of(reading, acquisition->thread, acquisition->released, acquisition->released)
            ->watched_since;
    return since <= acquisition->got ? WATCHED
           : 2 * (since - acquisition->got) <= acquisition->released - acquisition->got
               ? SOON_WATCHED
               : ENDED;
}

/* Means of the holds that were seen, of the best evidence of which there is enough. */
static void measure(const Reading *reading, PmLockAcquisitionSide sides[2])
{
    double sum[2][N_EVIDENCES] = {{0}};
    guint n[2][N_EVIDENCES] = {{0}};
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        const PmLockAcquisition *acquisition = acquisition_at(reading, i);
        if (!acquisition->release_seen)
            continue;
        for (guint k = evidence_of(reading, acquisition); k < N_EVIDENCES; k++) {
            sum[acquisition->shared][k] += (double)(acquisition->released - acquisition->got);
            n[acquisition->shared][k]++;
        }
    }
    for (guint shared = 0; shared < 2; shared++) {
        HoldEvidence k = WATCHED;
        while (k < (shared ? SOON_WATCHED : ENDED) && n[shared][k] < FEWEST)
            k++;
        sides[shared].n = n[shared][WATCHED];
        sides[shared].hold = n[shared][k] ? sum[shared][k] / n[shared][k] : 0;
        sides[shared].is_seen = n[shared][k] >= FEWEST;
    }
}

/* -- releases that woke nobody -- */

typedef struct {
    gint64 at;
    gint32 change;
    guint8 counts; /* an instant at which the lock's count of readers is known: `change` */
} Step;

static int compare_steps(gconstpointer left, gconstpointer right)
{
    const Step *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)a->counts - (int)b->counts;
}

/* Of the time from its begin to the last reader's release, the share for which another reader holds
 * the lock: of those that can still hold it so many do, over all the instants at which that is
 * known. `until`: of each acquisition, when the last one of its readers released; 0 = not known. */
static double share_of_others(const Reading *reading, const gint64 *until)
{
    const PmWaits *w = &reading->recording->waits;
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(Step));
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        const PmLockAcquisition *acquisition = acquisition_at(reading, i);
        if (!acquisition->shared || until[i] == 0)
            continue;
        /* One more may hold it; of the last one it is known. */
        gint32 sure = acquisition->release_seen ? 1 << READERS_SHIFT : 0;
        Step begin = {acquisition->got, 1 + sure, FALSE}, end = {until[i], -1 - sure, FALSE};
        g_array_append_val(steps, begin);
        g_array_append_val(steps, end);
    }
    for (guint i = 0; i < reading->n; i++) {
        Step count = {pm_wait_begin(w, reading->rows[i]),
                      (gint32)((guint32)pm_wait_aqs_state(w, reading->rows[i]) >> READERS_SHIFT),
                      TRUE};
        g_array_append_val(steps, count);
    }
    g_array_sort(steps, compare_steps);
    gint32 held = 0;
    double possible = 0, left = 0;
    for (guint i = 0; i < steps->len; i++) {
        const Step *step = &g_array_index(steps, Step, i);
        gint32 most = held & ((1 << READERS_SHIFT) - 1), sure = held >> READERS_SHIFT;
        if (!step->counts) {
            held += step->change;
        } else if (most > sure) {
            possible += most - sure;
            left += CLAMP(step->change - sure, 0, most - sure);
        }
    }
    return possible < FEWEST ? 1 : left / possible;
}

/* Until when it is held at most: all shared releases that were seen were of the last one. */
static void infer_releases(Reading *reading, const PmLockAcquisitionSide sides[2], gboolean shared)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GArray) last = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree gint64 *until = g_new0(gint64, n_acquisitions(reading) + 1);
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        const PmLockAcquisition *acquisition = acquisition_at(reading, i);
        if (!acquisition->shared || !shared)
            g_array_append_val(ends, acquisition->got);
        else if (acquisition->release_seen)
            g_array_append_val(last, acquisition->released);
    }
    g_array_sort(ends, pm_compare_instants);
    g_array_sort(last, pm_compare_instants);
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        const PmLockAcquisition *acquisition = acquisition_at(reading, i);
        gint64 released = first_from(last, acquisition->got);
        if (acquisition->shared && released != G_MAXINT64 &&
            released <= first_from(ends, acquisition->got))
            until[i] = released;
    }
    double share = shared ? share_of_others(reading, until) : 1;
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        PmLockAcquisition *acquisition = acquisition_at(reading, i);
        if (acquisition->release_seen || acquisition->shared != shared)
            continue;
        double hold = sides[shared].hold;
        gint64 end = MIN(acquisition->released, first_from(ends, acquisition->got + 1));
        if (until[i])
            hold = MIN(hold, share * (double)(until[i] - acquisition->got));
        acquisition->released =
            MIN(MAX(end, acquisition->got), pm_sum(acquisition->got, pm_rounded(hold)));
    }
}

/* -- who did not wait -- */

/* One stretch after the other in which somebody has it alone or waits for that: closed to who would
 * share it. */
typedef struct {
    gint64 time;    /* in all */
    double readers; /* mean number of them as somebody came while it was open, if there were any */
    guint n_met;    /* times that this was so */
} Closed;

static int compare_asked(gconstpointer left, gconstpointer right)
{
    const PmLockAcquisition *a = left, *b = right;
    return (a->asked > b->asked) - (a->asked < b->asked);
}

static Closed closed_of(const Reading *reading)
{
    const PmWaits *w = &reading->recording->waits;
    Closed closed = {0};
    gint64 until = reading->from;
    g_autoptr(GArray) alone = g_array_new(FALSE, FALSE, sizeof(PmLockAcquisition));
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < reading->n; i++) {
        gint64 begin = pm_wait_begin(w, reading->rows[i]);
        guint32 state = (guint32)pm_wait_aqs_state(w, reading->rows[i]);
        g_hash_table_insert(counts, g_memdup2(&begin, sizeof begin),
                            GUINT_TO_POINTER(state >> READERS_SHIFT));
    }
    for (guint i = 0; i < n_acquisitions(reading); i++)
        if (!acquisition_at(reading, i)->shared)
            g_array_append_val(alone, *acquisition_at(reading, i));
    g_array_sort(alone, compare_asked);
    for (guint i = 0; i < alone->len; i++) {
        const PmLockAcquisition *acquisition = &g_array_index(alone, PmLockAcquisition, i);
        guint readers = GPOINTER_TO_UINT(g_hash_table_lookup(counts, &acquisition->asked));
        if (acquisition->asked >= until && readers > 0) {
            closed.readers += readers;
            closed.n_met++;
        }
        closed.time +=
            MAX(MIN(acquisition->released, reading->to) - MAX(acquisition->asked, until), 0);
        until = MAX(until, acquisition->released);
    }
    if (closed.n_met)
        closed.readers /= closed.n_met;
    return closed;
}

/* Of one side: who asked and had to wait, and the time for which its threads waited or had it
 * alone, and could not ask. */
typedef struct {
    guint asked;
    double lives, away;
} Askers;

static Askers askers_of(const Reading *reading, gboolean shared)
{
    const PmRecording *r = reading->recording;
    Askers askers = {0};
    g_autofree guint8 *counted = g_new0(guint8, r->n_threads);
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        const PmLockAcquisition *acquisition = acquisition_at(reading, i);
        if (acquisition->shared != shared)
            continue;
        askers.asked += acquisition->asked < acquisition->got;
        gint64 end = MIN(shared ? acquisition->got : acquisition->released, reading->to);
        askers.away += (double)MAX(end - MAX(acquisition->asked, reading->from), 0);
        if (!counted[acquisition->thread]) {
            const PmThread *thread = &r->threads[acquisition->thread];
            askers.lives +=
                (double)(MIN(thread->end, reading->to) - MAX(thread->begin, reading->from));
        }
        counted[acquisition->thread] = TRUE;
    }
    return askers;
}

/* How many readers there are on average while it is open, if there are `met` where there are any
 * and they come independently. */
static double readers_of(double met)
{
    double readers = met;
    for (guint i = 0; i < 50; i++)
        readers = met * (1 - exp(-readers));
    return readers;
}

/* A thread that runs asks as often while the lock is open to it as while it is closed: those that
 * asked then are known. Of readers the mean hold follows from how many there are at a time, if no
 * hold of one was seen. */
static void infer_unseen(const Reading *reading, PmLockAcquisitionSide sides[2])
{
    Closed closed = closed_of(reading);
    double time = (double)(reading->to - reading->from);
    double share = CLAMP((double)closed.time / time, 0, 1);
    double readers = readers_of(closed.readers);
    double nobody = exp(-readers); /* the share of the open time in which there is none */

    Askers shared = askers_of(reading, TRUE);
    double running = shared.lives * share - shared.away;
    double unseen = running > 0 ? shared.asked / running * shared.lives * (1 - share) : 0;
    sides[1].n_unseen = (guint)MIN(unseen, 1e6);
    if (!sides[1].is_seen && closed.n_met >= FEWEST && unseen + shared.asked > 0)
        sides[1].hold = readers * time * (1 - share) / (unseen + shared.asked);

    Askers alone = askers_of(reading, FALSE);
    double open = alone.lives * (1 - share);
    running = MAX(alone.lives * share - alone.away, 0) + open * (1 - nobody);
    unseen = running > 0 ? alone.asked / running * open * nobody : 0;
    sides[0].n_unseen = (guint)MIN(unseen, 1e6);
}

/* Who had the lock once, and so many mean holds later when somebody came to wait for it, had given
 * it back in between. */
#define LONG_HOLDS 3

static void part_long_ones(Reading *reading, const PmLockAcquisitionSide *side, gboolean shared)
{
    for (guint i = 0; i < n_acquisitions(reading); i++) {
        PmLockAcquisition *acquisition = acquisition_at(reading, i);
        Release *release = acquisition->release_seen
                               ? release_of(reading, acquisition->thread, acquisition->released,
                                            acquisition->released)
                               : NULL;
        if (!release || acquisition->shared != shared || !(side->hold > 0) ||
            (double)(release->watched_since - acquisition->got) < LONG_HOLDS * side->hold)
            continue;
        release->matched = FALSE;
        acquisition->release_seen = FALSE;
    }
}

static void gather_others(Reading *reading, PmLockAcquisitionSide sides[2])
{
    g_autoptr(GArray) instants = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < reading->releases->len; i++)
        g_array_append_val(instants, g_array_index(reading->releases, Release, i).at);
    g_array_sort(instants, pm_compare_instants);
    for (guint i = 0; i < reading->releases->len; i++) {
        const Release *release = &g_array_index(reading->releases, Release, i);
        gint64 got = pm_difference(release->at, pm_rounded(sides[release->shared].hold));
        if (release->matched)
            continue;
        /* A release that woke somebody left nobody who holds it. */
        for (gint64 at = got; (at = first_from(instants, at + 1)) < release->at;)
            got = at;
        PmLockAcquisition acquisition = {.asked = got,
                                         .got = got,
                                         .got_latest = release->at,
                                         .released = release->at,
                                         .thread = release->thread,
                                         .lock = reading->lock,
                                         .shared = release->shared,
                                         .release_seen = TRUE};
        g_array_append_val(reading->acquisitions, acquisition);
        sides[release->shared].n_unseen -= sides[release->shared].n_unseen > 0;
    }
}

void pm_lock_acquisition_read(const PmRecording *recording, const guint32 *rows, guint n,
                              gint64 from, gint64 to, gint64 repark_ns, guint32 lock,
                              GArray *acquisitions, PmLockAcquisitionSide ret_sides[2])
{
    g_autoptr(GArray) releases = g_array_new(FALSE, FALSE, sizeof(Release));
    g_autoptr(GHashTable) readers = g_hash_table_new(NULL, NULL);
    Reading reading = {.recording = recording,
                       .rows = rows,
                       .n = n,
                       .from = from,
                       .to = to,
                       .repark = repark_ns,
                       .lock = lock,
                       .acquisitions = acquisitions,
                       .first = acquisitions->len,
                       .releases = releases,
                       .readers = readers};
    gather_releases(&reading);
    gather_waiters(&reading);
    memset(ret_sides, 0, 2 * sizeof *ret_sides);
    measure(&reading, ret_sides);
    part_long_ones(&reading, &ret_sides[0], FALSE);
    infer_releases(&reading, ret_sides, FALSE);
    infer_unseen(&reading, ret_sides);
    part_long_ones(&reading, &ret_sides[1], TRUE);
    gather_others(&reading, ret_sides);
    infer_releases(&reading, ret_sides, TRUE);
}

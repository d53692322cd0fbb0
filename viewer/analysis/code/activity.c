#include "viewer/analysis/code/activity.h"

#include "viewer/analysis/code/late-sample.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/code/silent-sample.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"

/* So many samples tell what goes on in a call. */
#define MIN_SAMPLES 2
#define MAX_LOOK    64  /* candidates; further off in time they tell less and less */
#define MAX_LONGER  4   /* times as long: about as long */
#define MAX_LOOKED  128 /* waits that tell what a thread is for */

/* In place of a method: a call of any own one. Tells something of so near only. */
#define ANY_OWN    0
#define ANY_OWN_NS 1000000000

/* Makes positions out of counts: [n] → [0, n, …]. */
static void sum_up(guint32 *starts, guint n)
{
    guint32 total = 0;
    for (guint i = 0; i <= n; i++) {
        guint32 here = i < n ? starts[i] : 0;
        starts[i] = total;
        total += here;
    }
}

static gpointer call_key(guint32 group, gboolean holds, guint32 method)
{
    return GSIZE_TO_POINTER((gsize)group << 33 | (gsize)(holds != 0) << 32 | method);
}

static void add_to_call(PmActivity *activity, gpointer key, guint32 sample)
{
    GArray *samples = g_hash_table_lookup(activity->calls, key);
    if (!samples) {
        samples = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_hash_table_insert(activity->calls, key, samples);
    }
    /* Of a recursive call once. */
    if (!samples->len || g_array_index(samples, guint32, samples->len - 1) != sample)
        g_array_append_val(samples, sample);
}

/* Samples are in order of time, so are those of a call; and those of any own call. */
static void index_calls(PmActivity *activity)
{
    const PmRecording *r = activity->recording;
    const PmOwnCode *own = pm_own_code(r);
    activity->calls =
        g_hash_table_new_full(pm_pair_hash, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < r->n_samples; i++) {
        if (activity->uses[i] != PM_SAMPLE_TELLS)
            continue;
        const PmOwnerSample *sample = &r->samples[i];
        const PmChain *c = &r->chains[sample->chain];
        const guint32 group = r->threads[sample->owner].group;
        const gboolean holds = sample->role == PM_SAMPLE_OWNER;
        gint first = pm_own_frame(own, sample->chain);
        if (first >= 0)
            add_to_call(activity, call_key(group, holds, ANY_OWN), i);
        for (guint f = first < 0 ? c->n_frames : (guint)first; f < c->n_frames; f++)
            if (pm_own_is(own, r, c->frames[f].method))
                add_to_call(activity, call_key(group, holds, c->frames[f].method), i);
    }
}

typedef struct {
    PmActivity *activity;
    PmPackedWriter *writers[PM_MOST_ROW_WORKERS];
} Building;

static void threads_of(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                       gconstpointer data)
{
    gint64 threads[PM_ROW_KEYS];

    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_THREAD, first, n, threads);
    for (gsize i = 0; i < n; i++)
        keys[i] = (guint32)threads[i];
}

static void take_thread(guint worker, guint32 thread, const guint32 *rows, gsize n,
                        const PmRowWait *read, gpointer data)
{
    Building *building = data;
    PmActivity *activity = building->activity;
    PmActivityWaits *its = &activity->threads[thread];
    if (!building->writers[worker]) {
        building->writers[worker] = g_new0(PmPackedWriter, 1);
        building->writers[worker]->list = &activity->waits[worker];
    }
    PmPackedWriter *writer = building->writers[worker];
    its->first = writer->list->n + writer->n;
    its->n = (guint32)n;
    its->worker = (guint8)worker;
    for (gsize i = 0; i < n; i++)
        pm_packed_put(writer, rows[i]);
}

static void keep_begin(PmActivityWaits *its, gint64 begin)
{
    if (!its->begins)
        its->begins = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_array_append_val(its->begins, begin);
}

/* What is asked of all waits in order of rows, as they lie in memory. FALSE: cancelled. */
static gboolean look_at_waits(PmActivity *activity, const gint *cancel)
{
    typedef struct {
        gint64 end;
        guint32 row, blocker; /* of the thread's last wait; no blocker: it had none */
        guint32 n;            /* of its waits */
    } Last;
    const PmRecording *r = activity->recording;
    const PmWaits *w = &r->waits;
    g_autofree Last *last = g_new(Last, MAX(r->n_threads, 1));
    for (guint32 t = 0; t < r->n_threads; t++)
        last[t] = (Last){.blocker = G_MAXUINT32};
    enum { AT_ONCE = 512 };
    gint64 threads[AT_ONCE], begins[AT_ONCE], lengths[AT_ONCE], blockers[AT_ONCE];
    for (gsize first = 0; first < w->n; first += AT_ONCE) {
        const gsize n = MIN(w->n - first, AT_ONCE);
        if (pm_cancelled(cancel))
            return FALSE;
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, first, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_BEGIN, first, n, begins);
        pm_wait_columns(w, PM_WAIT_COLUMN_LENGTH, first, n, lengths);
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, first, n, blockers);
        for (gsize i = 0; i < n; i++) {
            Last *before = &last[threads[i]];
            if (before->blocker == blockers[i] && begins[i] - before->end <= PM_ACTIVITY_REPARK_NS)
                activity->repeated[before->row / 32] |= 1u << before->row % 32;
            if (before->n % PM_ACTIVITY_BEGIN_EACH == 0 && before->n > 0)
                keep_begin(&activity->threads[threads[i]], begins[i]);
            *before = (Last){begins[i] + lengths[i], (guint32)(first + i), (guint32)blockers[i],
                             before->n + 1};
        }
    }
    return TRUE;
}

/* FALSE: cancelled, or no memory. */
static gboolean index_waits(PmActivity *activity, const gint *cancel)
{
    const PmRecording *r = activity->recording;
    Building building = {.activity = activity};
    const PmRowTask task = {.keys_of = threads_of, .work = take_thread};
    activity->threads = g_new0(PmActivityWaits, MAX(r->n_threads, 1));
    activity->repeated = g_new0(guint32, r->waits.n / 32 + 1);
    gboolean done = look_at_waits(activity, cancel) &&
                    pm_row_lists_run(r, &task, r->n_threads, &building, cancel);
    for (guint i = 0; i < G_N_ELEMENTS(building.writers); i++)
        if (building.writers[i]) {
            done = pm_packed_end(building.writers[i]) && done;
            g_free(building.writers[i]);
        }
    return done;
}

guint32 pm_activity_gave(const PmRecording *recording, guint32 chain)
{
    return 1u << (pm_recording_site_method(recording, chain) * 0x9e3779b1u >> 27);
}

static void note_given(PmActivity *activity, guint32 place, gint64 at, guint32 gave)
{
    PmStretch *stretch = &activity->stretches[activity->samples[place]];
    if (stretch->begin <= at && at <= pm_sum(stretch->begin, stretch->length))
        stretch->gave |= gave;
}

/* The thread woke somebody at `at`: tells its samples before and after. `*near`: which came before
 * the last such instant that was told, as waits are nearly in the order of their ends. */
static void tell_given(PmActivity *activity, guint32 thread, gint64 at, guint32 gave, guint32 *near)
{
    const PmOwnerSample *samples = activity->recording->samples;
    const guint32 first = activity->sample_starts[thread],
                  end = activity->sample_starts[thread + 1];
    guint32 place = MAX(*near, first);
    while (place + 1 < end && samples[activity->samples[place + 1]].at <= at)
        place++;
    while (place > first && samples[activity->samples[place]].at > at)
        place--;
    *near = place;
    note_given(activity, place, at, gave);
    if (place + 1 < end)
        note_given(activity, place + 1, at, gave);
}

/* Samples in one stretch know the same of it. */
static void share_given(PmActivity *activity, guint32 from, guint32 to)
{
    const PmOwnerSample *samples = activity->recording->samples;
    const guint32 one = activity->samples[from], other = activity->samples[to];
    if (samples[one].owner == samples[other].owner &&
        activity->stretches[one].begin == activity->stretches[other].begin)
        activity->stretches[other].gave |= activity->stretches[one].gave;
}

/* In which methods each sampled thread woke others in the stretch around the sample. */
static void find_given(PmActivity *activity, const gint *cancel)
{
    enum { AT_ONCE = 512 };
    const PmRecording *r = activity->recording;
    const guint32 *starts = activity->sample_starts, n_samples = starts[r->n_threads];
    gint64 begins[AT_ONCE], lengths[AT_ONCE], wakes[AT_ONCE], wakers[AT_ONCE], chains[AT_ONCE];
    g_autofree guint32 *near = g_new0(guint32, MAX(r->n_threads, 1));
    for (gsize first = 0; n_samples && first < r->waits.n; first += AT_ONCE) {
        const gsize n = MIN(r->waits.n - first, AT_ONCE);
        if (pm_cancelled(cancel))
            return;
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BEGIN, first, n, begins);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_LENGTH, first, n, lengths);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKE, first, n, wakes);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKER, first, n, wakers);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKER_CHAIN, first, n, chains);
        for (gsize i = 0; i < n; i++) {
            const guint32 waker = (guint32)wakers[i];
            const gint64 at = pm_wake_of(wakes[i], pm_sum(begins[i], lengths[i]));
            if (waker && at && starts[waker] < starts[waker + 1])
                tell_given(activity, waker, at, pm_activity_gave(r, (guint32)chains[i]),
                           &near[waker]);
        }
    }
    for (guint32 i = 1; i < n_samples; i++)
        share_given(activity, i - 1, i);
    for (guint32 i = n_samples; i-- > 1;)
        share_given(activity, i, i - 1);
}

static void find_stretches(PmActivity *activity, const gint *cancel)
{
    const PmRecording *r = activity->recording;
    activity->stretches = g_new(PmStretch, MAX(r->n_samples, 1));
    for (guint i = 0; i < r->n_samples; i++)
        activity->stretches[i] =
            pm_activity_stretch(activity, r->samples[i].owner, r->samples[i].at);
    find_given(activity, cancel);
}

static gboolean is_used(const PmActivity *activity, guint sample)
{
    return activity->uses[sample] != PM_SAMPLE_SILENT && activity->uses[sample] != PM_SAMPLE_LATE;
}

PmActivity *pm_activity_new(const PmRecording *recording, const gint *cancel)
{
    PmActivity *activity = g_new0(PmActivity, 1);
    activity->recording = recording;
    activity->sample_starts = g_new0(guint32, recording->n_threads + 1);
    activity->samples = g_new(guint32, MAX(recording->n_samples, 1));
    activity->uses = pm_silent_samples_find(recording);
    if (!index_waits(activity, cancel)) {
        pm_activity_free(activity);
        return NULL;
    }
    pm_late_samples_mark(activity);
    for (guint i = 0; i < recording->n_samples; i++)
        activity->sample_starts[recording->samples[i].owner] += is_used(activity, i);
    sum_up(activity->sample_starts, recording->n_threads);
    g_autofree guint32 *fill_samples =
        g_memdup2(activity->sample_starts, (recording->n_threads + 1) * sizeof(guint32));
    for (guint i = 0; i < recording->n_samples; i++)
        if (is_used(activity, i))
            activity->samples[fill_samples[recording->samples[i].owner]++] = i;
    index_calls(activity);
    find_stretches(activity, cancel);
    return activity;
}

void pm_activity_free(PmActivity *activity)
{
    if (!activity)
        return;
    for (guint32 t = 0; activity->threads && t < activity->recording->n_threads; t++)
        g_clear_pointer(&activity->threads[t].begins, g_array_unref);
    g_free(activity->threads);
    for (guint i = 0; i < G_N_ELEMENTS(activity->waits); i++)
        pm_packed_clear(&activity->waits[i]);
    g_free(activity->sample_starts);
    g_free(activity->samples);
    g_free(activity->stretches);
    g_free(activity->uses);
    g_free(activity->repeated);
    g_clear_pointer(&activity->calls, g_hash_table_unref);
    g_free(activity);
}

static gboolean begins_until(const PmActivity *activity, guint32 thread, gsize nth, gint64 at)
{
    return pm_wait_begin(&activity->recording->waits,
                         pm_activity_wait(activity, thread, (guint32)nth)) <= at;
}

/* The first wait from `low` on, but before `high`, that does not begin at `at` or before; looked
 * for around `near`, as what lies near it is likely to have been read. */
static gsize search_near(const PmActivity *activity, guint32 thread, gint64 at, gsize near,
                         gsize low, gsize high)
{
    gsize step = 1;
    if (near < high && begins_until(activity, thread, near, at)) {
        low = near + 1;
        for (; low + step < high && begins_until(activity, thread, low + step, at); step *= 2)
            low += step + 1;
        high = MIN(high, low + step);
    } else {
        high = near;
        for (; low + step < high && !begins_until(activity, thread, high - step, at); step *= 2)
            high -= step;
        low = MAX(low, high > step ? high - step : 0);
    }
    PM_LOWER_BOUND(low, high, middle, begins_until(activity, thread, middle, at))
    return low;
}

/* How many of the thread's waits begin at `at` or before. */
static guint32 begun_until(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmActivityWaits *its = &activity->threads[thread];
    if (its->n == 0)
        return 0;
    const gint64 *begins = its->begins ? (const gint64 *)(const void *)its->begins->data : NULL;
    const gsize n_begins = its->begins ? its->begins->len : 0;
    gsize nth = 0, end = n_begins;
    PM_LOWER_BOUND(nth, end, middle, begins[middle] <= at)
    const gsize low = nth * PM_ACTIVITY_BEGIN_EACH + (nth > 0),
                high = MIN((nth + 1) * PM_ACTIVITY_BEGIN_EACH, its->n);
    gsize near = low;
    if (nth > 0 && nth < n_begins) /* they lie about as far apart in time */
        near += (gsize)((double)(at - begins[nth - 1]) * (PM_ACTIVITY_BEGIN_EACH - 1) /
                        (double)(begins[nth] - begins[nth - 1]));
    return (guint32)search_near(activity, thread, at, MIN(near, high), low, high);
}

guint32 pm_activity_first_wait(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    /* Its first wait that begins later. Those before follow each other: few end later, whatever a
     * file says. */
    guint32 low = begun_until(activity, thread, at);
    for (guint i = 0; i < MAX_LOOK && low > 0; i++, low--)
        if (pm_wait_end(w, pm_activity_wait(activity, thread, low - 1)) <= at)
            break;
    return low;
}

guint32 pm_activity_next_wait(const PmActivity *activity, guint32 thread, guint32 nth, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    const guint32 n = pm_activity_n_waits(activity, thread);
    const gboolean is_next =
        nth < n && pm_wait_end(w, pm_activity_wait(activity, thread, nth)) <= at &&
        (nth + 1 == n || pm_wait_begin(w, pm_activity_wait(activity, thread, nth + 1)) > at);
    return is_next ? nth + 1 : pm_activity_first_wait(activity, thread, at);
}

PmStretch pm_activity_stretch(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    const guint32 next = pm_activity_first_wait(activity, thread, at);
    const PmThread *life = &activity->recording->threads[thread];
    const gboolean is_last = next == pm_activity_n_waits(activity, thread);
    const gint64 end =
        is_last ? life->end : pm_wait_begin(w, pm_activity_wait(activity, thread, next));
    const gint64 begin = MAX(
        next > 0 ? pm_wait_end(w, pm_activity_wait(activity, thread, next - 1)) : life->begin, 0);
    return (PmStretch){begin, MAX(pm_difference(end, begin), 0), 0};
}

/* Whether the sample was taken in a stretch about as long as that. */
static gboolean is_about_as_long(const PmActivity *activity, guint32 sample, gint64 stretch)
{
    const gint64 its = activity->stretches[sample].length;
    return !stretch || (its >= stretch / MAX_LONGER && its / MAX_LONGER <= stretch);
}

/* Whether the sample was taken at such a time of its stretch as [from, to) is of that one. */
static gboolean is_about_as_late(const PmActivity *activity, guint32 sample,
                                 const PmStretch *stretch, gint64 from, gint64 to)
{
    const PmStretch *its = &activity->stretches[sample];
    if (!stretch->length || !its->length)
        return TRUE;
    const double at = (double)(activity->recording->samples[sample].at - its->begin) /
                      (double)its->length * (double)stretch->length;
    return at >= (double)(from - stretch->begin) && at < (double)(to - stretch->begin);
}

/* The place of the thread's first sample from `from` on; `*ret_end`: behind its last one. */
static guint32 first_sample(const PmActivity *activity, guint32 thread, gint64 from,
                            guint32 *ret_end)
{
    const PmOwnerSample *samples = activity->recording->samples;
    guint32 low = activity->sample_starts[thread];
    guint32 high = *ret_end = activity->sample_starts[thread + 1];
    PM_LOWER_BOUND(low, high, middle, samples[activity->samples[middle]].at < from)
    return low;
}

guint32 pm_activity_owner_sample(const PmActivity *activity, guint32 thread, guint32 blocker,
                                 gint64 from, gint64 to)
{
    const PmOwnerSample *samples = activity->recording->samples;
    guint32 end, low = first_sample(activity, thread, from, &end);
    for (; low < end && samples[activity->samples[low]].at < to; low++) {
        const PmOwnerSample *sample = &samples[activity->samples[low]];
        if (sample->role == PM_SAMPLE_OWNER && sample->blocker == blocker && sample->chain)
            return sample->chain;
    }
    return 0;
}

/* What is looked for among a thread's samples. */
typedef struct {
    gboolean holds;
    gint64 from, to, distance;
    const PmStretch *stretch; /* NULL: any */
    gboolean as_late;
    gboolean as_given; /* and others woken in the same method */
    gboolean after;    /* one taken when no wait was left that it should explain will do */
} Wanted;

/* Whether the sample in that place tells what the thread did in [from, to). */
static gboolean tells(const PmActivity *activity, guint32 place, const Wanted *wanted)
{
    const guint32 i = activity->samples[place];
    const PmOwnerSample *sample = &activity->recording->samples[i];
    if (wanted->holds && sample->role != PM_SAMPLE_OWNER)
        return FALSE;
    if (sample->at >= wanted->from && sample->at < wanted->to)
        return TRUE;
    return (activity->uses[i] == PM_SAMPLE_TELLS ||
            (wanted->after && activity->uses[i] == PM_SAMPLE_AFTER)) &&
           (!wanted->stretch || is_about_as_long(activity, i, wanted->stretch->length)) &&
           (!wanted->as_given || !wanted->stretch->gave || !activity->stretches[i].gave ||
            (wanted->stretch->gave & activity->stretches[i].gave)) &&
           (!wanted->as_late ||
            is_about_as_late(activity, i, wanted->stretch, wanted->from, wanted->to));
}

static guint32 nearest_of(const PmActivity *activity, guint32 thread, const Wanted *wanted)
{
    const PmOwnerSample *samples = activity->recording->samples;
    guint32 first = activity->sample_starts[thread];
    guint32 end, after = first_sample(activity, thread, wanted->from, &end), before = after;
    while (after < end && !tells(activity, after, wanted) &&
           samples[activity->samples[after]].at - wanted->to <= wanted->distance)
        after++;
    while (before > first && !tells(activity, before - 1, wanted) &&
           wanted->from - samples[activity->samples[before - 1]].at <= wanted->distance)
        before--;
    const PmOwnerSample *next = after < end ? &samples[activity->samples[after]] : NULL;
    const PmOwnerSample *last = before > first ? &samples[activity->samples[before - 1]] : NULL;
    gint64 to_next = next ? MAX(next->at - wanted->to, 0) : G_MAXINT64;
    gint64 to_last = last ? wanted->from - last->at : G_MAXINT64;
    const PmOwnerSample *nearest = to_next <= to_last ? next : last;
    return nearest && MIN(to_next, to_last) <= wanted->distance ? nearest->chain : 0;
}

guint32 pm_activity_sample_as_late(const PmActivity *activity, guint32 thread, gboolean holds,
                                   gint64 from, gint64 to, gint64 distance,
                                   const PmStretch *stretch)
{
    const Wanted wanted = {holds, from, to, distance, stretch, TRUE, TRUE, FALSE};
    return nearest_of(activity, thread, &wanted);
}

guint32 pm_activity_nearest_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                                   gint64 from, gint64 to, gint64 distance,
                                   const PmStretch *stretch)
{
    Wanted wanted = {holds, from, to, distance, stretch, FALSE, FALSE, FALSE};
    guint32 chain = 0;
    for (gint like = stretch ? 3 : 0; like >= 0 && !chain; like--) {
        wanted.as_given = (like & 2) != 0;
        wanted.as_late = (like & 1) != 0;
        chain = nearest_of(activity, thread, &wanted);
    }
    if (!chain && !stretch) { /* more than nothing */
        wanted.after = TRUE;
        chain = nearest_of(activity, thread, &wanted);
    }
    return chain;
}

gint64 pm_activity_next_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                               gint64 from, gint64 to)
{
    const PmOwnerSample *samples = activity->recording->samples;
    guint32 end, low = first_sample(activity, thread, from, &end);
    for (; low < end && samples[activity->samples[low]].at < to; low++) {
        const PmOwnerSample *sample = &samples[activity->samples[low]];
        if (sample->chain && (!holds || sample->role == PM_SAMPLE_OWNER))
            return sample->at;
    }
    return to;
}

gboolean pm_activity_may_be_within(const PmRecording *r, guint32 hold, guint32 sample)
{
    const PmChain *a = &r->chains[hold], *b = &r->chains[sample];
    guint n = a->n_frames > a->site ? a->n_frames - a->site - 1 : 0;
    if (a->truncated || b->truncated)
        return TRUE;
    if (n > b->n_frames)
        return FALSE;
    for (guint i = 1; i <= n; i++)
        if (a->frames[a->n_frames - i].method != b->frames[b->n_frames - i].method)
            return FALSE;
    return TRUE;
}

/* Samples of threads of the same group, taken in a call of the method; NULL: too few. */
static const GArray *samples_of_call(const PmActivity *activity, guint32 thread, gboolean holds,
                                     guint32 method)
{
    const guint32 group = activity->recording->threads[thread].group;
    const GArray *samples = g_hash_table_lookup(activity->calls, call_key(group, holds, method));
    return samples && samples->len >= MIN_SAMPLES ? samples : NULL;
}

guint32 pm_activity_sample_in_call(const PmActivity *activity, guint32 thread, guint32 chain,
                                   gboolean holds, gint64 from, gint64 to, const PmStretch *stretch)
{
    const PmRecording *r = activity->recording;
    const PmOwnCode *own = pm_own_code(r);
    const gint64 at = from + (to - from) / 2;
    const PmFrame *frames = r->chains[chain].frames;
    const guint n_frames = r->chains[chain].n_frames;
    gint f = pm_own_frame(own, chain);
    if (f < 0 && holds && chain)
        return 0;
    guint32 method = f < 0 ? ANY_OWN : frames[f].method;
    const GArray *samples = samples_of_call(activity, thread, holds, method);
    /* A lock was held in the method that gave it back; a signal is given at the end of other calls
     * of the same caller. Further out is what runs everything; where nothing is, a library calls
     * the program once what took the time is done. */
    if (!samples && !holds && f >= 0) {
        const gboolean called_back = pm_own_is_called_back(own, r, chain);
        for (f++; (guint)f < n_frames && !pm_own_is(own, r, frames[f].method);)
            f++;
        if ((guint)f < n_frames || called_back) {
            method = (guint)f < n_frames ? frames[f].method : ANY_OWN;
            samples = samples_of_call(activity, thread, holds, method);
        }
    }
    if (!samples)
        return 0;
    const guint32 *of_call = (const guint32 *)(const void *)samples->data;
    guint low = 0, high = samples->len;
    PM_LOWER_BOUND(low, high, middle, r->samples[of_call[middle]].at < at)
    guint before = low, after = low; /* [before, after) was looked at */
    guint32 nearest_chain = 0, as_long = 0;
    for (guint looked_at = 0; looked_at < MAX_LOOK; looked_at++) {
        gint64 to_before = before > 0 ? at - r->samples[of_call[before - 1]].at : G_MAXINT64;
        gint64 to_after = after < samples->len ? r->samples[of_call[after]].at - at : G_MAXINT64;
        const gint64 nearest = MIN(to_before, to_after);
        /* Of what takes less than that, one that takes as long tells something from further off. */
        const gboolean far = method == ANY_OWN && nearest > ANY_OWN_NS;
        if (nearest == G_MAXINT64 || (far && (!stretch || stretch->length >= ANY_OWN_NS)))
            break;
        const guint32 sample = of_call[to_before <= to_after ? --before : after++];
        guint32 found = r->samples[sample].chain;
        const gboolean within = holds && pm_activity_may_be_within(r, chain, found);
        if (holds ? within && r->samples[sample].owner == thread
                  : !stretch || (is_about_as_long(activity, sample, stretch->length) &&
                                 is_about_as_late(activity, sample, stretch, from, to)))
            return found;
        if (within && !nearest_chain)
            nearest_chain = found;
        if (!holds && !as_long && is_about_as_long(activity, sample, stretch->length))
            as_long = found;
        if (!holds && !nearest_chain && !far &&
            activity->stretches[sample].length / MAX_LONGER <= MAX(stretch->length, to - from))
            nearest_chain = found;
    }
    return as_long ? as_long : nearest_chain;
}

/* Is the program called back in `sample`, by what it called in frame `own` of `chain`? */
static gboolean is_called_back_in(const PmRecording *r, guint32 chain, gint own, guint32 sample)
{
    const PmChain *a = &r->chains[chain], *b = &r->chains[sample];
    const gint inner = pm_own_frame(pm_own_code(r), sample);
    const guint n = a->n_frames - (guint)own; /* that call, and what called it */
    if (a->truncated || b->truncated || inner < 0 || (guint)inner + n + 1 >= b->n_frames)
        return FALSE;
    for (guint i = 1; i <= n; i++)
        if (a->frames[a->n_frames - i].method != b->frames[b->n_frames - i].method)
            return FALSE;
    const PmFrame *caller = &b->frames[b->n_frames - n];
    return caller->line == a->frames[own].line && caller[-1].method == a->frames[own - 1].method &&
           !pm_own_is(pm_own_code(r), r, caller[-1].method);
}

/* The stack trace of the one nearest to `at` of a call's samples that `is_one` chooses; 0: too few
 * of those around that time are. */
static guint32 nearest_of_call(const PmRecording *r, const GArray *samples, gint64 at,
                               gboolean (*is_one)(const PmRecording *r, guint32 sample,
                                                  const guint32 *data),
                               const guint32 *data)
{
    if (!samples)
        return 0;
    const guint32 *of_call = (const guint32 *)(const void *)samples->data;
    guint low = 0, high = samples->len, n = 0;
    PM_LOWER_BOUND(low, high, middle, r->samples[of_call[middle]].at < at)
    guint32 nearest = 0;
    gint64 distance = G_MAXINT64;
    for (guint i = low - MIN(low, MAX_LOOK); i < samples->len && i < low + MAX_LOOK; i++) {
        const PmOwnerSample *sample = &r->samples[of_call[i]];
        const gint64 far = ABS(pm_difference(sample->at, at));
        if (!is_one(r, sample->chain, data))
            continue;
        n++;
        if (far < distance) {
            nearest = sample->chain;
            distance = far;
        }
    }
    return n >= MIN_SAMPLES ? nearest : 0;
}

/* `call`: a stack trace, and its own frame. */
static gboolean is_called_back(const PmRecording *r, guint32 sample, const guint32 *call)
{
    return is_called_back_in(r, call[0], (gint)call[1], sample);
}

guint32 pm_activity_sample_called_back(const PmActivity *activity, guint32 thread, guint32 chain,
                                       gint64 at)
{
    const PmRecording *r = activity->recording;
    const gint own = pm_own_frame(pm_own_code(r), chain);
    if (own < 1)
        return 0;
    const guint32 call[] = {chain, (guint32)own};
    return nearest_of_call(
        r, samples_of_call(activity, thread, FALSE, r->chains[chain].frames[own].method), at,
        is_called_back, call);
}

/* The `nth` frame from the outermost; NULL: there is none. */
static const PmFrame *nth_from_outside(const PmChain *chain, guint nth)
{
    return nth < chain->n_frames ? &chain->frames[chain->n_frames - 1 - nth] : NULL;
}

static gboolean is_one_call(const PmFrame *a, const PmFrame *b)
{
    return a && b && a->method == b->method;
}

/* How many of the outermost frames are the same calls on the same lines. */
static guint n_shared(const PmChain *a, const PmChain *b)
{
    guint n = 0;
    while (is_one_call(nth_from_outside(a, n), nth_from_outside(b, n)) &&
           nth_from_outside(a, n)->line == nth_from_outside(b, n)->line)
        n++;
    return n;
}

PmHoldPlace pm_activity_hold_place(const PmRecording *r, guint32 take, guint32 give, guint32 sample)
{
    const PmChain *taking = &r->chains[take], *giving = &r->chains[give],
                  *seen = &r->chains[sample];
    const guint both = n_shared(taking, giving), n = MIN(both, n_shared(giving, seen));
    const PmFrame *from = nth_from_outside(taking, n), *to = nth_from_outside(giving, n),
                  *at = nth_from_outside(seen, n);
    if (taking->truncated || giving->truncated || seen->truncated || !is_one_call(from, to) ||
        !is_one_call(to, at) || from->line <= 0 || to->line <= 0 || at->line <= 0)
        return PM_HOLD_PLACE_UNKNOWN;
    const gboolean within = from->line <= to->line ? at->line >= from->line && at->line <= to->line
                                                   : at->line >= from->line || at->line <= to->line;
    return within ? PM_HOLD_PLACE_WITHIN : PM_HOLD_PLACE_OUTSIDE;
}

/* `hold`: where it takes, and where it gives back. */
static gboolean is_within(const PmRecording *r, guint32 sample, const guint32 *hold)
{
    return pm_activity_hold_place(r, hold[0], hold[1], sample) == PM_HOLD_PLACE_WITHIN;
}

guint32 pm_activity_sample_within(const PmActivity *activity, guint32 thread, guint32 take,
                                  guint32 give, gint64 at)
{
    const PmRecording *r = activity->recording;
    const PmFrame *call =
        nth_from_outside(&r->chains[give], n_shared(&r->chains[take], &r->chains[give]));
    const guint32 hold[] = {take, give};
    return nearest_of_call(r, call ? samples_of_call(activity, thread, FALSE, call->method) : NULL,
                           at, is_within, hold);
}

gboolean pm_activity_waits_for_nobody(const PmActivity *activity, guint32 thread)
{
    const PmWaits *w = &activity->recording->waits;
    const guint32 n = MIN(pm_activity_n_waits(activity, thread), MAX_LOOKED);
    for (guint32 i = 0; i < n; i++) {
        const guint32 row = pm_activity_wait(activity, thread, i);
        if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_LOCK &&
            pm_wait_category(w, row) != PM_CATEGORY_TIMER &&
            !pm_label_is_within(activity->recording, pm_wait_chain(w, row), G_MAXUINT,
                                "java.lang.Shutdown", "runHooks")) /* its last, as it exits */
            return FALSE;
    }
    return TRUE;
}

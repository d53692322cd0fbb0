/* What is found out once, before any wait is divided: barriers, shared locks, who takes where. */
#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/locks/readers.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/code/row-lists.h"
#include "viewer/analysis/code/silent-sample.h"

/* Of more waits for locks that readers share it takes too much memory to know who did. */
#define MAX_SHARED_WAITS (1 << 20)

guint32 pm_contention_parties_of(const PmRecording *r, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    return r->blockers[blocker].parent ? blocker : pm_recording_private(r)->alike[blocker];
}

/* Whoever waits again at once had come before. */
static void find_parties(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    g_autofree guint8 *again = g_new0(guint8, c->recording->n_threads);
    c->parties = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; (i = pm_contention_marked(c, i, PM_HAS_PARTY)) < w->n; i++) {
        const guint32 row = (guint32)i;
        if (pm_contention_is_party(w, row) && !again[pm_wait_thread(w, row)])
            g_array_append_val(
                pm_arrays_at(c->parties,
                             GUINT_TO_POINTER(pm_contention_parties_of(c->recording, row)),
                             sizeof row),
                row);
        if (pm_contention_is_party(w, row))
            again[pm_wait_thread(w, row)] = pm_activity_is_repeated(c->activity, row);
    }
}

/* FALSE: there is none. */
static gboolean find_shared(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    gint64 causes[PM_READ_AT_ONCE];
    gboolean any = FALSE;
    for (gsize i = 0, n; (n = pm_contention_marked_run(c, &i, PM_HAS_RELEASE)) > 0; i += n) {
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKE_CAUSE, i, n, causes);
        for (gsize k = 0; k < n; k++)
            if (causes[k] == PM_WAKE_RELEASE && pm_contention_is_release(w, i + k) &&
                pm_wait_category(w, i + k) == PM_CATEGORY_LOCK &&
                !pm_timelines_is_ownable(c->timelines, pm_wait_blocker(w, i + k)))
                c->shared[pm_wait_blocker(w, i + k)] = any = TRUE;
    }
    return any;
}

/* While somebody waits, each release that frees a lock is seen. */
static void find_releases(PmContention *c, gboolean any)
{
    const PmWaits *w = &c->recording->waits;
    c->releases = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; any && (i = pm_contention_marked(c, i, PM_HAS_RELEASE)) < w->n; i++) {
        if (!c->shared[pm_wait_blocker(w, i)] || !pm_contention_is_release(w, i) ||
            !pm_wait_wake(w, i))
            continue;
        PmGive give = {.at = pm_wait_wake(w, i),
                       .thread = pm_wait_waker(w, i),
                       .chain = pm_wait_waker_chain(w, i)};
        g_array_append_val(
            pm_arrays_at(c->releases, GUINT_TO_POINTER(pm_wait_blocker(w, i)), sizeof give), give);
    }
    g_hash_table_foreach(c->releases, pm_arrays_sort_instants, NULL);
}

typedef struct {
    guint8 *classes; /* which of them readers share */
    PmContention *contention;
} Sharing;

static guint32 sharing_key(const PmRecording *r, gsize row, const Sharing *sharing)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    return sharing->classes[r->blockers[blocker].class_index] &&
                   pm_wait_kind(&r->waits, row) == PM_KIND_PARK
               ? blocker
               : G_MAXUINT32;
}

static void sharing_keys(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                         gconstpointer data)
{
    for (gsize i = 0; i < n; i++)
        keys[i] = sharing_key(r, first + i, data);
}

static void find_readers_of(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                            const PmRowWait *read, gpointer data)
{
    PmContention *c = ((Sharing *)data)->contention;
    c->readers[blocker] = pm_readers_new(c->recording, c->activity->repeated, rows, n);
}

/* FALSE: cancelled. */
static gboolean find_readers(PmContention *c, const gint *cancel)
{
    const PmRecording *r = c->recording;
    g_autofree guint8 *classes = g_new0(guint8, MAX(r->n_classes, 1));
    const Sharing sharing = {classes, c};
    const PmRowTask task = {.keys_of = sharing_keys, .work = find_readers_of};
    gsize n = 0;
    gboolean any = FALSE;
    for (guint32 i = 0; i < r->n_classes; i++)
        any |= classes[i] = r->classes[i].name && pm_readers_is_shared_class(r->classes[i].name);
    for (gsize row = 0; row < r->waits.n && any; row++)
        n += sharing_key(r, row, &sharing) != G_MAXUINT32;
    c->readers = g_new0(PmReaders *, MAX(r->n_blockers, 1));
    return n == 0 || n > MAX_SHARED_WAITS ||
           pm_row_lists_run(r, &task, r->n_blockers, (gpointer)&sharing, cancel);
}

gpointer pm_contention_taker_key(guint32 blocker, guint32 thread)
{
    return GSIZE_TO_POINTER((gsize)blocker << 32 | thread);
}

gpointer pm_contention_group_key(const PmRecording *r, guint32 id, guint32 thread)
{
    return pm_contention_taker_key(id, G_MAXUINT32 - r->threads[thread].group);
}

static void add_taker(PmContention *c, guint32 blocker, guint32 thread)
{
    guint32 *sole = &c->sole_takers[blocker];
    *sole = *sole && *sole != thread ? PM_SEVERAL : thread;
    g_hash_table_add(c->takers, pm_contention_taker_key(blocker, thread));
    g_hash_table_add(c->takers, pm_contention_group_key(c->recording, blocker, thread));
}

/* Whoever got something there and waits for it anew, not because it was woken in vain, takes what
 * is counted: a latch, once opened, keeps nobody waiting. `got`: by taker_key, when. */
static void note_counted(PmContention *c, guint32 row, GHashTable *got)
{
    const PmWaits *w = &c->recording->waits;
    const gpointer key = pm_contention_taker_key(pm_wait_blocker(w, row), pm_wait_thread(w, row));
    const gint64 *last = g_hash_table_lookup(got, key);
    if (last && pm_wait_begin(w, row) - *last > PM_ACTIVITY_REPARK_NS)
        g_hash_table_add(c->counted, GUINT_TO_POINTER(pm_wait_blocker(w, row)));
    const gint64 end = pm_wait_end(w, row);
    if (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE)
        g_hash_table_insert(got, key, g_memdup2(&end, sizeof end));
}

#define N_MET 16384

/* Who waits for signals. */
static void find_takers(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    g_autofree gpointer *met = g_new(gpointer, N_MET); /* taker_keys: nearly all come again */
    g_autoptr(GHashTable) got = g_hash_table_new_full(pm_pair_hash, NULL, NULL, g_free);
    memset(met, 0xff, N_MET * sizeof *met);
    c->takers = g_hash_table_new(pm_pair_hash, NULL);
    c->counted = g_hash_table_new(NULL, NULL);
    c->sole_takers = g_new0(guint32, MAX(c->recording->n_blockers, 1));
    c->known = g_new0(PmKnown, 1);
    g_mutex_init(&c->known->lock);
    g_mutex_init(&c->known->asked_lock);
    for (guint i = 0; i < PM_N_KNOWN; i++)
        c->known->of[i] = g_hash_table_new(pm_pair_hash, NULL);
    gint64 threads[PM_READ_AT_ONCE], blockers[PM_READ_AT_ONCE];
    for (gsize i = 0, n; (n = pm_contention_marked_run(c, &i, PM_HAS_TAKER)) > 0; i += n) {
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, i, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, i, n, blockers);
        for (gsize k = 0; k < n; k++) {
            const guint32 thread = (guint32)threads[k], blocker = (guint32)blockers[k];
            gpointer *before = &met[(blocker * 211 + thread) % N_MET];
            if (*before == pm_contention_taker_key(blocker, thread))
                continue;
            if (pm_contention_may_be_counted(c->recording, i + k))
                note_counted(c, (guint32)(i + k), got);
            else if (pm_contention_is_taker(w, i + k)) {
                *before = pm_contention_taker_key(blocker, thread);
                add_taker(c, blocker, thread);
            }
        }
    }
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, got);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (pm_contention_is_counted(c, GPOINTER_TO_SIZE(key) >> 32))
            add_taker(c, GPOINTER_TO_SIZE(key) >> 32, (guint32)GPOINTER_TO_SIZE(key));
}

/* Within a method that calls both, or within a library, a lock is given back in another call than
 * the one that it is held in: what a hold was seen in is told by how it ended, too. */
static void index_seen_holds(PmContention *c)
{
    const PmRecording *r = c->recording;
    c->seen_holds = g_hash_table_new_full(pm_pair_hash, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint32 i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const gint64 nth =
            sample->role == PM_SAMPLE_OWNER && sample->chain &&
                    c->activity->uses[i] == PM_SAMPLE_TELLS
                ? pm_timelines_before(c->timelines, sample->blocker, pm_sum(sample->at, 1))
                : -1;
        const PmSegment hold =
            nth >= 0 ? pm_timelines_segment(c->timelines, sample->blocker, (guint32)nth)
                     : (PmSegment){0};
        if (!pm_segment_is_held(&hold) || hold.thread != sample->owner || !hold.released ||
            !hold.chain)
            continue;
        g_array_append_val(pm_arrays_at(c->seen_holds,
                                        pm_contention_group_key(r, hold.chain, hold.thread),
                                        sizeof i),
                           i);
    }
}

/* Are those samples within one hold? */
static gboolean are_of_one_hold(const PmContention *c, const PmOwnerSample *a,
                                const PmOwnerSample *b)
{
    return a->blocker == b->blocker &&
           pm_timelines_before(c->timelines, a->blocker, pm_sum(a->at, 1)) ==
               pm_timelines_before(c->timelines, b->blocker, pm_sum(b->at, 1));
}

guint32 pm_contention_seen_before_release(const PmContention *c, guint32 thread, guint32 chain,
                                          gint64 at)
{
    const PmOwnerSample *samples = c->recording->samples;
    const GArray *seen =
        g_hash_table_lookup(c->seen_holds, pm_contention_group_key(c->recording, chain, thread));
    if (!seen)
        return 0;
    const guint32 *nth = (const guint32 *)(const void *)seen->data; /* by time */
    if (are_of_one_hold(c, &samples[nth[0]], &samples[nth[seen->len - 1]]))
        return 0;
    guint low = 0, high = seen->len;
    PM_LOWER_BOUND(low, high, middle, samples[nth[middle]].at < at)
    const PmOwnerSample *next = low < seen->len ? &samples[nth[low]] : NULL;
    const PmOwnerSample *last = low > 0 ? &samples[nth[low - 1]] : NULL;
    return !last || (next && next->at - at < at - last->at) ? next->chain : last->chain;
}

/* Does a future give up there by a timeout of its own (orTimeout), or get its value by one? */
static gboolean times_out(const PmContention *c, guint32 chain)
{
    static const char *const classes[] = {
        "java.util.concurrent.CompletableFuture$Timeout",
        "java.util.concurrent.CompletableFuture$DelayedCompleter"};
    gboolean does = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(classes) && pm_own_frame(c->own, chain) < 0; i++)
        does |= pm_label_is_within(c->recording, chain, G_MAXUINT, classes[i], "run");
    return does;
}

PmContention *pm_contention_new(const PmRecording *recording, const gint *cancel)
{
    const PmWaits *w = &recording->waits;
    PmContention *c = g_new0(PmContention, 1);
    c->recording = recording;
    c->shared = g_new0(guint8, recording->n_blockers);
    c->ends_virtual = g_new(guint8, recording->n_chains);
    for (guint32 i = 0; i < recording->n_chains; i++)
        c->ends_virtual[i] = (guint8)pm_label_ends_virtual_thread(recording, i);
    c->own = pm_own_code(recording);
    c->times_out = g_new0(guint8, recording->n_chains + 1);
    for (guint32 i = 1; i < recording->n_chains; i++)
        c->times_out[i] = (guint8)times_out(c, i);
    c->activity = pm_activity_new(recording, cancel);
    c->timelines = c->activity ? pm_timelines_new(c->activity, cancel) : NULL;
    if (!c->timelines) {
        pm_contention_free(c);
        return NULL;
    }
    index_seen_holds(c);
    c->carriers = pm_carriers_new(c->activity);
    pm_contention_mark_blocks(c);
    c->rung = g_new0(guint, w->n / 16 + 1);
    const gboolean any_shared = find_shared(c);
    if (!pm_contention_find_followed(c, cancel)) {
        pm_contention_free(c);
        return NULL;
    }
    pm_contention_find_woken(c, cancel);
    pm_contention_find_pools(c);
    c->tokens = g_new0(PmTokens *, recording->n_blockers);
    const PmRowTask task = {pm_contention_resource_keys, pm_contention_find_resource, TRUE};
    if (!find_readers(c, cancel) ||
        !pm_row_lists_run(recording, &task, recording->n_blockers, c, cancel)) {
        pm_contention_free(c);
        return NULL;
    }
    find_parties(c);
    find_releases(c, any_shared);
    find_takers(c);
    c->lock_takers = pm_lock_takers_new(recording, c->takers);
    return c;
}

gboolean pm_contention_is_counted(const PmContention *c, guint32 blocker)
{
    return g_hash_table_contains(c->counted, GUINT_TO_POINTER(blocker));
}

const PmLockTakers *pm_contention_lock_takers(const PmContention *c)
{
    return c->lock_takers;
}

const PmActivity *pm_contention_activity(const PmContention *c)
{
    return c->activity;
}

const PmContention *pm_recording_contention(PmRecording *recording, const gint *cancel)
{
    PmRecordingPrivate *p = recording->priv;
    g_mutex_lock(&p->lock);
    PmContention *contention = g_dataset_get_data(recording, "contention");
    if (!contention && (contention = pm_contention_new(recording, cancel)))
        g_dataset_set_data_full(recording, "contention", contention,
                                (GDestroyNotify)pm_contention_free);
    g_mutex_unlock(&p->lock);
    return contention;
}

static void known_free(PmKnown *known)
{
    if (!known)
        return;
    g_mutex_clear(&known->lock);
    g_mutex_clear(&known->asked_lock);
    pm_asked_free(known->asked);
    for (guint i = 0; i < PM_N_KNOWN; i++)
        g_hash_table_unref(known->of[i]);
    pm_gives_free(known->gives);
    g_free(known);
}

void pm_contention_free(PmContention *contention)
{
    if (!contention)
        return;
    pm_followed_free(contention->followed);
    g_clear_pointer(&contention->carriers, pm_carriers_free);
    g_clear_pointer(&contention->signallers, g_hash_table_unref);
    g_clear_pointer(&contention->chosen, g_hash_table_unref);
    pm_packed_clear(&contention->signals);
    pm_timelines_free(contention->timelines);
    g_free(contention->shared);
    g_free(contention->ends_virtual);
    g_free(contention->times_out);
    g_free(contention->marks);
    g_free(contention->rung);
    for (guint b = 0; contention->tokens && b < contention->recording->n_blockers; b++)
        pm_tokens_free(contention->tokens[b]);
    g_free(contention->tokens);
    g_free(contention->one_pool);
    for (guint b = 0; contention->readers && b < contention->recording->n_blockers; b++)
        pm_readers_free(contention->readers[b]);
    g_free(contention->readers);
    g_clear_pointer(&contention->seen_holds, g_hash_table_unref);
    g_clear_pointer(&contention->parties, g_hash_table_unref);
    g_clear_pointer(&contention->releases, g_hash_table_unref);
    g_clear_pointer(&contention->takers, g_hash_table_unref);
    pm_lock_takers_free(contention->lock_takers);
    g_clear_pointer(&contention->counted, g_hash_table_unref);
    g_free(contention->sole_takers);
    known_free(contention->known);
    pm_activity_free(contention->activity);
    g_free(contention);
}

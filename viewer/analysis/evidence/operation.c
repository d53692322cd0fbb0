#include "viewer/analysis/evidence/operation.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* Rows of a slice, which is looked at once, should no wait of it be in progress. */
gsize pm_operations_slice_rows = 1 << 18;
/* What has more tallies than one of so many rows is not kept. */
#define KEPT_OF     16
#define MANY_SLICES 8

#define AT_ONCE 512 /* rows that are read */

#define MAX_LOOKED  64 /* waits in progress, and of each one's thread those before */
#define MIN_OBJECTS 3  /* that were waited for once each */

#define MIN_RUNNING 3 /* samples of virtual threads that run, within: */
#define RUNNING_NS  G_GINT64_CONSTANT(3000000000)

/* One method may take from a queue and put into another one: who ends the ones is not who ends the
 * others. */
static guint64 operation_key(const PmRecording *r, guint32 blocker, guint32 chain)
{
    return (guint64)r->blockers[blocker].class_index << 32 |
           (guint64)pm_recording_private(r)->chain_room[chain] << 31 |
           pm_recording_site_method(r, chain);
}

guint64 pm_operation_key(const PmRecording *r, guint32 row)
{
    return operation_key(r, pm_wait_blocker(&r->waits, row), pm_wait_chain(&r->waits, row));
}

static void operation_free(gpointer data)
{
    PmOperation *operation = data;
    g_hash_table_unref(operation->enders);
    g_array_unref(operation->rows);
    g_array_unref(operation->overtaking);
    g_free(operation);
}

static gboolean is_in_progress(const PmRecording *r, guint32 row, gint64 at)
{
    const PmWaits *w = &r->waits;
    return pm_wait_begin(w, row) <= at &&
           (pm_wait_end(w, row) > at ||
            (pm_wait_end(w, row) == at && pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS));
}

static PmOperation *operation_new(guint64 key)
{
    PmOperation *operation = g_new0(PmOperation, 1);
    operation->key = key;
    operation->enders = g_hash_table_new(NULL, NULL);
    operation->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    operation->overtaking = g_array_new(FALSE, FALSE, sizeof(PmEarlierWait));
    return operation;
}

static void take_waiting(PmOperations *all, guint32 row)
{
    const PmRecording *r = all->recording;
    const guint64 key = pm_operation_key(r, row);
    PmOperation *operation = g_hash_table_lookup(all->by_key, &key);
    all->waiting[pm_wait_thread(&r->waits, row)] = row + 1;
    if (!operation) {
        operation = operation_new(key);
        g_hash_table_insert(all->by_key, &operation->key, operation);
    }
    g_array_append_val(operation->rows, row);
}

/* Marks the slices with a wait in progress, whether or not it has a timeout. */
static void gather_waiting(PmOperations *all, guint8 *in_progress)
{
    const PmRecording *r = all->recording;
    const PmWaits *w = &r->waits;
    const PmRecordingPrivate *p = pm_recording_private(r);
    for (gsize block = 0; pm_recording_block_begin(r, block) < w->n; block++) {
        const gsize first = pm_recording_block_begin(r, block);
        const gsize end = MIN(pm_recording_block_end(r, block), w->n);
        if (p->block_end[block] < all->at)
            continue;
        if (pm_wait_begin(w, first) > all->at)
            break;
        for (gsize i = first; i < end && pm_wait_begin(w, i) <= all->at; i++) {
            if (!is_in_progress(r, (guint32)i, all->at))
                continue;
            in_progress[i / pm_operations_slice_rows] = TRUE;
            if (!(pm_wait_flags(w, i) & PM_WAIT_TIMED) && !pm_wait_woken_at(w, i, all->at))
                take_waiting(all, (guint32)i);
        }
    }
}

/* Is a thread of the JDK's own scheduler of virtual threads at rest? */
static gboolean is_carrier_idle(const PmOperations *operations)
{
    const PmRecording *r = operations->recording;
    for (guint32 t = 1; t < r->n_threads; t++)
        if (operations->waiting[t] && pm_label_is_carrier(&r->threads[t]))
            return TRUE;
    return FALSE;
}

guint32 pm_operation_carriers_use(const PmOperations *operations, const PmOperation *operation,
                                  guint32 *ret_thread)
{
    const PmRecording *r = operations->recording;
    const gint64 since = operations->at - RUNNING_NS;
    guint32 chain = 0;
    guint n = 0;
    if (!operation->n_ends || !r->threads[operation->giver_thread].is_virtual)
        return 0;
    for (guint32 i = r->n_samples; i-- > 0 && r->samples[i].at >= since;) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at > operations->at || sample->state != PM_OWNER_RUNNING ||
            !r->threads[sample->owner].is_virtual ||
            pm_own_frame(pm_own_code(r), sample->chain) < 0)
            continue;
        n++;
        chain = sample->chain;
        *ret_thread = sample->owner;
    }
    return n >= MIN_RUNNING && !is_carrier_idle(operations) ? chain : 0;
}

gpointer pm_operation_ender(const PmRecording *r, guint32 thread)
{
    guint32 group = r->threads[thread].group;
    return GUINT_TO_POINTER(r->groups[group].n_threads > 1 ? G_MAXUINT32 - group : thread);
}

/* ---- earlier waits, a slice at a time ---- */

/* How often waits of an operation were ended by one of those, or in that chain. */
typedef struct {
    guint32 operation, id, n;
    guint32 last; /* row */
} Tally;

typedef struct {
    guint64 key;
    gint64 longest;
    guint n, n_ends;
} Tallied;

/* Of the rows of a slice. */
typedef struct {
    GArray *operations;      /* of Tallied; its index is what a Tally has */
    GArray *enders, *chains; /* of Tally */
} Slice;

static void slice_free(Slice *slice)
{
    if (!slice)
        return;
    g_array_unref(slice->operations);
    g_array_unref(slice->enders);
    g_array_unref(slice->chains);
    g_free(slice);
}

/* Where tallies lie; those looked up last lie in a table of their own, as nearly all are. */
#define N_RECENT 1024

typedef struct {
    GHashTable *all; /* operation and id → 1 + index */
    guint recent[N_RECENT];
} Places;

typedef struct {
    Slice *slice;
    GHashTable *by_key; /* → 1 + index */
    guint recent[N_RECENT];
    Places enders, chains;
} Tallying;

static guint tallied_at(Tallying *t, guint64 key)
{
    guint *recent = &t->recent[(key >> 32 ^ key) % N_RECENT];
    if (*recent && g_array_index(t->slice->operations, Tallied, *recent - 1).key == key)
        return *recent - 1;
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(t->by_key, &key));
    if (!found) {
        const Tallied its = {.key = key};
        g_array_append_val(t->slice->operations, its);
        found = t->slice->operations->len;
        g_hash_table_insert(t->by_key, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(found));
    }
    *recent = found;
    return found - 1;
}

static void tally(Places *places, GArray *tallies, guint32 operation, guint32 id, guint32 row)
{
    const gpointer key = GSIZE_TO_POINTER((gsize)operation << 32 | id);
    guint *place = &places->recent[(operation * 61 + id) % N_RECENT];
    const Tally *recent = *place ? &g_array_index(tallies, Tally, *place - 1) : NULL;
    if (!recent || recent->operation != operation || recent->id != id)
        *place = GPOINTER_TO_UINT(g_hash_table_lookup(places->all, key));
    if (!*place) {
        const Tally its = {operation, id, 0, row};
        g_array_append_val(tallies, its);
        *place = tallies->len;
        g_hash_table_insert(places->all, key, GUINT_TO_POINTER(*place));
    }
    Tally *its = &g_array_index(tallies, Tally, *place - 1);
    its->n++;
    its->last = row;
}

/* Some rows that follow each other. */
typedef struct {
    gint64 begins[AT_ONCE], lengths[AT_ONCE], blockers[AT_ONCE], chains[AT_ONCE];
    guint32 enders[AT_ONCE], ended_in[AT_ONCE];
} Rows;

static void rows_read(Rows *rows, const PmRecording *r, const PmContention *contention, gsize first,
                      gsize n)
{
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BEGIN, first, n, rows->begins);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_LENGTH, first, n, rows->lengths);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BLOCKER, first, n, rows->blockers);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, first, n, rows->chains);
    pm_contention_enders(contention, first, n, rows->enders, rows->ended_in);
}

/* Those that are not in progress at `at`, nor begin later. */
static void tally_rows(Tallying *t, const PmRecording *r, const Rows *rows, gsize first, gsize n,
                       gint64 at)
{
    for (gsize i = 0; i < n && rows->begins[i] <= at; i++) {
        const guint32 row = (guint32)(first + i);
        const gint64 end = rows->begins[i] + rows->lengths[i];
        if (end > at || (end == at && is_in_progress(r, row, at)))
            continue;
        const guint operation =
            tallied_at(t, operation_key(r, (guint32)rows->blockers[i], (guint32)rows->chains[i]));
        Tallied *its = &g_array_index(t->slice->operations, Tallied, operation);
        its->n++;
        its->longest = MAX(its->longest, rows->lengths[i]);
        if (!rows->enders[i])
            continue;
        its->n_ends++;
        tally(&t->enders, t->slice->enders, operation,
              GPOINTER_TO_UINT(pm_operation_ender(r, rows->enders[i])), row);
        tally(&t->chains, t->slice->chains, operation, rows->ended_in[i], row);
    }
}

static Slice *slice_new(const PmRecording *r, const PmContention *contention, guint index,
                        gint64 at)
{
    const gsize end = MIN((index + 1) * pm_operations_slice_rows, r->waits.n);
    Slice *slice = g_new(Slice, 1);
    slice->operations = g_array_new(FALSE, FALSE, sizeof(Tallied));
    slice->enders = g_array_new(FALSE, FALSE, sizeof(Tally));
    slice->chains = g_array_new(FALSE, FALSE, sizeof(Tally));
    Tallying t = {.slice = slice};
    Rows rows;
    t.by_key = g_hash_table_new_full(pm_pair_at_hash, g_int64_equal, g_free, NULL);
    t.enders.all = g_hash_table_new(pm_pair_hash, NULL);
    t.chains.all = g_hash_table_new(pm_pair_hash, NULL);
    for (gsize first = index * pm_operations_slice_rows, n; first < end; first += n) {
        n = MIN(end - first, AT_ONCE);
        rows_read(&rows, r, contention, first, n);
        tally_rows(&t, r, &rows, first, n, at);
    }
    g_hash_table_unref(t.by_key);
    g_hash_table_unref(t.enders.all);
    g_hash_table_unref(t.chains.all);
    return slice;
}

/* Those of whole slices, kept with the recording: whatever instant is asked for, they are the same
 * where no wait is in progress then. */
typedef struct {
    guint n;
    Slice *slices[]; /* atomic; NULL: not looked at yet */
} Kept;

static void kept_free(gpointer data)
{
    Kept *kept = data;
    for (guint i = 0; i < kept->n; i++)
        slice_free(kept->slices[i]);
    g_free(kept);
}

static Kept *kept_of(const PmRecording *r)
{
    static GMutex lock; /* that of the recording is held as long as causes are found */
    const guint n = (guint)(r->waits.n / pm_operations_slice_rows) + 1;
    g_mutex_lock(&lock);
    Kept *kept = g_dataset_get_data(r, "operations");
    if (!kept) {
        kept = g_malloc0(sizeof *kept + n * sizeof *kept->slices);
        kept->n = n;
        g_dataset_set_data_full(r, "operations", kept, kept_free);
    }
    g_mutex_unlock(&lock);
    return kept;
}

typedef struct {
    PmOperations *all;
    const PmContention *contention;
    const guint8 *in_progress; /* by slice: not all of it is over by then */
    Kept *kept;
    Slice **slices;
    guint8 *own; /* by slice: it is not kept */
} Gathering;

static void gather_slice(gpointer data, guint index)
{
    const Gathering *g = data;
    const PmRecording *r = g->all->recording;
    Slice *slice = g->in_progress[index] ? NULL : g_atomic_pointer_get(&g->kept->slices[index]);
    if (!slice) {
        slice = slice_new(r, g->contention, index, g->in_progress[index] ? g->all->at : G_MAXINT64);
        g->own[index] =
            g->in_progress[index] ||
            slice->enders->len + slice->chains->len > pm_operations_slice_rows / KEPT_OF ||
            !g_atomic_pointer_compare_and_exchange(&g->kept->slices[index], NULL, slice);
    }
    g->slices[index] = slice;
}

/* Where waits of an operation were ended. */
typedef struct {
    guint n;
    guint32 last; /* row */
} Ends;

/* The chain that ended most; of equals the one that did so first. */
static void choose_giver(PmOperation *operation, GHashTable *ends, const PmContention *contention)
{
    GHashTableIter iter;
    gpointer chain, value;
    guint32 last = 0;
    g_hash_table_iter_init(&iter, ends);
    while (g_hash_table_iter_next(&iter, &chain, &value)) {
        const Ends *its = value;
        if (its->n < operation->best || (its->n == operation->best && its->last > last))
            continue;
        operation->best = its->n;
        operation->giver = GPOINTER_TO_UINT(chain);
        last = its->last;
    }
    guint32 of;
    if (operation->best > 0)
        pm_contention_ender(contention, last, &operation->giver_thread, &of);
}

static GHashTable *ends_of(GHashTable *of_operations, const PmOperation *operation)
{
    GHashTable *ends = g_hash_table_lookup(of_operations, operation);
    if (!ends) {
        ends = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        g_hash_table_insert(of_operations, (gpointer)operation, ends);
    }
    return ends;
}

/* Slices come in order. */
static void add_slice(PmOperations *all, const Slice *slice, GHashTable *of_operations)
{
    g_autofree PmOperation **operations = g_new(PmOperation *, MAX(slice->operations->len, 1));
    for (guint i = 0; i < slice->operations->len; i++) {
        const Tallied *its = &g_array_index(slice->operations, Tallied, i);
        PmOperation *operation = operations[i] = g_hash_table_lookup(all->by_key, &its->key);
        if (!operation)
            continue;
        operation->n_earlier += its->n;
        operation->n_ends += its->n_ends;
        operation->longest = MAX(operation->longest, its->longest);
    }
    for (guint i = 0; i < slice->enders->len; i++) {
        const Tally *its = &g_array_index(slice->enders, Tally, i);
        GHashTable *enders = operations[its->operation] ? operations[its->operation]->enders : NULL;
        const gpointer key = GUINT_TO_POINTER(its->id);
        if (enders)
            g_hash_table_insert(
                enders, key,
                GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(enders, key)) + its->n));
    }
    for (guint i = 0; i < slice->chains->len; i++) {
        const Tally *its = &g_array_index(slice->chains, Tally, i);
        if (!operations[its->operation])
            continue;
        GHashTable *of_chains = ends_of(of_operations, operations[its->operation]);
        Ends *ends = g_hash_table_lookup(of_chains, GUINT_TO_POINTER(its->id));
        if (!ends) {
            ends = g_new0(Ends, 1);
            g_hash_table_insert(of_chains, GUINT_TO_POINTER(its->id), ends);
        }
        ends->n += its->n;
        ends->last = its->last;
    }
}

/* Is there an earlier wait in the slice that began after one in progress? */
static gboolean has_overtaking(const PmOperations *all, const Slice *slice, guint index)
{
    const gsize end = (index + 1) * pm_operations_slice_rows;
    for (guint i = 0; i < slice->operations->len; i++) {
        const Tallied *its = &g_array_index(slice->operations, Tallied, i);
        const PmOperation *operation = g_hash_table_lookup(all->by_key, &its->key);
        if (operation && g_array_index(operation->rows, guint32, 0) < end)
            return TRUE;
    }
    return FALSE;
}

static void add_overtaking(PmOperations *all, guint index)
{
    const PmRecording *r = all->recording;
    const PmWaits *w = &r->waits;
    const gsize end = MIN((index + 1) * pm_operations_slice_rows, w->n);
    for (gsize i = index * pm_operations_slice_rows; i < end; i++) {
        const guint32 row = (guint32)i;
        if (pm_wait_begin(w, i) > all->at)
            break;
        if (is_in_progress(r, row, all->at))
            continue;
        const guint64 key = pm_operation_key(r, row);
        PmOperation *operation = g_hash_table_lookup(all->by_key, &key);
        const PmEarlierWait earlier = {pm_wait_begin(w, i), pm_wait_blocker(w, i)};
        if (operation && row > g_array_index(operation->rows, guint32, 0))
            g_array_append_val(operation->overtaking, earlier);
    }
}

static void gather_enders(PmOperations *all, const PmContention *contention, guint8 *in_progress)
{
    const PmWaits *w = &all->recording->waits;
    const gsize n_rows = pm_waits_before(w, pm_sum(all->at, 1));
    const guint n = (guint)((n_rows + pm_operations_slice_rows - 1) / pm_operations_slice_rows);
    if (n_rows < MIN(n * pm_operations_slice_rows, w->n))
        in_progress[n - 1] = TRUE; /* or begins later */
    g_autofree Slice **slices = g_new0(Slice *, n + 1);
    g_autofree guint8 *own = g_new0(guint8, n + 1);
    Gathering g = {.all = all,
                   .contention = contention,
                   .in_progress = in_progress,
                   .kept = kept_of(all->recording),
                   .slices = slices,
                   .own = own};
    g_autoptr(GHashTable) of_operations =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref);

    pm_workers_run(0, n, gather_slice, &g);
    for (guint i = 0; i < n; i++) {
        add_slice(all, slices[i], of_operations);
        if (has_overtaking(all, slices[i], i))
            add_overtaking(all, i);
        if (own[i])
            slice_free(slices[i]);
    }
    GHashTableIter iter;
    gpointer operation, ends;
    g_hash_table_iter_init(&iter, of_operations);
    while (g_hash_table_iter_next(&iter, &operation, &ends))
        choose_giver(operation, ends, contention);
}

/* How many of its thread's last waits of the operation were for other objects; -1: one was for the
 * same. */
static gint earlier_objects(const PmOperations *all, guint32 row)
{
    const PmRecording *r = all->recording;
    const PmWaits *w = &r->waits;
    const PmActivity *activity = pm_contention_activity(all->contention);
    const guint32 thread = pm_wait_thread(w, row);
    const guint64 key = pm_operation_key(r, row);
    guint32 nth = pm_activity_first_wait(activity, thread, pm_wait_begin(w, row));
    gint n = 0;
    for (guint looked = 0; nth > 0 && looked < MAX_LOOKED; looked++) {
        const guint32 before = pm_activity_wait(activity, thread, --nth);
        if (pm_operation_key(r, before) != key || pm_activity_is_repeated(activity, before))
            continue;
        if (pm_wait_blocker(w, before) == pm_wait_blocker(w, row))
            return -1;
        n++;
    }
    return n;
}

static gboolean is_one_shot(const PmOperations *all, const PmOperation *operation)
{
    const guint n_looked = MIN(operation->rows->len, MAX_LOOKED);
    guint n = 0, n_objects = 0;
    for (guint i = 0; i < n_looked; i++) {
        const gint others = earlier_objects(all, g_array_index(operation->rows, guint32, i));
        if (others < 0)
            return FALSE;
        n += others > 0;
        n_objects += (guint)others;
    }
    return n * 2 > n_looked && n_objects >= MIN_OBJECTS;
}

PmOperations *pm_operations_new(const PmSummary *summary, const PmContention *contention)
{
    PmOperations *all = g_new0(PmOperations, 1);
    all->recording = summary->metrics->view->recording;
    all->contention = contention;
    all->at = summary->at;
    all->by_key = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, operation_free);
    all->waiting = g_new0(guint32, MAX(all->recording->n_threads, 1));
    g_autofree guint8 *in_progress =
        g_new0(guint8, all->recording->waits.n / pm_operations_slice_rows + 1);
    gather_waiting(all, in_progress);
    /* Where many waits are kept by slices, those are made now: of another instant they are asked.
     */
    if (g_hash_table_size(all->by_key) ||
        all->recording->waits.n > MANY_SLICES * pm_operations_slice_rows)
        gather_enders(all, contention, in_progress);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, all->by_key);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        ((PmOperation *)value)->one_shot = is_one_shot(all, value);
    return all;
}

void pm_operations_free(PmOperations *all)
{
    if (!all)
        return;
    g_hash_table_unref(all->by_key);
    g_free(all->waiting);
    g_free(all);
}

const PmOperation *pm_operations_find(const PmOperations *all, guint32 row)
{
    guint64 key = pm_operation_key(all->recording, row);
    return g_hash_table_lookup(all->by_key, &key);
}

gboolean pm_operations_want_work(const PmOperations *all, guint32 row)
{
    const PmWaits *w = &all->recording->waits;
    return pm_summary_wants_work(all->recording, pm_wait_category(w, row), pm_wait_chain(w, row)) &&
           !pm_contention_is_resource(all->contention, pm_wait_blocker(w, row));
}

gboolean pm_operations_wait_for_virtual_end(const PmOperations *all, guint32 row)
{
    const PmOperation *operation = pm_operations_find(all, row);
    return operation && operation->best > 0 &&
           pm_label_ends_virtual_thread(all->recording, operation->giver);
}

gboolean pm_operation_is_overdue(const PmOperation *operation, gint64 age)
{
    return age >= pm_product(operation->longest, PM_OPERATION_OVERDUE);
}

#include "viewer/analysis/aggregation/no-carrier.h"

#include <string.h>

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/base/sum.h"

#define MIN_LENGTH 1000000 /* ns: who comes sooner to a carrier has not waited for it */

/* The frame by which a virtual thread that parks in this stack trace keeps its carrier; -1: it does
 * not. */
static gint pinning_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint f = 1; f < c->n_frames; f++) /* in the innermost one it waits */
        if (c->frames[f].line < 0 || strcmp(r->methods[c->frames[f].method].name, "<clinit>") == 0)
            return (gint)f;
    return -1;
}

/* A park that keeps its carrier, as the recorder saw, though no frame says why: before JDK 24 a
 * caller is `synchronized`. */
static gboolean stays_mounted(const PmWaits *waits, guint32 row)
{
    return pm_wait_kind(waits, row) == PM_KIND_PARK && pm_wait_chain(waits, row) &&
           !(pm_wait_flags(waits, row) & (PM_WAIT_VIRTUAL | PM_WAIT_BEGIN_UNKNOWN));
}

gboolean pm_keeps_carrier(const PmRecording *r, guint32 row)
{
    return r->threads[pm_wait_thread(&r->waits, row)].is_virtual && stays_mounted(&r->waits, row);
}

static guint32 own_frame(const PmRecording *r, guint32 chain)
{
    gint frame = r->chains[chain].n_frames ? pm_own_frame(pm_own_code(r), chain) : 0;
    return frame < 0 ? 0 : (guint32)frame;
}

/* What a group's threads waited. */
typedef struct {
    gint64 time;
    GHashTable *threads;
} Waited;

static void free_waited(gpointer data)
{
    Waited *waited = data;
    g_hash_table_unref(waited->threads);
    g_free(waited);
}

static void add_to_group(GHashTable *groups, guint32 group, guint32 thread, gint64 time)
{
    Waited *waited = g_hash_table_lookup(groups, GUINT_TO_POINTER(group));
    if (!waited) {
        waited = g_new0(Waited, 1);
        waited->threads = g_hash_table_new(NULL, NULL);
        g_hash_table_insert(groups, GUINT_TO_POINTER(group), waited);
    }
    pm_sum_add(&waited->time, time);
    g_hash_table_add(waited->threads, GUINT_TO_POINTER(thread));
}

static void choose_group(PmNoCarrier *none, GHashTable *groups)
{
    GHashTableIter iter;
    gpointer group, value;
    gint64 most = -1;
    g_hash_table_iter_init(&iter, groups);
    while (g_hash_table_iter_next(&iter, &group, &value)) {
        const Waited *waited = value;
        if (waited->time < most || (waited->time == most && GPOINTER_TO_UINT(group) > none->group))
            continue;
        most = waited->time;
        none->group = GPOINTER_TO_UINT(group);
        none->n_threads = g_hash_table_size(waited->threads);
    }
}

/* Waits for a carrier, from the wake on, into `none` and `spans`. */
static void take_delays(const PmView *view, PmNoCarrier *none, GArray *spans)
{
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) groups = g_hash_table_new_full(NULL, NULL, NULL, free_waited);
    for (gsize i = 0; i < view->n; i++) {
        guint32 row = pm_view_row(view, i), of = pm_wait_thread(&r->waits, row);
        gint64 wake = pm_wait_wake(&r->waits, row);
        PmInterval span = {MAX(MAX(wake, pm_wait_begin(&r->waits, row)), view->from),
                           MIN(pm_wait_end(&r->waits, row), view->to)};
        if (!wake || !r->threads[of].is_virtual || span.end - span.begin < MIN_LENGTH)
            continue;
        g_array_append_val(spans, span);
        none->waits++;
        pm_sum_add(&none->thread_time, span.end - span.begin);
        none->longest = MAX(none->longest, span.end - span.begin);
        none->chain = pm_wait_chain(&r->waits, row);
        add_to_group(groups, r->threads[of].group, of, span.end - span.begin);
    }
    choose_group(none, groups);
}

/* The frame that pinned carriers for longest while others waited for one; where nobody did, for
 * longest at all. */
static void find_pin(const PmView *view, const PmIntervals *delays, PmNoCarrier *none)
{
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) pins = g_hash_table_new_full(NULL, NULL, NULL, g_free); /* by method */
    g_autoptr(GHashTable) threads = g_hash_table_new(NULL, NULL); /* by method and thread */
    g_autofree gint *frames = g_new0(gint, r->n_chains); /* as found, + 2; 0: not looked for yet */
    for (gsize i = 0; i < view->n; i++) {
        guint32 row = pm_view_row(view, i), chain = pm_wait_chain(&r->waits, row);
        guint32 thread = pm_wait_thread(&r->waits, row);
        if (!r->threads[thread].is_virtual)
            continue;
        if (!frames[chain])
            frames[chain] = pinning_frame(r, chain) + 2;
        const gboolean is_known = frames[chain] >= 2;
        if (!is_known && !stays_mounted(&r->waits, row))
            continue;
        guint32 frame = is_known ? (guint32)frames[chain] - 2 : own_frame(r, chain);
        gpointer key = GUINT_TO_POINTER(r->chains[chain].frames[frame].method);
        PmCarrierPin *pin = g_hash_table_lookup(pins, key);
        if (!pin) {
            pin = g_new0(PmCarrierPin, 1);
            *pin = (PmCarrierPin){
                .chain = chain, .frame = frame, .thread = thread, .is_known = is_known};
            g_hash_table_insert(pins, key, pin);
        }
        gint64 begin = MAX(pm_wait_begin(&r->waits, row), view->from);
        gint64 end = MIN(pm_wait_end(&r->waits, row), view->to);
        pin->waits++;
        gsize of_thread = (gsize)GPOINTER_TO_UINT(key) << 32 | thread;
        pin->n_threads += g_hash_table_add(threads, GSIZE_TO_POINTER(of_thread));
        pm_sum_add(&pin->thread_time, end - begin);
        pin->longest = MAX(pin->longest, end - begin);
        pin->time += pm_intervals_within(delays, begin, end);
        if (pin->time > none->pin.time ||
            (pin->time == none->pin.time && pin->thread_time > none->pin.thread_time))
            none->pin = *pin;
    }
}

/* The program's method that virtual threads were seen in most often during the delays. */
static void find_use(const PmView *view, const PmIntervals *delays, PmNoCarrier *none)
{
    const PmRecording *r = view->recording;
    g_auto(PmTotals) counts = {0}; /* by method */
    for (guint32 i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const gint frame = pm_own_frame(pm_own_code(r), sample->chain);
        if (!r->threads[sample->owner].is_virtual || sample->state != PM_OWNER_RUNNING ||
            sample->role != PM_SAMPLE_ENDER || frame < 0 ||
            !pm_intervals_within(delays, sample->at, sample->at + 1))
            continue;
        const gint64 n = ++*pm_totals_at(&counts, r->chains[sample->chain].frames[frame].method);
        none->use.n_all++;
        if (n > none->use.n) {
            none->use.n = (guint)n;
            none->use.chain = sample->chain;
            none->use.thread = sample->owner;
        }
    }
}

static gboolean has_virtual(const PmRecording *r)
{
    for (guint32 t = 0; t < r->n_threads; t++)
        if (r->threads[t].is_virtual)
            return TRUE;
    return FALSE;
}

PmNoCarrier pm_no_carrier(const PmView *view)
{
    PmNoCarrier none = {0};
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(PmInterval));
    if (!has_virtual(view->recording))
        return none;
    take_delays(view, &none, spans);
    g_autoptr(PmIntervals) delays = pm_intervals_new(spans);
    none.covered = pm_intervals_within(delays, view->from, view->to);
    find_pin(view, delays, &none);
    find_use(view, delays, &none);
    return none;
}

#include "viewer/analysis/findings/blocker-cost.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/sum.h"

/* What causes are added up in, under their key. */
typedef struct {
    PmFindingCause cause;
    gint64 time, inferred_time;
} CauseSum;

void pm_blocker_cost_free(PmBlockerCost *toll)
{
    if (!toll)
        return;
    g_hash_table_unref(toll->causes);
    g_hash_table_unref(toll->victims);
    g_hash_table_unref(toll->threads);
    g_hash_table_unref(toll->chains);
    g_free(toll);
}

static guint64 *key_new(guint64 value)
{
    guint64 *key = g_new(guint64, 1);
    *key = value;
    return key;
}

PmBlockerCost *pm_blocker_cost_new(guint32 blocker, guint8 kind)
{
    PmBlockerCost *toll = g_new0(PmBlockerCost, 1);
    toll->blocker = blocker;
    toll->kind = kind;
    toll->n_blockers = 1;
    toll->causes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    toll->victims = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    toll->threads = g_hash_table_new(NULL, NULL);
    toll->chains = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return toll;
}

/* A cause is where it was, else the group of threads it was. */
static void add_part(PmBlockerCost *toll, const PmRecording *r, const PmPart *part)
{
    gint64 time = part->end - part->begin;
    if (part->kind == PM_CAUSE_HAND_OVER)
        pm_sum_add(&toll->hand_over, time);
    gboolean by_chain = part->chain != 0;
    guint64 key = ((guint64)part->kind << 60) | ((guint64)by_chain << 59) |
                  (by_chain ? part->chain : r->threads[part->thread].group);
    CauseSum *sum = g_hash_table_lookup(toll->causes, &key);
    if (!sum) {
        sum = g_new0(CauseSum, 1);
        sum->cause.kind = part->kind;
        sum->cause.chain = part->chain;
        sum->cause.thread = part->thread;
        g_hash_table_insert(toll->causes, key_new(key), sum);
    }
    pm_sum_add(&sum->time, time);
    if (part->inferred)
        pm_sum_add(&sum->inferred_time, time);
}

static void add_wait(PmBlockerCost *toll, const PmView *view, guint32 row,
                     const PmContention *contention, GArray *parts)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 time = pm_view_clip(view, row);
    toll->waits++;
    pm_sum_add(&toll->thread_time, time);
    toll->longest = MAX(toll->longest, time);
    if ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0 || pm_wait_end(w, row) > view->to)
        pm_sum_add(&toll->open_time, time);
    if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT)
        toll->time_outs++;
    gpointer group = GUINT_TO_POINTER(r->threads[pm_wait_thread(w, row)].group);
    PmVictim *victim = g_hash_table_lookup(toll->victims, group);
    if (!victim) {
        victim = g_new0(PmVictim, 1);
        victim->group = GPOINTER_TO_UINT(group);
        g_hash_table_insert(toll->victims, group, victim);
    }
    pm_sum_add(&victim->thread_time, time);
    if (g_hash_table_add(toll->threads, GUINT_TO_POINTER(pm_wait_thread(w, row))))
        victim->n_threads++;
    gint64 *chain_time = g_hash_table_lookup(toll->chains, GUINT_TO_POINTER(pm_wait_chain(w, row)));
    if (!chain_time) {
        chain_time = g_new0(gint64, 1);
        g_hash_table_insert(toll->chains, GUINT_TO_POINTER(pm_wait_chain(w, row)), chain_time);
    }
    pm_sum_add(chain_time, time);
    g_array_set_size(parts, 0);
    pm_contention_split(contention, row, view->from, view->to, parts);
    for (guint i = 0; i < parts->len; i++)
        add_part(toll, r, &g_array_index(parts, PmPart, i));
}

void pm_blocker_cost_add_cost(PmBlockerCost *toll, const PmRecording *r, const PmBlockerCost *other)
{
    GHashTableIter iter;
    gpointer key, value;
    toll->n_blockers += other->n_blockers;
    toll->waits += other->waits;
    pm_sum_add(&toll->thread_time, other->thread_time);
    toll->longest = MAX(toll->longest, other->longest);
    toll->time_outs += other->time_outs;
    pm_sum_add(&toll->open_time, other->open_time);
    pm_sum_add(&toll->hand_over, other->hand_over);
    if (other->thread_time > toll->biggest) {
        toll->biggest = other->thread_time;
        toll->blocker = other->blocker;
    }
    g_hash_table_iter_init(&iter, other->causes);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const CauseSum *from = value;
        CauseSum *sum = g_hash_table_lookup(toll->causes, key);
        if (!sum) {
            g_hash_table_insert(toll->causes, key_new(*(guint64 *)key),
                                g_memdup2(from, sizeof *from));
        } else {
            pm_sum_add(&sum->time, from->time);
            pm_sum_add(&sum->inferred_time, from->inferred_time);
        }
    }
    g_hash_table_iter_init(&iter, other->victims);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        PmVictim *victim = g_hash_table_lookup(toll->victims, key);
        if (!victim) {
            victim = g_new0(PmVictim, 1);
            victim->group = GPOINTER_TO_UINT(key);
            g_hash_table_insert(toll->victims, key, victim);
        }
        pm_sum_add(&victim->thread_time, ((PmVictim *)value)->thread_time);
    }
    g_hash_table_iter_init(&iter, other->threads);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        guint32 group = r->threads[GPOINTER_TO_UINT(key)].group;
        PmVictim *victim = g_hash_table_lookup(toll->victims, GUINT_TO_POINTER(group));
        if (g_hash_table_add(toll->threads, key))
            victim->n_threads++;
    }
    g_hash_table_iter_init(&iter, other->chains);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        gint64 *time = g_hash_table_lookup(toll->chains, key);
        if (!time)
            g_hash_table_insert(toll->chains, key, g_memdup2(value, sizeof *time));
        else
            pm_sum_add(time, *(gint64 *)value);
    }
}

static guint64 key_of(guint32 blocker, guint8 kind)
{
    return (guint64)blocker << 8 | kind;
}

static void free_toll(gpointer data)
{
    pm_blocker_cost_free(data);
}

GHashTable *pm_blocker_costs_gather(const PmSummary *summary, const PmContention *contention,
                                    const gint *cancel)
{
    const PmView *view = summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GHashTable) tolls =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_toll);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = 0; i < view->n; i++) {
        guint32 row = view->rows[i];
        if (cancel && (i & 4095) == 0 && g_atomic_int_get(cancel))
            return NULL;
        if (pm_category_is_idle(pm_wait_category(w, row)) || pm_summary_is_at_rest(summary, row))
            continue;
        PmBlockerCost *toll =
            pm_blocker_costs_find(tolls, pm_wait_blocker(w, row), pm_wait_kind(w, row));
        if (!toll) {
            toll = pm_blocker_cost_new(pm_wait_blocker(w, row), pm_wait_kind(w, row));
            g_hash_table_insert(tolls, key_new(key_of(toll->blocker, toll->kind)), toll);
        }
        add_wait(toll, view, row, contention, parts);
    }
    return g_steal_pointer(&tolls);
}

PmBlockerCost *pm_blocker_costs_find(GHashTable *tolls, guint32 blocker, guint8 kind)
{
    guint64 key = key_of(blocker, kind);
    return g_hash_table_lookup(tolls, &key);
}

guint32 pm_blocker_cost_chain(const PmBlockerCost *toll)
{
    GHashTableIter iter;
    gpointer key, value;
    guint32 best = 0;
    gint64 best_time = -1;
    g_hash_table_iter_init(&iter, toll->chains);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        gint64 time = *(gint64 *)value;
        guint32 chain = GPOINTER_TO_UINT(key);
        if (time > best_time || (time == best_time && chain < best)) {
            best = chain;
            best_time = time;
        }
    }
    return best;
}

static int cause_compare(const void *left, const void *right)
{
    const PmFindingCause *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->text, b->text);
}

PmFindingCause *pm_blocker_cost_causes(const PmBlockerCost *toll, const PmRecording *r,
                                       guint *ret_n)
{
    PmFindingCause *causes = g_new0(PmFindingCause, MAX(g_hash_table_size(toll->causes), 1));
    guint n = 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, toll->causes);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CauseSum *sum = value;
        PmFindingCause cause = sum->cause;
        cause.share = toll->thread_time > 0 ? (double)sum->time / toll->thread_time : 0;
        cause.inferred = pm_product(sum->inferred_time, 2) > sum->time;
        const char *pseudo = pm_cause_pseudo_name(cause.kind);
        if (pseudo)
            cause.text = g_strdup(pseudo);
        else if (cause.chain)
            cause.text = pm_label_chain(r, cause.chain, 2);
        else
            cause.text = g_strdup(r->groups[r->threads[cause.thread].group].shown);
        /* Chains that differ only further out, or in the locking code, are one cause. */
        PmFindingCause *same = NULL;
        for (guint i = 0; i < n && !same; i++)
            if (causes[i].kind == cause.kind && strcmp(causes[i].text, cause.text) == 0)
                same = &causes[i];
        if (same) {
            same->inferred = same->share >= cause.share ? same->inferred : cause.inferred;
            same->share += cause.share;
            g_free(cause.text);
        } else {
            causes[n++] = cause;
        }
    }
    qsort(causes, n, sizeof *causes, cause_compare);
    *ret_n = n;
    return causes;
}

static int victim_compare(const void *left, const void *right)
{
    const PmVictim *a = left, *b = right;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

PmVictim *pm_blocker_cost_victims(const PmBlockerCost *toll, const PmSummary *summary, guint *ret_n)
{
    PmVictim *victims = g_new0(PmVictim, MAX(g_hash_table_size(toll->victims), 1));
    guint n = 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, toll->victims);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmVictim victim = *(PmVictim *)value;
        victim.busy_share = NAN;
        for (guint i = 0; i < summary->n_groups; i++)
            if (summary->groups[i].group == victim.group && summary->groups[i].busy > 0)
                victim.busy_share = (double)victim.thread_time / summary->groups[i].busy;
        victims[n++] = victim;
    }
    qsort(victims, n, sizeof *victims, victim_compare);
    *ret_n = n;
    return victims;
}

double pm_blocker_cost_busy_share(const PmBlockerCost *toll, const PmSummary *summary)
{
    double biggest = 0;
    for (guint i = 0; i < summary->n_groups; i++) {
        const PmGroupTime *group = &summary->groups[i];
        const PmVictim *victim = g_hash_table_lookup(toll->victims, GUINT_TO_POINTER(group->group));
        if (victim && group->busy > 0)
            biggest = MAX(biggest, (double)victim->thread_time / (double)group->busy);
    }
    return biggest;
}

gboolean pm_blocker_cost_is_signal(const PmBlockerCost *toll, const PmRecording *r)
{
    GHashTableIter iter;
    gpointer value;
    gboolean is_released = FALSE;
    g_hash_table_iter_init(&iter, toll->causes);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmFindingCause *cause = &((const CauseSum *)value)->cause;
        if (cause->kind != PM_CAUSE_WAKER)
            continue;
        guint32 group = r->threads[cause->thread].group;
        if (g_hash_table_contains(toll->victims, GUINT_TO_POINTER(group)))
            return FALSE;
        is_released = TRUE;
    }
    return is_released;
}

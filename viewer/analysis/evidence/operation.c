#include "viewer/analysis/evidence/operation.h"

#include "viewer/analysis/base/sum.h"

guint64 pm_operation_key(const PmRecording *r, guint32 row)
{
    const PmWaits *w = &r->waits;
    guint32 class_index = r->blockers[pm_wait_blocker(w, row)].class_index;
    return (guint64)class_index << 32 | pm_recording_site_method(r, pm_wait_chain(w, row));
}

static void operation_free(gpointer data)
{
    PmOperation *operation = data;
    g_hash_table_unref(operation->enders);
    g_hash_table_unref(operation->chains);
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

static void gather_waiting(PmOperations *all)
{
    const PmRecording *r = all->recording;
    const PmWaits *w = &r->waits;
    for (gsize i = 0; i < w->n; i++) {
        guint32 row = (guint32)i;
        if (pm_wait_begin(w, i) > all->at)
            break;
        if (!is_in_progress(r, row, all->at) || pm_wait_flags(w, i) & PM_WAIT_TIMED)
            continue;
        all->waiting[pm_wait_thread(w, i)] = row + 1;
        guint64 key = pm_operation_key(r, row);
        PmOperation *operation = g_hash_table_lookup(all->by_key, &key);
        if (!operation) {
            operation = g_new0(PmOperation, 1);
            operation->key = key;
            operation->enders = g_hash_table_new(NULL, NULL);
            operation->chains = g_hash_table_new(NULL, NULL);
            operation->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
            operation->overtaking = g_array_new(FALSE, FALSE, sizeof(PmEarlierWait));
            g_hash_table_insert(all->by_key, &operation->key, operation);
        }
        g_array_append_val(operation->rows, row);
    }
}

gpointer pm_operation_ender(const PmRecording *r, guint32 thread)
{
    guint32 group = r->threads[thread].group;
    return GUINT_TO_POINTER(r->groups[group].n_threads > 1 ? G_MAXUINT32 - group : thread);
}

/* How often it was seen, with this time. */
static guint count(GHashTable *numbers, gpointer key)
{
    guint n = 1 + GPOINTER_TO_UINT(g_hash_table_lookup(numbers, key));
    g_hash_table_insert(numbers, key, GUINT_TO_POINTER(n));
    return n;
}

static void gather_enders(PmOperations *all, const PmContention *contention)
{
    const PmRecording *r = all->recording;
    const PmWaits *w = &r->waits;
    for (gsize i = 0; i < w->n; i++) {
        guint32 row = (guint32)i, thread, chain;
        if (is_in_progress(r, row, all->at) || pm_wait_begin(w, i) > all->at)
            continue;
        guint64 key = pm_operation_key(r, row);
        PmOperation *operation = g_hash_table_lookup(all->by_key, &key);
        if (!operation)
            continue;
        const PmEarlierWait earlier = {pm_wait_begin(w, i), pm_wait_blocker(w, i)};
        operation->n_earlier++;
        if (row > g_array_index(operation->rows, guint32, 0))
            g_array_append_val(operation->overtaking, earlier);
        operation->longest = MAX(operation->longest, pm_wait_length(w, i));
        if (!pm_contention_ender(contention, row, &thread, &chain))
            continue;
        operation->n_ends++;
        count(operation->enders, pm_operation_ender(r, thread));
        guint n = count(operation->chains, GUINT_TO_POINTER(chain));
        if (n > operation->best) {
            operation->best = n;
            operation->giver = chain;
            operation->giver_thread = thread;
        }
    }
}

PmOperations *pm_operations_new(const PmSummary *summary, const PmContention *contention)
{
    PmOperations *all = g_new0(PmOperations, 1);
    all->recording = summary->metrics->view->recording;
    all->at = summary->at;
    all->by_key = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, operation_free);
    all->waiting = g_new0(guint32, MAX(all->recording->n_threads, 1));
    gather_waiting(all);
    if (g_hash_table_size(all->by_key))
        gather_enders(all, contention);
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

gboolean pm_operation_is_overdue(const PmOperation *operation, gint64 age)
{
    return age >= pm_product(operation->longest, PM_OPERATION_OVERDUE);
}

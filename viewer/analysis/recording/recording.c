#include "viewer/analysis/recording/recording-private.h"

#include <string.h>

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/thread-name.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/workers.h"

G_DEFINE_QUARK(pm - recording - error - quark, pm_recording_error)

/* ---- assembly ---- */

PmAssembly *pm_assembly_new(void)
{
    PmAssembly *a = g_new0(PmAssembly, 1);
    a->strings = g_string_chunk_new(4096);
    a->classes = g_array_new(FALSE, TRUE, sizeof(PmClass));
    a->methods = g_array_new(FALSE, TRUE, sizeof(PmMethod));
    a->chains = g_array_new(FALSE, TRUE, sizeof(PmChain));
    a->threads = g_array_new(FALSE, TRUE, sizeof(PmThread));
    a->blockers = g_array_new(FALSE, TRUE, sizeof(PmBlocker));
    a->folded = g_array_new(FALSE, FALSE, sizeof(guint64));
    a->frames = g_ptr_array_new_with_free_func(g_free);
    a->samples = g_array_new(FALSE, TRUE, sizeof(PmOwnerSample));
    a->census = g_array_new(FALSE, TRUE, sizeof(PmCensusRow));
    a->former_names = g_array_new(FALSE, TRUE, sizeof(PmFormerName));
    a->allocations = g_array_new(FALSE, TRUE, sizeof(PmAllocation));
    a->snapshots = g_array_new(FALSE, TRUE, sizeof(PmMemorySnapshot));
    a->cells = g_array_new(FALSE, TRUE, sizeof(PmMemoryCell));
    a->live = g_array_new(FALSE, TRUE, sizeof(PmAllocation));
    a->listed_at = G_MININT64;
    a->gc = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    a->stopped = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    a->gaps = g_array_new(FALSE, TRUE, sizeof(PmGap));
    a->ledger_at = G_MININT64;
    a->ledger = g_array_new(FALSE, TRUE, sizeof(PmLedgerRow));

    PmClass no_class = {""};
    PmMethod no_method = {0, "", ""};
    PmChain no_chain = {0};
    PmThread no_thread = {.name = ""};
    PmBlocker no_blocker = {0};
    g_array_append_val(a->classes, no_class);
    g_array_append_val(a->methods, no_method);
    g_array_append_val(a->chains, no_chain);
    g_array_append_val(a->threads, no_thread);
    g_array_append_val(a->blockers, no_blocker);
    return a;
}

void pm_assembly_free(PmAssembly *a)
{
    if (!a)
        return;
    g_array_unref(a->classes);
    g_array_unref(a->methods);
    g_array_unref(a->chains);
    g_array_unref(a->threads);
    g_array_unref(a->blockers);
    g_array_unref(a->folded);
    g_array_unref(a->samples);
    g_array_unref(a->census);
    g_array_unref(a->former_names);
    g_array_unref(a->allocations);
    g_array_unref(a->snapshots);
    g_array_unref(a->cells);
    g_array_unref(a->live);
    g_array_unref(a->gc);
    g_array_unref(a->stopped);
    g_array_unref(a->gaps);
    g_array_unref(a->ledger);
    g_clear_pointer(&a->frames, g_ptr_array_unref);
    pm_column_rows_clear(&a->rows);
    g_clear_pointer(&a->strings, g_string_chunk_free);
    g_free(a);
}

const char *pm_assembly_text(PmAssembly *a, const char *bytes, gsize length)
{
    /* The file may hold anything; the screen wants UTF-8. */
    if (g_utf8_validate(bytes, (gssize)length, NULL) && !memchr(bytes, 0, length)) {
        g_autofree char *text = g_strndup(bytes, length);
        return g_string_chunk_insert_const(a->strings, text);
    }
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)length);
    return g_string_chunk_insert_const(a->strings, text);
}

static const char *keep(PmAssembly *a, const char *text)
{
    return g_string_chunk_insert_const(a->strings, text != NULL ? text : "");
}

guint32 pm_assembly_add_class(PmAssembly *a, const char *name)
{
    PmClass value = {keep(a, name)};
    g_array_append_val(a->classes, value);
    return a->classes->len - 1;
}

guint32 pm_assembly_add_method(PmAssembly *a, guint32 class_index, const char *name,
                               const char *file)
{
    PmMethod value = {class_index, keep(a, name), keep(a, file)};
    g_array_append_val(a->methods, value);
    return a->methods->len - 1;
}

guint32 pm_assembly_add_chain(PmAssembly *a, const PmFrame *frames, guint n_frames,
                              gboolean truncated)
{
    PmFrame *copy = g_memdup2(frames, n_frames * sizeof *frames);
    if (copy)
        g_ptr_array_add(a->frames, copy);
    PmChain value = {.n_frames = n_frames, .truncated = truncated, .frames = copy};
    g_array_append_val(a->chains, value);
    return a->chains->len - 1;
}

guint32 pm_assembly_add_thread(PmAssembly *a, const PmThread *thread)
{
    g_return_val_if_fail(a != NULL && thread != NULL, 0);
    PmThread value = *thread;
    value.name = keep(a, thread->name);
    g_array_append_val(a->threads, value);
    return a->threads->len - 1;
}

guint32 pm_assembly_add_blocker(PmAssembly *a, const PmBlocker *blocker)
{
    g_return_val_if_fail(a != NULL && blocker != NULL, 0);
    g_array_append_val(a->blockers, *blocker);
    return a->blockers->len - 1;
}

void pm_assembly_add_wait(PmAssembly *a, const PmWaitRow *row)
{
    PmColumnRows *rows = &a->rows;
    if (!pm_column_rows_reserve(rows, 1))
        return;
    gsize i = rows->n++;
    PM_BUILDER_COLUMN(rows, gint64, BEGIN)[i] = row->begin;
    PM_BUILDER_COLUMN(rows, gint64, LENGTH)[i] = row->end - row->begin;
    PM_BUILDER_COLUMN(rows, gint64, WAKE)[i] = row->wake != 0 ? 1 + 2 * (row->end - row->wake) : 0;
    PM_BUILDER_COLUMN(rows, guint32, THREAD)[i] = row->thread;
    PM_BUILDER_COLUMN(rows, guint32, BLOCKER)[i] = row->blocker;
    PM_BUILDER_COLUMN(rows, guint32, CHAIN)[i] = row->chain;
    PM_BUILDER_COLUMN(rows, guint32, OWNER)[i] = row->owner;
    PM_BUILDER_COLUMN(rows, guint32, WAKER)[i] = row->waker;
    PM_BUILDER_COLUMN(rows, guint32, WAKER_CHAIN)[i] = row->waker_chain;
    PM_BUILDER_COLUMN(rows, gint32, AQS_STATE)[i] = row->aqs_state;
    PM_BUILDER_COLUMN(rows, guint16, FLAGS)[i] = row->flags;
    PM_BUILDER_COLUMN(rows, guint8, KIND)[i] = row->kind;
    PM_BUILDER_COLUMN(rows, guint8, WAKE_CAUSE)[i] = row->wake_cause;
}

/* ---- categories: one question per (class, chain, kind) ---- */

typedef struct {
    PmAssembly *assembly;
    GMutex lock;
    GHashTable *known; /* guint64 key → 1 + category */
} Meaning;

static PmCategory meaning_ask(Meaning *m, guint32 class_index, guint32 chain, guint8 kind)
{
    PmAssembly *a = m->assembly;
    const PmChain *c = &g_array_index(a->chains, PmChain, chain);
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);

    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *method = &g_array_index(a->methods, PmMethod, c->frames[i].method);
        g_ptr_array_add(frames,
                        g_strconcat(g_array_index(a->classes, PmClass, method->class_index).name,
                                    ".", method->name, NULL));
    }
    return pm_category_of(g_array_index(a->classes, PmClass, class_index).name,
                          (const char *const *)frames->pdata, frames->len, kind);
}

static void meaning_fill(Meaning *m, PmColumnRows *rows)
{
    const GArray *all = m->assembly->blockers;
    const guint32 *blockers = PM_BUILDER_COLUMN(rows, guint32, BLOCKER);
    const guint32 *chains = PM_BUILDER_COLUMN(rows, guint32, CHAIN);
    const guint8 *kinds = PM_BUILDER_COLUMN(rows, guint8, KIND);
    guint8 *categories = PM_BUILDER_COLUMN(rows, guint8, CATEGORY);
    /* A small direct-mapped cache answers nearly all rows without the lock. */
    enum { CACHE = 4096 };
    g_autofree guint64 *keys = g_new0(guint64, CACHE);
    g_autofree guint8 *values = g_new0(guint8, CACHE);

    for (gsize i = 0; i < rows->n; i++) {
        const guint32 class_index = g_array_index(all, PmBlocker, blockers[i]).class_index;
        guint64 key = ((guint64)class_index << 34 | (guint64)chains[i] << 2 | kinds[i]) + 1;
        guint slot = (guint)((key * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15)) >> 52);
        if (keys[slot] != key) {
            g_mutex_lock(&m->lock);
            gpointer found = g_hash_table_lookup(m->known, &key);
            if (!found) {
                found = GUINT_TO_POINTER(1 + meaning_ask(m, class_index, chains[i], kinds[i]));
                g_hash_table_insert(m->known, g_memdup2(&key, sizeof key), found);
            }
            g_mutex_unlock(&m->lock);
            keys[slot] = key;
            values[slot] = (guint8)(GPOINTER_TO_UINT(found) - 1);
        }
        categories[i] = values[slot];
    }
}

static void meaning_init(Meaning *m, PmAssembly *a)
{
    m->assembly = a;
    m->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_mutex_init(&m->lock);
}

static void meaning_clear(Meaning *m)
{
    g_hash_table_unref(m->known);
    g_mutex_clear(&m->lock);
}

/* ---- blockers that stand for many ---- */

static guint64 folded_key(guint32 blocker, guint32 chain)
{
    return (guint64)blocker << 32 | chain;
}

static gboolean is_folded(const PmAssembly *a, guint32 blocker)
{
    return (g_array_index(a->blockers, PmBlocker, blocker).flags & PM_BLOCKER_FOLDED) != 0;
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    const guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
    return (x > y) - (x < y);
}

/* The recorder puts objects together by where the JDK was entered; several sites may do so by one
 * method. Those of another site than the first become a blocker of their own: its index by
 * folded_key. Once sites are known. */
static GHashTable *split_folded(PmAssembly *a, PmRecordingPrivate *p)
{
    GHashTable *split = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GHashTable) of_site =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(guint32));
    const guint32 n = a->blockers->len;

    for (gsize i = 0; i < a->rows.n; i++) {
        const guint64 key = folded_key(PM_BUILDER_COLUMN(&a->rows, guint32, BLOCKER)[i],
                                       PM_BUILDER_COLUMN(&a->rows, guint32, CHAIN)[i]);
        if (is_folded(a, (guint32)(key >> 32)))
            g_array_append_val(a->folded, key);
    }
    g_array_sort(a->folded, compare_keys);
    for (guint i = 0; i < a->folded->len; i++) {
        const guint64 key = g_array_index(a->folded, guint64, i);
        PmBlocker b = g_array_index(a->blockers, PmBlocker, (guint32)(key >> 32));
        const guint32 chain = (guint32)key, blocker = (guint32)(key >> 32);
        const guint64 site = folded_key(blocker, p->chain_method[chain]);
        if (chain == 0 || p->chain_method[chain] == p->chain_method[b.first_chain])
            continue;
        gpointer index = g_hash_table_lookup(of_site, &site);
        if (!index) {
            b.first_chain = chain;
            b.first_thread = 0;
            index = GUINT_TO_POINTER(pm_assembly_add_blocker(a, &b));
            g_array_append_val(from, blocker);
            g_hash_table_insert(of_site, g_memdup2(&site, sizeof site), index);
        }
        g_hash_table_insert(split, g_memdup2(&key, sizeof key), index);
    }
    p->counted_as = g_new(guint32, a->blockers->len);
    for (guint32 i = 0; i < a->blockers->len; i++)
        p->counted_as[i] = i < n ? i : g_array_index(from, guint32, i - n);
    return split;
}

/* ---- finishing ---- */

typedef struct {
    PmAssembly *assembly;
    GHashTable *split;
    guint8 *waited; /* atomic; for each blocker, whether a wait for it was read */
    Meaning meaning;
    PmColumnBuilder *builder;
} Finish;

static void find_blockers(Finish *f, PmColumnRows *rows)
{
    guint32 *blockers = PM_BUILDER_COLUMN(rows, guint32, BLOCKER);
    const guint32 *chains = PM_BUILDER_COLUMN(rows, guint32, CHAIN);

    for (gsize i = 0; i < rows->n; i++) {
        if (is_folded(f->assembly, blockers[i])) {
            const guint64 key = folded_key(blockers[i], chains[i]);
            gpointer index = g_hash_table_lookup(f->split, &key);
            blockers[i] = index ? GPOINTER_TO_UINT(index) : blockers[i];
        }
        if (!__atomic_load_n(&f->waited[blockers[i]], __ATOMIC_RELAXED))
            __atomic_store_n(&f->waited[blockers[i]], TRUE, __ATOMIC_RELAXED);
    }
}

/* The parts from the last to the first; what was added one by one comes before them. */
static void add_part(gpointer data, guint nth)
{
    Finish *f = data;
    PmAssembly *a = f->assembly;
    PmColumnPart *part = pm_column_builder_part(f->builder);
    PmColumnRows *rows = pm_column_part_rows(part);
    gint64 limit = a->n_parts == 0 ? G_MININT64 : G_MAXINT64;

    if (nth == 0) {
        PmColumnRows own = *rows;
        *rows = a->rows;
        a->rows = own;
    } else {
        const guint index = a->n_parts - nth;
        a->read_part(index, rows, a->part_data);
        limit = index > 0 ? a->part_limit(index - 1, a->part_data) : G_MININT64;
    }
    find_blockers(f, rows);
    meaning_fill(&f->meaning, rows);
    pm_column_builder_add(f->builder, nth, part, limit);
}

static gint64 last_instant(const PmAssembly *a)
{
    gint64 last = 0;
    for (gsize i = 0; i < a->rows.n; i++)
        last = MAX(last, PM_BUILDER_COLUMN(&a->rows, gint64, BEGIN)[i] +
                             PM_BUILDER_COLUMN(&a->rows, gint64, LENGTH)[i]);
    return last;
}

/* Where what runs the program's language waits for it: the program's frame, if there is one. */
static guint32 site_frame(const PmAssembly *a, const PmChain *c)
{
    guint32 first = c->n_frames;
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *m = &g_array_index(a->methods, PmMethod, c->frames[i].method);
        const char *class_name = g_array_index(a->classes, PmClass, m->class_index).name;
        if (pm_label_is_locking(class_name, m->name))
            continue;
        if (!pm_label_is_of_language(class_name, m) &&
            (first == c->n_frames || !pm_label_is_platform(class_name)))
            return i;
        first = MIN(first, i);
    }
    return first < c->n_frames || first == 0 ? first : c->n_frames - 1;
}

/* Methods of one class that differ in their parameters are one to a reader: the first of them. */
static guint32 first_method(PmAssembly *a, GHashTable *known, guint32 method)
{
    const PmMethod *m = &g_array_index(a->methods, PmMethod, method);
    const char *class_name = g_array_index(a->classes, PmClass, m->class_index).name;
    char *name = g_strdup_printf("%s.%s", class_name, m->name);
    gpointer first = g_hash_table_lookup(known, name);
    if (!first) {
        g_hash_table_insert(known, name, GUINT_TO_POINTER(method));
        return method;
    }
    g_free(name);
    return GPOINTER_TO_UINT(first);
}

/* Where each stack trace stands in the program. */
static void finish_sites(PmAssembly *a, PmRecordingPrivate *p)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->chain_site = g_new0(guint64, a->chains->len);
    p->chain_method = g_new0(guint32, a->chains->len);
    for (guint32 i = 1; i < a->chains->len; i++) {
        PmChain *c = &g_array_index(a->chains, PmChain, i);
        c->site = site_frame(a, c);
        if (c->field_frame != c->site)
            c->field = 0;
        if (c->n_frames == 0)
            continue;
        p->chain_site[i] = pm_frame_pack(c->frames[c->site]);
        p->chain_method[i] = first_method(a, known, c->frames[c->site].method);
    }
}

static guint32 field_of(const PmAssembly *a, const PmBlocker *blocker)
{
    return g_array_index(a->chains, PmChain, blocker->first_chain).field;
}

/* Once sites are known. The first of those that are alike is one that was waited for, if any was.
 */
static void find_alike(const PmAssembly *a, PmRecordingPrivate *p, const guint8 *waited)
{
    g_autoptr(GHashTable) firsts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    p->alike = g_new0(guint32, a->blockers->len);
    p->n_alike = g_new0(guint32, a->blockers->len);
    p->n_folded = g_new0(guint8, a->blockers->len);
    p->alike_field = g_new0(guint32, a->blockers->len);
    for (guint k = 0; k < 2; k++)
        for (guint32 i = 1; i < a->blockers->len; i++) {
            const PmBlocker *b = &g_array_index(a->blockers, PmBlocker, i);
            const guint64 key = (guint64)b->class_index << 32 | p->chain_method[b->first_chain];
            if (waited[i] != (k == 0))
                continue;
            gpointer first = g_hash_table_lookup(firsts, &key);
            if (!first) {
                first = GUINT_TO_POINTER(i);
                g_hash_table_insert(firsts, g_memdup2(&key, sizeof key), first);
                p->alike_field[i] = field_of(a, b);
            }
            p->alike[i] = GPOINTER_TO_UINT(first);
            if (waited[i] && field_of(a, b) != p->alike_field[p->alike[i]])
                p->alike_field[p->alike[i]] = 0;
            if (is_folded(a, i))
                p->n_folded[p->alike[i]] = (guint8)MIN(p->n_folded[p->alike[i]] + waited[i], 2);
            else
                p->n_alike[p->alike[i]] += waited[i];
        }
}

/* Names of many groups of one thread that differ in one more number: "thumbnails-3-*" and its like.
 */
typedef struct {
    guint n_groups, n_threads;
} Family;

#define MIN_FAMILY 4

/* The name that a group shares with its like; NULL where a number is that of a pool, by the JDK's
 * own names, or there is none. */
static char *family_name(const char *group)
{
    static const char *const pools[] = {"pool-", "ForkJoinPool-"};
    for (guint i = 0; i < G_N_ELEMENTS(pools); i++)
        if (g_str_has_prefix(group, pools[i]))
            return NULL;
    char *name = pm_thread_name_group(group);
    if (strcmp(name, group) == 0)
        g_clear_pointer(&name, g_free);
    return name;
}

static gboolean is_large(const Family *family)
{
    return family->n_groups >= MIN_FAMILY && family->n_groups == family->n_threads;
}

/* Of each thread: threads that differ by their last number; those that are alone so, by two. */
static GPtrArray *group_names(const PmAssembly *a)
{
    g_autoptr(GHashTable) families = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) groups = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *names = g_ptr_array_new_full(a->threads->len, g_free);
    GHashTableIter each;
    gpointer name, n;

    g_ptr_array_add(names, NULL);
    for (guint32 i = 1; i < a->threads->len; i++) {
        name = pm_thread_name_group(g_array_index(a->threads, PmThread, i).name);
        n = g_hash_table_lookup(groups, name);
        g_hash_table_insert(groups, name, GUINT_TO_POINTER(GPOINTER_TO_UINT(n) + 1));
        g_ptr_array_add(names, name);
    }
    g_hash_table_iter_init(&each, groups);
    while (g_hash_table_iter_next(&each, &name, &n)) {
        char *family_key = family_name(name);
        if (!family_key)
            continue;
        Family *family = g_hash_table_lookup(families, family_key);
        if (!family)
            g_hash_table_insert(families, g_strdup(family_key), family = g_new0(Family, 1));
        family->n_groups++;
        family->n_threads += GPOINTER_TO_UINT(n);
        g_free(family_key);
    }
    gboolean any = FALSE;
    g_hash_table_iter_init(&each, families);
    while (g_hash_table_iter_next(&each, NULL, &n))
        any |= is_large(n);
    for (guint32 i = 1; i < names->len && any; i++) {
        char *family_key = family_name(names->pdata[i]);
        if (family_key && is_large(g_hash_table_lookup(families, family_key))) {
            g_free(names->pdata[i]);
            names->pdata[i] = g_steal_pointer(&family_key);
        }
        g_free(family_key);
    }
    return names;
}

static void finish_threads(PmAssembly *a, PmRecording *r)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) names = group_names(a);
    GArray *groups = g_array_new(FALSE, TRUE, sizeof(PmGroup));
    PmGroup none = {"", "", 0};
    g_array_append_val(groups, none);

    for (guint32 i = 1; i < a->threads->len; i++) {
        PmThread *t = &g_array_index(a->threads, PmThread, i);
        char *name = names->pdata[i];
        gpointer found = g_hash_table_lookup(known, name);
        if (!found) {
            PmGroup group = {keep(a, name), t->name, 0};
            g_array_append_val(groups, group);
            found = GUINT_TO_POINTER(groups->len - 1);
            g_hash_table_insert(known, name, found);
        }
        t->group = GPOINTER_TO_UINT(found);
        g_array_index(groups, PmGroup, t->group).n_threads++;
        if (!t->begin_known)
            t->begin = 0;
        if (!t->ended)
            t->end = r->duration;
        t->begin = CLAMP(t->begin, 0, r->duration);
        t->end = CLAMP(t->end, t->begin, r->duration);
    }

    for (guint32 i = 1; i < groups->len; i++) {
        PmGroup *group = &g_array_index(groups, PmGroup, i);
        if (group->n_threads > 1)
            group->shown = group->name;
    }

    /* A virtual thread whose life was not recorded lived at least from its first wait to its last,
     * or when it first woke somebody; the whole recording would drown its group's busy time. */
    gboolean any = FALSE;
    for (guint32 i = 1; i < a->threads->len && !any; i++) {
        const PmThread *t = &g_array_index(a->threads, PmThread, i);
        any = t->is_virtual && (!t->begin_known || !t->ended);
    }
    g_autofree gint64 *first = g_new(gint64, a->threads->len), *last = NULL, *woke = NULL;
    last = g_new0(gint64, a->threads->len);
    woke = g_new(gint64, a->threads->len);
    for (guint32 i = 0; i < a->threads->len; i++)
        first[i] = woke[i] = G_MAXINT64;
    for (gsize i = 0; i < r->waits.n && any; i++) {
        guint32 t = pm_wait_thread(&r->waits, i);
        first[t] = MIN(first[t], pm_wait_begin(&r->waits, i));
        last[t] = MAX(last[t], pm_wait_end(&r->waits, i));
        t = pm_wait_waker(&r->waits, i);
        if (pm_wait_wake(&r->waits, i) > 0)
            woke[t] = MIN(woke[t], pm_wait_wake(&r->waits, i));
    }
    for (guint32 i = 1; i < a->threads->len; i++) {
        PmThread *t = &g_array_index(a->threads, PmThread, i);
        if (!t->is_virtual)
            continue;
        if (!t->begin_known)
            t->begin = CLAMP(first[i] < G_MAXINT64 ? first[i] : woke[i], 0, t->end);
        if (!t->ended)
            t->end = CLAMP(last[i], t->begin, r->duration);
    }
    r->n_groups = groups->len;
    r->groups = (PmGroup *)g_array_free(groups, FALSE);
}

/* Sorted, clipped to the recording, overlaps merged. */
static guint32 finish_intervals(GArray *intervals, gint64 duration, const PmInterval **ret)
{
    g_array_sort(intervals, pm_compare_instants);
    GArray *merged = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    for (guint i = 0; i < intervals->len; i++) {
        PmInterval v = g_array_index(intervals, PmInterval, i);
        v.begin = CLAMP(v.begin, 0, duration);
        v.end = CLAMP(v.end, v.begin, duration);
        PmInterval *before =
            merged->len > 0 ? &g_array_index(merged, PmInterval, merged->len - 1) : NULL;
        if (before && v.begin <= before->end)
            before->end = MAX(before->end, v.end);
        else if (v.begin < v.end)
            g_array_append_val(merged, v);
    }
    guint32 n = merged->len;
    *ret = (PmInterval *)g_array_free(merged, FALSE);
    return n;
}

static int compare_samples(gconstpointer a, gconstpointer b)
{
    const PmOwnerSample *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->waiter > y->waiter) - (x->waiter < y->waiter);
}

static int compare_former_names(gconstpointer a, gconstpointer b)
{
    const PmFormerName *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static gpointer steal(GArray **array, guint32 *ret_n)
{
    *ret_n = (*array)->len;
    gpointer data = g_array_free(*array, FALSE);
    *array = g_array_new(FALSE, TRUE, 1);
    return data;
}

/* Samples of the owner of one monitor, taken on behalf of one virtual thread. */
typedef struct {
    GArray *samples; /* of guint32: their indices, by time */
    gint64 first;    /* when it first waited to enter */
} OnBehalf;

static void on_behalf_free(gpointer data)
{
    OnBehalf *asked = data;
    g_array_unref(asked->samples);
    g_free(asked);
}

/* The owner of a monitor cannot be read again on behalf of a virtual thread: a sample taken when
 * its wait was over shows what the former owner did since, as one of an ender does. */
static void find_late_samples(PmRecording *r, PmOwnerSample *samples)
{
    g_autoptr(GHashTable) asked = g_hash_table_new_full(pm_pair_hash, NULL, NULL, on_behalf_free);
    g_autofree guint8 *waits = g_new0(guint8, MAX(r->n_threads, 1));
    g_autofree guint8 *within = g_new0(guint8, MAX(r->n_samples, 1));
    for (guint32 i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &samples[i];
        if (sample->role != PM_SAMPLE_OWNER || !r->threads[sample->waiter].is_virtual)
            continue;
        gpointer key = GSIZE_TO_POINTER((gsize)sample->waiter << 32 | sample->blocker);
        OnBehalf *its = g_hash_table_lookup(asked, key);
        if (!its) {
            its = g_new(OnBehalf, 1);
            *its = (OnBehalf){g_array_new(FALSE, FALSE, sizeof(guint32)), G_MAXINT64};
            g_hash_table_insert(asked, key, its);
        }
        g_array_append_val(its->samples, i);
        waits[sample->waiter] = TRUE;
    }
    for (gsize row = 0; g_hash_table_size(asked) > 0 && row < r->waits.n; row++) {
        const guint32 thread = pm_wait_thread(&r->waits, row);
        if (!waits[thread])
            continue;
        OnBehalf *its = g_hash_table_lookup(
            asked, GSIZE_TO_POINTER((gsize)thread << 32 | pm_wait_blocker(&r->waits, row)));
        if (!its)
            continue;
        const gint64 begin = pm_wait_begin(&r->waits, row), end = pm_wait_end(&r->waits, row);
        const guint32 *of = (const guint32 *)(const void *)its->samples->data;
        guint low = 0, high = its->samples->len;
        PM_LOWER_BOUND(low, high, middle, samples[of[middle]].at < begin)
        for (; low < its->samples->len && samples[of[low]].at < end; low++)
            within[of[low]] = TRUE;
        if (pm_wait_kind(&r->waits, row) == PM_KIND_ENTER)
            its->first = MIN(its->first, begin);
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, asked);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const OnBehalf *its = value;
        for (guint k = 0; k < its->samples->len; k++) {
            const guint32 i = g_array_index(its->samples, guint32, k);
            if (!within[i] && samples[i].at > its->first)
                samples[i].role = PM_SAMPLE_ENDER;
        }
    }
}

PmRecording *pm_assembly_finish(PmAssembly *a)
{
    g_return_val_if_fail(a != NULL, NULL);
    PmRecording *r = g_new0(PmRecording, 1);
    PmRecordingPrivate *p = g_new0(PmRecordingPrivate, 1);
    r->ref_count = 1;
    r->priv = p;
    g_mutex_init(&p->lock);
    r->facts = a->facts;
    r->facts.file = keep(a, a->facts.file);
    r->facts.jvm = keep(a, a->facts.jvm);
    r->facts.main = keep(a, a->facts.main);
    r->facts.host = keep(a, a->facts.host);
    r->facts.options = keep(a, a->facts.options);
    r->facts.zone = keep(a, a->facts.zone);
    r->facts.not_recorded = keep(a, a->facts.not_recorded);

    r->duration = a->duration > 0 ? a->duration : last_instant(a);

    finish_sites(a, p);
    g_autoptr(GHashTable) split = split_folded(a, p);
    g_autofree guint8 *waited = g_new0(guint8, a->blockers->len);
    Finish f = {
        .assembly = a, .split = split, .waited = waited, .builder = pm_column_builder_new()};
    meaning_init(&f.meaning, a);
    pm_workers_run(a->n_threads, 1 + a->n_parts, add_part, &f);
    meaning_clear(&f.meaning);
    const gboolean done = pm_column_builder_end(f.builder, &r->waits, &p->block_end, &p->stores);
    pm_column_builder_free(f.builder);
    r->window_begin = CLAMP(a->window_begin, 0, r->duration);

    finish_threads(a, r);

    g_array_sort(a->samples, compare_samples);
    g_array_sort(a->census, pm_compare_instants);
    g_array_sort(a->former_names, compare_former_names);
    g_array_sort(a->gaps, pm_compare_instants);
    r->n_gc = finish_intervals(a->gc, r->duration, &r->gc);
    r->n_stopped = finish_intervals(a->stopped, r->duration, &r->stopped);
    r->samples = steal(&a->samples, &r->n_samples);
    r->census = steal(&a->census, &r->n_census);
    r->former_names = steal(&a->former_names, &r->n_former_names);
    g_array_sort(a->allocations, pm_compare_instants);
    g_array_sort(a->live, pm_compare_instants);
    r->allocations = steal(&a->allocations, &r->n_allocations);
    r->snapshots = steal(&a->snapshots, &r->n_snapshots);
    r->cells = steal(&a->cells, &r->n_cells);
    r->live = steal(&a->live, &r->n_live);
    r->listed_at = a->listed_at;
    r->gaps = steal(&a->gaps, &r->n_gaps);
    r->ledger_at = a->ledger_at;
    r->ledger = steal(&a->ledger, &r->n_ledger);
    find_alike(a, p, waited);
    r->classes = steal(&a->classes, &r->n_classes);
    r->methods = steal(&a->methods, &r->n_methods);
    r->chains = steal(&a->chains, &r->n_chains);
    r->threads = steal(&a->threads, &r->n_threads);
    r->blockers = steal(&a->blockers, &r->n_blockers);
    p->strings = g_steal_pointer(&a->strings);
    p->frames = g_steal_pointer(&a->frames);
    pm_assembly_free(a);
    p->chain_room = g_new0(guint8, r->n_chains + 1);
    for (guint32 i = 0; i < r->n_chains; i++)
        p->chain_room[i] = pm_label_waits_for_room(r, i);
    if (done)
        find_late_samples(r, (PmOwnerSample *)r->samples);
    else
        g_clear_pointer(&r, pm_recording_unref);
    return r;
}

PmRecording *pm_recording_ref(PmRecording *recording)
{
    g_return_val_if_fail(recording != NULL, NULL);
    g_atomic_int_inc(&recording->ref_count);
    return recording;
}

/* What an excerpt borrows. */
static void tables_free(PmRecording *r)
{
    PmRecordingPrivate *p = r->priv;
    g_free((gpointer)r->classes);
    g_free((gpointer)r->methods);
    g_free((gpointer)r->chains);
    g_free((gpointer)r->groups);
    g_free((gpointer)r->blockers);
    g_free((gpointer)r->snapshots);
    g_free((gpointer)r->cells);
    g_free((gpointer)r->live);
    g_free((gpointer)r->ledger);
    g_free(p->chain_site);
    g_free(p->chain_room);
    g_free(p->chain_method);
    g_free(p->alike);
    g_free(p->n_alike);
    g_free(p->n_folded);
    g_free(p->alike_field);
    g_free(p->counted_as);
    g_ptr_array_unref(p->frames);
    g_string_chunk_free(p->strings);
}

void pm_recording_unref(PmRecording *r)
{
    if (!r || !g_atomic_int_dec_and_test(&r->ref_count))
        return;
    PmRecordingPrivate *p = r->priv;
    g_dataset_destroy(r); /* what others derived of it */
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        pm_packed_clear(&r->waits.columns[c]);
    for (guint i = 0; p->stores != NULL && i < p->stores->len; i++)
        pm_packed_store_clear(&g_array_index(p->stores, PmPackedStore, i));
    g_clear_pointer(&p->stores, g_array_unref);
    g_free((gpointer)r->threads);
    g_free((gpointer)r->samples);
    g_free((gpointer)r->census);
    g_free((gpointer)r->former_names);
    g_free((gpointer)r->allocations);
    g_free((gpointer)r->gc);
    g_free((gpointer)r->stopped);
    g_free((gpointer)r->gaps);
    g_free((gpointer)r->damage);
    g_free(p->block_end);
    g_free(p->pools);
    if (!p->excerpt)
        tables_free(r);
    pm_excerpt_free(p->excerpt);
    g_mutex_clear(&p->lock);
    g_free(p);
    g_free(r);
}

gsize pm_waits_before(const PmWaits *waits, gint64 limit)
{
    gsize low = 0, high = waits->n;
    PM_LOWER_BOUND(low, high, middle, pm_wait_begin(waits, middle) < limit)
    return low;
}

const char *pm_recording_thread_name(const PmRecording *r, guint32 thread, gint64 at)
{
    const PmFormerName *former = r->former_names;
    guint32 from = 0, to = r->n_former_names;
    PM_LOWER_BOUND(from, to, middle,
                   former[middle].thread < thread ||
                       (former[middle].thread == thread && former[middle].at <= at))
    return from < r->n_former_names && former[from].thread == thread ? former[from].name
                                                                     : r->threads[thread].name;
}

guint32 pm_recording_site_method(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    return c->site < c->n_frames ? c->frames[c->site].method : 0;
}

gboolean pm_recording_are_alike(const PmRecording *r, guint32 a, guint32 b)
{
    const PmWaits *w = &r->waits;
    return r->blockers[pm_wait_blocker(w, a)].class_index ==
               r->blockers[pm_wait_blocker(w, b)].class_index &&
           pm_recording_site_method(r, pm_wait_chain(w, a)) ==
               pm_recording_site_method(r, pm_wait_chain(w, b));
}

gboolean pm_recording_has_method(const PmRecording *r, guint32 chain, guint32 method)
{
    const PmChain *c = &r->chains[chain];
    for (guint i = 0; i < c->n_frames; i++)
        if (c->frames[i].method == method)
            return TRUE;
    return FALSE;
}

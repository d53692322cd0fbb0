#include "viewer/analysis/evidence/culprit.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"

/* Callers of a method: one of them, or that there are several. */
#define SEVERAL GUINT_TO_POINTER(G_MAXUINT32)

#define MAX_WRAPPERS 8 /* one around the other */

typedef struct {
    const PmRecording *recording;
    const PmOwnCode *own;
    GHashTable *callers; /* method → its caller, or SEVERAL */
    GHashTable *apart;  /* methods that are called from several other classes, or not from around */
    GHashTable *takers; /* methods that take or give back */
    GHashTable *ways;   /* stack traces in which it is taken or given back */
    GHashTable *takes, *gives; /* methods on them */
    GHashTable *holders;       /* methods that call those which do so for several */
    GHashTable *shared;        /* methods on each of the stack traces; NULL with fewer than two */
} Callers;

static guint32 method_at(const PmRecording *r, guint32 chain, gint frame)
{
    return r->chains[chain].frames[frame].method;
}

/* Is it one class, or one that is declared within the other? */
static gboolean is_declared_with(const PmRecording *r, guint32 method, guint32 other)
{
    const char *a = pm_recording_class_of(r, method), *b = pm_recording_class_of(r, other);
    const gsize n = MIN(strlen(a), strlen(b));
    return strncmp(a, b, n) == 0 && (a[n] == 0 || a[n] == '$') && (b[n] == 0 || b[n] == '$');
}

/* The next own frame outwards that is of another method; -1 for none. */
static gint caller_frame(const Callers *callers, guint32 chain, gint frame)
{
    const PmRecording *r = callers->recording;
    gint next = pm_own_next(callers->own, r, chain, frame);
    while (next >= 0 && method_at(r, chain, next) == method_at(r, chain, frame))
        next = pm_own_next(callers->own, r, chain, next);
    return next;
}

static void add_callers(Callers *callers, guint32 chain)
{
    const PmRecording *r = callers->recording;
    gint frame = pm_own_frame(callers->own, chain);
    for (gint caller; frame >= 0; frame = caller) {
        caller = caller_frame(callers, chain, frame);
        if (caller < 0)
            continue;
        gpointer method = GUINT_TO_POINTER(method_at(r, chain, frame));
        gpointer known = g_hash_table_lookup(callers->callers, method);
        gpointer by = GUINT_TO_POINTER(method_at(r, chain, caller));
        const gboolean other = known && known != SEVERAL && known != by &&
                               strcmp(pm_recording_class_of(r, GPOINTER_TO_UINT(known)),
                                      pm_recording_class_of(r, GPOINTER_TO_UINT(by))) != 0;
        if (other || !is_declared_with(r, GPOINTER_TO_UINT(method), GPOINTER_TO_UINT(by)))
            g_hash_table_add(callers->apart, method);
        if (known != by)
            g_hash_table_insert(callers->callers, method, known ? SEVERAL : by);
    }
}

GHashTable *pm_culprit_shared_methods(const PmRecording *r, GHashTable *chains)
{
    const PmOwnCode *own = pm_own_code(r);
    g_autoptr(GHashTable) shared = NULL;
    GHashTableIter iter;
    gpointer key;
    guint n = 0;
    g_hash_table_iter_init(&iter, chains);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        guint32 chain = GPOINTER_TO_UINT(key);
        gint frame = pm_own_frame(own, chain);
        if (frame < 0)
            continue;
        GHashTable *here = g_hash_table_new(NULL, NULL);
        for (; frame >= 0; frame = pm_own_next(own, r, chain, frame)) {
            gpointer method = GUINT_TO_POINTER(method_at(r, chain, frame));
            if (!shared || g_hash_table_contains(shared, method))
                g_hash_table_add(here, method);
        }
        g_clear_pointer(&shared, g_hash_table_unref);
        shared = here;
        n++;
    }
    return n > 1 ? g_steal_pointer(&shared) : NULL;
}

/* The one method that calls it, if that is declared with it and so does the same: as close, which
 * calls release. NULL: there is none. */
static gpointer wrapper_of(const Callers *callers, gpointer method)
{
    gpointer caller = g_hash_table_lookup(callers->callers, method);
    return caller && caller != SEVERAL &&
                   is_declared_with(callers->recording, GPOINTER_TO_UINT(method),
                                    GPOINTER_TO_UINT(caller))
               ? caller
               : NULL;
}

static void add_wrappers(Callers *callers)
{
    g_autoptr(GList) innermost = g_hash_table_get_keys(callers->takers);
    for (GList *each = innermost; each; each = each->next)
        for (gpointer wrapper = wrapper_of(callers, each->data);
             wrapper && g_hash_table_add(callers->takers, wrapper);)
            wrapper = wrapper_of(callers, wrapper);
}

/* Does it take and give back for several callers, or lie on every way to the object? */
static gboolean takes_for_others(const Callers *callers, guint32 method)
{
    gpointer key = GUINT_TO_POINTER(method), outermost = key, wrapper;
    for (guint i = 0; i < MAX_WRAPPERS && (wrapper = wrapper_of(callers, outermost)); i++)
        outermost = wrapper;
    return (g_hash_table_contains(callers->takers, key) &&
            g_hash_table_lookup(callers->callers, outermost) == SEVERAL) ||
           (callers->shared && g_hash_table_contains(callers->shared, key));
}

static void add_holder(Callers *callers, guint32 chain)
{
    const PmRecording *r = callers->recording;
    const gint inner = pm_own_frame(callers->own, chain);
    gint frame = inner;
    while (frame >= 0 && takes_for_others(callers, method_at(r, chain, frame)))
        frame = caller_frame(callers, chain, frame);
    if (frame > inner)
        g_hash_table_add(callers->holders, GUINT_TO_POINTER(method_at(r, chain, frame)));
}

static void add_ways(Callers *callers, GHashTable *methods, guint32 chain)
{
    const PmRecording *r = callers->recording;
    g_hash_table_add(callers->ways, GUINT_TO_POINTER(chain));
    for (gint frame = pm_own_frame(callers->own, chain); frame >= 0;
         frame = pm_own_next(callers->own, r, chain, frame))
        g_hash_table_add(methods, GUINT_TO_POINTER(method_at(r, chain, frame)));
}

static void callers_init(Callers *callers, const PmRecording *r, const PmTotals *takers,
                         const PmTotals *givers, const GArray *culprits)
{
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL);
    const PmTotals *const tables[] = {givers, takers};
    GHashTableIter iter;
    gpointer key;
    *callers = (Callers){.recording = r,
                         .own = pm_own_code(r),
                         .callers = g_hash_table_new(NULL, NULL),
                         .apart = g_hash_table_new(NULL, NULL),
                         .ways = g_hash_table_new(NULL, NULL),
                         .takes = g_hash_table_new(NULL, NULL),
                         .gives = g_hash_table_new(NULL, NULL),
                         .takers = g_hash_table_new(NULL, NULL),
                         .holders = g_hash_table_new(NULL, NULL)};
    for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
        for (guint32 k = 0; k < tables[i]->n; k++) {
            const guint32 chain = tables[i]->items[k].key;
            const gint frame = pm_own_frame(callers->own, chain);
            g_hash_table_add(chains, GUINT_TO_POINTER(chain));
            add_ways(callers, tables[i] == takers ? callers->takes : callers->gives, chain);
            if (frame >= 0)
                g_hash_table_add(callers->takers, GUINT_TO_POINTER(method_at(r, chain, frame)));
        }
    }
    for (guint i = 0; i < culprits->len; i++)
        if (g_array_index(culprits, PmCulprit, i).frame >= 0)
            g_hash_table_add(chains,
                             GUINT_TO_POINTER(g_array_index(culprits, PmCulprit, i).cause.chain));
    g_hash_table_iter_init(&iter, chains);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        add_callers(callers, GPOINTER_TO_UINT(key));
    add_wrappers(callers);
    callers->shared = pm_culprit_shared_methods(r, chains);
    for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
        for (guint32 k = 0; k < tables[i]->n; k++)
            add_holder(callers, tables[i]->items[k].key);
}

static void callers_clear(Callers *callers)
{
    g_hash_table_unref(callers->callers);
    g_hash_table_unref(callers->apart);
    g_hash_table_unref(callers->ways);
    g_hash_table_unref(callers->takes);
    g_hash_table_unref(callers->gives);
    g_hash_table_unref(callers->takers);
    g_hash_table_unref(callers->holders);
    g_clear_pointer(&callers->shared, g_hash_table_unref);
}

/* Does it take as well as give back, and work in between, for parts of one class around it? Which
 * of those calls it tells less than what it does. */
static gboolean holds_itself(const Callers *callers, guint32 chain, gint frame)
{
    gpointer method = GUINT_TO_POINTER(method_at(callers->recording, chain, frame));
    return g_hash_table_contains(callers->takes, method) &&
           g_hash_table_contains(callers->gives, method) &&
           !g_hash_table_contains(callers->apart, method) &&
           !g_hash_table_contains(callers->ways, GUINT_TO_POINTER(chain));
}

static void find_taker(const Callers *callers, PmCulprit *culprit)
{
    const PmRecording *r = callers->recording;
    guint32 chain = culprit->cause.chain;
    gint frame = culprit->cause.kind == PM_CAUSE_OWNER ? culprit->frame : -1;
    while (frame >= 0 &&
           !g_hash_table_contains(callers->takers, GUINT_TO_POINTER(method_at(r, chain, frame))))
        frame = pm_own_next(callers->own, r, chain, frame);
    culprit->taker = culprit->asker = frame;
    if (frame < 0 || !takes_for_others(callers, method_at(r, chain, frame)))
        return;
    const guint32 taker = method_at(r, chain, frame);
    while (frame >= 0 && (takes_for_others(callers, method_at(r, chain, frame)) ||
                          is_declared_with(r, taker, method_at(r, chain, frame))))
        frame = caller_frame(callers, chain, frame);
    if (frame >= 0)
        culprit->asker = frame;
}

/* Is it a lambda of main(), that is called by a method of the program as one of an interface's?
 * Where the parts of a program were put together tells less than which of them calls; but a task is
 * more than what runs it. */
static gboolean is_given_by_main(const Callers *callers, guint32 chain, gint frame)
{
    const PmRecording *r = callers->recording;
    const gint caller = caller_frame(callers, chain, frame);
    if (caller != frame + 2 ||
        !g_str_has_prefix(r->methods[method_at(r, chain, frame)].name, "lambda$main$") ||
        g_str_has_prefix(r->methods[method_at(r, chain, caller)].name, "lambda$"))
        return FALSE;
    const char *as = r->methods[method_at(r, chain, frame + 1)].name;
    return strcmp(as, "run") != 0 && strcmp(as, "call") != 0;
}

/* Is it of the class that takes the object for the holder, which is of another one? */
static gboolean is_of_taker(const Callers *callers, guint32 method, guint32 holder)
{
    const PmRecording *r = callers->recording;
    GHashTableIter iter;
    gpointer taker;
    g_hash_table_iter_init(&iter, callers->takers);
    while (g_hash_table_iter_next(&iter, &taker, NULL))
        if (is_declared_with(r, method, GPOINTER_TO_UINT(taker)) &&
            !is_declared_with(r, holder, GPOINTER_TO_UINT(taker)) &&
            takes_for_others(callers, GPOINTER_TO_UINT(taker)))
            return TRUE;
    return FALSE;
}

/* Who takes by a method of another class, as begin(), and gives back by another one holds it in
 * between, whatever it calls of the same class meanwhile. */
static gint frame_of_holder(const Callers *callers, guint32 chain, gint frame)
{
    const PmRecording *r = callers->recording;
    gint holder = frame;
    while (holder >= 0 &&
           !g_hash_table_contains(callers->holders, GUINT_TO_POINTER(method_at(r, chain, holder))))
        if (g_hash_table_contains(callers->takers, GUINT_TO_POINTER(method_at(r, chain, holder))))
            return frame;
        else
            holder = pm_own_next(callers->own, r, chain, holder);
    while (frame < holder &&
           is_of_taker(callers, method_at(r, chain, frame), method_at(r, chain, holder)))
        frame = pm_own_next(callers->own, r, chain, frame);
    return frame;
}

static void find(const Callers *callers, PmCulprit *culprit)
{
    const PmRecording *r = callers->recording;
    guint32 chain = culprit->cause.chain;
    gint frame = culprit->frame;
    if (frame < 0)
        return;
    for (gint caller; pm_own_is_helper(callers->own, r, chain, frame) &&
                      (caller = caller_frame(callers, chain, frame)) >= 0;)
        frame = caller;
    if (is_given_by_main(callers, chain, frame))
        frame = caller_frame(callers, chain, frame);
    if (culprit->cause.kind == PM_CAUSE_OWNER)
        frame = frame_of_holder(callers, chain, frame);
    culprit->frame = frame;
    culprit->method = culprit->helper = method_at(r, chain, frame);
    find_taker(callers, culprit);
    while (frame >= 0 && takes_for_others(callers, method_at(r, chain, frame)) &&
           !holds_itself(callers, chain, frame))
        frame = caller_frame(callers, chain, frame);
    if (frame < 0)
        return;
    culprit->frame = frame;
    culprit->method = method_at(r, chain, frame);
}

static void add_time(GHashTable *times, guint64 key, gint64 time)
{
    gint64 *sum = g_hash_table_lookup(times, &key);
    if (!sum) {
        sum = g_new0(gint64, 1);
        g_hash_table_insert(times, g_memdup2(&key, sizeof key), sum);
    }
    pm_sum_add(sum, time);
}

/* Of a helper whose callers all have less than half of its time, the helper. */
static void prefer_helpers(const Callers *callers, GArray *culprits)
{
    g_autoptr(GHashTable) times =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GHashTable) biggest = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < culprits->len; i++) {
        const PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        add_time(times, culprit->helper, culprit->time);
        if (culprit->method != culprit->helper)
            add_time(times, (guint64)culprit->method << 32 | culprit->helper, culprit->time);
    }
    for (guint i = 0; i < culprits->len; i++) {
        const PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        guint64 key = culprit->helper, pair = (guint64)culprit->method << 32 | culprit->helper;
        if (culprit->method != culprit->helper &&
            pm_product(*(gint64 *)g_hash_table_lookup(times, &pair), 2) >=
                *(gint64 *)g_hash_table_lookup(times, &key))
            g_hash_table_add(biggest, GUINT_TO_POINTER(culprit->helper));
    }
    for (guint i = 0; i < culprits->len; i++) {
        PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        if (culprit->method == culprit->helper ||
            g_hash_table_contains(biggest, GUINT_TO_POINTER(culprit->helper)))
            continue;
        gint frame = pm_own_frame(callers->own, culprit->cause.chain);
        while (method_at(callers->recording, culprit->cause.chain, frame) != culprit->helper)
            frame = caller_frame(callers, culprit->cause.chain, frame);
        culprit->frame = frame;
        culprit->method = culprit->helper;
    }
}

/* Where a thread stops at the end of a call its caller is seen at the line of that call: if that is
 * often, both are one piece of work, the caller's. */
static void join_at_calls(const Callers *callers, GArray *culprits)
{
    const PmRecording *r = callers->recording;
    for (guint i = 0; i < culprits->len; i++) {
        PmCulprit *called = &g_array_index(culprits, PmCulprit, i);
        const gint frame =
            called->frame < 0 ? -1 : caller_frame(callers, called->cause.chain, called->frame);
        if (frame < 0)
            continue;
        const PmFrame *at = &r->chains[called->cause.chain].frames[frame];
        for (guint k = 0; k < culprits->len; k++) {
            const PmCulprit *caller = &g_array_index(culprits, PmCulprit, k);
            if (k == i || caller->frame != 0 || caller->method != at->method || at->line <= 0 ||
                r->chains[caller->cause.chain].frames[0].line != at->line ||
                pm_product(caller->time, 2) < called->time)
                continue;
            called->frame = frame;
            called->method = at->method;
            break;
        }
    }
}

void pm_culprits_find(const PmRecording *r, const PmTotals *takers, const PmTotals *givers,
                      GArray *culprits)
{
    Callers callers;
    for (guint i = 0; i < culprits->len; i++) {
        PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        gboolean has_code = !pm_cause_pseudo_name(culprit->cause.kind) && culprit->cause.chain;
        culprit->frame = has_code ? pm_own_frame(pm_own_code(r), culprit->cause.chain) : -1;
        culprit->method = culprit->helper = 0;
        culprit->taker = culprit->asker = -1;
    }
    callers_init(&callers, r, takers, givers, culprits);
    for (guint i = 0; i < culprits->len; i++)
        find(&callers, &g_array_index(culprits, PmCulprit, i));
    prefer_helpers(&callers, culprits);
    join_at_calls(&callers, culprits);
    callers_clear(&callers);
}

char *pm_culprit_text(const PmRecording *r, const PmCulprit *culprit)
{
    const char *pseudo = pm_cause_pseudo_name(culprit->cause.kind);
    guint32 chain = culprit->cause.chain;
    if (pseudo)
        return g_strdup(pseudo);
    if (!chain)
        return g_strdup(r->groups[r->threads[culprit->cause.thread].group].shown);
    /* What a helper does is told, but not that it takes or gives back. */
    g_autofree char *call = pm_label_call(r, chain);
    return pm_label_code_between(r, chain, *call != 0, culprit->frame, culprit->asker);
}

guint32 pm_culprit_caller(const PmRecording *r, const PmCulprit *culprit)
{
    const guint32 chain = culprit->cause.chain;
    gint frame = culprit->frame;
    while (frame >= 0 && method_at(r, chain, frame) == culprit->method)
        frame = pm_own_next(pm_own_code(r), r, chain, frame);
    return frame < 0 ? 0 : method_at(r, chain, frame);
}

/* Is it a task of a pool of the JDK's, of whose code nothing is known but who ran it? */
static gboolean is_task(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint32 i = 0;
    while (i < c->n_frames && pm_label_is_platform(pm_recording_class_at(r, c, i)))
        i++;
    return i == c->n_frames && !c->truncated && pm_label_is_in_pool(r, chain);
}

guint32 pm_culprit_taker(const PmRecording *r, const PmCulprit *culprit)
{
    return culprit->taker < 0 ? 0 : method_at(r, culprit->cause.chain, culprit->taker);
}

char *pm_culprit_name(const PmRecording *r, const PmCulprit *culprit)
{
    guint32 chain = culprit->cause.chain;
    if (pm_cause_pseudo_name(culprit->cause.kind))
        return NULL;
    if (!culprit->method && is_task(r, chain))
        return g_strdup_printf("a task of %s",
                               r->groups[r->threads[culprit->cause.thread].group].shown);
    char *library = chain && !culprit->method ? pm_label_library_method(r, chain) : NULL;
    if (library)
        return library;
    if (!chain || !culprit->method)
        return pm_culprit_text(r, culprit);
    return pm_label_method(r, culprit->method);
}

gint pm_culprit_frame_apart(const PmRecording *r, guint32 chain, GHashTable *others)
{
    const PmOwnCode *own = pm_own_code(r);
    const gint innermost = pm_own_frame(own, chain);
    for (gint frame = innermost; frame >= 0; frame = pm_own_next(own, r, chain, frame)) {
        GHashTableIter iter;
        gpointer other;
        gboolean shared = FALSE;
        g_hash_table_iter_init(&iter, others);
        while (!shared && g_hash_table_iter_next(&iter, &other, NULL))
            shared =
                pm_recording_has_method(r, GPOINTER_TO_UINT(other), method_at(r, chain, frame));
        if (!shared)
            return frame;
    }
    return innermost;
}

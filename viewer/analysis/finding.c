#include "viewer/analysis/finding.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/label.h"
#include "viewer/analysis/lock-chain.h"
#include "viewer/analysis/recording-private.h"
#include "viewer/analysis/wake-chain.h"
#include "viewer/analysis/whatif.h"

#define MAX_FINDINGS     5
#define MAX_NOTES        5
#define MIN_BUSY_SHARE   0.05
#define MIN_MEAN_THREADS 1.0
#define STUCK_NS         (10 * G_GINT64_CONSTANT(1000000000))
#define MIN_SAMPLES      5
#define POLLS_A_SECOND   10.0

typedef struct {
    const char *name;
    const char *advice;
} Rule;

static const Rule rules[PM_N_RULES] = {
    [PM_RULE_DEADLOCK] = {"deadlock", "take the locks in one order everywhere, or with tryLock and "
                                      "a time-out"},
    [PM_RULE_STUCK_WAIT] = {"stuck-wait", "look at what should have ended the wait; give it a "
                                          "time-out"},
    [PM_RULE_LOCK_DOMINATES] = {"lock-dominates", "do less while holding it, or give each part of "
                                                  "the data a lock of its own"},
    [PM_RULE_LOCK_HELD_OVER_IO] = {"lock-held-over-io", "do the slow work before taking the lock, "
                                                        "swap the result in under it"},
    [PM_RULE_FAIR_HAND_OVER] = {"fair-hand-over", "make the lock unfair: new ReentrantLock(false)"},
    [PM_RULE_CONVOY] = {"convoy", "do not wait for the second lock while holding the first"},
    [PM_RULE_POOL_EXHAUSTED] = {"pool-exhausted",
                                "give the pool more threads, or its tasks less to "
                                "wait for"},
    [PM_RULE_RESOURCE_EXHAUSTED] = {"resource-exhausted", "give it back sooner, or make the pool "
                                                          "bigger"},
    [PM_RULE_LAST_THREAD] = {"last-thread", "cut the work into more even parts"},
    [PM_RULE_WAIT_DOMINATES] = {"wait-dominates", "look at who ends these waits, and why so late"},
    [PM_RULE_TIMED_POLLING] = {"timed-polling",
                               "wait for the event itself instead of looking again "
                               "and again"},
};

/* Frames that mean an owner does slow work: the innermost frames of its sampled chain. */
static const char *const slow_frames[] = {
    "Thread.sleep",        "SocketInputStream.",
    "SocketOutputStream.", "NioSocketImpl.",
    "SocketDispatcher.",   "Net.poll",
    "FileInputStream.",    "FileOutputStream.",
    "FileDispatcherImpl.", "UnixFileDispatcherImpl.",
    "RandomAccessFile.",   "FileChannelImpl.",
    "ProcessImpl.waitFor", "EPoll.wait",
    "Inet4AddressImpl.",   "Inet6AddressImpl.",
    "MappedMemoryUtils.",
};

const char *pm_rule_name(PmRule rule)
{
    return rule < PM_N_RULES ? rules[rule].name : "?";
}

const char *pm_severity_name(PmSeverity severity)
{
    static const char *const names[] = {"stuck", "high", "note"};
    return severity <= PM_SEVERITY_NOTE ? names[severity] : "?";
}

/* What is gathered for one (blocker, kind), or for all blockers of one class at one site. */
typedef struct {
    guint32 blocker; /* of many: the biggest */
    guint32 n_blockers;
    guint8 category;
    gint64 biggest; /* thread-time of the biggest blocker */
    guint8 kind;
    gint64 waits, thread_time, longest, time_outs;
    gint64 open_time; /* of waits that still go on */
    gint64 hand_over;
    GHashTable *causes;  /* cause key → CauseSum */
    GHashTable *victims; /* group → PmVictim */
    GHashTable *threads; /* threads that waited */
    GHashTable *chains;  /* chain → its time (gint64 *) */
} Heap;

typedef struct {
    PmFindingCause cause;
    gint64 time, inferred_time;
} CauseSum;

static void heap_free(gpointer data)
{
    Heap *heap = data;
    g_hash_table_unref(heap->causes);
    g_hash_table_unref(heap->victims);
    g_hash_table_unref(heap->threads);
    g_hash_table_unref(heap->chains);
    g_free(heap);
}

static guint64 *key_new(guint64 value)
{
    guint64 *key = g_new(guint64, 1);
    *key = value;
    return key;
}

static Heap *heap_new(guint32 blocker, guint8 kind)
{
    Heap *heap = g_new0(Heap, 1);
    heap->blocker = blocker;
    heap->kind = kind;
    heap->n_blockers = 1;
    heap->causes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    heap->victims = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    heap->threads = g_hash_table_new(NULL, NULL);
    heap->chains = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return heap;
}

/* A cause is where it was, else the group of threads it was. */
static void heap_add_part(Heap *heap, const PmRecording *r, const PmPart *part)
{
    gint64 time = part->end - part->begin;
    if (part->kind == PM_CAUSE_HAND_OVER)
        heap->hand_over += time;
    gboolean by_chain = part->chain != 0;
    guint64 key = ((guint64)part->kind << 60) | ((guint64)by_chain << 59) |
                  (by_chain ? part->chain : r->threads[part->thread].group);
    CauseSum *sum = g_hash_table_lookup(heap->causes, &key);
    if (!sum) {
        sum = g_new0(CauseSum, 1);
        sum->cause.kind = part->kind;
        sum->cause.chain = part->chain;
        sum->cause.thread = part->thread;
        g_hash_table_insert(heap->causes, key_new(key), sum);
    }
    sum->time += time;
    if (part->inferred)
        sum->inferred_time += time;
}

/* A consumer waits for work: long waits of it are no one's fault. Producers that wait are held up.
 */
static gboolean wants_work(const PmRecording *r, guint8 category, guint32 chain)
{
    static const char *const consumers[] = {".take",      ".poll",     ".takeFirst", ".takeLast",
                                            ".pollFirst", ".pollLast", ".remove"};
    if (category != PM_CATEGORY_QUEUE && category != PM_CATEGORY_TRANSFER)
        return FALSE;
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++) {
        const char *method = r->methods[c->frames[i].method].name;
        for (gsize k = 0; k < G_N_ELEMENTS(consumers); k++)
            if (strcmp(method, consumers[k] + 1) == 0)
                return TRUE;
    }
    return FALSE;
}

static void heap_add_wait(Heap *heap, const PmView *view, guint32 row,
                          const PmContention *contention, GArray *parts)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 time = pm_view_clip(view, row);
    heap->waits++;
    heap->thread_time += time;
    heap->longest = MAX(heap->longest, time);
    if ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0 || pm_wait_end(w, row) > view->to)
        heap->open_time += time;
    if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT)
        heap->time_outs++;
    gpointer group = GUINT_TO_POINTER(r->threads[pm_wait_thread(w, row)].group);
    PmVictim *victim = g_hash_table_lookup(heap->victims, group);
    if (!victim) {
        victim = g_new0(PmVictim, 1);
        victim->group = GPOINTER_TO_UINT(group);
        g_hash_table_insert(heap->victims, group, victim);
    }
    victim->thread_time += time;
    if (g_hash_table_add(heap->threads, GUINT_TO_POINTER(pm_wait_thread(w, row))))
        victim->n_threads++;
    gint64 *chain_time = g_hash_table_lookup(heap->chains, GUINT_TO_POINTER(pm_wait_chain(w, row)));
    if (!chain_time) {
        chain_time = g_new0(gint64, 1);
        g_hash_table_insert(heap->chains, GUINT_TO_POINTER(pm_wait_chain(w, row)), chain_time);
    }
    *chain_time += time;
    g_array_set_size(parts, 0);
    pm_contention_split(contention, row, view->from, view->to, parts);
    for (guint i = 0; i < parts->len; i++)
        heap_add_part(heap, r, &g_array_index(parts, PmPart, i));
}

static void heap_add_heap(Heap *heap, const PmRecording *r, const Heap *other)
{
    GHashTableIter iter;
    gpointer key, value;
    heap->n_blockers += other->n_blockers;
    heap->waits += other->waits;
    heap->thread_time += other->thread_time;
    heap->longest = MAX(heap->longest, other->longest);
    heap->time_outs += other->time_outs;
    heap->open_time += other->open_time;
    heap->hand_over += other->hand_over;
    if (other->thread_time > heap->biggest) {
        heap->biggest = other->thread_time;
        heap->blocker = other->blocker;
    }
    g_hash_table_iter_init(&iter, other->causes);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const CauseSum *from = value;
        CauseSum *sum = g_hash_table_lookup(heap->causes, key);
        if (!sum) {
            g_hash_table_insert(heap->causes, key_new(*(guint64 *)key),
                                g_memdup2(from, sizeof *from));
        } else {
            sum->time += from->time;
            sum->inferred_time += from->inferred_time;
        }
    }
    g_hash_table_iter_init(&iter, other->victims);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        PmVictim *victim = g_hash_table_lookup(heap->victims, key);
        if (!victim) {
            victim = g_new0(PmVictim, 1);
            victim->group = GPOINTER_TO_UINT(key);
            g_hash_table_insert(heap->victims, key, victim);
        }
        victim->thread_time += ((PmVictim *)value)->thread_time;
    }
    g_hash_table_iter_init(&iter, other->threads);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        guint32 group = r->threads[GPOINTER_TO_UINT(key)].group;
        PmVictim *victim = g_hash_table_lookup(heap->victims, GUINT_TO_POINTER(group));
        if (g_hash_table_add(heap->threads, key))
            victim->n_threads++;
    }
    g_hash_table_iter_init(&iter, other->chains);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        gint64 *time = g_hash_table_lookup(heap->chains, key);
        if (!time)
            g_hash_table_insert(heap->chains, key, g_memdup2(value, sizeof *time));
        else
            *time += *(gint64 *)value;
    }
}

char *pm_finding_chain_text(const PmRecording *recording, guint32 chain, guint max)
{
    const PmChain *c = &recording->chains[chain];
    if (!chain || !c->n_frames)
        return g_strdup("(unknown)");
    GString *text = g_string_new(NULL);
    for (guint i = MIN(c->site, c->n_frames - 1), n = 0; i < c->n_frames && n < max; i++, n++) {
        g_autofree char *frame = pm_label_frame(recording, c->frames[i]);
        g_string_append_printf(text, "%s%s", n ? " < " : "", frame);
    }
    return g_string_free(text, FALSE);
}

static int cause_compare(const void *left, const void *right)
{
    const PmFindingCause *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int victim_compare(const void *left, const void *right)
{
    const PmVictim *a = left, *b = right;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static void add_evidence(PmFinding *finding, gboolean exact, char *text)
{
    finding->evidence = g_renew(PmEvidence, finding->evidence, finding->n_evidence + 1);
    finding->evidence[finding->n_evidence++] = (PmEvidence){.text = text, .exact = exact};
}

static void take_causes(PmFinding *finding, const PmRecording *r, const Heap *heap)
{
    finding->causes = g_new0(PmFindingCause, MAX(g_hash_table_size(heap->causes), 1));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, heap->causes);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CauseSum *sum = value;
        PmFindingCause cause = sum->cause;
        cause.share = heap->thread_time > 0 ? (double)sum->time / heap->thread_time : 0;
        cause.inferred = sum->inferred_time * 2 > sum->time;
        const char *pseudo = pm_cause_pseudo_name(cause.kind);
        if (pseudo)
            cause.text = g_strdup(pseudo);
        else if (cause.chain)
            cause.text = pm_finding_chain_text(r, cause.chain, 2);
        else
            cause.text = g_strdup(r->groups[r->threads[cause.thread].group].name);
        /* Chains that differ only further out, or in the locking code, are one cause. */
        PmFindingCause *same = NULL;
        for (guint i = 0; i < finding->n_causes && !same; i++)
            if (finding->causes[i].kind == cause.kind &&
                strcmp(finding->causes[i].text, cause.text) == 0)
                same = &finding->causes[i];
        if (same) {
            same->inferred = same->share >= cause.share ? same->inferred : cause.inferred;
            same->share += cause.share;
            g_free(cause.text);
        } else {
            finding->causes[finding->n_causes++] = cause;
        }
    }
    qsort(finding->causes, finding->n_causes, sizeof *finding->causes, cause_compare);
}

static void take_victims(PmFinding *finding, const PmSummary *summary, const Heap *heap)
{
    finding->victims = g_new0(PmVictim, MAX(g_hash_table_size(heap->victims), 1));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, heap->victims);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmVictim victim = *(PmVictim *)value;
        victim.busy_share = NAN;
        for (guint i = 0; i < summary->n_groups; i++)
            if (summary->groups[i].group == victim.group && summary->groups[i].busy > 0)
                victim.busy_share = (double)victim.thread_time / summary->groups[i].busy;
        if (victim.busy_share > finding->busy_share)
            finding->busy_share = victim.busy_share;
        finding->victims[finding->n_victims++] = victim;
    }
    qsort(finding->victims, finding->n_victims, sizeof *finding->victims, victim_compare);
}

static guint32 biggest_chain(const Heap *heap)
{
    GHashTableIter iter;
    gpointer key, value;
    guint32 best = 0;
    gint64 best_time = -1;
    g_hash_table_iter_init(&iter, heap->chains);
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

/* What the owner was doing: of the samples taken while others waited, the one slow frame seen most.
 */
typedef struct {
    guint n, n_slow;
    char *frame, *caller; /* NULL when none is slow */
} Doing;

static gboolean is_platform(const PmRecording *r, PmFrame frame)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    const char *name = r->classes[r->methods[frame.method].class_index].name;
    for (gsize i = 0; i < G_N_ELEMENTS(packages); i++)
        if (g_str_has_prefix(name, packages[i]))
            return TRUE;
    return FALSE;
}

/* The frame of the slow method as the program calls it, Socket$SocketInputStream.read, not as the
 * JDK carries it out, Net.poll. -1 when the chain does nothing slow. */
static gint slow_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint i = 0; i < MIN(c->n_frames, 8u); i++) {
        g_autofree char *label = pm_label_method(r, c->frames[i].method);
        for (gsize s = 0; s < G_N_ELEMENTS(slow_frames); s++) {
            if (!g_str_has_prefix(label, slow_frames[s]))
                continue;
            guint call = i;
            while (call + 1 < c->n_frames && is_platform(r, c->frames[call + 1]))
                call++;
            return (gint)(call + 1 < c->n_frames ? call : i); /* a thread of the platform's own */
        }
    }
    return -1;
}

static void what_owner_did(const PmView *view, guint32 blocker, Doing *ret_doing)
{
    const PmRecording *r = view->recording;
    memset(ret_doing, 0, sizeof *ret_doing);
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint best = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->blocker != blocker || sample->at < view->from || sample->at > view->to ||
            !sample->chain)
            continue;
        ret_doing->n++;
        gint frame = slow_frame(r, sample->chain);
        if (frame < 0)
            continue;
        const PmChain *chain = &r->chains[sample->chain];
        char *label = pm_label_method(r, chain->frames[frame].method);
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, label)) + 1;
        ret_doing->n_slow++;
        if (n > best) {
            best = n;
            g_free(ret_doing->frame);
            g_free(ret_doing->caller);
            ret_doing->frame = g_strdup(label);
            ret_doing->caller = (guint)frame + 1 < chain->n_frames
                                    ? pm_label_frame(r, chain->frames[frame + 1])
                                    : g_strdup("(unknown)");
        }
        g_hash_table_insert(counts, label, GUINT_TO_POINTER(n));
    }
}

/* The lock that this lock's owners waited for most of the time they were waited for; 0 = none. The
 * whole chain goes into the evidence. */
static guint32 convoy_next(const PmView *view, const PmContention *contention, PmFinding *finding)
{
    const PmRecording *r = view->recording;
    PmLockEdge edges[6];
    g_autoptr(PmLockChains) chains = pm_lock_chains_new(view, contention);
    guint n = pm_lock_chains_follow(chains, finding->blocker, edges, G_N_ELEMENTS(edges));
    if (n == 0)
        return 0;
    for (guint i = 0; i < n; i++) {
        g_autofree char *from = pm_label_blocker_short(r, edges[i].blocker);
        g_autofree char *to = pm_label_blocker(r, edges[i].next);
        add_evidence(finding, TRUE,
                     g_strdup_printf("%.0f %% of the time that %s was held its owner waited for %s",
                                     100.0 * (double)edges[i].thread_time /
                                         (double)MAX(edges[i].owner_time, 1),
                                     from, to));
    }
    return edges[0].next;
}

static char *victims_text(const PmRecording *r, const PmFinding *finding)
{
    if (!finding->n_victims)
        return g_strdup("its threads");
    const PmVictim *victim = &finding->victims[0];
    for (guint i = 1; i < finding->n_victims; i++) /* the one it costs most of its busy time */
        if (finding->victims[i].busy_share > victim->busy_share)
            victim = &finding->victims[i];
    return pm_summary_group_text(r, victim->group, victim->n_threads);
}

static char *share_text(double share)
{
    if (isnan(share))
        return g_strdup("all");
    return g_strdup_printf("%.0f %%", 100 * MIN(share, 1));
}

/* A semaphore that the waiters never give back is no permit but a signal: it is released by those
 * who have something for them. */
static gboolean is_signal(const PmRecording *r, const Heap *heap)
{
    GHashTableIter iter;
    gpointer value;
    gboolean is_released = FALSE;
    g_hash_table_iter_init(&iter, heap->causes);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmFindingCause *cause = &((const CauseSum *)value)->cause;
        if (cause->kind != PM_CAUSE_WAKER)
            continue;
        guint32 group = r->threads[cause->thread].group;
        if (g_hash_table_contains(heap->victims, GUINT_TO_POINTER(group)))
            return FALSE;
        is_released = TRUE;
    }
    return is_released;
}

static PmRule choose_rule(const PmView *view, const PmContention *contention, const Heap *heap,
                          PmFinding *finding, Doing *doing, guint32 *ret_next)
{
    const PmRecording *r = view->recording;
    const char *class_name = r->classes[r->blockers[heap->blocker].class_index].name;
    *ret_next = 0;
    switch (pm_category_family(finding->category)) {
    case PM_FAMILY_LOCK:
        if (doing->n >= MIN_SAMPLES && doing->n_slow * 2 > doing->n)
            return PM_RULE_LOCK_HELD_OVER_IO;
        *ret_next = convoy_next(view, contention, finding);
        if (*ret_next)
            return PM_RULE_CONVOY;
        if (strstr(class_name, "$FairSync") && heap->hand_over * 2 > heap->thread_time)
            return PM_RULE_FAIR_HAND_OVER;
        return PM_RULE_LOCK_DOMINATES;
    case PM_FAMILY_RESOURCE:
        return finding->category == PM_CATEGORY_SEMAPHORE && is_signal(r, heap)
                   ? PM_RULE_WAIT_DOMINATES
                   : PM_RULE_RESOURCE_EXHAUSTED;
    case PM_FAMILY_JOIN:
        return finding->category == PM_CATEGORY_FUTURE ? PM_RULE_WAIT_DOMINATES
                                                       : PM_RULE_LAST_THREAD;
    default:
        return PM_RULE_WAIT_DOMINATES;
    }
}

/* Nobody held the lock for long: who was woken waited to run. */
static gboolean is_mostly_hand_over(const PmFinding *finding)
{
    return finding->n_causes && finding->causes[0].kind == PM_CAUSE_HAND_OVER &&
           finding->causes[0].share > 0.5;
}

static const char busy_machine_advice[] =
    "look at the load of the machine: woken threads wait for a core";

static const char *advice_of_rule(const PmFinding *finding)
{
    return finding->rule == PM_RULE_WAIT_DOMINATES && is_mostly_hand_over(finding)
               ? busy_machine_advice
               : rules[finding->rule].advice;
}

static char *title_of(const PmRecording *r, const PmFinding *finding, const Doing *doing,
                      guint32 next)
{
    g_autofree char *blocker = pm_label_blocker(r, finding->blocker);
    g_autofree char *share = share_text(finding->busy_share);
    g_autofree char *victims = victims_text(r, finding);
    const char *culprit = finding->n_causes && !pm_cause_pseudo_name(finding->causes[0].kind)
                              ? finding->causes[0].text
                              : NULL;
    g_autofree char *holder = NULL;
    if (culprit) {
        g_auto(GStrv) words = g_strsplit(culprit, " ", 2);
        holder = g_strdup(words[0]);
    }
    switch (finding->rule) {
    case PM_RULE_LOCK_DOMINATES:
        if (is_mostly_hand_over(finding))
            return g_strdup_printf("Handing over a lock takes %s of the busy time of %s: %s", share,
                                   victims, blocker);
        return holder ? g_strdup_printf("One lock takes %s of the busy time of %s: %s holds it",
                                        share, victims, holder)
                      : g_strdup_printf("One lock takes %s of the busy time of %s: %s", share,
                                        victims, blocker);
    case PM_RULE_LOCK_HELD_OVER_IO:
        return g_strdup_printf("A lock held during %s takes %s of the busy time of %s: %s",
                               doing->frame, share, victims, blocker);
    case PM_RULE_FAIR_HAND_OVER:
        return g_strdup_printf("Handing over a fair lock takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    case PM_RULE_CONVOY: {
        g_autofree char *behind = pm_label_blocker(r, next);
        return g_strdup_printf("%s %s for %s, whose owner waits for %s", victims,
                               g_str_has_suffix(victims, ")") ? "wait" : "waits", blocker, behind);
    }
    case PM_RULE_RESOURCE_EXHAUSTED:
        return g_strdup_printf("Waiting for a permit takes %s of the busy time of %s: %s", share,
                               victims, blocker);
    case PM_RULE_LAST_THREAD:
        return g_strdup_printf("Waiting for the last thread takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    default:
        return g_strdup_printf("Waiting for %s takes %s of the busy time of %s", blocker, share,
                               victims);
    }
}

/* A finding about many blockers of one class, each of them small: rows, transactions, futures. */
static void tell_many(const PmRecording *r, const Heap *heap, PmFinding *finding)
{
    g_autofree char *class_name =
        pm_label_class(r->classes[r->blockers[heap->blocker].class_index].name);
    g_autofree char *share = share_text(finding->busy_share);
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *site = pm_finding_chain_text(r, finding->chain, 1);
    PmFamily family = pm_category_family(finding->category);
    *strchrnul(site, ' ') = 0;
    finding->rule = family == PM_FAMILY_LOCK ? PM_RULE_LOCK_DOMINATES
                    : family == PM_FAMILY_RESOURCE &&
                            !(finding->category == PM_CATEGORY_SEMAPHORE && is_signal(r, heap))
                        ? PM_RULE_RESOURCE_EXHAUSTED
                        : PM_RULE_WAIT_DOMINATES;
    finding->title =
        g_strdup_printf(family == PM_FAMILY_LOCK
                            ? "Locks of class %s (%u) take %s of the busy time of %s: %s"
                            : "Waiting for objects of class %s (%u) takes %s of the busy time of "
                              "%s: %s",
                        class_name, heap->n_blockers, share, victims, site);
    finding->advice =
        g_strdup(family == PM_FAMILY_LOCK
                     ? "shorten the time from taking such a lock to giving it back, or let "
                       "fewer threads need the same one at once"
                     : advice_of_rule(finding));
    finding->blocker = 0; /* no single one */
    finding->command = g_strdup_printf("--category=%s --by=class,cause-site,site",
                                       pm_category_name(finding->category));
}

static void add_hold_evidence(PmFinding *finding, const PmContention *contention)
{
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_holds(contention, finding->blocker, holds);
    gint64 time = 0;
    guint n = 0;
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        if (!hold->exact || hold->end < finding->from || hold->begin > finding->to)
            continue;
        time += hold->end - hold->begin;
        n++;
    }
    if (!n)
        return;
    g_autofree char *mean = pm_label_duration(time / n);
    add_evidence(finding, TRUE, g_strdup_printf("held %s at a time, measured %u times", mean, n));
}

/* "held half as long: waiting 174 s -> 85.2 s, 2.0 times as fast (model)" */
static void add_prediction(PmFinding *finding, const PmView *view, const PmContention *contention)
{
    static const double factors[] = {0.5, 0.25};
    static const char *const words[] = {"held half as long", "held a quarter as long"};
    PmWhatIf what_ifs[G_N_ELEMENTS(factors)];
    if (!pm_whatif_compute(view, contention, finding->blocker, factors, G_N_ELEMENTS(factors),
                           what_ifs) ||
        !pm_whatif_fits(&what_ifs[0]))
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(factors); i++) {
        const PmWhatIf *what = &what_ifs[i];
        g_autofree char *now = pm_label_duration(what->waiting);
        g_autofree char *then = pm_label_duration(what->waiting_then);
        char speed[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(speed, sizeof speed, "%.2f", what->speed_up);
        add_evidence(finding, FALSE,
                     g_strdup_printf("%s: waiting %s -> %s, its threads %s times as fast (model)",
                                     words[i], now, then, speed));
        finding->evidence[finding->n_evidence - 1].model = TRUE;
        finding->what_ifs[finding->n_what_ifs++] = *what;
    }
}

/* The lock is a queue's own: who takes it adds or removes an element, which no one can shorten. */
static gboolean is_in_queue(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++) {
        const char *name = r->classes[r->methods[c->frames[i].method].class_index].name;
        if (g_str_has_suffix(name, "Queue") || g_str_has_suffix(name, "Deque"))
            return TRUE;
    }
    return FALSE;
}

/* The program's own frame that takes a lock of the JDK's, "NioEndpoint$Poller.wakeup"; NULL when
 * the lock is the program's. */
static char *caller_of_jdk_lock(const PmRecording *r, guint32 chain)
{
    static const char *const jdk[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    const PmChain *c = &r->chains[chain];
    for (guint32 i = c->site; i < c->n_frames; i++) {
        const char *name = r->classes[r->methods[c->frames[i].method].class_index].name;
        gboolean is_jdk = FALSE;
        for (gsize k = 0; k < G_N_ELEMENTS(jdk); k++)
            is_jdk = is_jdk || g_str_has_prefix(name, jdk[k]);
        if (!is_jdk)
            return i == c->site ? NULL : pm_label_method(r, c->frames[i].method);
    }
    return NULL;
}

/* Those who hold it can take it less often: where that is known, else who they are; when nobody
 * else is known to, those who wait for it. */
static char *advice_of_jdk_lock(const PmRecording *r, const PmFinding *finding, const char *caller)
{
    g_autofree char *holder = NULL;
    for (guint i = 0; i < finding->n_causes && holder == NULL; i++)
        if (finding->causes[i].kind == PM_CAUSE_OWNER && finding->causes[i].share >= 0.1 &&
            finding->causes[i].chain)
            holder = caller_of_jdk_lock(r, finding->causes[i].chain);
    if (holder == NULL && finding->n_causes && finding->causes[0].kind == PM_CAUSE_OWNER &&
        finding->n_victims &&
        r->threads[finding->causes[0].thread].group != finding->victims[0].group)
        return g_strdup_printf("the lock is inside the JDK: let %s take it less often",
                               finding->causes[0].text);
    return g_strdup_printf("the lock is inside the JDK: call it less often from %s",
                           holder ? holder : caller);
}

static char *advice_of_lock(const PmRecording *r, const PmFinding *finding)
{
    g_autofree char *caller = caller_of_jdk_lock(r, finding->chain);
    gboolean in_queue = is_in_queue(r, finding->chain);
    if (is_mostly_hand_over(finding))
        return g_strdup(in_queue ? "let fewer threads share the queue: woken ones wait for a core"
                                 : busy_machine_advice);
    if (in_queue)
        return g_strdup("let fewer threads share the queue, or put more work into each element");
    if (caller != NULL)
        return advice_of_jdk_lock(r, finding, caller);
    return g_strdup(rules[finding->rule].advice);
}

static void tell_one(PmSummary *summary, const PmContention *contention, const Heap *heap,
                     PmFinding *finding)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    Doing doing;
    what_owner_did(view, heap->blocker, &doing);
    guint32 next;
    finding->rule = choose_rule(view, contention, heap, finding, &doing, &next);
    finding->title = title_of(r, finding, &doing, next);
    finding->advice = finding->rule == PM_RULE_LOCK_DOMINATES ? advice_of_lock(r, finding)
                                                              : g_strdup(advice_of_rule(finding));
    add_hold_evidence(finding, contention);
    if (pm_category_family(finding->category) == PM_FAMILY_LOCK && !is_mostly_hand_over(finding))
        add_prediction(finding, view, contention);
    if (doing.n >= MIN_SAMPLES && doing.frame)
        add_evidence(finding, TRUE,
                     g_strdup_printf("owner seen in %s < %s in %.0f %% of %u samples", doing.frame,
                                     doing.caller, 100.0 * doing.n_slow / doing.n, doing.n));
    g_autofree char *hash = pm_label_hash(r, heap->blocker);
    finding->command = hash ? g_strdup_printf("--blocker=%s --by=cause-site,site", hash)
                            : g_strdup_printf("--category=%s --by=site,cause-site",
                                              pm_category_name(finding->category));
    g_free(doing.frame);
    g_free(doing.caller);
}

/* The method at which a wait, or most of a heap, stands. */
static guint32 site_method(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    return c->site < c->n_frames ? c->frames[c->site].method : 0;
}

/* Whether a wait is one of those that `finding` tells of: of its blocker or, of many, of the class
 * and place (gather_many). `class_index` and `method` are the finding's. */
static gboolean is_of(const PmRecording *r, const PmFinding *finding, guint32 row,
                      guint32 class_index, guint32 method)
{
    const PmWaits *w = &r->waits;
    if (pm_wait_kind(w, row) != finding->kind || pm_wait_category(w, row) != finding->category)
        return FALSE;
    if (finding->blocker)
        return pm_wait_blocker(w, row) == finding->blocker;
    return r->blockers[pm_wait_blocker(w, row)].class_index == class_index &&
           site_method(r, pm_wait_chain(w, row)) == method;
}

/* "who ended them waited 97 % of that time too: Feeder.next, until timer-* in Feeder.tick": one
 * step towards the cause, where those who end the waits do little else than wait. */
static void add_wake_step(PmFinding *finding, const PmView *view, guint32 class_index)
{
    const PmRecording *r = view->recording;
    guint32 method = site_method(r, finding->chain);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    PmWakeStep step;
    for (gsize i = 0; i < view->n; i++)
        if (is_of(r, finding, view->rows[i], class_index, method))
            g_array_append_val(rows, view->rows[i]);
    if (!pm_wake_chain_step(view, (const guint32 *)rows->data, rows->len, &step) ||
        step.time * 2 < step.waited || step.waited * 2 < finding->thread_time)
        return;
    g_autofree char *where = pm_finding_chain_text(r, step.chain, 1);
    g_autofree char *ender = pm_finding_chain_text(r, step.waker_chain, 1);
    g_autofree char *until =
        !step.waker ? g_strdup("")
        : !step.waker_chain
            ? g_strdup_printf(", until %s ended it", r->groups[r->threads[step.waker].group].name)
            : g_strdup_printf(", until %s ended it in %s",
                              r->groups[r->threads[step.waker].group].name, ender);
    add_evidence(finding, TRUE,
                 g_strdup_printf("who ended them had waited for %.0f %% of that time too, in %s%s",
                                 100.0 * (double)step.time / (double)step.waited, where, until));
    if (finding->rule == PM_RULE_WAIT_DOMINATES && step.waker_chain) {
        *strchrnul(ender, ' ') = 0;
        g_free(finding->advice);
        finding->advice =
            g_strdup_printf("look at %s in %s: it is what those who end these waits wait for",
                            r->groups[r->threads[step.waker].group].name, ender);
    }
}

static PmFinding finding_of_heap(PmSummary *summary, const PmContention *contention,
                                 const Heap *heap, guint8 category)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .blocker = heap->blocker,
                         .kind = heap->kind,
                         .category = category,
                         .chain = biggest_chain(heap),
                         .thread_time = heap->thread_time,
                         .waits = heap->waits,
                         .longest = heap->longest,
                         .from = view->from,
                         .to = view->to};
    finding.mean_threads = view->recorded > 0 ? (double)heap->thread_time / view->recorded : 0;
    take_causes(&finding, r, heap);
    take_victims(&finding, summary, heap);
    if (heap->n_blockers > 1)
        tell_many(r, heap, &finding);
    else
        tell_one(summary, contention, heap, &finding);
    double inferred = 0;
    for (guint i = 0; i < finding.n_causes; i++)
        if (finding.causes[i].inferred)
            inferred += finding.causes[i].share;
    add_evidence(&finding, inferred < 0.0005, /* what would be written 100.0 % */
                 g_strdup_printf("cause exact for %.1f %% of the time", 100 * (1 - inferred)));
    return finding;
}

static void finding_clear(PmFinding *finding)
{
    for (guint i = 0; i < finding->n_causes; i++)
        g_free(finding->causes[i].text);
    for (guint i = 0; i < finding->n_evidence; i++)
        g_free(finding->evidence[i].text);
    g_free(finding->causes);
    g_free(finding->victims);
    g_free(finding->evidence);
    g_free(finding->title);
    g_free(finding->advice);
    g_free(finding->command);
}

static PmFinding finding_of_rows(PmSummary *summary, PmRule rule, const guint32 *rows, guint n)
{
    const PmView *view = summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    PmFinding finding = {.rule = rule,
                         .severity = PM_SEVERITY_STUCK,
                         .blocker = pm_wait_blocker(w, rows[0]),
                         .kind = pm_wait_kind(w, rows[0]),
                         .category = pm_wait_category(w, rows[0]),
                         .chain = pm_wait_chain(w, rows[0]),
                         .waits = n,
                         .from = view->from,
                         .to = view->to,
                         .advice = g_strdup(rules[rule].advice)};
    g_autoptr(GHashTable) victims = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++) {
        gint64 time = pm_view_clip(view, rows[i]);
        finding.thread_time += time;
        finding.longest = MAX(finding.longest, time);
        guint group = view->recording->threads[pm_wait_thread(w, rows[i])].group;
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(victims, GUINT_TO_POINTER(group)));
        if (!known) {
            finding.victims = g_renew(PmVictim, finding.victims, finding.n_victims + 1);
            finding.victims[finding.n_victims++] = (PmVictim){.group = group, .busy_share = NAN};
            known = finding.n_victims;
            g_hash_table_insert(victims, GUINT_TO_POINTER(group), GUINT_TO_POINTER(known));
        }
        finding.victims[known - 1].n_threads++;
        finding.victims[known - 1].thread_time += time;
    }
    finding.mean_threads = view->recorded > 0 ? (double)finding.thread_time / view->recorded : 0;
    return finding;
}

static void add_deadlocks(PmSummary *summary, GArray *findings)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    for (guint d = 0; d < summary->n_deadlocks; d++) {
        const PmDeadlock *deadlock = &summary->deadlocks[d];
        PmFinding finding =
            finding_of_rows(summary, PM_RULE_DEADLOCK, deadlock->rows, deadlock->n_threads);
        GString *names = g_string_new(NULL);
        for (guint i = 0; i < deadlock->n_threads; i++) {
            guint32 row = deadlock->rows[i];
            if (i < 4)
                g_string_append_printf(names, "%s%s",
                                       i == 0                         ? ""
                                       : i + 1 == deadlock->n_threads ? " and "
                                                                      : ", ",
                                       r->threads[pm_wait_thread(w, row)].name);
            g_autofree char *wanted = pm_label_blocker_short(r, pm_wait_blocker(w, row));
            g_autofree char *site = pm_finding_chain_text(r, pm_wait_chain(w, row), 1);
            add_evidence(&finding, TRUE,
                         g_strdup_printf("%s waits for %s, held by %s, in %s",
                                         r->threads[pm_wait_thread(w, row)].name, wanted,
                                         r->threads[pm_wait_owner(w, row)].name, site));
        }
        if (deadlock->n_threads > 4)
            g_string_append_printf(names, " and %u more", deadlock->n_threads - 4);
        g_autofree char *clock = pm_label_clock(r, deadlock->since, 0);
        g_autofree char *age = pm_label_duration(summary->at - deadlock->since);
        GString *title = g_string_new(NULL);
        g_string_append_printf(title, "Deadlock: %s wait for each other since %s (%s)", names->str,
                               clock, age);
        if (deadlock->n_behind)
            g_string_append_printf(title, "; %u %s behind them", deadlock->n_behind,
                                   deadlock->n_behind == 1 ? "thread waits" : "threads wait");
        finding.title = g_string_free(title, FALSE);
        finding.command = g_strdup("now --chains");
        finding.from = deadlock->since;
        g_string_free(names, TRUE);
        g_array_append_val(findings, finding);
    }
}

static void add_stuck_waits(PmSummary *summary, GArray *findings)
{
    const PmRecording *r = summary->metrics->view->recording;
    guint n = 0;
    for (guint i = 0; i < summary->n_still && n < 3; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (still->cycle >= 0 || !still->stuck)
            continue;
        if (still->owner && summary->n_deadlocks) {
            gboolean behind = FALSE; /* it is counted with the deadlock it waits behind */
            for (guint d = 0; d < summary->n_deadlocks; d++)
                for (guint k = 0; k < summary->deadlocks[d].n_threads; k++)
                    behind |=
                        pm_wait_thread(&r->waits, summary->deadlocks[d].rows[k]) == still->owner;
            if (behind)
                continue;
        }
        PmFinding finding =
            finding_of_rows(summary, PM_RULE_STUCK_WAIT, still->rows, still->n_threads);
        g_autofree char *who =
            still->n_threads == 1
                ? g_strdup_printf("%s waits", r->threads[still->first_thread].name)
                : g_strdup_printf("%s (%u) wait", r->groups[still->group].name, still->n_threads);
        g_autofree char *age = pm_label_duration(summary->at - still->since);
        g_autofree char *clock = pm_label_clock(r, still->since, 0);
        g_autofree char *blocker = pm_label_blocker(r, still->blocker);
        finding.title =
            g_strdup_printf(still->begin_unknown ? "%s for %s since before %s (at least %s)"
                                                 : "%s for %s since %s (%s)",
                            who, blocker, clock, age);
        finding.from = still->since;
        if (still->owner)
            add_evidence(&finding, TRUE,
                         g_strdup_printf("held by %s", r->threads[still->owner].name));
        if (still->owner_chain) {
            g_autofree char *chain = pm_finding_chain_text(r, still->owner_chain, 3);
            add_evidence(&finding, TRUE, g_strdup_printf("its owner is in %s", chain));
        }
        finding.command = g_strdup("now --chains");
        g_array_append_val(findings, finding);
        n++;
    }
}

/* A pool's threads are idle in its own category; it is exhausted when, for half of the time, none
 * was, while others waited for what its threads complete. */
static void add_exhausted_pools(PmSummary *summary, GArray *findings)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 range = view->to - view->from;
    if (range <= 0)
        return;
    /* Time with at least one idle thread: per group the union of its idle waits, in order of begin.
     */
    g_autofree gint64 *some_idle = g_new0(gint64, r->n_groups);
    g_autofree gint64 *covered = g_new(gint64, r->n_groups);
    for (guint g = 0; g < r->n_groups; g++)
        covered[g] = view->from;
    for (gsize i = 0; i < w->n; i++) {
        if (pm_wait_category(w, i) != PM_CATEGORY_POOL_IDLE)
            continue;
        guint32 group = r->threads[pm_wait_thread(w, i)].group;
        gint64 begin = MAX(pm_wait_begin(w, i), covered[group]),
               end = MIN(pm_wait_end(w, i), view->to);
        if (end > begin) {
            some_idle[group] += end - begin;
            covered[group] = end;
        }
    }
    for (guint g = 0; g < summary->n_groups; g++) {
        const PmGroupTime *group = &summary->groups[g];
        double none_idle = 1 - (double)some_idle[group->group] / range;
        if (group->n_threads < 2 || !some_idle[group->group] || none_idle < 0.5)
            continue;
        /* Who waits for its results: joins and signals ended by one of its threads. */
        PmFinding finding = {.rule = PM_RULE_POOL_EXHAUSTED,
                             .severity = PM_SEVERITY_HIGH,
                             .category = PM_CATEGORY_FUTURE,
                             .from = view->from,
                             .to = view->to};
        g_autoptr(GHashTable) waiters = g_hash_table_new(NULL, NULL);
        gint64 biggest = 0;
        for (gsize i = 0; i < view->n; i++) {
            guint32 row = view->rows[i];
            if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_JOIN ||
                !pm_wait_waker(w, row) || r->threads[pm_wait_waker(w, row)].group != group->group ||
                r->threads[pm_wait_thread(w, row)].group == group->group)
                continue;
            gint64 time = pm_view_clip(view, row);
            g_hash_table_add(waiters, GUINT_TO_POINTER(pm_wait_thread(w, row)));
            finding.waits++;
            finding.thread_time += time;
            finding.longest = MAX(finding.longest, time);
            if (time > biggest) {
                biggest = time;
                finding.blocker = pm_wait_blocker(w, row);
                finding.kind = pm_wait_kind(w, row);
                finding.chain = pm_wait_chain(w, row);
            }
        }
        finding.mean_threads =
            view->recorded > 0 ? (double)finding.thread_time / view->recorded : 0;
        if (finding.mean_threads < MIN_MEAN_THREADS)
            continue;
        guint n_waiters = g_hash_table_size(waiters);
        finding.title =
            g_strdup_printf("%s (%u) had no idle thread for %.0f %% of the time; %u "
                            "%s for its results",
                            r->groups[group->group].name, group->n_threads, 100 * none_idle,
                            n_waiters, n_waiters == 1 ? "thread waits" : "threads wait");
        finding.advice = g_strdup(rules[finding.rule].advice);
        finding.busy_share = none_idle;
        gint64 waiting = 0;
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            if (f != PM_FAMILY_IDLE)
                waiting += group->family[f];
        add_evidence(&finding, TRUE,
                     g_strdup_printf("its threads wait %.0f %% of their busy time themselves",
                                     group->busy > 0 ? 100.0 * waiting / group->busy : 0));
        finding.command = g_strdup_printf("--category=future,latch --by=waker-site,site");
        g_array_append_val(findings, finding);
    }
}

static int finding_compare(gconstpointer left, gconstpointer right)
{
    const PmFinding *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->longest != b->longest)
        return a->longest > b->longest ? -1 : 1;
    if (a->busy_share != b->busy_share)
        return a->busy_share > b->busy_share ? -1 : 1;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->blocker > b->blocker) - (a->blocker < b->blocker);
}

static gboolean is_polling(const PmView *view, const Heap *heap)
{
    double seconds = view->recorded / 1e9;
    guint n_threads = MAX(g_hash_table_size(heap->threads), 1);
    return seconds > 0 && heap->time_outs * 10 >= heap->waits * 9 &&
           heap->time_outs / seconds / n_threads >= POLLS_A_SECOND;
}

/* What is stuck there has been told already, as a deadlock or a stuck wait. */
static gboolean is_told(const PmSummary *summary, const GArray *findings, const Heap *heap)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    if (heap->open_time * 2 < heap->thread_time)
        return FALSE;
    for (guint d = 0; d < summary->n_deadlocks; d++)
        for (guint i = 0; i < summary->deadlocks[d].n_threads; i++)
            if (pm_wait_blocker(w, summary->deadlocks[d].rows[i]) == heap->blocker)
                return TRUE;
    for (guint i = 0; i < findings->len; i++) {
        const PmFinding *finding = &g_array_index(findings, PmFinding, i);
        if (finding->severity == PM_SEVERITY_STUCK && finding->blocker == heap->blocker &&
            finding->kind == heap->kind)
            return TRUE;
    }
    return FALSE;
}

static double biggest_share(const PmSummary *summary, const Heap *heap)
{
    double biggest = 0;
    for (guint i = 0; i < summary->n_groups; i++) {
        const PmGroupTime *group = &summary->groups[i];
        const PmVictim *victim = g_hash_table_lookup(heap->victims, GUINT_TO_POINTER(group->group));
        if (victim && group->busy > 0)
            biggest = MAX(biggest, (double)victim->thread_time / (double)group->busy);
    }
    return biggest;
}

/* Threads that wait for work, and a single one that waits for others (main for its tasks), do what
 * they are for. */
static gboolean is_by_design(const PmRecording *r, const PmFinding *finding)
{
    if (wants_work(r, finding->category, finding->chain))
        return TRUE;
    if (pm_category_family(finding->category) != PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < finding->n_victims; i++)
        if (r->groups[finding->victims[i].group].n_threads > 1)
            return FALSE;
    return TRUE;
}

static gboolean matters(const PmSummary *summary, const Heap *heap)
{
    const PmView *view = summary->metrics->view;
    double mean = view->recorded > 0 ? (double)heap->thread_time / (double)view->recorded : 0;
    return mean >= PM_SUMMARY_MIN_MEAN &&
           (mean >= MIN_MEAN_THREADS || biggest_share(summary, heap) >= MIN_BUSY_SHARE);
}

/* Blockers that are many and each small - a lock per row, a future per request - matter together:
 * per class, meaning and place of the wait one heap, if none of its blockers is a quarter of it.
 * Values of the table are heaps, found by a blocker's own heap. */
static GHashTable *gather_many(const PmSummary *summary, GHashTable *heaps, const GArray *told,
                               GPtrArray *ret_many)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(heap_free);
    GHashTable *of_heap = g_hash_table_new(NULL, NULL);
    for (gsize i = 0; i < summary->metrics->n; i++) { /* in their order, for the same answer */
        const PmMetricsRow *row = &summary->metrics->rows[i];
        guint64 key = (guint64)row->blocker << 8 | row->kind;
        Heap *heap = g_hash_table_lookup(heaps, &key);
        PmFamily family = pm_category_family(row->category);
        if (!heap || heap->thread_time <= 0 || !row->blocker || family == PM_FAMILY_IDLE ||
            is_told(summary, told, heap))
            continue;
        guint32 method = site_method(r, biggest_chain(heap));
        g_autofree char *kind = g_strdup_printf(
            "%u %u %u %u", r->blockers[row->blocker].class_index, row->kind, row->category, method);
        Heap *many = g_hash_table_lookup(kinds, kind);
        if (!many) {
            many = heap_new(row->blocker, row->kind);
            many->n_blockers = 0;
            many->category = row->category;
            g_hash_table_insert(kinds, g_steal_pointer(&kind), many);
            g_ptr_array_add(all, many);
        }
        heap_add_heap(many, r, heap);
        g_hash_table_insert(of_heap, heap, many);
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, of_heap);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Heap *many = value;
        if (many->biggest * 4 >= many->thread_time || !matters(summary, many))
            g_hash_table_iter_remove(&iter);
    }
    while (all->len > 0) {
        Heap *many = g_ptr_array_steal_index(all, 0);
        if (many->biggest * 4 < many->thread_time && matters(summary, many))
            g_ptr_array_add(ret_many, many);
        else
            heap_free(many);
    }
    return of_heap;
}

/* The verdict is the first finding that is no note. */
static void take_verdict(PmSummary *summary, const PmFinding *first)
{
    static const PmVerdictLevel levels[] = {
        [PM_SEVERITY_STUCK] = PM_VERDICT_STUCK, [PM_SEVERITY_HIGH] = PM_VERDICT_HIGH};
    if (first != NULL && first->severity != PM_SEVERITY_NOTE) {
        g_free(summary->verdict.sentence);
        summary->verdict =
            (PmVerdict){levels[first->severity], g_strdup(first->title), first->blocker};
    } else if (summary->verdict.level != PM_VERDICT_EMPTY &&
               summary->verdict.level != PM_VERDICT_NONE) {
        gint64 longest = 0;
        for (gsize i = 0; i < summary->metrics->n; i++)
            if (!pm_category_is_idle(summary->metrics->rows[i].category))
                longest = MAX(longest, summary->metrics->rows[i].longest);
        if (first == NULL || first->busy_share <= 0)
            longest = 0;
        g_free(summary->verdict.sentence);
        summary->verdict =
            (PmVerdict){PM_VERDICT_NONE, pm_summary_calm_sentence(summary, longest, 0), 0};
    }
}

PmFindings *pm_findings_new(PmSummary *summary, const PmContention *contention, const gint *cancel)
{
    PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) heaps =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, heap_free);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = 0; i < view->n; i++) {
        guint32 row = view->rows[i];
        if (cancel && (i & 4095) == 0 && g_atomic_int_get(cancel))
            return NULL;
        if (pm_category_is_idle(pm_wait_category(w, row)) || pm_summary_is_at_rest(summary, row))
            continue;
        guint64 key = (guint64)pm_wait_blocker(w, row) << 8 | pm_wait_kind(w, row);
        Heap *heap = g_hash_table_lookup(heaps, &key);
        if (!heap) {
            heap = heap_new(pm_wait_blocker(w, row), pm_wait_kind(w, row));
            g_hash_table_insert(heaps, key_new(key), heap);
        }
        heap_add_wait(heap, view, row, contention, parts);
    }

    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmFinding));
    add_deadlocks(summary, all);
    add_stuck_waits(summary, all);
    add_exhausted_pools(summary, all);
    g_autoptr(GPtrArray) many = g_ptr_array_new_with_free_func(heap_free);
    g_autoptr(GHashTable) of_heap = gather_many(summary, heaps, all, many);
    for (guint i = 0; i < many->len; i++) {
        const Heap *heap = g_ptr_array_index(many, i);
        PmFinding finding = finding_of_heap(summary, contention, heap, heap->category);
        if (is_by_design(r, &finding)) {
            finding_clear(&finding);
            continue;
        }
        if (pm_category_family(heap->category) != PM_FAMILY_LOCK)
            add_wake_step(&finding, view, r->blockers[heap->blocker].class_index);
        g_array_append_val(all, finding);
    }
    for (gsize i = 0; i < summary->metrics->n; i++) {
        const PmMetricsRow *row = &summary->metrics->rows[i];
        guint64 key = (guint64)row->blocker << 8 | row->kind;
        Heap *heap = g_hash_table_lookup(heaps, &key);
        if (!heap || heap->thread_time <= 0)
            continue;
        gboolean polling = is_polling(view, heap);
        if (is_told(summary, all, heap) || (!polling && !matters(summary, heap)) ||
            (!polling && g_hash_table_contains(of_heap, heap)))
            continue;
        PmFinding finding = finding_of_heap(summary, contention, heap, row->category);
        if (polling) {
            double rate = heap->time_outs / (view->recorded / 1e9);
            g_autofree char *victims = victims_text(r, &finding);
            g_autofree char *site = pm_finding_chain_text(r, finding.chain, 1);
            g_free(finding.title);
            finding.title = g_strdup_printf("%s wakes by time-out %.0f times a second in %s",
                                            victims, rate, site);
            g_free(finding.advice);
            finding.rule = PM_RULE_TIMED_POLLING;
            finding.severity = PM_SEVERITY_NOTE;
            finding.advice = g_strdup(rules[finding.rule].advice);
        } else if (is_by_design(r, &finding)) {
            finding_clear(&finding);
            continue;
        } else if (pm_category_family(row->category) != PM_FAMILY_LOCK) {
            add_wake_step(&finding, view, 0);
        }
        g_array_append_val(all, finding);
    }
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity == PM_SEVERITY_HIGH && finding->mean_threads < PM_SUMMARY_HIGH_MEAN)
            finding->severity = PM_SEVERITY_NOTE;
    }
    g_array_sort(all, finding_compare);

    PmFindings *findings = g_new0(PmFindings, 1);
    findings->summary = summary;
    findings->findings = g_new0(PmFinding, MAX(all->len, 1));
    guint n_high = 0, n_notes = 0;
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity != PM_SEVERITY_NOTE && ++n_high > MAX_FINDINGS)
            finding->severity = PM_SEVERITY_NOTE;
        if (finding->severity == PM_SEVERITY_NOTE && ++n_notes > MAX_NOTES)
            finding_clear(finding);
        else
            findings->findings[findings->n++] = *finding;
    }
    take_verdict(summary, findings->n > 0 ? &findings->findings[0] : NULL);
    return findings;
}

void pm_findings_free(PmFindings *findings)
{
    if (!findings)
        return;
    for (guint i = 0; i < findings->n; i++)
        finding_clear(&findings->findings[i]);
    g_free(findings->findings);
    g_free(findings);
}

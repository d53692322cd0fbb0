#include "viewer/analysis/stuck/knots.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/evidence/keeper.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/stuck/stuck-finding.h"

/* The threads of the group of `row`'s thread that are among the victims. */
static char *pool_text(const PmRecording *r, const PmFinding *finding, guint32 row)
{
    const guint32 group = r->threads[pm_wait_thread(&r->waits, row)].group;
    guint i = finding->n_victims - 1;
    while (i > 0 && finding->victims[i].group != group)
        i--;
    return pm_summary_group_text(r, finding->victims[i].group, finding->victims[i].n_threads);
}

/* The first of these texts, and the other one, or how many others. Owned by the caller. */
static char *several_text(GPtrArray *texts, const char *noun)
{
    const char *first = g_ptr_array_index(texts, 0);
    return texts->len == 1 ? g_strdup(first)
           : texts->len == 2
               ? g_strdup_printf("%s and %s", first, (char *)g_ptr_array_index(texts, 1))
               : g_strdup_printf("%s and %u other %s", first, texts->len - 1, noun);
}

static void add_text(GPtrArray *texts, char *text)
{
    if (g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL))
        g_free(text);
    else
        g_ptr_array_add(texts, text);
}

/* What those of a knot wait for, and where: "X in A and B". Owned by the caller. */
static char *wanted_text(const PmRecording *r, const guint32 *rows, guint n)
{
    g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free),
                         places = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < n; i++) {
        add_text(objects, pm_label_blocker_field(r, pm_wait_blocker(&r->waits, rows[i])));
        add_text(places, pm_label_code_method(r, pm_wait_chain(&r->waits, rows[i])));
    }
    g_autofree char *what = several_text(objects, "objects");
    g_autofree char *where = several_text(places, "methods");
    return g_strdup_printf("%s in %s", what, where);
}

static char *knot_title(const PmRecording *r, const PmKnot *knot, const PmFinding *finding,
                        const guint32 *rows, guint n)
{
    g_autofree char *all = pm_stuck_victims_text(r, finding);
    g_autofree char *blocker = pm_label_blocker_field(r, finding->blocker);
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *wanted = NULL;
    g_autofree char *who = NULL;
    switch (knot->shape) {
    case PM_KNOT_OWN_POOL:
        who = pool_text(r, finding, g_array_index(knot->rows, guint32, 0));
        return g_strdup_printf(
            "Tasks of %s wait for tasks of their own pool in %s; no thread is left to run them",
            who, where);
    case PM_KNOT_MUTUAL:
        wanted = wanted_text(r, rows, n);
        return g_strdup_printf("%s wait for %s; the threads that %s are now waiting too", all,
                               wanted,
                               !knot->expects ? "ended such waits before"
                               : knot->n_ends ? "ended such waits before, or should make room,"
                                              : "should make room");
    case PM_KNOT_ENDED: {
        const PmKnotGiver *giver = &g_array_index(knot->givers, PmKnotGiver, 0);
        return g_strdup_printf("%s wait for %s in %s; %s, which %s, has ended", all, blocker, where,
                               r->threads[giver->thread].name,
                               knot->party ? "came there, too" : "ended such waits");
    }
    case PM_KNOT_FORGOTTEN:
        break;
    }
    return g_strdup_printf("%s wait for %s in %s, while %u later %s there %s ended", all, blocker,
                           where, knot->n_later, knot->n_later == 1 ? "wait" : "waits",
                           knot->n_later == 1 ? "was" : "were");
}

/* Who has not come to a barrier, and what it did the last time it was seen, else what those like it
 * were seen in. */
static void add_party(const PmSearch *search, PmFinding *finding, const PmKnotGiver *party)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const PmActivity *activity = pm_contention_activity(search->contention);
    const PmThread *thread = &r->threads[party->thread];
    const guint32 seen = party->chain
                             ? party->chain
                             : pm_activity_sample_in_call(activity, party->thread, finding->chain,
                                                          FALSE, thread->end, thread->end, NULL);
    g_autofree char *where = seen ? pm_label_code(r, seen, 2) : NULL;
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, party->thread, seen ? seen : finding->chain);
    pm_evidence_add(
        finding, TRUE,
        g_strdup_printf("%s was there in the last round, and has ended since", thread->name));
    if (where)
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf(party->chain ? "it was last seen in %s"
                                                     : "threads like it were seen in %s",
                                        where));
}

/* Who ended the earlier waits for one object. */
typedef struct {
    guint32 row;        /* the oldest for it that is in progress */
    GHashTable *chains; /* in which → how many */
    guint best;         /* of these, and by whom */
    guint32 chain, thread;
} ObjectGiver;

static void object_giver_free(gpointer data)
{
    ObjectGiver *giver = data;
    g_hash_table_unref(giver->chains);
    g_free(giver);
}

/* By blocker, the ObjectGiver of each that the rows wait for. */
static GHashTable *givers_by_object(const PmSearch *search, const guint32 *rows, guint n_rows)
{
    enum { AT_ONCE = 512 };
    const PmRecording *r = search->operations->recording;
    const PmWaits *w = &r->waits;
    GHashTable *objects = g_hash_table_new_full(NULL, NULL, NULL, object_giver_free);
    gint64 blockers[AT_ONCE];
    guint32 threads[AT_ONCE], chains[AT_ONCE];
    for (guint i = 0; i < n_rows; i++) {
        const gpointer key = GUINT_TO_POINTER(pm_wait_blocker(w, rows[i]));
        if (g_hash_table_contains(objects, key))
            continue;
        ObjectGiver *giver = g_new0(ObjectGiver, 1);
        giver->row = rows[i];
        giver->chains = g_hash_table_new(NULL, NULL);
        g_hash_table_insert(objects, key, giver);
    }
    for (gsize first = 0, n; first < w->n; first += n) {
        n = MIN(w->n - first, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, first, n, blockers);
        pm_contention_enders(search->contention, first, n, threads, chains);
        for (gsize i = 0; i < n; i++) {
            ObjectGiver *giver =
                threads[i] ? g_hash_table_lookup(objects, GUINT_TO_POINTER((guint32)blockers[i]))
                           : NULL;
            if (!giver || pm_wait_end(w, first + i) > search->operations->at ||
                pm_operation_key(r, (guint32)(first + i)) != pm_operation_key(r, giver->row))
                continue;
            const gpointer chain = GUINT_TO_POINTER(chains[i]);
            const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(giver->chains, chain)) + 1;
            g_hash_table_insert(giver->chains, chain, GUINT_TO_POINTER(count));
            if (count < giver->best)
                continue;
            giver->best = count;
            giver->chain = chains[i];
            giver->thread = threads[i];
        }
    }
    return objects;
}

/* Adds a giver, unless one that does the same there is among them. */
static void add_once(const PmRecording *r, GArray *givers, const PmKnotGiver *giver)
{
    for (guint k = 0; k < givers->len; k++) {
        const PmKnotGiver *other = &g_array_index(givers, PmKnotGiver, k);
        if (other->chain == giver->chain &&
            pm_operation_ender(r, other->thread) == pm_operation_ender(r, giver->thread) &&
            pm_wait_blocker(&r->waits, other->row) == pm_wait_blocker(&r->waits, giver->row))
            return;
    }
    g_array_append_vals(givers, giver, 1);
}

/* Who gave what that wait is for; NULL: of the object it is not known. */
static const ObjectGiver *giver_of(GHashTable *objects, const PmRecording *r, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    const ObjectGiver *giver = g_hash_table_lookup(objects, GUINT_TO_POINTER(blocker));
    return giver && giver->best && pm_operation_key(r, giver->row) == pm_operation_key(r, row)
               ? giver
               : NULL;
}

/* The knot's givers, each once: of each object, where that is known, as one operation may be of
 * many; else of the operation. */
static GArray *givers_of(const PmRecording *r, const PmKnot *knot, GHashTable *objects,
                         const guint32 *rows, guint n)
{
    GArray *givers = g_array_new(FALSE, FALSE, sizeof(PmKnotGiver));
    g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autofree guint64 *keys = g_new(guint64, n);
    for (guint i = 0; i < n; i++) {
        const ObjectGiver *its = giver_of(objects, r, rows[i]);
        keys[i] = pm_operation_key(r, rows[i]);
        if (!its)
            continue;
        g_hash_table_add(known, &keys[i]);
        if (givers->len < PM_STUCK_MAX)
            add_once(r, givers, &(PmKnotGiver){its->row, its->thread, its->chain});
    }
    for (guint k = 0; k < knot->givers->len; k++) {
        const PmKnotGiver *giver = &g_array_index(knot->givers, PmKnotGiver, k);
        const guint64 key = pm_operation_key(r, giver->row);
        if (!g_hash_table_contains(known, &key))
            add_once(r, givers, giver);
    }
    return givers;
}

/* Who ended such waits before, and where. */
static void add_giver(const PmSearch *search, PmFinding *finding, const PmKnot *knot,
                      const PmKnotGiver *giver)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    guint32 chain = giver->chain;
    g_autofree char *where = pm_label_code(r, giver->chain, 2);
    g_autofree char *blocker = pm_label_blocker_short(r, pm_wait_blocker(&r->waits, giver->row));
    if (knot->shape == PM_KNOT_FORGOTTEN) { /* it still ends others: what it does meanwhile */
        const guint32 seen = pm_activity_sample_in_call(
            pm_contention_activity(search->contention), giver->thread, giver->chain, FALSE,
            search->summary->at, search->summary->at, NULL);
        chain = seen ? seen : chain;
    }
    if (knot->shape != PM_KNOT_OWN_POOL)
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, giver->thread, chain);
    const char *who = r->groups[r->threads[giver->thread].group].shown;
    pm_evidence_add(
        finding, TRUE,
        giver->expected
            ? g_strdup_printf("room for %s is made by %s, which waits in %s", blocker, who, where)
            : g_strdup_printf("similar earlier waits for %s were mostly ended by %s in %s", blocker,
                              who, where));
}

/* Of what waits for room in a queue, the wait of one that waits for elements of it at other times.
 * G_MAXUINT32: there is none. */
static guint32 wait_of_who_took(const PmSearch *search, const guint32 *rows, guint n)
{
    const PmRecording *r = search->operations->recording;
    for (guint i = 0; i < n; i++)
        if (pm_label_waits_for_room(r, pm_wait_chain(&r->waits, rows[i])) &&
            pm_lock_takers_has(pm_contention_lock_takers(search->contention),
                               pm_wait_blocker(&r->waits, rows[i]),
                               pm_wait_thread(&r->waits, rows[i])))
            return rows[i];
    return G_MAXUINT32;
}

/* Of what waits for room in a queue, the wait of the one that takes from it; G_MAXUINT32: that is
 * not among them. */
static guint32 wait_of_taker(const PmSearch *search, GHashTable *objects, const guint32 *rows,
                             guint n)
{
    const PmRecording *r = search->operations->recording;
    const guint32 took = wait_of_who_took(search, rows, n);
    if (took != G_MAXUINT32)
        return took;
    for (guint i = 0; i < n; i++) {
        const ObjectGiver *giver = giver_of(objects, r, rows[i]);
        if (giver && giver->thread == pm_wait_thread(&r->waits, rows[i]) &&
            pm_label_waits_for_room(r, pm_wait_chain(&r->waits, rows[i])))
            return rows[i];
    }
    return G_MAXUINT32;
}

/* Who takes from a queue waits for room in it itself: where it does, beside what all do who put
 * something in. FALSE: nobody does. */
static gboolean add_taker(const PmSearch *search, PmFinding *finding, GHashTable *objects,
                          const guint32 *rows, guint n)
{
    const PmRecording *r = search->operations->recording;
    const guint32 row = wait_of_taker(search, objects, rows, n);
    if (row == G_MAXUINT32)
        return FALSE;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++)
        if (pm_wait_thread(&r->waits, rows[i]) != thread)
            g_hash_table_add(others, GUINT_TO_POINTER(pm_wait_chain(&r->waits, rows[i])));
    const gint frame = pm_culprit_frame_apart(r, chain, others);
    const char *code = pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, thread, chain, frame);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s takes from it, and waits for room itself, in %s",
                                    r->threads[thread].name, code));
    if (frame < 0)
        return TRUE;
    g_autofree char *victims = pm_stuck_victims_text(r, finding);
    g_autofree char *blocker = pm_label_blocker_field(r, finding->blocker);
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    g_free(finding->title);
    finding->title =
        g_strdup_printf("%s wait for room in %s, in %s; %s, which should make room, waits for it "
                        "too, in %s",
                        victims, blocker, where, r->threads[thread].name, method);
    return TRUE;
}

/* Who waits in a knot and owns a lock that others wait for keeps it until the knot is undone: where
 * it does, beside what the others do. FALSE: nobody does. */
static gboolean add_owner(const PmSummary *summary, PmFinding *finding, const guint32 *rows,
                          guint n)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    const PmStillWaiting *behind = NULL;
    guint32 row = 0;
    for (guint i = 0; i < n; i++)
        for (guint k = 0; k < summary->n_still; k++) {
            const PmStillWaiting *still = &summary->still[k];
            if (still->owner != pm_wait_thread(w, rows[i]) || still->kind == PM_KIND_WAIT ||
                (behind && behind->n_threads >= still->n_threads))
                continue;
            behind = still;
            row = rows[i];
        }
    if (!behind)
        return FALSE;
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++)
        if (pm_wait_thread(w, rows[i]) != behind->owner)
            g_hash_table_add(others, GUINT_TO_POINTER(pm_wait_chain(w, rows[i])));
    const guint32 chain = pm_wait_chain(w, row);
    const gint frame = pm_culprit_frame_apart(r, chain, others);
    if (frame < 0)
        return FALSE;
    const char *owner = r->threads[behind->owner].name;
    g_autofree char *lock = pm_label_blocker_field(r, behind->blocker);
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    g_autofree char *waiters = pm_summary_group_text(r, behind->group, behind->n_threads);
    pm_finding_add_to_title(finding,
                            g_strdup_printf("%s waits in %s and holds %s", owner, method, lock));
    pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, behind->owner, chain, frame);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s is held by %s, and %s %s for it", lock, owner, waiters,
                                    behind->n_threads == 1 ? "waits" : "wait"));
    return TRUE;
}

/* Who waits for something else, further on in the very method in which others wait for what a pool
 * lends, may have got that before. FALSE: nobody does. */
static gboolean add_keeping(const PmRecording *r, PmFinding *finding, const guint32 *rows, guint n)
{
    const gint at = pm_own_frame(pm_own_code(r), finding->chain);
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE || at < 0)
        return FALSE;
    const PmFrame *takes = &r->chains[finding->chain].frames[at];
    for (guint i = 0; i < n; i++) {
        const guint32 thread = pm_wait_thread(&r->waits, rows[i]);
        const guint32 chain = pm_wait_chain(&r->waits, rows[i]);
        const gint frame = pm_own_frame(pm_own_code(r), chain);
        if (pm_wait_blocker(&r->waits, rows[i]) == finding->blocker || frame < 0 ||
            r->chains[chain].frames[frame].method != takes->method ||
            r->chains[chain].frames[frame].line <= takes->line)
            continue;
        g_autofree char *method = pm_label_method(r, takes->method);
        pm_finding_add_to_title(
            finding, g_strdup_printf("%s waits further on in %s and may keep what it took",
                                     r->threads[thread].name, method));
        pm_finding_advise(finding, "give it back before waiting for others who need one, too");
        pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, thread, chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s has gone further than where others wait for it: it may "
                                        "have what they wait for, while it waits itself",
                                        r->threads[thread].name));
        return TRUE;
    }
    return FALSE;
}

/* A knot's rows without those that a deadlock tells: of its threads, and of who waits behind. */
static GArray *untold_rows(const PmSummary *summary, const PmKnot *knot)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; summary->n_deadlocks && i < summary->n_still; i++)
        for (guint k = 0; summary->still[i].cycle != -1 && k < summary->still[i].n_threads; k++)
            g_hash_table_add(told, GUINT_TO_POINTER(pm_wait_thread(w, summary->still[i].rows[k])));
    for (guint i = 0; i < knot->rows->len; i++) {
        const guint32 row = g_array_index(knot->rows, guint32, i);
        if (!g_hash_table_contains(told, GUINT_TO_POINTER(pm_wait_thread(w, row))))
            g_array_append_val(rows, row);
    }
    return rows;
}

/* Who waits for the same permits in another call, of which none was seen to end, may have taken
 * some before. */
static void add_askers(const PmSearch *search, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE)
        return;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
        if (still->blocker != finding->blocker || still->kind != finding->kind || !operation ||
            operation->n_ends)
            continue;
        g_autofree char *who = pm_summary_group_text(r, still->group, still->n_threads);
        g_autofree char *where = pm_label_code_method(r, still->chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s %s for it, too, in %s, where none was seen to get any: "
                                        "what is missing may have been taken there before",
                                        who, still->n_threads == 1 ? "waits" : "wait", where));
    }
}

/* What a SynchronousQueue that is not fair does to who came first; from JDK 24 on its class does
 * not say whether it is. NULL: it is another queue, or fair. */
static const char *advice_of_queue(const PmRecording *r, guint32 blocker)
{
    const char *class_name = r->classes[r->blockers[blocker].class_index].name;
    if (!g_str_has_prefix(class_name, "java.util.concurrent.SynchronousQueue$") ||
        g_str_has_suffix(class_name, "$TransferQueue"))
        return NULL;
    return g_str_has_suffix(class_name, "$TransferStack")
               ? "let it serve in order, new SynchronousQueue<>(true): as it is, who came last is "
                 "served first, and who came first waits as long as others come"
               : "unless it does so already, let it serve in order, new SynchronousQueue<>(true): "
                 "else who came last is served first, and who came first waits as long as others "
                 "come";
}

/* How long it has lasted, against what, and what would disprove it. */
static void add_basis(PmFinding *finding, const PmKnot *knot, gint64 age)
{
    g_autofree char *so_long = pm_label_duration(age);
    g_autofree char *longest = pm_label_duration(knot->longest);
    pm_evidence_add(
        finding, TRUE,
        !knot->n_ends
            ? g_strdup_printf("in progress for up to %s; nobody was seen to make room before",
                              so_long)
            : g_strdup_printf("in progress for up to %s; none of the earlier ones "
                              "lasted longer than %s",
                              so_long, longest));
    if (knot->n_ends)
        pm_evidence_add(
            finding, FALSE,
            g_strdup_printf("based on %u earlier %s: a thread that never ended one before may "
                            "still end these",
                            knot->n_ends, knot->n_ends == 1 ? "end" : "ends"));
    if (knot->expects)
        pm_evidence_add(
            finding, FALSE,
            g_strdup("based on who waits for what is put in: a thread that takes some and never "
                     "waited for it may still make room"));
}

void pm_stuck_find_knots(const PmSearch *search, PmKnotShape shape, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    for (guint i = 0; i < MIN(search->knots->len, PM_STUCK_MAX); i++) {
        const PmKnot *knot = &g_array_index(search->knots, PmKnot, i);
        if (knot->shape != shape)
            continue;
        g_autoptr(GArray) untold = untold_rows(summary, knot);
        if (!untold->len)
            continue;
        const guint32 *rows = (const guint32 *)(const void *)untold->data;
        PmFinding finding = pm_stuck_finding(search, rows, untold->len);
        gint64 since = G_MAXINT64;
        for (guint k = 0; k < untold->len; k++)
            since = MIN(since, pm_wait_begin(&r->waits, rows[k]));
        finding.title = knot_title(r, knot, &finding, rows, untold->len);
        if (knot->shape == PM_KNOT_OWN_POOL) {
            pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, pm_wait_thread(&r->waits, rows[0]),
                                 finding.chain);
            pm_stuck_add_who_asks(summary, &finding, rows[0]);
        }
        g_autoptr(GHashTable) objects =
            givers_by_object(search, rows, knot->shape == PM_KNOT_MUTUAL ? untold->len : 0);
        g_autoptr(GArray) givers = givers_of(r, knot, objects, rows, untold->len);
        gboolean kept =
            knot->shape == PM_KNOT_MUTUAL &&
            (add_taker(search, &finding, objects, rows, untold->len) ||
             add_owner(summary, &finding, rows, untold->len) || pm_keeper_tell(search, &finding) ||
             add_keeping(r, &finding, rows, untold->len) ||
             pm_stuck_add_nested(r, &finding, rows, untold->len, TRUE));
        for (guint k = 0; knot->shape == PM_KNOT_MUTUAL && k < knot->givers->len && !kept; k++) {
            const guint32 giver = g_array_index(knot->givers, PmKnotGiver, k).thread;
            kept = pm_stuck_add_ended(search, pm_operation_ender(r, giver), &finding);
        }
        if (knot->party)
            add_party(search, &finding, &g_array_index(knot->givers, PmKnotGiver, 0));
        for (guint k = 0; k < givers->len && !kept && !knot->party; k++)
            add_giver(search, &finding, knot, &g_array_index(givers, PmKnotGiver, k));
        if (!kept)
            add_askers(search, &finding);
        const char *advice =
            knot->shape == PM_KNOT_FORGOTTEN ? advice_of_queue(r, finding.blocker) : NULL;
        if (advice)
            pm_finding_advise(&finding, advice);
        add_basis(&finding, knot, summary->at - since);
        pm_stuck_share_evenly(&finding);
        finding.command = g_strdup("now --chains");
        finding.from = since;
        g_array_append_val(findings, finding);
    }
}

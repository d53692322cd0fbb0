#include "viewer/analysis/findings/candidate.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/findings/replies.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/sum.h"

#define POLLS_A_SECOND 10.0
#define MIN_TOLD       0.005 /* less would be written 0 % */

/* So many ends of waits tell what a thread waits for, and are looked at. */
#define MIN_ENDED 5
/* A thread that waits for so many objects, each once, waits for results. */
#define MIN_RESULTS 3
#define MAX_ENDED   64
/* So much of waiting for work one thread must cause, at work for so much of the time. */
#define STARVED_SHARE 0.8
/* So often a thread alone must wait for others, for so much of its time because of one group. */
#define MIN_AWAITED 20
#define PACED_SHARE 0.4
#define SOON_NS     10000000

/* ---- which rule ---- */

static PmFamily family_of(const PmCandidate *c)
{
    return pm_category_family(c->finding->category);
}

static const PmRecording *recording_of(const PmCandidate *c)
{
    return c->search->summary->metrics->view->recording;
}

static double polls_a_second(const PmCandidate *c)
{
    const double seconds = (double)c->search->summary->metrics->view->known / 1e9;
    return seconds > 0 ? (double)c->cost->time_outs / seconds : 0;
}

gboolean pm_candidate_ends_by_timeout(const PmCandidate *c)
{
    return c->cost->category != PM_CATEGORY_RESOURCE &&
           c->cost->time_outs * 10 >= c->cost->waits * 9;
}

gboolean pm_candidate_is_polling(const PmCandidate *c)
{
    const guint n_threads = MAX(c->cost->threads.n, 1);
    return (c->cost->polls || !c->many) && pm_candidate_ends_by_timeout(c) &&
           polls_a_second(c) / n_threads >= POLLS_A_SECOND;
}

gboolean pm_candidate_is_exhausted(const PmCandidate *c)
{
    if (!c->many && pm_contention_is_resource(c->search->contention, c->cost->blocker))
        return TRUE;
    return family_of(c) == PM_FAMILY_RESOURCE &&
           !(c->finding->category == PM_CATEGORY_SEMAPHORE &&
             pm_blocker_cost_is_signal(c->cost, recording_of(c)));
}

gboolean pm_candidate_is_brought(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    if (!pm_candidate_is_exhausted(c) || !finding->n_causes || !finding->causes[0].thread ||
        finding->causes[0].group == PM_GROUP_SEVERAL)
        return FALSE;
    for (guint i = 0; i < finding->n_victims; i++)
        if (finding->victims[i].group == finding->causes[0].group)
            return FALSE;
    return TRUE;
}

gboolean pm_candidate_is_lock(const PmCandidate *c)
{
    return family_of(c) == PM_FAMILY_LOCK;
}

gboolean pm_candidate_is_held_over_io(const PmCandidate *c)
{
    return pm_candidate_is_lock(c) && c->owner_is_slow &&
           c->finding->category != PM_CATEGORY_CLASS_INIT;
}

gboolean pm_candidate_is_convoy(const PmCandidate *c)
{
    return pm_candidate_is_lock(c) && c->next != 0;
}

gboolean pm_candidate_is_fair(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    const char *class_name = r->classes[r->blockers[c->cost->blocker].class_index].name;
    return !c->many && pm_candidate_is_lock(c) && strstr(class_name, "$FairSync") &&
           pm_product(c->cost->hand_over, 2) > c->cost->charged;
}

/* A latch that one event opens has no last one of several, nor has what is no latch. */
gboolean pm_candidate_is_join(const PmCandidate *c)
{
    return !c->many && family_of(c) == PM_FAMILY_JOIN &&
           !pm_contention_is_counted(c->search->contention, c->cost->blocker) &&
           c->finding->category != PM_CATEGORY_FUTURE &&
           !(c->finding->category == PM_CATEGORY_LATCH && c->cost->most_to_come == 1);
}

gboolean pm_candidate_is_any(const PmCandidate *c)
{
    return TRUE;
}

/* ---- by design ---- */

/* A single thread that waits for others, main for its tasks. */
gboolean pm_candidate_waits_alone(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    if (family_of(c) != PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < c->finding->n_victims; i++)
        if (r->groups[c->finding->victims[i].group].n_threads > 1)
            return FALSE;
    return TRUE;
}

/* Are both in one package, or in packages within it? */
static gboolean is_of_package(const char *class_name, const char *other)
{
    const char *end = strrchr(other, '.');
    return end && strncmp(class_name, other, (gsize)(end + 1 - other)) == 0;
}

/* Does a thread wait there in the very loop that it is for, and not in a task of that loop? So do
 * the workers of a library's own pool. The method is `run`, or its thread's class is its own. The
 * loop of a library's thread may be made of several of its classes. */
static gboolean is_worker_loop(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    if (c->truncated || c->site >= c->n_frames)
        return FALSE;
    const char *of_class = pm_recording_class_at(r, c, c->site);
    const gboolean is_library = pm_own_frame(pm_own_code(r), chain) < 0;
    guint32 at = c->site, base = at;
    for (; at < c->n_frames &&
           (strcmp(pm_recording_class_at(r, c, at), of_class) == 0 ||
            (is_library && is_of_package(pm_recording_class_at(r, c, at), of_class)));
         at++)
        base = at;
    if (at < c->n_frames)
        base = c->site;
    for (; at < c->n_frames; at++)
        if (!pm_label_is_of_thread(pm_recording_class_at(r, c, at)))
            return FALSE;
    return strcmp(r->methods[c->frames[base].method].name, "run") == 0;
}

/* Does it wait there for a signal to begin with something? */
static gboolean waits_in_worker_loop(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    return finding->kind != PM_KIND_ENTER &&
           (finding->category == PM_CATEGORY_CONDITION || finding->category == PM_CATEGORY_OTHER) &&
           is_worker_loop(recording_of(c), finding->chain);
}

/* Does the thread wait at `at`, or soon, for `giver` to set it going? */
static gboolean rests(const PmContention *contention, guint32 thread, guint32 giver, gint64 at)
{
    const PmActivity *activity = pm_contention_activity(contention);
    const guint32 nth = pm_activity_first_wait(activity, thread, at);
    guint32 ender, chain;
    if (nth >= pm_activity_n_waits(activity, thread))
        return FALSE;
    const guint32 row = pm_activity_wait(activity, thread, nth);
    return pm_wait_begin(&activity->recording->waits, row) <= pm_sum(at, SOON_NS) &&
           pm_contention_ender(contention, row, &ender, &chain) && ender == giver;
}

/* The last waits of the thread for the candidate's object, each until it went on with something
 * else, and who ended them. */
static void find_ended(const PmCandidate *c, guint32 thread, GArray *rows, GHashTable *enders)
{
    const PmContention *contention = c->search->contention;
    const PmActivity *activity = pm_contention_activity(contention);
    for (guint32 i = pm_activity_n_waits(activity, thread); i-- > 0 && rows->len < MAX_ENDED;) {
        const guint32 row = pm_activity_wait(activity, thread, i);
        guint32 ender, chain;
        if (pm_wait_blocker(&activity->recording->waits, row) != c->cost->blocker ||
            pm_activity_is_repeated(activity, row) ||
            !pm_contention_ender(contention, row, &ender, &chain))
            continue;
        g_hash_table_add(enders, GUINT_TO_POINTER(ender));
        g_array_append_val(rows, row);
    }
}

/* Does a single thread go on when all that it waits for have come to rest until it gives them more
 * to do? Then it waits for them to be done, as main for its tasks. */
static gboolean awaits_all(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    if (c->many || family_of(c) != PM_FAMILY_SIGNAL || c->cost->threads.n != 1 ||
        c->finding->n_victims != 1 || r->groups[c->finding->victims[0].group].n_threads != 1)
        return FALSE;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) enders = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    gpointer key;
    guint n_all = 0;
    const guint32 thread = c->cost->threads.items[0].key;
    find_ended(c, thread, rows, enders);
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        guint32 ender = 0, chain;
        gboolean all = pm_contention_ender(c->search->contention, row, &ender, &chain);
        g_hash_table_iter_init(&iter, enders);
        while (all && g_hash_table_iter_next(&iter, &key, NULL))
            all = GPOINTER_TO_UINT(key) == ender ||
                  rests(c->search->contention, GPOINTER_TO_UINT(key), thread,
                        pm_wait_end(&r->waits, row));
        n_all += all;
    }
    return g_hash_table_size(enders) > 1 && n_all >= MIN_ENDED && n_all * 3 >= rows->len * 2;
}

/* Does nearly every wait have an object of its own? Then it is for a result, whatever brings that:
 * a queue of one, which an answer is put into. */
static gboolean awaits_results(const PmCandidate *c)
{
    return c->many && pm_product(c->cost->n_blockers, 10) >= pm_product(c->cost->waits, 9) &&
           c->cost->n_blockers >= MIN_RESULTS * c->cost->threads.n;
}

/* Does it end waits of others, not only as it gives back a lock? */
static gboolean is_waited_for(const PmRecording *r, guint32 thread)
{
    enum { AT_ONCE = 512 };
    gint64 wakers[AT_ONCE], categories[AT_ONCE];
    for (gsize i = 0, n; i < r->waits.n; i += n) {
        n = MIN(r->waits.n - i, AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKER, i, n, wakers);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++)
            if (wakers[k] == thread &&
                pm_category_family((PmCategory)categories[k]) != PM_FAMILY_LOCK)
                return TRUE;
    }
    return FALSE;
}

/* Does a library's own thread wait there for a signal, and nobody for it? It looks after something,
 * as for connections that nobody uses any more, and has nothing to do until then. */
static gboolean is_housekeeper(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    if (family_of(c) != PM_FAMILY_SIGNAL || c->cost->threads.n != 1 ||
        r->chains[c->finding->chain].truncated ||
        pm_own_frame(pm_own_code(r), c->finding->chain) >= 0)
        return FALSE;
    return !is_waited_for(r, c->cost->threads.items[0].key);
}

gboolean pm_candidate_is_idle(const PmCandidate *c)
{
    return waits_in_worker_loop(c) || is_housekeeper(c) ||
           (pm_summary_wants_work(recording_of(c), c->finding->category, c->finding->chain) &&
            !awaits_results(c) && pm_replies_awaited(c) != PM_REPLIES_AWAITED) ||
           pm_candidate_waits_alone(c) || awaits_all(c);
}

/* How much of the view the census says that the thread had a processor, or wanted one. */
static double processor_share(const PmView *view, guint32 thread)
{
    const PmRecording *r = view->recording;
    gint64 used = 0, known = 0;
    for (guint i = 0; i < r->n_census; i++) {
        const PmCensusRow *row = &r->census[i];
        if (row->thread != thread || row->since < view->from || row->at > view->to)
            continue;
        pm_sum_add(&used, pm_sum(row->cpu, row->run_delay));
        pm_sum_add(&known, pm_difference(row->at, row->since));
    }
    return pm_product(known, 2) >= view->known ? (double)used / (double)known : 0;
}

gboolean pm_candidate_is_starved(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    const PmFinding *finding = c->finding;
    double share = 0;
    if (!pm_summary_wants_work(r, finding->category, finding->chain))
        return FALSE;
    if (pm_replies_awaited(c) == PM_REPLIES_PERHAPS)
        return TRUE;
    if (c->many || finding->n_victims != 1 || finding->victims[0].n_threads < 2 ||
        !finding->n_causes || finding->causes[0].kind != PM_CAUSE_WAKER ||
        !finding->causes[0].thread || finding->causes[0].group == PM_GROUP_SEVERAL ||
        r->groups[finding->causes[0].group].n_threads != 1)
        return FALSE;
    for (guint i = 0; i < finding->n_causes; i++)
        share +=
            finding->causes[i].thread == finding->causes[0].thread ? finding->causes[i].share : 0;
    return share >= STARVED_SHARE && processor_share(c->search->summary->metrics->view,
                                                     finding->causes[0].thread) >= STARVED_SHARE;
}

/* How much of the waiting is for code of one thread group, which is named first. */
static double share_of_first_group(const PmFinding *finding)
{
    if (!finding->n_causes || !finding->causes[0].culprit)
        return 0;
    const guint32 group = finding->causes[0].group;
    double share = finding->causes[0].share;
    for (guint i = 1; i < finding->n_causes; i++)
        if (finding->causes[i].culprit && finding->causes[i].group == group &&
            group != PM_GROUP_SEVERAL && group != PM_GROUP_NONE)
            share += finding->causes[i].share;
    return share;
}

gboolean pm_candidate_coordinates(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    return pm_candidate_waits_alone(c) && c->cost->waits >= MIN_AWAITED &&
           finding->busy_share * share_of_first_group(finding) >= PACED_SHARE;
}

/* ---- titles ---- */

static char *victim_text(const PmCandidate *c, const PmVictim *victim)
{
    return victim ? pm_summary_group_text(recording_of(c), victim->group, victim->n_threads)
                  : g_strdup("its threads");
}

/* Who waits most there. */
static char *victims_text(const PmCandidate *c)
{
    return victim_text(c, c->finding->n_victims ? c->finding->victims : NULL);
}

/* "43 % of the busy time of http-* (8)", of who waits most there of those to whom it is more than
 * 0 %; of nobody, "the time of 1.5 threads of http-* (70000)". */
static char *time_text(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    const PmVictim *victim = finding->n_victims ? finding->victims : NULL;
    double share = victim ? victim->busy_share : finding->busy_share;
    for (guint i = 1; i < finding->n_victims && share < MIN_TOLD; i++) {
        victim = &finding->victims[i];
        share = isnan(victim->busy_share) ? 0 : victim->busy_share;
    }
    if (share < MIN_TOLD && finding->n_victims)
        victim = finding->victims;
    g_autofree char *victims = victim_text(c, victim);
    const char *about = finding->estimated ? "~" : "";
    if (isnan(share))
        return g_strdup_printf("all of the busy time of %s", victims);
    if (share >= MIN_TOLD)
        return g_strdup_printf("%s%.0f %% of the busy time of %s", about, 100 * MIN(share, 1),
                               victims);
    const double threads = finding->mean_threads;
    g_autofree char *n = g_strdup_printf(threads < 9.5 ? "%.2g" : "%.0f", threads);
    return g_strdup_printf("the time of %s%s %s of %s", about, n,
                           g_str_equal(n, "1") ? "thread" : "threads", victims);
}

/* "Prices.load in Socket.read": who is told first, and what it did where that was seen, unless that
 * was to take or give back what it kept; NULL where nobody is. */
static char *culprit_of(const PmCandidate *c)
{
    const PmFindingCause *first = c->finding->n_causes ? c->finding->causes : NULL;
    if (!first || !first->culprit)
        return NULL;
    const gboolean passes =
        pm_candidate_is_exhausted(c) && (pm_totals_find(&c->cost->givers, first->chain) ||
                                         pm_totals_find(&c->cost->chains, first->chain));
    g_autofree char *call =
        first->chain && !passes ? pm_label_call(recording_of(c), first->chain) : NULL;
    return g_strconcat(first->culprit, call, NULL);
}

/* Who is responsible for a lock that others own does not hold it: its owner waits for them. */
static gboolean is_behind_owner(const PmCandidate *c)
{
    return c->finding->n_causes && c->finding->causes[0].kind == PM_CAUSE_WAKER &&
           pm_contention_has_owner(c->search->contention, c->cost->blocker);
}

/* "<before> 43 % of the busy time of http-* (8): Prices.refresh<after>", or the blocker where
 * nobody can be named, unless `before` tells its field; ", because of …" of who holds nothing. */
static char *title_of_time(const PmCandidate *c, const char *before, const char *who,
                           const char *after)
{
    g_autofree char *blocker = pm_label_blocker(recording_of(c), c->finding->blocker);
    g_autofree char *time = time_text(c);
    g_autofree char *field = pm_label_field(recording_of(c), c->finding->blocker);
    if (who && (is_behind_owner(c) || pm_candidate_is_brought(c)))
        return g_strdup_printf("%s %s, because of %s", before, time, who);
    if (!who && field && strstr(before, field))
        return g_strdup_printf("%s %s", before, time);
    return g_strdup_printf("%s %s: %s%s", before, time, who ? who : blocker, who ? after : "");
}

/* What a pool's elements are, by who lends them: "a permit" of a semaphore, "a permit of Gate". */
static char *element_of(const PmCandidate *c)
{
    static const char *const lenders[] = {"DataSource.", "onnectionPool.", "ConnPool.",
                                          "HikariPool.", ".getConnection", ".borrowConnection"};
    const PmRecording *r = recording_of(c);
    const PmChain *chain = &r->chains[c->finding->chain];
    const char *of_class = r->classes[r->blockers[c->cost->blocker].class_index].name;
    if (c->finding->category != PM_CATEGORY_RESOURCE) {
        g_autofree char *lender = pm_label_class(of_class);
        return !*of_class || pm_label_is_platform(of_class)
                   ? g_strdup("a permit")
                   : g_strdup_printf("a permit of %s", lender);
    }
    for (guint32 i = 0; i < chain->n_frames; i++) {
        g_autofree char *method = pm_label_method(r, chain->frames[i].method);
        for (guint k = 0; k < G_N_ELEMENTS(lenders); k++)
            if (strstr(method, lenders[k]))
                return g_strdup("a pooled connection");
    }
    return g_strdup("an element of a pool");
}

/* Of many objects, one for each who waits, the place tells more than their class. */
char *pm_candidate_title_of_permits(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    g_autofree char *holder = culprit_of(c);
    g_autofree char *site = pm_label_method(r, pm_recording_site_method(r, c->finding->chain));
    g_autofree char *element = element_of(c);
    g_autofree char *before = g_strdup_printf("Waiting for %s%s%s takes", element,
                                              c->many ? " in " : "", c->many ? site : "");
    if (c->is_drained && !holder) {
        g_autofree char *time = time_text(c);
        return g_strdup_printf("%s %s: none is given back any more", before, time);
    }
    g_autofree char *place = c->many && !holder ? pm_label_code_method(r, c->finding->chain) : NULL;
    return title_of_time(c, before, holder ? holder : place, holder ? " keeps it" : "");
}

/* "Desk.next waits for what comes from outside or by the clock"; NULL: somebody else is told first.
 */
static char *arrival_text(const PmCandidate *c)
{
    if (!c->finding->n_causes || c->finding->causes[0].kind != PM_CAUSE_ARRIVAL)
        return NULL;
    g_autofree char *place = pm_label_code_method(recording_of(c), c->finding->chain);
    g_autofree char *through = pm_finding_through(c->finding, recording_of(c));
    return g_strdup_printf("%s waits for what comes from outside or by the clock%s", place,
                           through);
}

/* How many they are: "288 of 712", where more that are alike were waited for at other times, or
 * otherwise. */
static char *count_text(const PmCandidate *c)
{
    const PmRecordingPrivate *p = pm_recording_private(recording_of(c));
    const guint32 first = p->alike[c->cost->blocker];
    const guint n = c->cost->n_blockers - c->cost->n_folded;
    return n < p->n_alike[first] && !p->n_folded[first]
               ? g_strdup_printf("%u of %u", n, p->n_alike[first])
               : pm_label_count(n, c->cost->n_folded > 0);
}

/* Many blockers of one class, each of them small: rows, transactions, futures. */
char *pm_candidate_title_of_many(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    const char *of_class = r->classes[r->blockers[c->cost->blocker].class_index].name;
    g_autofree char *class_name = pm_label_class(of_class);
    g_autofree char *objects = pm_label_objects(r, c->cost->blocker, c->finding->chain);
    g_autofree char *time = time_text(c);
    g_autofree char *place = pm_label_code_method(r, c->finding->chain);
    g_autofree char *culprit = culprit_of(c);
    const gboolean lock = pm_candidate_is_lock(c), holds = lock && !is_behind_owner(c);
    if (pm_candidate_is_exhausted(c) && (culprit || c->finding->category == PM_CATEGORY_RESOURCE))
        return pm_candidate_title_of_permits(c);
    g_autofree char *arrival = arrival_text(c);
    g_autofree char *why = arrival    ? g_strdup_printf(": %s", arrival)
                           : !culprit ? g_strdup_printf(": %s", place)
                           : holds    ? g_strdup_printf(": %s holds them", culprit)
                                      : g_strdup_printf(", because of %s", culprit);
    g_autofree char *n = count_text(c);
    if (!lock)
        return g_strdup_printf("Waiting for %s (%s) takes %s%s", objects, n, time, why);
    g_autofree char *field = pm_label_alike_field(r, c->cost->blocker);
    return field ? g_strdup_printf("Locks %s (%s of class %s) take %s%s", field, n, class_name,
                                   time, why)
                 : g_strdup_printf("Locks of class %s (%s) take %s%s", class_name, n, time, why);
}

char *pm_candidate_title_of_polling(const PmCandidate *c)
{
    g_autofree char *victims = victims_text(c);
    g_autofree char *site = pm_label_chain(recording_of(c), c->finding->chain, 1);
    const PmFinding *finding = c->finding;
    const gboolean one = finding->n_victims && finding->victims[0].n_threads == 1;
    return g_strdup_printf("%s %s by timeout %.0f times a second in %s", victims,
                           one ? "wakes" : "wake", polls_a_second(c), site);
}

/* "The lock Prices.lock", of whose field nothing is known "A lock of class Prices", if `who` holds
 * it; a class of the JDK's says no more than that it is a lock. NULL then, and where the title ends
 * with the lock. */
static char *lock_text(const PmCandidate *c, const char *who)
{
    const PmRecording *r = recording_of(c);
    const char *class_name = r->classes[r->blockers[c->cost->blocker].class_index].name;
    g_autofree char *field = pm_label_field(r, c->finding->blocker);
    g_autofree char *class_label = pm_label_class(class_name);
    if (field)
        return g_strdup_printf("The lock %s", field);
    return !who || !class_name[0] || pm_label_is_platform(class_name)
               ? NULL
               : g_strdup_printf("A lock of class %s", class_label);
}

char *pm_candidate_title_of_io(const PmCandidate *c)
{
    const char *who = c->finding->n_causes ? c->finding->causes[0].culprit : NULL;
    g_autofree char *lock = lock_text(c, who);
    g_autofree char *before =
        lock ? g_strdup_printf("%s, held during %s, takes", lock, c->doing.frame)
             : g_strdup_printf("A lock held during %s takes", c->doing.frame);
    return title_of_time(c, before, who, " holds it");
}

char *pm_candidate_title_of_convoy(const PmCandidate *c)
{
    g_autofree char *blocker = pm_label_blocker(recording_of(c), c->finding->blocker);
    g_autofree char *victims = victims_text(c);
    g_autofree char *behind = pm_label_blocker(recording_of(c), c->next);
    return g_strdup_printf("%s %s for %s, whose owner waits for %s", victims,
                           g_str_has_suffix(victims, ")") ? "wait" : "waits", blocker, behind);
}

char *pm_candidate_title_of_fair(const PmCandidate *c)
{
    return title_of_time(c, "Handing over a fair lock takes", NULL, "");
}

char *pm_candidate_title_of_lock(const PmCandidate *c)
{
    if (c->finding->category == PM_CATEGORY_CLASS_INIT)
        return pm_candidate_title_of_wait(c);
    g_autofree char *holder = culprit_of(c);
    g_autofree char *lock = lock_text(c, holder);
    g_autofree char *before = lock ? g_strdup_printf("%s takes", lock) : NULL;
    return pm_finding_is_hand_over(c->finding)
               ? title_of_time(c, "Handing over a lock takes", NULL, "")
               : title_of_time(c, before ? before : "One lock takes", holder, " holds it");
}

char *pm_candidate_title_of_join(const PmCandidate *c)
{
    return title_of_time(c, "Waiting for the last thread takes", NULL, "");
}

char *pm_candidate_title_of_wait(const PmCandidate *c)
{
    g_autofree char *blocker = pm_label_blocker(recording_of(c), c->finding->blocker);
    g_autofree char *time = time_text(c);
    g_autofree char *holder = culprit_of(c);
    g_autofree char *arrival = arrival_text(c);
    if (arrival)
        return g_strdup_printf("Waiting for %s takes %s: %s", blocker, time, arrival);
    return g_strdup_printf("Waiting for %s takes %s%s%s", blocker, time,
                           holder ? ", because of " : "", holder ? holder : "");
}

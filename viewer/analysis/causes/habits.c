/* What threads do as a rule, found out when it is asked for: whom they wait for, what they are
 * asked, what a timeout is to them. */
#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

/* Of more waits it takes too much memory to know what was given between two of them. */
#define MAX_PACED_WAITS (1 << 20)

/* 1 + what is known; 0: nothing. */
static guint known_of(const PmContention *c, guint what, gpointer key)
{
    g_mutex_lock(&c->known->lock);
    const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(c->known->of[what], key));
    g_mutex_unlock(&c->known->lock);
    return known;
}

static guint learn(const PmContention *c, guint what, gpointer key, guint is)
{
    g_mutex_lock(&c->known->lock);
    g_hash_table_insert(c->known->of[what], key, GUINT_TO_POINTER(1 + is));
    g_mutex_unlock(&c->known->lock);
    return is;
}

/* Does its thread wait there for another object each time, at which nobody else waits? Messages
 * come to one object. */
static gboolean is_own_object(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row), blocker = pm_wait_blocker(w, row);
    const gpointer key = GUINT_TO_POINTER(blocker);
    guint known;
    if (c->sole_takers[blocker] != thread)
        return FALSE;
    if ((known = known_of(c, PM_KNOWN_OWN_OBJECTS, key)))
        return known - 1;
    const guint32 at = pm_activity_first_wait(c->activity, thread, pm_wait_begin(w, row));
    const guint32 end = MIN(at + PM_MAX_LOOKED, pm_activity_n_waits(c->activity, thread));
    guint32 last = 0;
    guint n = 0, n_stretches = 0; /* of waits for others, and for this one */
    for (guint32 i = at - MIN(at, PM_MAX_LOOKED); i < end; i++) {
        const guint32 other = pm_activity_wait(c->activity, thread, i);
        if (pm_wait_blocker(w, other) == last || !pm_recording_are_alike(c->recording, row, other))
            continue;
        last = pm_wait_blocker(w, other);
        n += last != blocker;
        n_stretches += last == blocker;
    }
    return learn(c, PM_KNOWN_OWN_OBJECTS, key, n >= PM_MIN_ANSWERS && n_stretches == 1);
}

/* Who asks and who answers do the same but for one thing: who asks waits in the method in which it
 * asked, who answers takes questions in another one than it answers in; or, where both do the same,
 * those who ask are more. `wait` is of one who answers, ended by the question of who then was in
 * the wait `next`, ended by the answer. */
static gboolean is_of_asker(const PmContention *c, guint32 wait, const PmGive *question,
                            guint32 next, const PmGive *answer)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const guint32 asks = pm_wait_chain(w, next), takes = pm_wait_chain(w, wait);
    const gint asks_in = pm_own_frame(c->own, asks), takes_in = pm_own_frame(c->own, takes);
    const gboolean asks_there =
        asks_in >= 0 &&
        pm_recording_has_method(r, question->chain, r->chains[asks].frames[asks_in].method);
    const gboolean answers_there =
        takes_in >= 0 &&
        pm_recording_has_method(r, answer->chain, r->chains[takes].frames[takes_in].method);
    if (asks_there != answers_there)
        return asks_there;
    return r->groups[r->threads[pm_wait_thread(w, next)].group].n_threads >
           r->groups[r->threads[pm_wait_thread(w, wait)].group].n_threads;
}

/* Did the wait end as somebody asked for something, and then waited until a thread like this one
 * answered? That wait's row; G_MAXUINT32: it did not. Who wakes may only pass it on. */
static guint32 question_of(const PmContention *c, guint32 wait)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    PmGive question, answer;
    if (!pm_contention_origin_of(c, wait, &question))
        return G_MAXUINT32;
    const guint32 nth = pm_activity_first_wait(c->activity, question.thread, question.at);
    if (nth >= pm_activity_n_waits(c->activity, question.thread))
        return G_MAXUINT32;
    const guint32 next = pm_activity_wait(c->activity, question.thread, nth);
    return ABS(pm_wait_begin(w, next) - question.at) <= PM_ASKED_NS &&
                   pm_wait_kind(w, next) != PM_KIND_ENTER &&
                   pm_category_family(pm_wait_category(w, next)) != PM_FAMILY_LOCK &&
                   pm_contention_origin_of(c, next, &answer) &&
                   r->threads[answer.thread].group == r->threads[pm_wait_thread(w, wait)].group &&
                   is_of_asker(c, wait, &question, next, &answer)
               ? next
               : G_MAXUINT32;
}

/* Does the giver mostly wait for those who then wait for it, like in `row`? Then it is asked, and
 * answers. */
static gboolean is_asked(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, giver), 2 * PM_MAX_LOOKED);
    const gpointer key = pm_contention_side_key(c->recording, pm_wait_chain(w, row), giver);
    const guint known = known_of(c, PM_KNOWN_ASKED, key);
    guint n = 0, n_asked = 0;
    if (known)
        return known - 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, giver, i);
        if (!pm_wait_waker(w, wait) ||
            pm_category_family(pm_wait_category(w, wait)) == PM_FAMILY_LOCK)
            continue;
        const guint32 question = question_of(c, wait);
        n++;
        n_asked += question != G_MAXUINT32 && pm_recording_are_alike(c->recording, row, question);
    }
    return learn(c, PM_KNOWN_ASKED, key, n_asked >= PM_MIN_ANSWERS && n_asked * 2 > n);
}

gboolean pm_contention_is_source(const PmContention *c, guint32 thread)
{
    const PmThread *threads = c->recording->threads;
    const guint32 group = threads[thread].group;
    const gpointer key = GUINT_TO_POINTER(group);
    const guint known = known_of(c, PM_KNOWN_SOURCE, key);
    if (known)
        return known - 1;
    gboolean source = TRUE;
    for (guint32 t = 1; t < c->recording->n_threads && source; t++)
        source = threads[t].group != group || pm_activity_waits_for_nobody(c->activity, t);
    return learn(c, PM_KNOWN_SOURCE, key, source);
}

/* Those of the thread's waits for it that somebody ended, of those looked at: rows. Who was woken
 * for somebody else and waits on was not let in. */
static void add_ended(const PmContention *c, guint32 blocker, guint32 thread, GArray *rows)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, thread), 2 * PM_MAX_LOOKED);
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, thread, i);
        if (pm_wait_blocker(w, wait) == blocker && pm_wait_kind(w, wait) == PM_KIND_WAIT &&
            pm_wait_waker(w, wait) && !pm_activity_is_repeated(c->activity, wait))
            g_array_append_val(rows, wait);
    }
}

/* How many of those were ended by others that wait there, too, in a method in which nobody does. */
static guint count_admitted(const PmContention *c, guint32 blocker, const GArray *rows)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) methods = g_hash_table_new(NULL, NULL);
    guint n = 0;
    for (guint i = 0; i < rows->len; i++) {
        const guint32 chain = pm_wait_chain(w, g_array_index(rows, guint32, i));
        g_hash_table_add(methods, GUINT_TO_POINTER(pm_recording_site_method(r, chain)));
    }
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i), chain = pm_wait_waker_chain(w, row);
        n += g_hash_table_contains(c->takers,
                                   pm_contention_taker_key(blocker, pm_wait_waker(w, row))) &&
             !g_hash_table_contains(methods, GUINT_TO_POINTER(pm_recording_site_method(r, chain)));
    }
    return n;
}

/* Do threads that wait at that monitor end waits of each other as they leave, one of five at least?
 * Then nobody brings anything: they wait to be let in. */
static gboolean is_admitted(const PmContention *c, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&c->recording->waits, row);
    if (pm_wait_kind(&c->recording->waits, row) != PM_KIND_WAIT ||
        c->sole_takers[blocker] != PM_SEVERAL)
        return FALSE;
    const guint known = known_of(c, PM_KNOWN_ADMITTED, GUINT_TO_POINTER(blocker));
    if (known)
        return known - 1;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint n_looked = 0;
    for (guint32 t = 0; t < c->recording->n_threads && n_looked < PM_MAX_LOOKED; t++) {
        if (!g_hash_table_contains(c->takers, pm_contention_taker_key(blocker, t)))
            continue;
        add_ended(c, blocker, t, rows);
        n_looked++;
    }
    const guint n = count_admitted(c, blocker, rows);
    return learn(c, PM_KNOWN_ADMITTED, GUINT_TO_POINTER(blocker),
                 n >= PM_MIN_ANSWERS && n * 5 >= rows->len);
}

/* NULL: there are too many waits to know. */
static const PmGives *gives_of(const PmContention *c)
{
    if (c->recording->waits.n > MAX_PACED_WAITS)
        return NULL;
    g_mutex_lock(&c->known->lock);
    if (!c->known->gives)
        c->known->gives = pm_gives_new(c->recording);
    g_mutex_unlock(&c->known->lock);
    return c->known->gives;
}

/* NULL: it gave nothing, or that is not known. */
static const GArray *gives_by(const PmContention *c, guint32 thread)
{
    const PmGives *gives = gives_of(c);
    return gives ? pm_gives_by(gives, thread) : NULL;
}

/* Do threads that wait like that of `row` ask `giver`, or somebody who passes it on, first? Then
 * they wait for the answer, whoever brings it in the end. */
static gboolean asks_first(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const gpointer key = pm_contention_group_key(c->recording, pm_wait_chain(w, row), giver);
    const guint known = known_of(c, PM_KNOWN_ASKS, key);
    const PmGives *gives = known ? NULL : gives_of(c);
    return known ? known - 1
                 : learn(c, PM_KNOWN_ASKS, key,
                         gives && pm_gives_asks(gives, c->activity, row, giver, PM_MIN_ANSWERS,
                                                8 * PM_MAX_LOOKED));
}

gboolean pm_contention_takes(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 blocker = pm_wait_blocker(w, row);
    if ((!pm_contention_is_taker(w, row) && !pm_contention_is_counted(c, blocker)) ||
        pm_contention_is_resource(c, blocker) ||
        pm_label_waits_for_room(c->recording, pm_wait_chain(w, row)))
        return FALSE;
    /* Others of who releases a semaphore take of it: it is a permit, as where some are left. */
    if (pm_wait_category(w, row) == PM_CATEGORY_SEMAPHORE &&
        (pm_wait_aqs_state(w, row) > 0 ||
         g_hash_table_contains(c->takers, pm_contention_group_key(c->recording, blocker, giver))))
        return FALSE;
    if (question_of(c, row) != G_MAXUINT32)
        return TRUE;
    return !g_hash_table_contains(c->takers, pm_contention_taker_key(blocker, giver)) &&
           !is_asked(c, row, giver) && !is_admitted(c, row) && !asks_first(c, row, giver) &&
           (!is_own_object(c, row) || pm_contention_is_source(c, giver));
}

gboolean pm_contention_is_for_result(const PmContention *c, guint32 row)
{
    return pm_category_family(pm_wait_category(&c->recording->waits, row)) == PM_FAMILY_JOIN ||
           is_own_object(c, row);
}

/* Does the giver mostly wait for threads like the one of `row`, which give it something to do? Who
 * then waits until that is done waits for a result, too, as a scheduler for a free worker. */
static gboolean is_set_going(const PmContention *c, guint32 row, guint32 giver)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, giver), 2 * PM_MAX_LOOKED);
    const guint32 group = r->threads[pm_wait_thread(w, row)].group;
    const gpointer key = pm_contention_group_key(r, giver, pm_wait_thread(w, row));
    const guint known = known_of(c, PM_KNOWN_SET_GOING, key);
    guint n = 0, n_set = 0;
    if (known)
        return known - 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, giver, i);
        if (pm_category_family(pm_wait_category(w, wait)) == PM_FAMILY_LOCK)
            continue;
        n++;
        n_set += pm_wait_waker(w, wait) && r->threads[pm_wait_waker(w, wait)].group == group;
    }
    return learn(c, PM_KNOWN_SET_GOING, key, n_set >= PM_MIN_ANSWERS && n_set * 2 > n);
}

gboolean pm_contention_gives_together(const PmContention *c, guint32 thread)
{
    const gpointer key = GUINT_TO_POINTER(thread);
    const guint known = known_of(c, PM_KNOWN_NEWS, key);
    if (known)
        return known - 1;
    return learn(c, PM_KNOWN_NEWS, key,
                 pm_gives_are_together(gives_by(c, thread), PM_ASKED_NS, PM_MIN_ANSWERS));
}

/* Is the thread mostly given something to do by others than those who wait like `row`? */
static gboolean is_set_going_by_others(const PmContention *c, guint32 row, guint32 thread)
{
    const PmWaits *w = &c->recording->waits;
    const PmThread *threads = c->recording->threads;
    const guint32 n = MIN(pm_activity_n_waits(c->activity, thread), PM_MAX_LOOKED);
    guint n_woken = 0, n_others = 0;
    for (guint32 i = 0; i < n; i++) {
        const guint32 waker = pm_wait_waker(w, pm_activity_wait(c->activity, thread, i));
        n_woken += waker != 0;
        n_others += waker && threads[waker].group != threads[pm_wait_thread(w, row)].group;
    }
    return n_others >= PM_MIN_ANSWERS && n_others * 2 > n_woken;
}

gboolean pm_contention_only_listens(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    const guint32 n = MIN(pm_activity_n_waits(c->activity, thread), PM_MAX_LOOKED);
    const gpointer key = pm_contention_taker_key(giver, thread);
    const guint known = known_of(c, PM_KNOWN_LISTENS, key);
    guint n_next = 0;
    if (known)
        return known - 1;
    for (guint32 i = 1; i < n; i++) {
        const guint32 last = pm_activity_wait(c->activity, thread, i - 1);
        const guint32 next = pm_activity_wait(c->activity, thread, i);
        n_next += pm_recording_are_alike(c->recording, row, next) &&
                  pm_wait_begin(w, next) - pm_wait_end(w, last) <= PM_ASKED_NS;
    }
    return learn(c, PM_KNOWN_LISTENS, key,
                 n > PM_MIN_ANSWERS && n_next * 10 >= (n - 1) * 9 &&
                     is_set_going_by_others(c, row, giver));
}

/* What timeouts are to a thread: its pace, if it does something else as they come, not much more
 * rarely than such a wait is ended; else nothing, if more of the waits are ended, after few. */
enum {
    IS_PACE = 1,
    IS_BACKSTOP,
};

static guint timeouts_of(const PmContention *c, guint32 thread, guint32 blocker)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n = MIN(pm_activity_n_waits(c->activity, thread), 8 * PM_MAX_LOOKED);
    const gpointer key = pm_contention_taker_key(blocker, thread);
    const guint known = known_of(c, PM_KNOWN_TIMEOUTS, key);
    if (known)
        return known - 1;
    const GArray *gives = gives_by(c, thread);
    guint n_ended = 0, n_acts = 0, n_timeouts = 0, n_runs = 0;
    gboolean in_run = FALSE;
    for (guint32 i = 0; i + 1 < n; i++) {
        const guint32 row = pm_activity_wait(c->activity, thread, i);
        const guint32 next = pm_activity_wait(c->activity, thread, i + 1);
        if (pm_wait_blocker(w, row) != blocker)
            continue;
        const gboolean timed_out = pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT;
        n_ended += pm_wait_waker(w, row) != 0;
        n_timeouts += timed_out;
        n_runs += timed_out && !in_run;
        in_run = timed_out;
        if (!timed_out)
            continue;
        n_acts += pm_wait_blocker(w, next) != blocker ||
                  pm_gives_any(gives, pm_wait_end(w, row), pm_wait_begin(w, next));
    }
    const gboolean few = n_ended > n_timeouts && n_timeouts <= 2 * n_runs;
    return learn(c, PM_KNOWN_TIMEOUTS, key,
                 n_acts * 4 > n_ended             ? IS_PACE
                 : n_ended >= PM_MIN_ENDED && few ? IS_BACKSTOP
                                                  : 0);
}

gboolean pm_contention_is_done_for(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    return w->n <= MAX_PACED_WAITS && is_set_going(c, row, giver) &&
           timeouts_of(c, pm_wait_thread(w, row), pm_wait_blocker(w, row)) != IS_PACE;
}

gboolean pm_contention_is_backstop(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return w->n <= MAX_PACED_WAITS &&
           timeouts_of(c, pm_wait_thread(w, row), pm_wait_blocker(w, row)) == IS_BACKSTOP;
}

gboolean pm_contention_is_behind(const PmContention *c, guint32 row, guint32 chain)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, thread), 8 * PM_MAX_LOOKED);
    const guint32 method = pm_own_place_frame(c->recording, chain).method;
    const gpointer key = pm_contention_taker_key(method, thread);
    const guint known = known_of(c, PM_KNOWN_BEHIND, key);
    guint n = 0, n_apart = 0;
    if (known || pm_own_frame(c->own, chain) < 0)
        return known > 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, thread, i);
        PmGive give;
        if (!pm_contention_origin_of(c, wait, &give) ||
            !pm_recording_has_method(c->recording, give.chain, method))
            continue;
        const guint32 seen = pm_activity_nearest_sample(c->activity, give.thread, FALSE,
                                                        pm_wait_begin(w, wait), give.at, 0, NULL);
        if (!seen)
            continue;
        n++;
        n_apart += !pm_recording_has_method(c->recording, seen, method);
    }
    return learn(c, PM_KNOWN_BEHIND, key, n_apart >= PM_MIN_ANSWERS && n_apart * 2 > n);
}

/* The internals of contention: what is known of a recording before its waits are divided
 * (contention-build.c), in which rows there is something to look for (row-marks.c), who gave what a
 * wait was for (wake-origin.c), what is lent (resources.c), what threads do as a rule (habits.c),
 * who works on what comes too late (asked.c). contention.c divides the waits; follow.c uses what is
 * declared first. */
#pragma once

#include "viewer/analysis/base/arrays.h"
#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/code/carriers.h"
#include "viewer/analysis/code/gives.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/code/row-lists.h"
#include "viewer/analysis/locks/followed.h"
#include "viewer/analysis/locks/readers.h"
#include "viewer/analysis/locks/timeline.h"
#include "viewer/analysis/tokens/tokens.h"
#include "viewer/analysis/recording/recording-private.h"

/* Rows of what may be a resource whose gives and takes lie in memory at once. Tests make them
 * fewer. */
extern gsize pm_contention_uses_at_once;

/* Whether the thread decides by itself when it gives, as none of its group ever waits for work or
 * for an answer: one of several that always have work never does. */
gboolean pm_contention_is_source(const PmContention *contention, guint32 thread);
/* Whether what it has goes to several threads at once, as many as wait then: of a source, which it
 * may be behind, nobody has asked for that. */
gboolean pm_contention_gives_together(const PmContention *contention, guint32 thread);
/* Whether the thread of `row` nearly always begins to wait there as soon as such a wait is over,
 * and does nothing else, for `giver`, which others set going than those who wait like that. */
gboolean pm_contention_only_listens(const PmContention *contention, guint32 row, guint32 giver);
/* Whether the wait of `row` looks like a consumer's: for a signal, an element or a message, from a
 * thread `giver` that never waits for it itself (nor, for a semaphore, does its group), where
 * those that wait do not end waits of each other as they leave, and not for an answer: at an object
 * of its own each time, unless `giver` is a source, or of a giver that waits to be asked, or after
 * having asked; or from one that then waits for an answer. */
gboolean pm_contention_takes(const PmContention *contention, guint32 row, guint32 giver);
/* Whether who waits in `row`, by one timeout after the other, waits for what it set `giver` going
 * for: not, if it does something else as its waits time out. */
gboolean pm_contention_is_done_for(const PmContention *contention, guint32 row, guint32 giver);
/* Whether who ends waits like that of `row` in a call as `chain` was mostly seen meanwhile outside
 * of such a call: it then came late, behind other things. */
gboolean pm_contention_is_behind(const PmContention *c, guint32 row, guint32 chain);
/* What a similar thread was sampled in while it held a resource: pm_tokens_seen_holding; 0 for any
 * other blocker. */
guint32 pm_contention_seen_holding(const PmContention *contention, guint32 blocker, guint32 thread,
                                   guint32 chain, gint64 at);
/* What the nearest in time of threads of the same group was sampled in, in a hold that it then
 * ended in the same way, as `chain` says. 0: none were, or in one hold alone. */
guint32 pm_contention_seen_before_release(const PmContention *c, guint32 thread, guint32 chain,
                                          gint64 at);
/* Appends a part, merging it with the previous one if it continues that. */
void pm_parts_add(GArray *parts, PmPart part);

#define PM_READ_AT_ONCE 512 /* rows */

/* Of a thread that waits for answers, and of who gives them: waits looked at, before and behind
 * one; of these so many tell it; and how soon after the question the wait begins. */
#define PM_MAX_LOOKED  64
#define PM_MIN_ANSWERS 3
#define PM_MIN_ENDED   10
#define PM_ASKED_NS    1000000

#define PM_SEVERAL G_MAXUINT32

/* What is found out once: tables of 1 + whether, or what, that is. */
enum {
    PM_KNOWN_OWN_OBJECTS, /* of a blocker: is_own_object */
    PM_KNOWN_ASKED,       /* of a giver, and the method that waits for it: is_asked */
    PM_KNOWN_SET_GOING,   /* of a giver, and the group that waits for it: is_set_going */
    PM_KNOWN_TIMEOUTS,    /* of a blocker, and who waits for it: timeouts_of */
    PM_KNOWN_BEHIND,      /* of a method, and who waits for its end: pm_contention_is_behind */
    PM_KNOWN_ADMITTED,    /* of a blocker: is_admitted */
    PM_KNOWN_SOURCE,      /* of a group: pm_contention_is_source */
    PM_KNOWN_NEWS,        /* of a giver: pm_contention_gives_together */
    PM_KNOWN_LISTENS,     /* of a giver and a thread: pm_contention_only_listens */
    PM_KNOWN_ASKS,        /* of a stack trace and a group of givers: asks_first */
    PM_N_KNOWN,
};

typedef struct {
    GMutex lock;
    GHashTable *of[PM_N_KNOWN];
    PmGives *gives;    /* NULL: not asked for yet */
    GMutex asked_lock; /* before `lock`, where both are held */
    struct PmAsked *asked;
} PmKnown;

struct PmContention {
    const PmRecording *recording;
    PmFollowed *followed;
    PmTimelines *timelines;
    GHashTable *signallers; /* signaller_key → Signaller */
    GHashTable *chosen;     /* row → 1 + who signalled, where several are as likely */
    PmPacked signals;       /* by row: see wake-origin.c */
    PmActivity *activity;
    const PmOwnCode *own; /* the recording's */
    guint8 *one_pool;     /* by the first of alike blockers: they are */
    PmTokens **tokens;    /* by pool_of a blocker; NULL: it is no resource */
    PmReaders **readers;  /* by blocker; NULL: nobody shares it */
    guint8 *shared; /* by blocker: a lock of which no owner was ever seen, as readers share it */
    GHashTable *seen_holds; /* group_key of the stack trace of a release → GArray of guint32:
                             * samples within such holds */
    GHashTable *releases;   /* shared blocker → GArray of PmGive, by time */
    GHashTable *takers;     /* taker_key of who waits for it */
    PmLockTakers *lock_takers;
    GHashTable *counted;  /* blockers: see pm_contention_is_counted */
    guint32 *sole_takers; /* by blocker: who does, if it is one thread; PM_SEVERAL; 0: nobody */
    PmKnown *known;
    GHashTable *parties;  /* blocker → GArray of the rows (guint32) of a barrier, by begin */
    guint8 *marks;        /* of each block of rows: what it has */
    guint *rung;          /* by row: see is_rung_for_others */
    guint8 *ends_virtual; /* by chain: pm_label_ends_virtual_thread */
    guint8 *times_out;    /* by chain: a future's own timeout is over there */
    PmCarriers *carriers;
};

typedef struct {
    guint32 lock;        /* whose segments they are */
    guint32 first, last; /* the candidates, some of them nobody's */
    guint n;             /* of them somebody's */
    guint32 after;       /* the wait in which the last of them acquired it; G_MAXUINT32: none */
    guint32 signalled;   /* that one, or one before it, in which it had been signalled itself */
    gint64 from;         /* the signal came no sooner, within the first of them */
} PmSignal;

/* ---- row-marks.c ---- */

/* What some wait of a block of rows is: whoever looks for those passes other blocks over. */
enum {
    PM_HAS_FOLLOWED = 1 << 0, /* passed on, or signalled */
    PM_HAS_WOKEN = 1 << 1,    /* signalled, or notified */
    PM_HAS_PARTY = 1 << 2,
    PM_HAS_RELEASE = 1 << 3,
    PM_HAS_TAKER = 1 << 4,
    PM_HAS_ALL = (1 << 5) - 1,
};
/* A condition's wait that ended: by a release of its lock, as a signal only moves the waiter to the
 * lock's queue. */
gboolean pm_contention_is_signalled(const PmRecording *r, guint32 row);
/* A monitor's wait that ended by a notification. */
gboolean pm_contention_is_notified(const PmWaits *w, guint32 row);
/* A wake that came as the waiter was resuming already: why is not known, nor who came first. */
gboolean pm_contention_is_late_wake(const PmWaits *w, guint32 row);
/* A wake that a woken waiter passed on, or one that gave up, or perhaps so: not who gave the
 * permit. */
gboolean pm_contention_is_passed_on(const PmWaits *w, guint32 row);
gboolean pm_contention_is_party(const PmWaits *w, gsize row);
/* For a signal, an element or a message: also for what a semaphore counts, where that is no
 * resource, and in a park of the program's own. */
gboolean pm_contention_is_taker(const PmWaits *w, gsize row);
/* At a synchronizer of the program's own that several get at once: a latch, unless it lets them in
 * one by one, again and again. */
gboolean pm_contention_may_be_counted(const PmRecording *r, gsize row);
gboolean pm_contention_is_release(const PmWaits *w, gsize row);
void pm_contention_mark_blocks(PmContention *c);
/* How many rows, at most PM_READ_AT_ONCE, follow each other in one block with a mark, from the
 * first such row on, to which `row` is moved. 0: there is none. */
gsize pm_contention_marked_run(const PmContention *c, gsize *row, guint8 mark);
/* The first row from `row` on whose block has a mark; as many as there are, when there is none. */
static inline gsize pm_contention_marked(const PmContention *c, gsize row, guint8 mark)
{
    const PmRecording *r = c->recording;
    while (row < r->waits.n && !(c->marks[pm_recording_block(r, row)] & mark))
        row = pm_recording_block_end(r, pm_recording_block(r, row));
    return MIN(row, r->waits.n);
}

/* ---- wake-origin.c ---- */

/* Through which waits a wake is followed back: those of blockers with passed-on wakes, and of locks
 * with conditions. FALSE: cancelled, or out of memory. */
gboolean pm_contention_find_followed(PmContention *c, const gint *cancel);
/* Follows a passed-on wake back to the release that began it. The waker was itself woken just
 * before: that wait's wake is the one before in the chain. Returns the row whose waker is the
 * root; `ret_sure`: nothing was missing on the way, and it is the same object all the way: what
 * has an object for each wait may be another phaser, or future. */
guint32 pm_contention_root_of(const PmContention *c, guint32 row, gboolean *ret_sure);
/* FALSE when the hold that ended with our wake is not known. */
gboolean pm_contention_find_signal(const PmContention *c, guint32 row, PmSignal *ret_signal);
/* Whether who held the lock last came back after a wait, to release it once more. */
gboolean pm_contention_came_back(const PmContention *c, const PmSignal *signal);
/* Counts who signals, chooses among several that are as likely, and notes in `rung` which waits
 * were ended for others: of those that a signal or notification ended one got what it was for, as
 * it does not wait again at once, while this one does. */
void pm_contention_find_woken(PmContention *c, const gint *cancel);
/* Of the candidates the one that is likeliest to signal this condition when it holds the lock; of
 * equals the last, if it came back, else the first, as a condition that is true is signalled at
 * once. */
guint32 pm_contention_choose_signaller(const PmContention *c, guint32 row, const PmSignal *signal);
/* Whether the wake of `row` may have been passed on, or be a signal; else who woke the waiter gave
 * what that was for. */
gboolean pm_contention_may_be_followed(const PmContention *c, gsize row);
/* Whether who woke the waiter gave it nothing: it waits again for the same, or the wake was from
 * one that gave up what all get at once, as where a latch opens. */
gboolean pm_contention_is_woken_in_vain(const PmContention *c, guint32 row);
/* Who gave what the wait of `row` was for. */
gboolean pm_contention_origin_of(const PmContention *c, guint32 row, PmGive *ret_give);

/* ---- contention.c ---- */

/* Adds it with the stop-the-world pauses cut out of it. */
void pm_contention_add_part(const PmContention *c, GArray *parts, PmPart part);
/* Where the `i`th of `n` even pieces begins. */
gint64 pm_contention_nth_cut(gint64 from, gint64 to, guint i, guint n);
/* Does the wait for a result end by a timeout, of its own or of the future? */
gboolean pm_contention_is_late_result(const PmContention *c, guint32 row);

/* ---- asked.c ---- */

typedef struct PmAsked PmAsked;
void pm_asked_free(PmAsked *asked);
/* Whether results like that of `row`, for such threads, come too late at times. */
gboolean pm_contention_may_be_late(const PmContention *c, guint32 row);
/* Adds the parts of [from, to) of the wait for a late result: whoever works on it, as far as that
 * is known, each instant evenly. FALSE: nobody is known to have been given such work. */
gboolean pm_contention_add_late_parts(const PmContention *c, guint32 row, gint64 from, gint64 to,
                                      GArray *parts);

/* ---- resources.c ---- */

/* A pool may have an object for each place that is wanted, or for each key, for as long as somebody
 * wants one: of very many alike, which are hardly waited for twice, none is a pool by itself. */
void pm_contention_find_pools(PmContention *c);
/* For PmRowTask: waits by what may be a resource. */
void pm_contention_resource_keys(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                                 gconstpointer data);
/* A thread in the method of a stack trace, as a key. */
gpointer pm_contention_side_key(const PmRecording *r, guint32 chain, guint32 thread);
/* Most are none: those with many waits are found out without keeping anything of each give and
 * take. */
void pm_contention_find_resource(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                                 const PmRowWait *read, gpointer data);
/* NULL: the wait is for no resource. */
const PmTokens *pm_contention_tokens_of(const PmContention *c, guint32 row);

/* ---- contention-build.c ---- */

/* The key of a barrier in `parties`: a phaser has an object for each wait. */
guint32 pm_contention_parties_of(const PmRecording *r, guint32 row);
/* A thread at a blocker, as a key. */
gpointer pm_contention_taker_key(guint32 blocker, guint32 thread);
/* The same for all threads of a group. */
gpointer pm_contention_group_key(const PmRecording *r, guint32 id, guint32 thread);

/* ---- habits.c ---- */

/* Does it wait for a result? */
gboolean pm_contention_is_for_result(const PmContention *c, guint32 row);
/* Is the timeout of the wait only there in case that nobody ends it? */
gboolean pm_contention_is_backstop(const PmContention *c, guint32 row);

/* Whoever is responsible for a wait may have waited itself meanwhile: then what it waited for is
 * behind the first wait too, and so on, until somebody is found at work. */
#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

#define MAX_DEPTH  16
#define MAX_GIVERS 8 /* one behind the other, that gave something to do */

#define MAX_WAITS_LOOKED 100 /* that tell how often a thread waits for others to come */
#define MAX_TAKES_LOOKED 16  /* of a thread's waits */
#define MIN_ROUNDS       10  /* at a barrier, that tell who comes last */

/* Stretches shorter than this, and than a part of the wait, are not followed: what is short cannot
 * matter, and a hold of microseconds would cost more to look at than to have. Further from the wait
 * there are more of them and each matters less: a part four times as long at every step, but not
 * where one wait is most of what is followed. */
#define MIN_GRAIN_NS 50000
#define MAX_PIECES   100

/* A sample this near tells what a thread did at work in a stretch without one of its own; the
 * longer one where nothing else tells anything of the program's own code. */
#define SAMPLE_NS     100000000
#define SAMPLE_FAR_NS 1000000000
/* Stretches this long are looked at now and then; shorter ones of the same call may be others. */
#define LIKE_NS 1000000
#define MOST    4 /* a wait is not much shorter than a stretch: a quarter of it */
/* Virtual threads that end are looked at by turns, so often. */
#define PIECE_NS 50000000

typedef struct {
    const PmContention *contention;
    const PmActivity *activity;
    const PmOwnCode *own;
    guint32 row; /* the victim's wait */
    gint64 grain;
    guint depth;
    guint many;                     /* of these steps, from a wait that was one of many */
    guint32 ender;                  /* of that wait, as far as it is looked at */
    guint32 threads[MAX_DEPTH + 2]; /* the victim, and whom it was followed to */
    guint32 wanted[MAX_DEPTH + 1];  /* what each of them waited for */
    guint32 beside; /* where the thread at work waited before or behind that; 0: nowhere */
    GArray *here[MAX_DEPTH + 1]; /* of PmPart: of the wait that each of them is in */
} Path;

static void follow_row(Path *path, guint32 row, gint64 from, gint64 to, const PmPart *part,
                       GArray *parts);
static void follow_thread(Path *path, const PmPart *part, GArray *parts);

static GArray *split_here(Path *path, guint32 row, gint64 from, gint64 to)
{
    GArray **here = &path->here[path->depth];
    if (!*here)
        *here = g_array_new(FALSE, FALSE, sizeof(PmPart));
    g_array_set_size(*here, 0);
    pm_contention_split_here(path->contention, row, from, to, *here);
    return *here;
}

/* What the victim waits for. */
static PmFamily family_of(const Path *path)
{
    return pm_category_family(pm_wait_category(&path->activity->recording->waits, path->row));
}

static gboolean is_on(const Path *path, guint32 thread)
{
    for (guint i = 0; i <= path->depth; i++)
        if (path->threads[i] == thread)
            return TRUE;
    return FALSE;
}

/* Is the own frame in a method on the way to where something was given? Who gives may also sleep in
 * a method of the same class that this calls: its pace, if it rings a semaphore or wakes a park, or
 * gives signals by itself; then a helper may sleep for it, too. */
static gboolean is_where_it_gives(const Path *path, const PmPart *part, guint32 chain, gint frame)
{
    const PmRecording *r = path->activity->recording;
    const PmFrame *frames = r->chains[chain].frames;
    const gint caller = pm_own_next(path->own, r, chain, frame);
    if (pm_recording_has_method(r, part->chain, frames[frame].method))
        return TRUE;
    if (caller < 0 || !pm_recording_has_method(r, part->chain, frames[caller].method) ||
        !pm_label_calls_pause(r, chain, frame))
        return FALSE;
    const gboolean same = strcmp(pm_recording_class_of(r, frames[caller].method),
                                 pm_recording_class_of(r, frames[frame].method)) == 0;
    if (same && family_of(path) != PM_FAMILY_SIGNAL)
        return TRUE;
    return (same || pm_own_is_helper(path->own, r, chain, frame)) &&
           pm_contention_is_source(path->contention, part->thread);
}

/* Does the giver sleep or read in the very method in which it gives, or does it accept connections
 * anywhere? Then it hands on what comes from outside, and its takers are idle until something does:
 * unless they wait for an answer, for room, or for what is given back. */
static gboolean brings_from_outside(const Path *path, guint32 row, const PmPart *part,
                                    guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    gint own = pm_own_frame(path->own, chain);
    if (own < 1 || !part->chain)
        return FALSE;
    const PmChain *c = &r->chains[chain];
    const char *inner = pm_recording_class_of(r, c->frames[own - 1].method);
    return pm_label_is_platform(inner) &&
           (!pm_label_is_locking(inner, "") || pm_label_calls_pause(r, chain, own)) &&
           (pm_label_is_accept(r, c->frames[own - 1].method) ||
            is_where_it_gives(path, part, chain, own)) &&
           pm_contention_takes(path->contention, row, part->thread);
}

/* Does the victim wait for news, and go on if there are none in time? Of those who do nothing else
 * that is known even if there always were; who ends such waits tells several at once. */
static gboolean is_for_news(const Path *path)
{
    const PmContention *c = path->contention;
    return pm_contention_gives_together(c, path->ender) &&
           (pm_contention_may_be_late(c, path->row) ||
            ((pm_wait_flags(&c->recording->waits, path->row) & PM_WAIT_TIMED) &&
             pm_contention_only_listens(c, path->row, path->ender)));
}

/* Do they come by the clock? */
static gboolean brings_news(const Path *path, const PmPart *part, guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    const gint own = pm_own_frame(path->own, chain);
    return part->chain && pm_label_calls_pause(r, chain, own) &&
           is_where_it_gives(path, part, chain, own) &&
           pm_contention_is_source(path->contention, part->thread) && is_for_news(path);
}

/* Is it who tells the news, and waits for its time by a timeout? */
static gboolean paces_news(const Path *path, guint32 row, const PmPart *behind, const PmPart *part)
{
    const PmRecording *r = path->activity->recording;
    const guint32 chain = pm_wait_chain(&r->waits, row);
    const gint own = pm_own_frame(path->own, chain);
    const gint caller = own < 0 ? -1 : pm_own_next(path->own, r, chain, own);
    return path->depth == 1 && part->kind == PM_CAUSE_WAKER && behind->kind == PM_CAUSE_TIME_OUT &&
           caller >= 0 &&
           pm_recording_has_method(r, part->chain, r->chains[chain].frames[caller].method) &&
           is_for_news(path);
}

/* How often the thread waited for others to come. */
static guint waits_for_parties(const Path *path, guint32 thread)
{
    const PmWaits *w = &path->activity->recording->waits;
    const guint32 looked = MIN(pm_activity_n_waits(path->activity, thread), MAX_WAITS_LOOKED);
    guint n = 0;
    for (guint32 i = 0; i < looked; i++) {
        const PmCategory category =
            pm_wait_category(w, pm_activity_wait(path->activity, thread, i));
        n += category == PM_CATEGORY_BARRIER || category == PM_CATEGORY_TRANSFER;
    }
    return n;
}

/* Does it nearly always come when the victim is there already? */
static gboolean comes_last(const Path *path, const PmPart *part)
{
    const guint n = waits_for_parties(path, path->threads[0]);
    return n >= MIN_ROUNDS && waits_for_parties(path, part->thread) * 4 < n;
}

/* Does it come in the same method as the victim, which sleeps there too, but nearly always last?
 * Then it does what all do, and has more of it. */
static gboolean is_straggler(const Path *path, const PmPart *part, guint32 method)
{
    const PmRecording *r = path->activity->recording;
    return pm_recording_has_method(r, pm_wait_chain(&r->waits, path->row), method) &&
           comes_last(path, part);
}

/* Does who has not come to a barrier, or to swap, sleep in the very method in which it comes? Then
 * it keeps time, and the others have nothing to do meanwhile. Who sleeps by a helper may as well
 * poll for something. */
static gboolean keeps_time(const Path *path, const PmPart *part, guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    const PmCategory category = pm_wait_category(&r->waits, path->row);
    const gint own = pm_own_frame(path->own, chain);
    if (category != PM_CATEGORY_BARRIER &&
        !(category == PM_CATEGORY_TRANSFER &&
          pm_label_is_within(r, pm_wait_chain(&r->waits, path->row), G_MAXUINT,
                             "java.util.concurrent.Exchanger", "exchange")))
        return FALSE;
    return part->chain && pm_label_calls_pause(r, chain, own) &&
           pm_recording_has_method(r, part->chain, r->chains[chain].frames[own].method) &&
           !is_straggler(path, part, r->chains[chain].frames[own].method);
}

/* Do the victim, at `at`, and the owner of its lock, at `own`, read from one stream in the same
 * call? Answers would go to whoever comes first: who reads those to what it wrote mostly takes a
 * lock around both. */
static gboolean both_read(const PmRecording *r, const PmFrame *at, const PmFrame *own)
{
    return g_str_has_prefix(pm_recording_class_of(r, own[-1].method), "java.io.") &&
           own[-1].method == at[-1].method && own->line == at->line;
}

/* Does the owner of a lock listen for what comes from outside, in the very method in which the
 * victim wants to? Then they take turns, and have nothing to do until something comes: accept and
 * select are called for that. A packet may be an answer, and so may what is read, or whom a helper
 * accepts, unless that is all that the victim is for. */
static gboolean both_listen(const Path *path, const PmPart *part, guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    const PmFrame *frames = r->chains[chain].frames;
    const guint32 wants = pm_wait_chain(&r->waits, path->row);
    const gint own = pm_own_frame(path->own, chain), at = pm_own_frame(path->own, wants);
    if (part->kind != PM_CAUSE_OWNER || path->depth != 1 || own < 1 || at < 0 ||
        !pm_label_is_platform(pm_recording_class_of(r, frames[own - 1].method)))
        return FALSE;
    const PmFrame *wanted = &r->chains[wants].frames[at];
    const char *called = r->methods[frames[own - 1].method].name;
    const gint caller = pm_own_next(path->own, r, wants, at);
    const gboolean for_that = caller < 0 || pm_own_next(path->own, r, wants, caller) < 0;
    const gboolean accepts = strcmp(called, "accept") == 0;
    if (frames[own].method != wanted->method)
        return accepts && for_that && pm_recording_has_method(r, chain, wanted->method);
    return accepts || strcmp(called, "select") == 0 ||
           (for_that &&
            (strcmp(called, "receive") == 0 ||
             (at > 0 && pm_label_is_within(r, chain, 8, "sun.nio.ch.*Socket*", "read") &&
              both_read(r, wanted, &frames[own]))));
}

/* Does the giver sleep before it tells takers that have something else to do when nothing comes?
 * Not, if it sleeps where a library calls the program, and gives where nothing is the program's. */
static gboolean paces_messages(const Path *path, const PmPart *part, guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    return (pm_wait_flags(&r->waits, path->row) & PM_WAIT_TIMED) &&
           !(pm_own_is_called_back(path->own, r, chain) &&
             pm_own_frame(path->own, part->chain) < 0) &&
           (pm_label_is_within(r, chain, 3, "java.lang.Thread", "sleep") ||
            pm_label_calls_pause(r, chain, pm_own_frame(path->own, chain))) &&
           pm_contention_takes(path->contention, path->row, part->thread) &&
           !pm_contention_is_done_for(path->contention, path->row, part->thread);
}

/* Does who gives what the victim waits for hand it on from outside, or by the clock? `alike`: it
 * was not seen there itself. */
static gboolean comes_from_outside(const Path *path, const PmPart *part, guint32 chain,
                                   gboolean alike)
{
    return brings_from_outside(path, path->row, part, chain) || brings_news(path, part, chain) ||
           keeps_time(path, part, chain) ||
           (!alike && (pm_own_waits_for_outside(path->own, path->activity->recording, chain) ||
                       paces_messages(path, part, chain)));
}

/* Is it all that is known of a virtual thread that it gave a message, or came to a barrier? It is
 * looked at only while it owns a lock. Who waits for messages has most likely nothing to do until
 * one comes, as have those who wait for others to come, unless the same one always comes last. */
static gboolean is_unseen_giver(const Path *path, const PmPart *part)
{
    const PmRecording *r = path->activity->recording;
    if (part->kind != PM_CAUSE_WAKER || !r->threads[part->thread].is_virtual)
        return FALSE;
    return pm_wait_category(&r->waits, path->row) == PM_CATEGORY_BARRIER
               ? !comes_last(path, part)
               : pm_contention_takes(path->contention, path->row, part->thread);
}

/* Had its thread not begun for most of that time, and nothing of the program's is known that it
 * does? Then it was started to pass on what came, as a library starts one for an answer. */
static gboolean is_begun_late(const Path *path, const PmPart *part, gint64 begin, gint64 end)
{
    const PmThread *thread = &path->activity->recording->threads[part->thread];
    return part->kind == PM_CAUSE_WAKER && thread->begin_known &&
           thread->begin > begin + (end - begin) / 2 && pm_own_frame(path->own, part->chain) < 0;
}

/* Nobody looked at it, and only the call is known that it came out of in the end. It is taken for
 * like what others of its group were seen in inside of that call, the nearest in time. */
static guint32 sample_of_like(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                              const PmStretch *stretch)
{
    const gboolean holds = part->kind == PM_CAUSE_OWNER;
    const guint32 of_length =
        holds && part->chain
            ? pm_timelines_sample_of_length(path->contention->timelines, path->activity,
                                            path->wanted[path->depth - 1], part->thread,
                                            part->chain, begin + (end - begin) / 2)
            : 0;
    if (of_length)
        return of_length;
    /* What others held another lock for tells nothing of this one. */
    const gboolean other_lock = holds && !part->chain && family_of(path) == PM_FAMILY_LOCK;
    const guint32 like = other_lock
                             ? 0
                             : pm_activity_sample_in_call(path->activity, part->thread, part->chain,
                                                          holds, begin, end, stretch);
    if (like || !holds)
        return like;
    /* Who shares a lock is looked at as one that is expected to give it back. */
    const guint32 shares = pm_activity_sample_in_call(path->activity, part->thread, part->chain,
                                                      FALSE, begin, end, NULL);
    return shares && pm_activity_may_be_within(path->activity->recording, part->chain, shares)
               ? shares
               : pm_contention_seen_before_release(path->contention, part->thread, part->chain,
                                                   begin + (end - begin) / 2);
}

static gboolean is_most_of(const PmStretch *stretch, gint64 begin, gint64 end)
{
    return stretch && stretch->length / MOST <= end - begin;
}

/* Who woke was seen near that time, but not in the method that did? While others wait for a lock it
 * stayed in the method that gives it back; and what it did before and after the wait it did not do
 * meanwhile: unless that is `of_stretch`, of such a time of one like that of the wait. */
static gboolean is_beside(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                          gboolean of_stretch, guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    gint own = pm_own_frame(path->own, part->chain);
    if (part->kind != PM_CAUSE_WAKER || own < 0 ||
        pm_recording_has_method(r, chain, r->chains[part->chain].frames[own].method))
        return FALSE;
    return (path->depth == 1 && family_of(path) == PM_FAMILY_LOCK) ||
           (!of_stretch &&
            pm_activity_next_sample(path->activity, part->thread, FALSE, begin, end) == end);
}

/* What a resource's keepers do is seen at times of its own: the shorter stretches of a long wait
 * are as many as there are keepers. */
static guint32 seen_holding(const Path *path, const PmPart *part, guint32 blocker)
{
    return part->kind == PM_CAUSE_OWNER
               ? pm_contention_seen_holding(path->contention, blocker, part->thread, part->chain,
                                            part->begin + (part->end - part->begin) / 2)
               : 0;
}

/* Of a lock: only a sample of its owner tells what that did then. Who has what a resource lends is
 * looked at as a thread like any other. */
static gboolean owns_lock(const Path *path, const PmPart *part)
{
    return part->kind == PM_CAUSE_OWNER &&
           !pm_contention_is_resource(path->contention, path->wanted[path->depth - 1]);
}

/* Who signalled did it in a hold that seems to have lasted since its last one, as nobody waited for
 * the lock meanwhile. Is nobody like it ever seen as the owner then, but outside of the method that
 * gave the lock back? Then it had not taken it yet. */
static gboolean is_before_signal(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                                 guint32 chain)
{
    const PmRecording *r = path->activity->recording;
    const guint32 lock = r->blockers[path->wanted[0]].parent;
    const gint own = pm_own_frame(path->own, part->chain);
    return part->kind == PM_CAUSE_OWNER && path->depth == 1 && lock && own >= 0 &&
           !pm_recording_has_method(r, chain, r->chains[part->chain].frames[own].method) &&
           !pm_activity_owner_sample(path->activity, part->thread, lock, begin, end) &&
           !pm_activity_sample_in_call(path->activity, part->thread, part->chain, TRUE, begin,
                                       begin, NULL);
}

/* A library wakes who waits for what it has the program make, once that is done, as a cache that
 * loads. Nobody looked at it meanwhile: it is what others were seen in, whom the library calls in
 * the same call. */
static guint32 sample_called_back(const Path *path, const PmPart *part, gint64 begin, gint64 end)
{
    return part->kind == PM_CAUSE_WAKER && end - begin >= LIKE_NS &&
                   pm_activity_next_sample(path->activity, part->thread, FALSE, begin, end) == end
               ? pm_activity_sample_called_back(path->activity, part->thread, part->chain,
                                                begin + (end - begin) / 2)
               : 0;
}

/* Is the keeper's wait `row` for what the victim waits for: for the same lock, or, where each
 * keeper has an object of its own that others wait at, as a database's transactions, for one like
 * it? */
static gboolean is_for_that(const Path *path, guint32 row)
{
    const PmRecording *r = path->activity->recording;
    const PmWaits *w = &r->waits;
    return pm_wait_category(w, row) == pm_wait_category(w, path->row) &&
           (pm_wait_blocker(w, row) == pm_wait_blocker(w, path->row) ||
            (pm_wait_kind(w, row) == PM_KIND_WAIT && pm_wait_kind(w, path->row) == PM_KIND_WAIT &&
             pm_recording_are_alike(r, row, path->row)));
}

/* Where one like the thread of `part` takes the lock that it gave back: as the victim does, or as
 * itself did before. 0: that is not known. */
static guint32 takes_in(const Path *path, const PmPart *part)
{
    const PmActivity *activity = path->activity;
    const PmRecording *r = activity->recording;
    const PmWaits *w = &r->waits;
    const guint32 chain = pm_wait_chain(w, path->row);
    if (pm_activity_hold_place(r, chain, part->chain, part->chain) == PM_HOLD_PLACE_WITHIN)
        return chain;
    guint32 nth = pm_activity_first_wait(activity, part->thread, part->begin);
    for (guint looked = 0; nth-- > 0 && looked < MAX_TAKES_LOOKED; looked++) {
        const guint32 row = pm_activity_wait(activity, part->thread, nth);
        if (is_for_that(path, row) && pm_activity_hold_place(r, pm_wait_chain(w, row), part->chain,
                                                             part->chain) == PM_HOLD_PLACE_WITHIN)
            return pm_wait_chain(w, row);
    }
    return 0;
}

/* Of a lock that has no owner, as a row of a database, or one made of parks: was its keeper seen
 * where it had given it back, or not taken it yet? Then it did what is done in between. */
static guint32 sample_within(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                             guint32 chain)
{
    const PmWaits *w = &path->activity->recording->waits;
    const PmFamily family = family_of(path);
    if (part->kind != PM_CAUSE_WAKER || path->wanted[path->depth - 1] != path->wanted[0] ||
        !part->chain || (family != PM_FAMILY_LOCK && family != PM_FAMILY_OTHER) ||
        (pm_wait_kind(w, path->row) != PM_KIND_WAIT &&
         (pm_wait_owner(w, path->row) ||
          pm_timelines_is_ownable(path->contention->timelines, pm_wait_blocker(w, path->row)))))
        return 0;
    const guint32 take = takes_in(path, part);
    return take && pm_activity_hold_place(path->activity->recording, take, part->chain, chain) ==
                       PM_HOLD_PLACE_OUTSIDE
               ? pm_activity_sample_within(path->activity, part->thread, take, part->chain,
                                           begin + (end - begin) / 2)
               : 0;
}

/* The thread of `part` was at work from `begin` to `end`, and looked at once at most: where it was
 * seen, else as it gave up what it held or woke who waited. */
static void add_seen_work(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                          GArray *parts)
{
    PmPart work = *part;
    work.begin = begin;
    work.end = end;
    gboolean own = pm_own_frame(path->own, part->chain) >= 0, alike = FALSE;
    gint64 distance = !own                           ? SAMPLE_FAR_NS
                      : part->kind == PM_CAUSE_WAKER ? MIN(SAMPLE_NS, end - begin)
                                                     : 0;
    const gboolean holds = !own && owns_lock(path, part);
    PmStretch around = {0};
    if (part->kind == PM_CAUSE_WAKER && end - begin >= LIKE_NS)
        around = pm_activity_stretch(path->activity, part->thread, begin + (end - begin) / 2);
    if (part->chain)
        around.gave = pm_activity_gave(path->activity->recording, part->chain);
    const PmStretch *stretch = around.length ? &around : NULL;
    guint32 chain = is_most_of(stretch, begin, end)
                        ? pm_activity_sample_as_late(path->activity, part->thread, holds, begin,
                                                     end, SAMPLE_FAR_NS, stretch)
                        : 0;
    const gboolean of_stretch = chain != 0;
    if (!chain)
        chain = pm_activity_nearest_sample(path->activity, part->thread, holds, begin, end,
                                           distance, stretch);
    if (chain && own && part->kind == PM_CAUSE_OWNER &&
        !pm_activity_may_be_within(path->activity->recording, part->chain, chain))
        /* Seen as the owner elsewhere, it has given it back and taken it again meanwhile. */
        chain = pm_activity_owner_sample(path->activity, part->thread,
                                         path->wanted[path->depth - 1], begin, end);
    if (chain && own && pm_own_is_cut_off(path->own, path->activity->recording, chain)) {
        /* What the program does there is too far out to be seen. */
        const guint32 like = sample_of_like(path, part, begin, end, stretch);
        chain = like || part->kind == PM_CAUSE_OWNER ? like : chain;
    }
    const guint32 holding = seen_holding(path, &work, path->wanted[path->depth - 1]);
    const guint32 called_back = holding ? 0 : sample_called_back(path, part, begin, end);
    alike = called_back != 0;
    if (holding || called_back)
        chain = holding ? holding : called_back;
    else if (end - begin >= LIKE_NS &&
             (!chain || is_beside(path, part, begin, end, of_stretch, chain))) {
        guint32 like = 0;
        if (path->depth == 1 && part->kind == PM_CAUSE_WAKER &&
            pm_contention_is_behind(path->contention, path->row, part->chain))
            like = pm_activity_nearest_sample(path->activity, part->thread, FALSE, begin, end,
                                              SAMPLE_FAR_NS, NULL);
        if (!like) {
            like = sample_of_like(path, part, begin, end, stretch);
            alike = like != 0;
        }
        chain = like ? like : chain;
    }
    if (!chain && stretch) /* what is known of shorter or longer ones is more than nothing */
        chain = pm_activity_nearest_sample(path->activity, part->thread, holds, begin, end,
                                           distance, NULL);
    const guint32 within =
        chain && !holding && !called_back ? sample_within(path, part, begin, end, chain) : 0;
    if (within) {
        chain = within;
        alike = TRUE;
    }
    const gboolean beside = !chain && !own && pm_own_frame(path->own, path->beside) >= 0;
    if (chain || beside) { /* where it was seen at one instant, or waits in one task */
        work.chain = beside ? path->beside : chain;
        work.inferred = TRUE;
    }
    /* That it woke there is known, not that this took the time. */
    work.inferred |= part->kind == PM_CAUSE_WAKER && end - begin >= LIKE_NS;
    const gboolean begun_late = !chain && !beside && is_begun_late(path, part, begin, end);
    if (begun_late || (chain ? both_listen(path, part, chain) : is_unseen_giver(path, part)) ||
        (chain &&
         (part->kind == PM_CAUSE_WAKER || is_before_signal(path, part, begin, end, chain)) &&
         comes_from_outside(path, part, chain, alike))) {
        work.kind = PM_CAUSE_ARRIVAL;
        work.brought = begun_late ? 0 : part->chain;
        work.thread = work.chain = 0;
    }
    pm_parts_add(parts, work);
}

static gint64 grain_of(const Path *path)
{
    return path->grain << MIN(2 * path->many, 32u);
}

/* The virtual thread of `part` was in no wait from `begin` to `end`, and at the end did what others
 * waited for. While all carriers run others it had not begun, or not gone on. */
static void add_carried(const Path *path, const PmPart *part, gint64 begin, gint64 end,
                        GArray *parts)
{
    gint64 from = begin; /* of what it may have done itself */
    for (gint64 at = begin, until; at < end; at = until) {
        gboolean busy;
        until = pm_carriers_until(path->contention->carriers, at, end, &busy);
        const PmOwnerSample *seen =
            busy && until - at >= LIKE_NS
                ? pm_carriers_seen_running(path->contention->carriers, part->thread, part->chain,
                                           at + (until - at) / 2)
                : NULL;
        if (!seen)
            continue;
        if (from < at)
            add_seen_work(path, part, from, at, parts);
        pm_parts_add(parts, (PmPart){.begin = at,
                                     .end = until,
                                     .kind = PM_CAUSE_WAKER,
                                     .thread = seen->owner,
                                     .chain = seen->chain,
                                     .inferred = TRUE});
        from = until;
    }
    if (from < end)
        add_seen_work(path, part, from, end, parts);
}

/* The thread of `part` was at work from `begin` to `end`: at each of the instants at which it was
 * looked at it was where it was seen then, and there until half-way to the next. */
static void add_work(const Path *path, const PmPart *part, gint64 begin, gint64 end, GArray *parts)
{
    const PmActivity *activity = path->activity;
    const gboolean holds = pm_own_frame(path->own, part->chain) < 0 && owns_lock(path, part);
    gint64 at = begin, seen = pm_activity_next_sample(activity, part->thread, holds, begin, end);
    if (seen == end && part->kind == PM_CAUSE_WAKER &&
        activity->recording->threads[part->thread].is_virtual) {
        add_carried(path, part, begin, end, parts);
        return;
    }
    while (seen < end) {
        gint64 next = pm_activity_next_sample(activity, part->thread, holds, seen + 1, end);
        gint64 middle = seen + (next - seen) / 2;
        if (next < end && middle - at >= grain_of(path)) {
            add_seen_work(path, part, at, middle, parts);
            at = middle;
        }
        seen = next;
    }
    add_seen_work(path, part, at, end, parts);
}

/* Whoever keeps a lock, or has to give a result that others wait for, is not idle while it waits
 * for an answer from outside, or for the end of a process; who keeps what a pool lends is not,
 * whatever it waits for. At a barrier all wait for each other. */
static gboolean keeps_others_waiting(const Path *path, guint32 row, const PmPart *part)
{
    const PmCategory category = pm_wait_category(&path->activity->recording->waits, row);
    if (part->kind == PM_CAUSE_OWNER && !owns_lock(path, part))
        return TRUE;
    return pm_category_family(category) == PM_FAMILY_JOIN &&
           (part->kind == PM_CAUSE_OWNER || category != PM_CATEGORY_BARRIER);
}

/* Where what is behind a wait is nothing of the program's, as a thread that reads for a child
 * process, the program's own code that waits for it is what can be changed. */
static void name_own_code(const Path *path, guint32 row, const PmPart *part, GArray *parts,
                          guint first)
{
    const PmWaits *w = &path->activity->recording->waits;
    if (pm_own_frame(path->own, pm_wait_chain(w, row)) < 0)
        return;
    for (guint i = first; i < parts->len; i++) {
        PmPart *behind = &g_array_index(parts, PmPart, i);
        const gboolean somebody = behind->kind == PM_CAUSE_OWNER || behind->kind == PM_CAUSE_WAKER;
        if ((somebody && pm_own_frame(path->own, behind->chain) < 0) ||
            (behind->kind == PM_CAUSE_ARRIVAL && keeps_others_waiting(path, row, part))) {
            behind->kind = part->kind;
            behind->brought = 0;
            behind->thread = part->thread;
            behind->chain = pm_wait_chain(w, row);
        }
    }
}

/* A task that waits for what somebody brings from outside keeps its worker from other tasks, which
 * that one has nothing to do with. */
static void name_own_task(const Path *path, guint32 row, const PmPart *behind, const PmPart *part,
                          GArray *parts, guint first)
{
    const PmRecording *r = path->activity->recording;
    const guint32 chain = pm_wait_chain(&r->waits, row);
    if (behind->kind != PM_CAUSE_WAKER || pm_own_frame(path->own, chain) < 0 ||
        pm_category_is_idle(pm_wait_category(&r->waits, row)) || !pm_label_is_in_pool(r, chain) ||
        !pm_contention_is_source(path->contention, behind->thread))
        return;
    for (guint i = first; i < parts->len; i++) {
        PmPart *brought = &g_array_index(parts, PmPart, i);
        if (brought->kind == PM_CAUSE_WAKER && brought->thread == behind->thread &&
            brings_from_outside(path, row, behind, brought->chain)) {
            brought->kind = part->kind;
            brought->thread = part->thread;
            brought->chain = chain;
        }
    }
}

/* The owner of what the victim wants waits for what somebody brings by the clock, in the very
 * method in which the victim wants to: they take turns at that. What somebody reads may be answers
 * to what they wrote. */
static void name_listening(const Path *path, guint32 row, const PmPart *behind, const PmPart *part,
                           GArray *parts, guint first)
{
    const PmRecording *r = path->activity->recording;
    const guint32 chain = pm_wait_chain(&r->waits, row);
    const guint32 wants = pm_wait_chain(&r->waits, path->row);
    const gint own = pm_own_frame(path->own, chain), at = pm_own_frame(path->own, wants);
    if (part->kind != PM_CAUSE_OWNER || path->depth != 1 || behind->kind != PM_CAUSE_WAKER ||
        own < 0 || at < 0 ||
        r->chains[chain].frames[own].method != r->chains[wants].frames[at].method)
        return;
    for (guint i = first; i < parts->len; i++) {
        PmPart *brought = &g_array_index(parts, PmPart, i);
        if (brought->kind == PM_CAUSE_WAKER && brought->thread == behind->thread &&
            pm_label_calls_pause(r, brought->chain, pm_own_frame(path->own, brought->chain)) &&
            brings_from_outside(path, row, behind, brought->chain))
            *brought = (PmPart){.begin = brought->begin,
                                .end = brought->end,
                                .kind = PM_CAUSE_ARRIVAL,
                                .brought = behind->chain,
                                .inferred = TRUE};
    }
}

/* Whoever rests has given a lock back before, unseen, if that it held it is inferred; and whoever
 * waits for a lock or for its condition does not hold it. Who held it since is not known: most
 * likely it was more of the same. */
static gboolean is_stale(const Path *path, guint32 row, const PmPart *part)
{
    const PmRecording *r = path->activity->recording;
    guint32 blocker = pm_wait_blocker(&r->waits, row), wanted = path->wanted[path->depth - 1];
    return part->kind == PM_CAUSE_OWNER &&
           (blocker == wanted || r->blockers[blocker].parent == wanted ||
            (part->inferred && pm_category_is_idle(pm_wait_category(&r->waits, row))));
}

/* Too short to be followed. */
static void add_short(const Path *path, const PmPart *part, GArray *parts)
{
    PmPart here = *part;
    const guint32 holding = seen_holding(path, part, path->wanted[path->depth]);
    here.chain = holding ? holding : part->chain;
    pm_parts_add(parts, here);
}

/* A carrier wakes who waits for the end of a virtual thread, and does not tell which one: what such
 * threads were seen at meanwhile is most likely what it did. If none was seen, the program's own
 * code that waits for it is what can be looked at. */
static void add_virtual_end(const Path *path, guint32 row, const PmPart *part, GArray *parts)
{
    const PmWaits *w = &path->activity->recording->waits;
    PmPart end = *part;
    end.inferred = TRUE;
    for (gint64 at = part->begin, until; at < part->end; at = until) {
        until = part->end - at < 2 * PIECE_NS ? part->end : at + PIECE_NS;
        const PmOwnerSample *seen =
            pm_carriers_nearest_virtual(path->contention->carriers, row, at + (until - at) / 2);
        end.begin = at;
        end.end = until;
        end.thread = seen ? seen->owner : part->thread;
        end.chain = seen                                                  ? seen->chain
                    : pm_own_frame(path->own, pm_wait_chain(w, row)) >= 0 ? pm_wait_chain(w, row)
                                                                          : part->chain;
        pm_parts_add(parts, end);
    }
}

/* The last wait of the thread of `part` in its time for something to do; G_MAXUINT32: it had always
 * something. */
static guint32 last_rest(const Path *path, const PmPart *part)
{
    const PmActivity *activity = path->activity;
    const PmWaits *w = &activity->recording->waits;
    guint32 nth = pm_activity_first_wait(activity, part->thread, part->end);
    for (guint looked = 0; nth-- > 0 && looked < MAX_WAITS_LOOKED; looked++) {
        const guint32 row = pm_activity_wait(activity, part->thread, nth);
        if (pm_wait_begin(w, row) <= part->begin)
            break;
        if (pm_wait_end(w, row) <= part->end && pm_wait_category(w, row) == PM_CATEGORY_POOL_IDLE)
            return row;
    }
    return G_MAXUINT32;
}

/* Who ends a wait by a task had nothing to do with it while it rested, nor before that, whatever it
 * did for others: the wait was then for who gave the task. Returns since when the thread of `part`
 * is behind the wait; its begin: all the time, or that is not known. */
static gint64 follow_giver(Path *path, const PmPart *part, GArray *parts)
{
    const PmWaits *w = &path->activity->recording->waits;
    const guint32 row = part->kind == PM_CAUSE_WAKER && path->depth <= MAX_GIVERS
                            ? last_rest(path, part)
                            : G_MAXUINT32;
    if (row == G_MAXUINT32)
        return part->begin;
    const GArray *here = split_here(path, row, pm_wait_begin(w, row), pm_wait_end(w, row));
    if (!here->len) /* it was over at once */
        return part->begin;
    PmPart giver = g_array_index(here, PmPart, 0);
    if (giver.kind != PM_CAUSE_WAKER || path->contention->ends_virtual[giver.chain] ||
        is_on(path, giver.thread))
        return part->begin;
    giver.begin = part->begin;
    giver.inferred = TRUE;
    path->wanted[path->depth] = pm_wait_blocker(w, row);
    path->threads[path->depth] = 0; /* before that, it may have been behind its giver */
    follow_thread(path, &giver, parts);
    path->threads[path->depth] = part->thread;
    return giver.end;
}

/* What the thread of `part` did in its time. */
static void follow_thread(Path *path, const PmPart *part, GArray *parts)
{
    const PmActivity *activity = path->activity;
    const PmWaits *w = &activity->recording->waits;
    if (path->depth == MAX_DEPTH || is_on(path, part->thread)) {
        pm_parts_add(parts, *part);
        return;
    }
    if (part->end - part->begin < grain_of(path)) {
        add_short(path, part, parts);
        return;
    }
    const gint64 grain = grain_of(path);
    path->threads[++path->depth] = part->thread;
    gint64 at = follow_giver(path, part, parts);
    path->beside = 0;
    for (guint32 i = pm_activity_first_wait(activity, part->thread, at);
         i < pm_activity_n_waits(activity, part->thread); i++) {
        guint32 row = pm_activity_wait(activity, part->thread, i);
        gint64 begin = MAX(pm_wait_begin(w, row), at), end = MIN(pm_wait_end(w, row), part->end);
        if (begin >= part->end)
            break;
        if (end - begin < grain || is_stale(path, row, part))
            continue;
        path->beside = pm_wait_chain(w, row);
        if (begin > at)
            add_work(path, part, at, begin, parts);
        guint first = parts->len;
        path->wanted[path->depth] = pm_wait_blocker(w, row);
        guint more = end - begin < (part->end - part->begin) / 2;
        path->many += more;
        follow_row(path, row, begin, end, part, parts);
        path->many -= more;
        name_own_code(path, row, part, parts, first);
        path->beside = pm_wait_chain(w, row);
        at = end;
    }
    if (at < part->end)
        add_work(path, part, at, part->end, parts);
    path->depth--;
}

/* Is nothing the program's where it waits, nor where the victim does, for a signal? */
static gboolean is_among_libraries(const Path *path, guint32 chain)
{
    return family_of(path) == PM_FAMILY_SIGNAL && pm_own_frame(path->own, chain) < 0 &&
           pm_own_frame(path->own, pm_wait_chain(&path->activity->recording->waits, path->row)) < 0;
}

/* Does the program's own code let a time pass while it keeps what others wait for, or before it
 * gives that? Who parks for a while does nothing else than who sleeps. */
static gboolean pauses_for_others(const Path *path, guint32 row, const PmPart *behind,
                                  const PmPart *part)
{
    const PmWaits *w = &path->activity->recording->waits;
    const guint32 chain = pm_wait_chain(w, row);
    return behind->kind == PM_CAUSE_TIME_OUT && pm_wait_category(w, row) == PM_CATEGORY_TIMER &&
           pm_own_frame(path->own, chain) >= 0 &&
           (part->kind == PM_CAUSE_OWNER || !comes_from_outside(path, part, chain, FALSE));
}

/* Of a wait that nobody is behind: its thread itself, where it waits. A library's that keeps time
 * for another one is none of the program's. */
static PmPart own_wait(const Path *path, guint32 row, const PmPart *behind, const PmPart *part)
{
    const PmWaits *w = &path->activity->recording->waits;
    const gboolean timed_out = behind->kind == PM_CAUSE_TIME_OUT;
    PmPart own = {
        behind->begin,       behind->end,           part->kind,
        part->thread,        pm_wait_chain(w, row), part->inferred || part->kind == PM_CAUSE_WAKER,
        .held = behind->held};
    if ((pm_category_is_idle(pm_wait_category(w, row)) && behind->kind != PM_CAUSE_INTERRUPT &&
         !pauses_for_others(path, row, behind, part)) ||
        paces_news(path, row, behind, part) || (timed_out && is_among_libraries(path, own.chain)))
        own = (PmPart){.begin = own.begin,
                       .end = own.end,
                       .kind = PM_CAUSE_ARRIVAL,
                       .brought = part->chain,
                       .inferred = own.inferred};
    else if (timed_out && pm_wait_blocker(w, row) == path->wanted[0]) /* all pause by design */
        own = (PmPart){own.begin, own.end, PM_CAUSE_UNKNOWN, 0, 0, own.inferred};
    return own;
}

/* Does a thread at rest, that was woken, find nothing to do, and wait on until its time is up? So
 * one that sees to delays does, when somebody adds another one: what it does next comes by the
 * clock. One that is woken again and again has something to do. */
static gboolean waits_on_for_its_time(const Path *path, guint32 row)
{
    const PmActivity *activity = path->activity;
    const PmWaits *w = &activity->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    guint32 nth = pm_activity_first_wait(activity, thread, pm_wait_end(w, row));
    if (!pm_category_is_idle(pm_wait_category(w, row)) || !pm_wait_waker(w, row))
        return FALSE;
    const guint32 n = MIN(pm_activity_n_waits(activity, thread), nth + MAX_WAITS_LOOKED);
    for (guint32 last = row, next; nth < n; nth++, last = next) {
        next = pm_activity_wait(activity, thread, nth);
        if (pm_wait_begin(w, next) > pm_sum(pm_wait_end(w, last), PM_ASKED_NS) ||
            !pm_recording_are_alike(activity->recording, last, next))
            return FALSE;
        if (!pm_wait_waker(w, next))
            return pm_wait_wake_cause(w, next) == PM_WAKE_TIME_OUT;
    }
    return FALSE;
}

/* A wait of a thread that is responsible for another wait. Where nobody is behind it the thread
 * itself is: it paused there, or waited for what no one is known to give. */
static void follow_row(Path *path, guint32 row, gint64 from, gint64 to, const PmPart *part,
                       GArray *parts)
{
    const gboolean by_the_clock = waits_on_for_its_time(path, row);
    const GArray *here = split_here(path, row, from, to);
    for (guint i = 0; i < here->len; i++) {
        PmPart behind = g_array_index(here, PmPart, i);
        behind.inferred |= part->inferred;
        behind.held = part->held ? part->held : behind.held; /* what is behind keeps it as long */
        if (by_the_clock && behind.kind == PM_CAUSE_WAKER)
            behind.kind = PM_CAUSE_TIME_OUT;
        switch (behind.kind) {
        case PM_CAUSE_OWNER:
        case PM_CAUSE_WAKER:
            if (path->contention->ends_virtual[behind.chain]) {
                add_virtual_end(path, row, &behind, parts);
                break;
            }
            if (!is_on(path, behind.thread)) {
                const guint first = parts->len;
                behind.inferred |= part->kind == PM_CAUSE_WAKER;
                follow_thread(path, &behind, parts);
                name_own_task(path, row, &behind, part, parts, first);
                name_listening(path, row, &behind, part, parts, first);
                break;
            }
            G_GNUC_FALLTHROUGH; /* who waits cannot be why it waits */
        case PM_CAUSE_TIME_OUT:
        case PM_CAUSE_INTERRUPT:
        case PM_CAUSE_STILL_WAITING:
        case PM_CAUSE_UNKNOWN:
            pm_parts_add(parts, own_wait(path, row, &behind, part));
            break;
        default:
            pm_parts_add(parts, behind);
        }
    }
}

/* Notes who owned the blocker meanwhile in what is behind `here`, or in that itself. */
static void own_part(PmPart *part, const PmPart *here)
{
    part->owner = here->kind == PM_CAUSE_OWNER ? here->thread : 0;
    part->owner_chain = here->kind == PM_CAUSE_OWNER ? here->chain : 0;
}

void pm_contention_split(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                         GArray *parts)
{
    const PmActivity *activity = pm_contention_activity(contention);
    const PmWaits *w = &activity->recording->waits;
    gint64 length = MIN(pm_wait_end(w, row), to) - MAX(pm_wait_begin(w, row), from);
    Path path = {.contention = contention,
                 .activity = activity,
                 .own = pm_own_code(activity->recording),
                 .row = row,
                 .grain = MAX(length / MAX_PIECES, MIN_GRAIN_NS),
                 .threads = {pm_wait_thread(w, row)},
                 .wanted = {pm_wait_blocker(w, row)}};
    const guint first = parts->len;
    if (length < path.grain) {
        pm_contention_split_here(contention, row, from, to, parts);
        for (guint i = first; i < parts->len; i++)
            own_part(&g_array_index(parts, PmPart, i), &g_array_index(parts, PmPart, i));
        return;
    }
    g_autoptr(GArray) behind = g_array_new(FALSE, FALSE, sizeof(PmPart));
    const GArray *here = split_here(&path, row, from, to);
    for (guint i = 0; i < here->len; i++) {
        const PmPart part = g_array_index(here, PmPart, i);
        path.ender = part.thread;
        g_array_set_size(behind, 0);
        if (part.kind == PM_CAUSE_WAKER && contention->ends_virtual[part.chain])
            add_virtual_end(&path, row, &part, behind);
        else if (part.kind == PM_CAUSE_OWNER || part.kind == PM_CAUSE_WAKER)
            follow_thread(&path, &part, behind);
        else
            pm_parts_add(behind, part);
        for (guint k = 0; k < behind->len; k++) {
            PmPart one = g_array_index(behind, PmPart, k);
            own_part(&one, &part);
            pm_parts_add(parts, one);
        }
    }
    for (guint i = 0; i <= MAX_DEPTH && path.here[i]; i++)
        g_array_unref(path.here[i]);
    /* Only connections come from outside; else somebody had it before, and gave it back unseen. */
    const gboolean lent =
        pm_wait_category(w, row) == PM_CATEGORY_RESOURCE &&
        !pm_label_is_within(activity->recording, pm_wait_chain(w, row), 16,
                            "org.apache.tomcat.util.threads.LimitLatch", "countUpOrAwait");
    for (guint i = first; i < parts->len && lent; i++) {
        PmPart *p = &g_array_index(parts, PmPart, i);
        if (p->kind == PM_CAUSE_ARRIVAL)
            *p = (PmPart){.begin = p->begin,
                          .end = p->end,
                          .kind = PM_CAUSE_UNKNOWN,
                          .inferred = p->inferred,
                          .owner = p->owner,
                          .owner_chain = p->owner_chain};
    }
}

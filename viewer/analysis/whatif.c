#include "viewer/analysis/whatif.h"

#include <math.h>
#include <stdlib.h>

/* One acquisition: asked for `gap` after the thread's release before, held for `hold`. */
typedef struct {
    gint64 asked, got, released;
    guint32 thread;
    gboolean measured;
} Turn;

static int compare_turns(gconstpointer left, gconstpointer right)
{
    const Turn *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->asked > b->asked) - (a->asked < b->asked);
}

typedef struct {
    gint64 at;       /* when the thread asks next */
    guint next, end; /* its turns */
    gint64 went;     /* time it spent going round */
} Customer;

static void sift_down(Customer *heap, guint n, guint i)
{
    for (;;) {
        guint least = i;
        for (guint child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (heap[child].at < heap[least].at)
                least = child;
        if (least == i)
            return;
        Customer swap = heap[i];
        heap[i] = heap[least];
        heap[least] = swap;
        i = least;
    }
}

typedef struct {
    double waiting; /* Σ of all waits */
    double going;   /* Σ over threads of first request to last release */
} Outcome;

/* Serves the turns in the order in which they are asked for. `hand_over`: from a release to the
 * resume of who waited. */
static Outcome replay(const Turn *turns, guint n, double factor, double hand_over)
{
    Outcome outcome = {0, 0};
    g_autofree Customer *heap = g_new(Customer, n + 1);
    guint n_heap = 0;
    for (guint i = 0; i < n;) {
        guint end = i + 1;
        while (end < n && turns[end].thread == turns[i].thread)
            end++;
        heap[n_heap++] = (Customer){.at = turns[i].asked, .next = i, .end = end};
        outcome.going -= (double)turns[i].asked;
        i = end;
    }
    for (guint i = n_heap; i-- > 0;)
        sift_down(heap, n_heap, i);

    double is_free = -INFINITY;
    while (n_heap > 0) {
        Customer *first = &heap[0];
        const Turn *turn = &turns[first->next];
        double at = (double)first->at, begin = at;
        if (is_free > at)
            begin = is_free + hand_over;
        outcome.waiting += begin - at;
        double end = begin + factor * (double)(turn->released - turn->got);
        is_free = end;
        if (++first->next < first->end) {
            gint64 gap = turns[first->next].asked - turn->released;
            first->at = (gint64)llround(end) + MAX(gap, 0);
        } else {
            outcome.going += end;
            heap[0] = heap[--n_heap];
        }
        sift_down(heap, n_heap, 0);
    }
    return outcome;
}

static int compare_holds(gconstpointer left, gconstpointer right)
{
    const PmHold *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The hold of `thread` that begins at `at`; NULL when its end was not seen. */
static const PmHold *hold_at(const GArray *holds, guint32 thread, gint64 at)
{
    guint low = 0, high = holds->len;
    PmHold key = {.thread = thread, .begin = at};
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_holds(&g_array_index(holds, PmHold, middle), &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == holds->len)
        return NULL;
    const PmHold *hold = &g_array_index(holds, PmHold, low);
    return hold->thread == thread && hold->begin == at ? hold : NULL;
}

gboolean pm_whatif_compute(const PmView *view, const PmContention *contention, guint32 blocker,
                           double factor, PmWhatIf *ret_what_if)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    if (blocker == 0 || blocker >= r->n_blockers || !(factor >= 0))
        return FALSE;

    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_holds(contention, blocker, all);
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    double sum = 0;
    PmWhatIf what = {.blocker = blocker, .factor = factor};
    for (guint i = 0; i < all->len; i++) {
        const PmHold *hold = &g_array_index(all, PmHold, i);
        if (hold->end <= view->from || hold->begin >= view->to || hold->thread == 0)
            continue;
        g_array_append_val(holds, *hold);
        if (!hold->exact)
            continue;
        sum += (double)(hold->end - hold->begin);
        what.n_measured++;
    }
    if (what.n_measured < PM_WHATIF_MIN_HOLDS)
        return FALSE;
    what.hold = (gint64)llround(sum / what.n_measured);
    g_array_sort(holds, compare_holds);

    /* Turns: waits that got the lock, and holds that nobody saw begin with a wait. */
    g_autoptr(GArray) turns = g_array_new(FALSE, FALSE, sizeof(Turn));
    g_autofree guint8 *met = g_new0(guint8, holds->len + 1);
    double hand_over = 0;
    guint n_hand_overs = 0;
    for (gsize i = 0; i < w->n; i++) {
        if (w->blocker[i] != blocker || w->kind[i] == PM_KIND_WAIT || w->end[i] <= view->from ||
            w->begin[i] >= view->to)
            continue;
        what.waiting += pm_view_clip(view, (guint32)i);
        if ((w->flags[i] & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0 || w->end[i] > view->to ||
            w->wake_cause[i] == PM_WAKE_TIME_OUT || w->wake_cause[i] == PM_WAKE_INTERRUPT)
            continue;
        if (w->wake_cause[i] == PM_WAKE_RELEASE && w->wake[i] > w->begin[i] &&
            w->wake[i] <= w->end[i]) {
            hand_over += (double)(w->end[i] - w->wake[i]);
            n_hand_overs++;
        }
        Turn turn = {.asked = w->begin[i], .got = w->end[i], .thread = w->thread[i]};
        const PmHold *hold = hold_at(holds, turn.thread, turn.got);
        if (hold != NULL) {
            turn.released = hold->end;
            turn.measured = TRUE;
            met[hold - (const PmHold *)holds->data] = 1;
        }
        g_array_append_val(turns, turn);
    }
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        Turn turn = {hold->begin, hold->begin, hold->end, hold->thread, TRUE};
        if (!met[i])
            g_array_append_val(turns, turn);
    }
    g_array_sort(turns, compare_turns);
    /* A release that nobody waited for was not seen: such a hold is an average one, at most up to
     * the thread's next request. */
    for (guint i = 0; i < turns->len; i++) {
        Turn *turn = &g_array_index(turns, Turn, i);
        if (turn->measured)
            continue;
        turn->released = turn->got + what.hold;
        if (i + 1 < turns->len && turn[1].thread == turn->thread)
            turn->released = CLAMP(turn->released, turn->got, MAX(turn[1].asked, turn->got));
    }
    what.n_holds = turns->len;

    double over = n_hand_overs > 0 ? hand_over / n_hand_overs : 0;
    const Turn *data = (const Turn *)turns->data;
    Outcome now = replay(data, turns->len, 1, over), then = replay(data, turns->len, factor, over);
    what.model_quality = what.waiting > 0 ? now.waiting / (double)what.waiting : NAN;
    double scale = now.waiting > 0 ? then.waiting / now.waiting : 0;
    what.waiting_then = (gint64)llround((double)what.waiting * scale);
    /* What its threads do outside of their turns takes as long as before. */
    double lives = 0;
    for (guint i = 0; i < turns->len; i++) {
        const PmThread *thread = &r->threads[data[i].thread];
        if (i == 0 || data[i].thread != data[i - 1].thread)
            lives += (double)MAX(MIN(thread->end, view->to) - MAX(thread->begin, view->from), 0);
    }
    lives = MAX(lives, now.going);
    double left = lives - (now.going - then.going);
    what.speed_up = left > 0 ? lives / left : 1;
    /* Few turns a thread make the run-in weigh too much; a queue cannot gain more than its server.
     */
    if (factor > 0)
        what.speed_up = MIN(what.speed_up, MAX(1 / factor, 1));
    *ret_what_if = what;
    return TRUE;
}

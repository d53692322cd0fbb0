#include "recorder/agent/counters/follow.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/clock.h"

#define TAKE_AT_ONCE  128     /* ended waits, from a slot's buffer */
#define TAKE_PER_TICK 16384   /* of all slots, about, and one of each: bounds what is not swept */
#define LOOKS         32      /* at a slot that is entering or leaving a wait */
#define SETTLE_NS     1000000 /* for a state that another core stored to be seen */

static void note(struct pm_follower *follower, int error)
{
    if (error)
        follower->failed(follower->context, error);
}

#define SAME_PLACE(member)                                                                         \
    _Static_assert(offsetof(struct pm_wait, member) == offsetof(struct pm_raw_wait, member),       \
                   "copied as it is")
SAME_PLACE(begin_ns);
SAME_PLACE(wake_ns);
SAME_PLACE(blocker);
SAME_PLACE(chain);
SAME_PLACE(owner);
SAME_PLACE(waker);
SAME_PLACE(waker_chain);
SAME_PLACE(aqs_state);
SAME_PLACE(kind);
SAME_PLACE(wake_cause);
SAME_PLACE(flags);

static inline void put_wait(struct pm_wait *ret_wait, const struct pm_raw_wait *raw,
                            pm_thread_id thread)
{
    memcpy(ret_wait, raw, sizeof *ret_wait);
    ret_wait->duration_ns = raw->end_ns - raw->begin_ns;
    ret_wait->thread = raw->thread.n ? raw->thread : thread;
}

static struct pm_wait wait_of(const struct pm_raw_wait *raw, pm_thread_id thread, int64_t begin_ns,
                              int64_t end_ns, uint16_t flags)
{
    struct pm_wait wait;
    put_wait(&wait, raw, thread);
    wait.begin_ns = begin_ns;
    wait.duration_ns = end_ns - begin_ns;
    wait.flags |= flags;
    if (flags & PM_WAIT_CUT) { /* whoever woke it, did so later */
        wait.wake_ns = 0;
        wait.waker.n = 0;
        wait.waker_chain.n = 0;
        wait.wake_cause = PM_WAKE_UNKNOWN;
    }
    return wait;
}

/* Ended waits of an unbound slot come from several buffers, in any order. */
static void deal(struct pm_follow *follow, uint32_t sequence)
{
    if ((int32_t)(sequence - follow->done) > 0)
        follow->done = sequence;
}

static bool is_resumed(const struct pm_follow *follow, const struct pm_raw_wait *raw)
{
    return follow->resumed && follow->marked == raw->sequence;
}

/* -- recorded pieces -- */

/* One piece of a wait that lies in a recorded span. */
struct piece {
    int64_t begin_ns, end_ns; /* end INT64_MAX: goes on */
    uint16_t flags;
};

/* Of a wait that began then: none of it is before the present span. */
static bool is_whole(const struct pm_follower *follower, int64_t begin_ns)
{
    return follower->recording && begin_ns >= follower->on_since_ns;
}

/* Cuts a wait by the last `stop` and `start`. A piece that was dealt with already is left out. A
 * wait in progress is no witness of the span after the one it was recorded in: its thread may have
 * gone on while nobody looked. */
static int cut_in_pieces(struct pm_follower *follower, const struct pm_follow *follow,
                         const struct pm_raw_wait *raw, int64_t end_ns, struct piece ret_pieces[2])
{
    int n = 0;
    int64_t begin_ns = raw->begin_ns;
    bool began_unseen = raw->flags & PM_WAIT_BEGIN_UNKNOWN;
    if (is_whole(follower, begin_ns)) {
        ret_pieces[n++] = (struct piece){begin_ns, end_ns, 0};
        return n;
    }
    if (begin_ns < follower->off_since_ns && !is_resumed(follow, raw)) {
        bool cut = end_ns > follower->off_since_ns;
        ret_pieces[n++] =
            (struct piece){begin_ns, cut ? follower->off_since_ns : end_ns, cut ? PM_WAIT_CUT : 0};
    }
    if (follower->recording && end_ns > follower->on_since_ns && !began_unseen)
        ret_pieces[n++] = (struct piece){follower->on_since_ns, end_ns, PM_WAIT_BEGIN_UNKNOWN};
    return n;
}

/* The wait that was open is not to be told after all. Slots do not lose what was seen in them; were
 * one to, it would else be open for ever. */
static void lose(struct pm_follower *follower, struct pm_follow *follow)
{
    const struct pm_raw_wait *wait = &follow->wait;
    note(follower, pm_ledger_undo(follower->ledger, wait->blocker, wait->kind, wait->begin_ns,
                                  follow->seen_ns, follow->counted));
    follower->lost(follower->context, follow->shown);
    follow->open = false;
    follow->shown = false;
    deal(follow, wait->sequence);
}

static void close_open(struct pm_follower *follower, struct pm_follow *follow,
                       const struct pm_raw_wait *raw, int64_t end_ns, uint16_t flags)
{
    const struct pm_raw_wait *wait = &follow->wait;
    int64_t begin_ns = wait->begin_ns;
    if (!follower->recording && end_ns > follower->off_since_ns) {
        end_ns = follower->off_since_ns;
        flags |= PM_WAIT_CUT;
    }
    end_ns = end_ns < begin_ns ? begin_ns : end_ns;
    bool shown = follow->shown;
    follow->open = false;
    follow->shown = false;
    note(follower, pm_ledger_end(follower->ledger, wait->blocker, wait->kind, begin_ns, end_ns));
    flags |= follow->counted ? 0 : PM_WAIT_BEGIN_UNKNOWN;
    struct pm_wait ended = wait_of(raw, follow->thread, begin_ns, end_ns, flags);
    follower->ended(follower->context, &ended, 1, shown);
}

/* A piece of a wait that is over. */
static inline void tell_ended(struct pm_follower *follower, const struct pm_follow *follow,
                              const struct pm_raw_wait *raw, struct piece piece)
{
    struct pm_wait wait = wait_of(raw, follow->thread, piece.begin_ns, piece.end_ns, piece.flags);
    note(follower, pm_ledger_waits(follower->ledger, &wait, 1));
    follower->ended(follower->context, &wait, 1, false);
}

static void take_ended(struct pm_follower *follower, struct pm_follow *follow,
                       const struct pm_raw_wait *raw)
{
    bool unbound = raw->home != 0;
    if (follow->open && follow->wait.sequence == raw->sequence) {
        if (raw->end_ns < follow->wait.begin_ns) {
            lose(follower, follow); /* it had ended before `start` and only now says so */
            return;
        }
        deal(follow, raw->sequence);
        close_open(follower, follow, raw, raw->end_ns, 0);
        return;
    }
    if (follow->cut && follow->marked == raw->sequence) {
        follow->cut = false; /* cut by `stop` before */
        return;
    }
    if (follow->open && !unbound)
        lose(follower, follow);
    deal(follow, raw->sequence);
    struct piece pieces[2] = {{raw->begin_ns, raw->end_ns, 0}};
    int n = is_whole(follower, raw->begin_ns)
                ? 1
                : cut_in_pieces(follower, follow, raw, raw->end_ns, pieces);
    follow->resumed = follow->resumed && !is_resumed(follow, raw);
    for (int i = 0; i < n; i++)
        tell_ended(follower, follow, raw, pieces[i]);
}

/* What a slot shows to be in progress, and was not dealt with. */
static void take_open(struct pm_follower *follower, struct pm_follow *follow,
                      const struct pm_raw_wait *raw)
{
    if (follow->open && follow->wait.sequence == raw->sequence) {
        follow->seen_ns = follower->now_ns;
        return;
    }
    if (follow->open)
        lose(follower, follow);
    struct piece pieces[2];
    int n = cut_in_pieces(follower, follow, raw, INT64_MAX, pieces);
    follow->resumed = follow->resumed && !is_resumed(follow, raw);
    bool goes_on = false;
    for (int i = 0; i < n; i++) {
        if (pieces[i].end_ns < INT64_MAX) {
            tell_ended(follower, follow, raw, pieces[i]);
            continue;
        }
        int64_t begin_ns = pieces[i].begin_ns;
        goes_on = true;
        follow->open = true;
        follow->counted = !((pieces[i].flags | raw->flags) & PM_WAIT_BEGIN_UNKNOWN);
        follow->shown = false;
        follow->owner = raw->owner;
        follow->operation = 0;
        follow->wait = *raw;
        follow->wait.begin_ns = begin_ns;
        follow->seen_ns = follower->now_ns > begin_ns ? follower->now_ns : begin_ns;
        note(follower,
             pm_ledger_begin(follower->ledger, raw->blocker, raw->kind, begin_ns, follow->counted));
    }
    if (!goes_on) {
        /* Its end is not ours to tell, but `start` may begin it anew. */
        follow->cut = true;
        follow->marked = raw->sequence;
        deal(follow, raw->sequence);
    }
}

/* -- reading slots -- */

static bool reserve(struct pm_follower *follower, size_t n)
{
    if (n > follower->capacity) {
        size_t capacity = follower->capacity ? follower->capacity : 64;
        while (capacity < n)
            capacity *= 2;
        struct pm_follow *follows = realloc(follower->slots, capacity * sizeof *follows);
        follower->slots = follows ? follows : follower->slots;
        struct pm_follow_mark *marks =
            follows ? realloc(follower->marks, capacity * sizeof *marks) : NULL;
        if (!marks)
            return false;
        follower->marks = marks;
        memset(follows + follower->capacity, 0, (capacity - follower->capacity) * sizeof *follows);
        memset(marks + follower->capacity, 0, (capacity - follower->capacity) * sizeof *marks);
        follower->capacity = capacity;
    }
    follower->n = n > follower->n ? n : follower->n;
    return true;
}

static bool is_passing(const struct pm_slot_view *view)
{
    return view->state == PM_SLOT_ENTERING || view->state == PM_SLOT_LEAVING;
}

/* Looks at a slot. Between ENTERING and PARKED, and between LEAVING and IDLE, a transition may be
 * read off the clock and not be visible yet, so a slot found so is looked at until it moves on,
 * which takes a microsecond. What it does then began after `now_ns`. If it does not move on,
 * nothing may be swept beyond the last instant at which it surely was not there. */
static bool look(struct pm_follower *follower, struct pm_follow *follow, const struct pm_slot *slot,
                 struct pm_slot_view *ret_view, int64_t *watermark_ns)
{
    /* Not whole: it changed all the time we looked, which is moving on. */
    bool whole = pm_slot_look(slot, ret_view);
    struct pm_slot_view first = *ret_view;
    bool stuck = whole && is_passing(ret_view);
    for (int i = 0; i < LOOKS && stuck; i++) {
        whole = pm_slot_look(slot, ret_view);
        stuck = whole && ret_view->state == first.state && ret_view->sequence == first.sequence;
    }
    if (!stuck) {
        follow->transit = 0;
        return whole;
    }
    if (follow->transit != first.state || follow->transit_sequence != first.sequence) {
        follow->transit = (uint8_t)first.state;
        follow->transit_sequence = first.sequence;
        follow->transit_since_ns = follower->previous_ns;
    }
    if (follow->transit_since_ns < *watermark_ns)
        *watermark_ns = follow->transit_since_ns;
    return whole;
}

static void forget_marks(struct pm_follower *follower)
{
    if (follower->marks)
        memset(follower->marks, 0, follower->capacity * sizeof *follower->marks);
}

/* There is no more to see of its slot than before. */
static bool is_still(struct pm_follower *follower, size_t index, const struct pm_slot *slot)
{
    struct pm_follow_mark *mark = &follower->marks[index];
    struct pm_follow *follow = &follower->slots[index];
    mark->is_still =
        mark->state && pm_slot_is_as_before(slot, mark->sequence, (enum pm_slot_state)mark->state);
    if (!mark->is_still && mark->state == PM_SLOT_PARKED && follow->seen_ns < follower->previous_ns)
        follow->seen_ns = follower->previous_ns;
    mark->state = mark->is_still ? mark->state : 0;
    return mark->is_still;
}

/* What its slot showed is told. A wait that is open is; without one, the ends of all that were. */
static void mark_told(struct pm_follower *follower, const struct pm_follow *follow,
                      const struct pm_slot_view *view)
{
    struct pm_slot *slot = pm_slot_pool_at((size_t)(follow - follower->slots));
    bool is_told = view->state == PM_SLOT_PARKED
                       ? follow->open && follow->wait.sequence == view->sequence
                       : view->state == PM_SLOT_IDLE && !follow->open;
    is_told = is_told && !follower->more && pm_slot_is_drained(slot);
    follower->marks[follow - follower->slots] =
        (struct pm_follow_mark){.sequence = view->sequence,
                                .state = is_told ? (uint8_t)view->state : 0,
                                .is_unbound = pm_slot_is_unbound(slot)};
}

static void take_overflow(void *context, const struct pm_overflow *overflow)
{
    struct pm_follower *follower = context;
    if (overflow->blocker.n)
        note(follower, pm_ledger_overflow(follower->ledger, overflow));
    follower->overflow(follower->context, overflow);
}

static bool is_dealt(const struct pm_follow *follow, uint32_t sequence)
{
    return (int32_t)(sequence - follow->done) <= 0;
}

/* What its slot showed, held against what its buffer had: both wholly read. */
static void settle(struct pm_follower *follower, struct pm_follow *follow,
                   const struct pm_slot_view *view, bool dealt)
{
    bool is_known = follow->open && view->sequence == follow->wait.sequence;
    if (view->state == PM_SLOT_LEAVING && !is_known &&
        view->wait.begin_ns < follower->on_since_ns) {
        /* Its end may be from before `start`, and says soon which pieces there are. */
    } else if (view->state == PM_SLOT_PARKED || view->state == PM_SLOT_LEAVING) {
        if (!dealt)
            take_open(follower, follow, &view->wait);
    } else if (follow->open && (int32_t)(view->sequence - follow->wait.sequence) >= 0) {
        lose(follower, follow); /* IDLE after it, or ENTERING the next one, and in no buffer */
    }
}

/* Whose wait it is: the slot's whose buffer it was in, or an unbound one's, as its thread came with
 * it. NULL: there is no memory. */
static struct pm_follow *whose(struct pm_follower *follower, size_t index,
                               const struct pm_raw_wait *raw)
{
    if (!raw->home)
        return &follower->slots[index];
    if (!reserve(follower, raw->home)) {
        note(follower, PM_ERROR_MEMORY);
        return NULL;
    }
    if (raw->home <= follower->n_sights) {
        struct pm_follow_sight *sight = &follower->sights[raw->home - 1];
        sight->dealt = sight->dealt || sight->view.sequence == raw->sequence;
    }
    return &follower->slots[raw->home - 1];
}

/* Of `n` ended waits the first ones that began in the present span, after all that is known of
 * their slots: nearly all are such. Returns how many. */
static size_t take_whole(struct pm_follower *follower, size_t index, const struct pm_raw_wait *raw,
                         size_t n)
{
    struct pm_wait waits[TAKE_AT_ONCE];
    size_t n_whole = 0;
    n = follower->one_by_one && n > 1 ? 1 : n;
    for (; n_whole < n && is_whole(follower, raw->begin_ns); raw++) {
        struct pm_follow *follow = whose(follower, index, raw);
        if (!follow || follow->open || follow->cut || follow->resumed)
            break;
        deal(follow, raw->sequence);
        put_wait(&waits[n_whole++], raw, follow->thread);
    }
    if (n_whole > 0) {
        note(follower, pm_ledger_waits(follower->ledger, waits, n_whole));
        follower->ended(follower->context, waits, n_whole, false);
    }
    return n_whole;
}

static void take_all(struct pm_follower *follower, size_t index, struct pm_raw_wait *taken,
                     size_t n, bool unbound)
{
    for (size_t i = 0; unbound && i < n; i++)
        taken[i].home = (uint32_t)index + 1; /* there was no room elsewhere */
    for (size_t i = 0; i < n; i++) {
        i += take_whole(follower, index, taken + i, n - i);
        struct pm_follow *follow = i < n ? whose(follower, index, &taken[i]) : NULL;
        if (follow)
            take_ended(follower, follow, &taken[i]);
    }
}

static void read_slot(struct pm_follower *follower, size_t index, int64_t *watermark_ns)
{
    struct pm_raw_wait taken[TAKE_AT_ONCE];
    struct pm_slot *slot = pm_slot_pool_at(index);
    bool unbound = pm_slot_is_unbound(slot);
    if (!unbound && is_still(follower, index, slot))
        return;
    struct pm_slot_view view = {0};
    bool whole = !unbound && look(follower, &follower->slots[index], slot, &view, watermark_ns);
    if (whole && view.state == PM_SLOT_FREE)
        return;
    if (!unbound)
        follower->slots[index].thread = whole ? view.thread : pm_slot_thread(slot);
    size_t n;
    size_t n_all = 0;
    int64_t last_end_ns = INT64_MAX;
    do {
        n = pm_slot_drain(slot, taken, TAKE_AT_ONCE);
        take_all(follower, index, taken, n, unbound);
        n_all += n;
        last_end_ns = n > 0 ? taken[n - 1].end_ns : last_end_ns;
    } while (n == TAKE_AT_ONCE && n_all < follower->take_max);
    follower->n_taken += n_all;
    follower->n_busy += n_all > 0;
    bool more = n == TAKE_AT_ONCE;
    if (more) {
        follower->more = true;
        *watermark_ns = last_end_ns < *watermark_ns ? last_end_ns : *watermark_ns;
    }
    if (whole && !more) {
        struct pm_follow *follow = &follower->slots[index];
        settle(follower, follow, &view, is_dealt(follow, view.sequence));
        if (view.state == PM_SLOT_PARKED) /* an idle carrier's buffer may get more */
            mark_told(follower, follow, &view);
    }
    pm_slot_drain_overflow(slot, take_overflow, follower);
}

/* -- unbound slots -- */

static bool reserve_sights(struct pm_follower *follower, size_t n)
{
    if (n > follower->sight_capacity) {
        size_t capacity = follower->sight_capacity ? follower->sight_capacity : 64;
        while (capacity < n)
            capacity *= 2;
        struct pm_follow_sight *sights = realloc(follower->sights, capacity * sizeof *sights);
        if (!sights)
            return false;
        follower->sights = sights;
        follower->sight_capacity = capacity;
    }
    return true;
}

/* Before any buffer is read: what a slot shows to be over is in some buffer then. */
static void look_at_lent(struct pm_follower *follower, size_t n, int64_t *watermark_ns)
{
    follower->n_sights = 0;
    if (pm_slot_pool_unbound_count() == 0)
        return;
    if (!reserve_sights(follower, n)) {
        note(follower, PM_ERROR_MEMORY);
        forget_marks(follower);
        return;
    }
    follower->n_sights = n;
    for (size_t i = 0; i < n; i++) {
        const struct pm_slot *slot = pm_slot_pool_at(i);
        struct pm_follow_sight *sight = &follower->sights[i];
        bool is_unbound = pm_slot_is_unbound(slot);
        if (is_unbound && is_still(follower, i, slot))
            continue;
        sight->whole =
            is_unbound && look(follower, &follower->slots[i], slot, &sight->view, watermark_ns);
        sight->dealt = sight->whole && is_dealt(&follower->slots[i], sight->view.sequence);
    }
}

/* After the buffers were read. If not all to their ends, the end of the wait that was open may be
 * in what is left, which is after the watermark, and so is what began in this slot since. */
static void settle_lent(struct pm_follower *follower, int64_t watermark_ns)
{
    for (size_t i = 0; i < follower->n_sights; i++) {
        if (follower->marks[i].is_still)
            continue;
        const struct pm_follow_sight *sight = &follower->sights[i];
        struct pm_follow *follow = &follower->slots[i];
        bool ends_later =
            follower->more && follow->open && follow->wait.sequence != sight->view.sequence;
        bool young = !follower->cut_due && sight->view.wait.begin_ns >= watermark_ns;
        if (!sight->whole || ends_later || (young && sight->view.state != PM_SLOT_IDLE))
            continue;
        if (sight->view.wait.thread.n)
            follow->thread = sight->view.wait.thread;
        if (follower->more && sight->view.state == PM_SLOT_IDLE)
            continue;
        settle(follower, follow, &sight->view, sight->dealt);
        mark_told(follower, follow, &sight->view);
    }
}

/* -- the outside -- */

void pm_follower_init(struct pm_follower *follower, struct pm_ledger *ledger, bool recording,
                      int64_t begin_ns)
{
    *follower = (struct pm_follower){.ledger = ledger, .recording = recording};
    follower->on_since_ns = begin_ns;
    follower->off_since_ns = recording ? INT64_MIN : begin_ns;
    follower->now_ns = follower->previous_ns = pm_clock_now();
    follower->watermark_ns = begin_ns;
}

void pm_follower_clear(struct pm_follower *follower)
{
    free(follower->slots);
    free(follower->marks);
    free(follower->sights);
    *follower = (struct pm_follower){0};
}

int64_t pm_follower_tick(struct pm_follower *follower)
{
    follower->previous_ns = follower->now_ns;
    follower->now_ns = pm_clock_now();
    follower->n_taken = 0;
    size_t n_busy = follower->n_busy > 0 ? follower->n_busy : 1;
    follower->n_busy = 0;
    size_t n = pm_slot_pool_count();
    if (!reserve(follower, n)) {
        note(follower, PM_ERROR_MEMORY);
        n = follower->n;
    }
    follower->more = false;
    follower->take_max = (TAKE_PER_TICK + n) / n_busy;
    int64_t watermark_ns = follower->now_ns - SETTLE_NS;
    look_at_lent(follower, n, &watermark_ns);
    if (follower->n_sights > 0) {
        /* A carrier may have come since, and have what an unbound slot showed to be over. */
        size_t n_now = pm_slot_pool_count();
        if (reserve(follower, n_now))
            n = n_now;
    }
    for (size_t i = 0; i < n; i++)
        if (!(follower->marks[i].is_still && follower->marks[i].is_unbound))
            read_slot(follower, i, &watermark_ns);
    pm_slot_pool_drain_overflow(take_overflow, follower);
    settle_lent(follower, watermark_ns);
    /* What is left in a carrier's buffer may have begun long before it. */
    if (follower->more && follower->n_sights > 0 && watermark_ns > follower->watermark_ns)
        watermark_ns = follower->watermark_ns;
    follower->watermark_ns = watermark_ns;
    /* What is still open ends there. */
    if (follower->cut_due && watermark_ns > follower->off_since_ns)
        watermark_ns = follower->off_since_ns;
    return watermark_ns;
}

void pm_follower_stop(struct pm_follower *follower, int64_t at_ns)
{
    follower->off_since_ns = at_ns;
    follower->recording = false;
    follower->cut_due = true;
}

bool pm_follower_is_any_leaving(const struct pm_follower *follower)
{
    for (size_t i = 0; i < follower->n; i++) {
        const struct pm_follow *follow = &follower->slots[i];
        if (follow->open && follow->transit == PM_SLOT_LEAVING &&
            follow->transit_sequence == follow->wait.sequence)
            return true;
    }
    return false;
}

void pm_follower_cut(struct pm_follower *follower)
{
    follower->cut_due = false;
    for (size_t i = 0; i < follower->n; i++) {
        struct pm_follow *follow = &follower->slots[i];
        if (follow->open) {
            deal(follow, follow->wait.sequence);
            follow->cut = true;
            follow->marked = follow->wait.sequence;
            close_open(follower, follow, &follow->wait, follower->off_since_ns, PM_WAIT_CUT);
        }
    }
}

void pm_follower_end_in_progress(struct pm_follower *follower)
{
    for (size_t i = 0; i < follower->n; i++)
        pm_slot_end_in_progress(pm_slot_pool_at(i));
}

void pm_follower_start(struct pm_follower *follower, int64_t at_ns)
{
    follower->on_since_ns = at_ns;
    follower->recording = true;
    forget_marks(follower);
    for (size_t i = 0; i < follower->n; i++) {
        struct pm_follow *follow = &follower->slots[i];
        if (follow->cut) {
            follow->cut = false;
            follow->resumed = true;
            follow->done = follow->marked - 1;
        }
    }
}

int64_t pm_follower_woken_ns(const struct pm_follower *follower, size_t index)
{
    struct pm_raw_wait wait = follower->slots[index].wait;
    return follower->marks[index].is_unbound && pm_slot_look_at_wake(pm_slot_pool_at(index), &wait)
               ? wait.wake_ns
               : 0;
}

struct pm_wait pm_follower_open_wait(const struct pm_follower *follower,
                                     const struct pm_follow *follow)
{
    struct pm_raw_wait raw = follow->wait;
    int64_t begin_ns = raw.begin_ns;
    int64_t until_ns = follower->now_ns > begin_ns ? follower->now_ns : begin_ns;
    pm_slot_look_at_wake(pm_slot_pool_at((size_t)(follow - follower->slots)), &raw);
    if (raw.wake_ns > until_ns)
        raw = follow->wait; /* it was woken after this tick began */
    return wait_of(&raw, follow->thread, begin_ns, until_ns,
                   PM_WAIT_IN_PROGRESS | (follow->counted ? 0 : PM_WAIT_BEGIN_UNKNOWN));
}

uint64_t pm_follower_memory(const struct pm_follower *follower)
{
    return follower->capacity * (sizeof(struct pm_follow) + sizeof(struct pm_follow_mark)) +
           follower->sight_capacity * sizeof(struct pm_follow_sight);
}

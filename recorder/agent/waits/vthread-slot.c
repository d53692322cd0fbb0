#include "recorder/agent/waits/vthread-slot.h"

#include <assert.h>
#include <pthread.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/sparse-table.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"

#define N_WAYS      8
#define N_NOTES     1024 /* a power of two */
#define MIN_TID     1    /* below there is no thread: one made without its constructor has 0 */
#define NUMBER_BITS 21
#define MAX_VSLOTS  (1u << 20)
#define BARE_BYTES  offsetof(struct pm_vthread_slot, slot)

/* Who lies where: buckets of numbers of vslots + 1, each with some bits that its tid makes. A tid
 * is in one of two buckets. Ids of new threads are consecutive and so fill the first ones evenly.
 */
struct index {
    struct pm_sparse_table entries; /* of _Atomic uint32_t; 0 = free */
    uint32_t n_buckets;             /* a power of two */
    _Atomic uint32_t n_second;      /* that lie, or are about to, in the second of their buckets */
};

/* Virtual slots that are equal in this: they have slots, or they have none. */
struct tier {
    struct index index;
    struct pm_reservation vslots;
    struct pm_reservation kept; /* a reference for each, if anybody keeps any */
    size_t bytes;               /* of each */
    uint32_t max;
    _Atomic uint32_t n;    /* ever used */
    _Atomic uint64_t free; /* number + 1; a count against ABA in the high half */
    _Atomic int made;      /* 0 not yet, 1 yes, -1 cannot be */
};

static _Atomic bool are_kept;        /* references to threads, with any slot */
static _Atomic uint32_t n_bare_open; /* waits in progress without a slot */

static struct tier tiers[2];
static struct tier *const slotted = &tiers[0];
static struct tier *const bare = &tiers[1];
static uint32_t generation;                              /* of both: they are made anew by tests */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of making a tier */

static struct pm_vthread_slot *vslot_at(const struct tier *tier, uint32_t number)
{
    return (struct pm_vthread_slot *)(void *)(tier->vslots.base + (number - 1) * tier->bytes);
}

static uint32_t number_of(const struct tier *tier, const struct pm_vthread_slot *vslot)
{
    return (uint32_t)((size_t)((const char *)vslot - tier->vslots.base) / tier->bytes) + 1;
}

static struct tier *tier_of(const struct pm_vthread_slot *vslot)
{
    return vslot->is_bare ? bare : slotted;
}

/* -- the index -- */

static uint32_t bucket_of(const struct index *index, int64_t tid, int choice)
{
    uint64_t hash = choice == 0 ? (uint64_t)tid : (uint64_t)tid * 0x9e3779b97f4a7c15u >> 32;
    return ((uint32_t)hash & (index->n_buckets - 1)) * N_WAYS;
}

static uint32_t entry_of(int64_t tid, uint32_t number)
{
    uint32_t bits = (uint32_t)((uint64_t)tid * 0xff51afd7ed558ccdu >> (32 + NUMBER_BITS));
    return bits << NUMBER_BITS | number;
}

/* Its vslot says that it is the tid's before. */
static bool put(struct index *index, int64_t tid, uint32_t number, uint32_t *ret_place)
{
    for (int choice = 0; choice < 2; choice++) {
        uint32_t first = bucket_of(index, tid, choice);
        _Atomic uint32_t *entries = pm_sparse_table_at(&index->entries, first * sizeof *entries);
        if (__builtin_expect(!entries, 0))
            entries = pm_sparse_table_open(&index->entries, first * sizeof *entries);
        if (!entries)
            continue;
        if (choice == 1)
            atomic_fetch_add(&index->n_second, 1);
        for (uint32_t way = 0; way < N_WAYS; way++) {
            uint32_t free = 0;
            if (atomic_load_explicit(&entries[way], memory_order_relaxed) == 0 &&
                atomic_compare_exchange_strong(&entries[way], &free, entry_of(tid, number))) {
                *ret_place = first + way;
                return true;
            }
        }
        if (choice == 1)
            atomic_fetch_sub(&index->n_second, 1);
    }
    return false;
}

static void take_out(struct index *index, int64_t tid, uint32_t place)
{
    _Atomic uint32_t *entries = (_Atomic uint32_t *)(void *)index->entries.reservation.base;
    atomic_store_explicit(&entries[place], 0, memory_order_release);
    if (place - bucket_of(index, tid, 0) >= N_WAYS)
        atomic_fetch_sub(&index->n_second, 1);
}

static struct pm_vthread_slot *seek(const struct tier *tier, int64_t tid)
{
    const struct index *index = &tier->index;
    const uint32_t number_mask = (1u << NUMBER_BITS) - 1, bits = entry_of(tid, 0);
    for (int choice = 0; choice < 2; choice++) {
        if (choice == 1 && atomic_load(&index->n_second) == 0)
            break; /* one cache line less */
        uint32_t first = bucket_of(index, tid, choice);
        _Atomic uint32_t *entries = pm_sparse_table_at(&index->entries, first * sizeof *entries);
        for (uint32_t way = 0; entries && way < N_WAYS; way++) {
            uint32_t entry = atomic_load_explicit(&entries[way], memory_order_acquire);
            if (!(entry & number_mask) || (entry & ~number_mask) != bits)
                continue;
            struct pm_vthread_slot *vslot = vslot_at(tier, entry & number_mask);
            if (atomic_load_explicit(&vslot->tid, memory_order_relaxed) == tid)
                return vslot;
        }
    }
    return NULL;
}

/* Surely not there: nearly every thread that is about to wait. */
static bool is_absent(const struct tier *tier, int64_t tid)
{
    const struct index *index = &tier->index;
    if (atomic_load_explicit(&tier->made, memory_order_acquire) <= 0)
        return true;
    size_t at = bucket_of(index, tid, 0) * sizeof(uint32_t);
    const _Atomic uint64_t *two = pm_sparse_table_at(&index->entries, at);
    uint64_t any = atomic_load_explicit(&index->n_second, memory_order_relaxed);
    for (int i = 0; two && i < N_WAYS / 2; i++)
        any |= atomic_load_explicit(&two[i], memory_order_relaxed);
    return any == 0;
}

/* -- free vslots -- */

static uint32_t pop(struct tier *tier)
{
    uint64_t head = atomic_load(&tier->free);
    while ((uint32_t)head) {
        uint32_t link =
            atomic_load_explicit(&vslot_at(tier, (uint32_t)head)->place, memory_order_relaxed);
        if (atomic_compare_exchange_weak(&tier->free, &head, ((head >> 32) + 1) << 32 | link))
            return (uint32_t)head;
    }
    uint32_t n = atomic_load_explicit(&tier->n, memory_order_relaxed);
    while (n < tier->max && pm_reservation_open(&tier->vslots, (n + 1) * tier->bytes))
        if (atomic_compare_exchange_weak(&tier->n, &n, n + 1))
            return n + 1;
    return 0;
}

static void push(struct tier *tier, struct pm_vthread_slot *vslot)
{
    uint64_t head = atomic_load(&tier->free), number = number_of(tier, vslot);
    do {
        atomic_store_explicit(&vslot->place, (uint32_t)head, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&tier->free, &head, ((head >> 32) + 1) << 32 | number));
}

/* -- a tier -- */

static void tier_clear(struct tier *tier)
{
    pm_sparse_table_clear(&tier->index.entries);
    pm_reservation_clear(&tier->vslots);
    pm_reservation_clear(&tier->kept);
    *tier = (struct tier){.max = tier->max};
}

static bool make(struct tier *tier)
{
    uint32_t n_buckets = 1;
    while (n_buckets * N_WAYS < 2 * tier->max)
        n_buckets *= 2;
    tier->index.n_buckets = n_buckets;
    tier->bytes = tier == bare ? BARE_BYTES : sizeof(struct pm_vthread_slot);
    if (pm_sparse_table_init(&tier->index.entries, n_buckets * N_WAYS * sizeof(uint32_t)) ||
        pm_reservation_init(&tier->vslots, tier->max * tier->bytes) ||
        pm_reservation_init(&tier->kept, tier->max * sizeof(void *))) {
        tier_clear(tier);
        return false;
    }
    return true;
}

/* A program without virtual threads has no address space for them. */
static bool is_made(struct tier *tier)
{
    int made = atomic_load_explicit(&tier->made, memory_order_acquire);
    if (__builtin_expect(made == 0, 0)) {
        pthread_mutex_lock(&lock);
        made = atomic_load_explicit(&tier->made, memory_order_relaxed);
        if (made == 0) {
            made = make(tier) ? 1 : -1;
            atomic_store_explicit(&tier->made, made, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return made > 0;
}

/* The slotted vslots that the calling carrier used last, free for the next waits: each costs others
 * less than the list of free ones, which all carriers share. */
#define N_SPARE 16
static _Thread_local struct {
    struct pm_vthread_slot *vslots[N_SPARE];
    uint32_t n;
    uint32_t generation; /* of the tiers: an older one's are gone */
} spare __attribute__((tls_model("initial-exec")));

static struct pm_vthread_slot *take_free(struct tier *tier)
{
    if (tier == slotted && spare.n && spare.generation == generation)
        return spare.vslots[--spare.n];
    uint32_t number = is_made(tier) ? pop(tier) : 0;
    return number ? vslot_at(tier, number) : NULL;
}

static void give_free(struct tier *tier, struct pm_vthread_slot *vslot)
{
    if (spare.generation != generation) {
        spare.generation = generation;
        spare.n = 0;
    }
    bool are_left = atomic_load_explicit(&tier->n, memory_order_relaxed) < tier->max / 2;
    if (tier == slotted && vslot->slot && spare.n < (are_left ? N_SPARE : 1))
        spare.vslots[spare.n++] = vslot;
    else
        push(tier, vslot);
}

/* The first use of a vslot of the tier with slots gets it one, for ever. */
static struct pm_vthread_slot *take(struct tier *tier, int64_t tid)
{
    struct pm_vthread_slot *vslot = take_free(tier);
    if (!vslot)
        return NULL;
    vslot->is_bare = tier == bare;
    if (tier == slotted && !vslot->slot)
        vslot->slot = pm_slot_claim_unbound();
    struct pm_slot *slot = pm_vthread_slot_slot(vslot);
    atomic_store_explicit(&vslot->tid, tid, memory_order_relaxed);
    if (slot)
        pm_slot_lend(slot, tid);
    uint32_t place;
    if ((tier == slotted && !slot) || !put(&tier->index, tid, number_of(tier, vslot), &place)) {
        if (slot) {
            pm_slot_cancel(slot);
            pm_slot_take_back(slot);
        }
        give_free(tier, vslot);
        return NULL;
    }
    atomic_store_explicit(&vslot->place, place, memory_order_relaxed);
    return vslot;
}

static struct pm_vthread_slot *find_in(const struct tier *tier, int64_t tid)
{
    if (atomic_load_explicit(&tier->made, memory_order_acquire) <= 0 || tid < MIN_TID)
        return NULL;
    return seek(tier, tid);
}

/* -- wakes that find no wait -- */

/* The permit of a thread that was woken before it began to wait. Of two threads in one place the
 * later one is known. The waker writes its note before it gives the permit, and marks it
 * afterwards: with a note that is marked the thread has its permit, or has used it up already. */
struct note {
    _Alignas(32) _Atomic uint32_t word; /* a count of changes, and marks */
    _Atomic uint32_t waker;
    _Atomic int64_t tid; /* 0: none */
    _Atomic int64_t at_ns;
    _Atomic bool many; /* another one woke it too */
};
enum {
    WRITING = 1,
    GIVEN = 2,    /* the permit is */
    DOUBTFUL = 4, /* a park ended before that was told: by this permit, or another */
    SURE = 8,     /* the wait that is open has found it */
    MARKS = GIVEN | DOUBTFUL | SURE,
    NEXT = 16
};

static struct pm_sparse_table notes; /* each within one part of it */
static _Atomic bool has_notes;       /* one was ever left */

static size_t note_at(int64_t tid)
{
    return ((uint64_t)tid & (N_NOTES - 1)) * sizeof(struct note);
}

/* In place of the one with that word. Returns its own word, 0: it is another one by now. */
static uint32_t write_note(struct note *note, uint32_t word, const struct note *from)
{
    if (word & WRITING || !atomic_compare_exchange_strong(&note->word, &word, word | WRITING))
        return 0;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&note->waker, from->waker, memory_order_relaxed);
    atomic_store_explicit(&note->at_ns, from->at_ns, memory_order_relaxed);
    atomic_store_explicit(&note->many, from->many, memory_order_relaxed);
    atomic_store_explicit(&note->tid, from->tid, memory_order_relaxed);
    uint32_t now = (word & ~(uint32_t)(WRITING | MARKS)) + NEXT;
    atomic_store_explicit(&note->word, now, memory_order_release);
    return now;
}

static void erase_note(struct note *note, uint32_t word)
{
    write_note(note, word, &(struct note){0});
}

/* A copy of the thread's, and where it lies; NULL: it has none. */
static struct note *find_note(int64_t tid, struct note *ret_note)
{
    if (!atomic_load_explicit(&has_notes, memory_order_relaxed))
        return NULL;
    struct note *note = pm_sparse_table_at(&notes, note_at(tid));
    if (!note || atomic_load_explicit(&note->tid, memory_order_relaxed) != tid)
        return NULL;
    uint32_t word = atomic_load_explicit(&note->word, memory_order_acquire);
    ret_note->waker = atomic_load_explicit(&note->waker, memory_order_relaxed);
    ret_note->at_ns = atomic_load_explicit(&note->at_ns, memory_order_relaxed);
    ret_note->many = atomic_load_explicit(&note->many, memory_order_relaxed);
    ret_note->tid = atomic_load_explicit(&note->tid, memory_order_relaxed);
    ret_note->word = word;
    atomic_thread_fence(memory_order_acquire);
    uint32_t changed = atomic_load_explicit(&note->word, memory_order_relaxed) ^ word;
    bool is_whole = !(word & WRITING) && ret_note->tid == tid && (changed & ~MARKS) == 0;
    return is_whole ? note : NULL;
}

#define IS_TICKET (UINT64_C(1) << 63)

/* Returns a ticket for it. 0: there is no room, or the one that lies there counts, as it was first.
 */
static uint64_t leave_note(int64_t tid, pm_thread_id waker)
{
    struct note before, *note = pm_sparse_table_open(&notes, note_at(tid));
    uint64_t ticket = 0;
    if (!note)
        return 0;
    atomic_store_explicit(&has_notes, true, memory_order_relaxed);
    bool is_second = find_note(tid, &before) != NULL;
    if (is_second && !(before.word & (GIVEN | DOUBTFUL))) {
        atomic_store_explicit(&note->many, true, memory_order_relaxed);
    } else {
        struct note fresh = {
            .waker = waker.n, .tid = tid, .at_ns = pm_clock_now(), .many = is_second};
        uint32_t word = write_note(
            note, is_second ? before.word : atomic_load_explicit(&note->word, memory_order_relaxed),
            &fresh);
        if (word)
            ticket = IS_TICKET | (uint64_t)(note_at(tid) / sizeof *note) << 32 | word;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return ticket;
}

static struct note *note_of(uint64_t ticket)
{
    return pm_sparse_table_at(&notes,
                              (uint32_t)(ticket >> 32 & (N_NOTES - 1)) * sizeof(struct note));
}

/* If it is still the note that had this word. */
static void mark_note(struct note *note, uint32_t word, uint32_t mark)
{
    uint32_t now = atomic_load_explicit(&note->word, memory_order_relaxed);
    while (((now ^ word) & ~MARKS) == 0 &&
           !atomic_compare_exchange_weak(&note->word, &now, now | mark)) {
    }
}

void pm_vthread_slot_given(uint64_t ticket)
{
    struct note *note = ticket & IS_TICKET ? note_of(ticket) : NULL;
    if (note)
        mark_note(note, (uint32_t)ticket, GIVEN);
}

PM_HOT void pm_vthread_slot_settle(int64_t tid, bool (*has_permit)(void *context), void *context)
{
    struct note found, *note = find_note(tid, &found);
    if (!note || !(found.word & GIVEN))
        return;
    if (has_permit(context))
        mark_note(note, found.word, SURE);
    else
        erase_note(note, found.word);
}

/* The permit that the thread has found, into `how`. False: another waker, where one is known, is
 * more likely. */
static bool take_note(int64_t tid, struct pm_raw_wait *how)
{
    struct note found, *note = find_note(tid, &found);
    if (!note)
        return false;
    bool is_given = found.word & GIVEN, is_sure = found.word & SURE;
    bool is_doubtful = found.word & DOUBTFUL, has_cause = how->wake_cause != PM_WAKE_UNKNOWN;
    if (is_given)
        erase_note(note, found.word);
    else
        mark_note(note, found.word, DOUBTFUL);
    if (found.at_ns < atomic_load_explicit(&pm_gate_opened_ns, memory_order_relaxed))
        return false;
    if (found.many || is_doubtful || (has_cause && !is_sure))
        how->flags |= PM_WAIT_AMBIGUOUS;
    if (is_doubtful && (!is_given || (has_cause && !is_sure)))
        return false;
    how->waker.n = found.waker;
    how->wake_ns = found.at_ns;
    how->wake_cause = PM_WAKE_PERMIT;
    return is_sure;
}

PM_HOT void pm_vthread_slot_pass(int64_t tid)
{
    struct pm_raw_wait permit = {0};
    take_note(tid, &permit);
}

/* A wait that another thread found is over as its thread is woken. True: it had one. */
static __attribute__((noinline)) bool wake_standing(int64_t tid, pm_thread_id waker,
                                                    pm_chain_id (*get_chain)(void *, uint8_t *),
                                                    void *context)
{
    struct pm_slot *slot = pm_slot_find(tid);
    if (!slot || !pm_slot_is_in_progress(slot) ||
        !pm_slot_wake(slot, tid, waker, get_chain, context))
        return false;
    pm_slot_end_in_progress(slot);
    return true;
}

PM_HOT uint64_t pm_vthread_slot_wake(int64_t tid, pm_thread_id waker,
                                     pm_chain_id (*get_chain)(void *context, uint8_t *ret_cause),
                                     bool (*is_parked)(void *context), void *context)
{
    if (tid < MIN_TID)
        return 0;
    if (__builtin_expect(atomic_load_explicit(&pm_vthread_slot_standing, memory_order_relaxed),
                         0) &&
        wake_standing(tid, waker, get_chain, context))
        return 0;
    uint64_t ticket = 0;
    for (int look = 0; look < 2; look++) {
        const struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
        if (vslot && !vslot->is_bare && pm_slot_wake(vslot->slot, tid, waker, get_chain, context)) {
            if (ticket)
                erase_note(note_of(ticket), (uint32_t)ticket);
            return 0;
        }
        if (vslot && vslot->is_bare)
            break;
        /* It opens its slot, enters it (a full barrier), and looks for a note as it ends; we leave
         * one, then look for its slot. Parked without a slot, in a socket's poll most often, it
         * uses the permit up there. */
        if (look == 0 && !is_parked(context))
            ticket = leave_note(tid, waker);
    }
    return ticket;
}

/* -- the outside -- */

int pm_vthread_slot_init(uint32_t max)
{
    uint32_t n_slots = pm_slot_pool_unbound_max();
    slotted->max = n_slots ? n_slots : 1;
    bare->max = max && max < MAX_VSLOTS ? max : MAX_VSLOTS;
    return pm_sparse_table_init(&notes, N_NOTES * sizeof(struct note));
}

void pm_vthread_slot_clear(void)
{
    tier_clear(slotted);
    tier_clear(bare);
    generation++;
    pm_sparse_table_clear(&notes);
    atomic_store(&has_notes, false);
    atomic_store(&n_bare_open, 0);
}

/* Another processor wrote most of what a wait or a wake touches last: it is fetched at once, before
 * each piece is needed. This fetches its note, and returns where its tid is looked for first. */
static const char *prefetch_note(int64_t tid)
{
    bool is_made = atomic_load_explicit(&slotted->made, memory_order_acquire) > 0;
    size_t at = is_made ? bucket_of(&slotted->index, tid, 0) * sizeof(uint32_t) : 0;
    __builtin_prefetch(notes.reservation.base + note_at(tid));
    return slotted->index.entries.reservation.base + at;
}

PM_HOT void pm_vthread_slot_prefetch_begin(int64_t tid)
{
    pm_prefetch_to_write(prefetch_note(tid));
    if (spare.n && spare.generation == generation)
        pm_slot_prefetch(spare.vslots[spare.n - 1]->slot);
}

PM_HOT void pm_vthread_slot_prefetch_wake(int64_t tid)
{
    __builtin_prefetch(prefetch_note(tid));
}

PM_HOT void pm_vthread_slot_prefetch_end(const struct pm_vthread_slot *vslot, int64_t tid)
{
    if (!vslot->is_bare)
        pm_slot_prefetch(vslot->slot);
    pm_prefetch_to_write(prefetch_note(tid));
}

PM_HOT struct pm_vthread_slot *pm_vthread_slot_open(int64_t tid)
{
    if (tid < MIN_TID)
        return NULL;
    struct pm_vthread_slot *vslot = NULL;
    if (__builtin_expect(!is_absent(slotted, tid) || !is_absent(bare, tid), 0))
        vslot = pm_vthread_slot_find(tid);
    if (__builtin_expect(vslot != NULL, 0))
        pm_vthread_slot_cancel(vslot);
    vslot = take(slotted, tid);
    return vslot ? vslot : take(bare, tid);
}

PM_HOT struct pm_vthread_slot *pm_vthread_slot_find(int64_t tid)
{
    struct pm_vthread_slot *vslot = find_in(slotted, tid);
    return vslot ? vslot : find_in(bare, tid);
}

bool pm_vthread_slot_is_of(const struct pm_vthread_slot *vslot, int64_t tid)
{
    return atomic_load_explicit(&vslot->tid, memory_order_relaxed) == tid;
}

bool pm_vthread_slot_is_late(const struct pm_vthread_slot *vslot)
{
    return !vslot->is_bare && vslot->deadline_ns != INT64_MAX &&
           pm_clock_now() >= vslot->deadline_ns;
}

/* Once only: a program may give two threads one tid, so that both come to end one wait. */
static void leave(struct pm_vthread_slot *vslot)
{
    int64_t tid = atomic_load_explicit(&vslot->tid, memory_order_relaxed);
    uint32_t place = atomic_load_explicit(&vslot->place, memory_order_relaxed);
    if (!tid || !atomic_compare_exchange_strong(&vslot->tid, &tid, 0))
        return;
    vslot->open.is_open = false;
    struct tier *tier = tier_of(vslot);
    take_out(&tier->index, tid, place);
    if (__builtin_expect(atomic_load_explicit(&are_kept, memory_order_relaxed), 0)) {
        _Atomic(void *) *kept = pm_vthread_slot_keep(vslot);
        if (kept) /* whose end was never told left one, which is lost */
            atomic_store(kept, NULL);
    }
    if (!vslot->is_bare)
        pm_slot_take_back(vslot->slot);
    give_free(tier, vslot);
}

_Atomic uint32_t pm_vthread_slot_standing;

bool pm_vthread_slot_stands(int64_t tid)
{
    return !pm_vthread_slot_find(tid);
}

/* What the tables give is safe between enter and begin of a slot: grace-period.h. To enter is a
 * full barrier, in the index if it has a slot, which is entered as it is lent: whoever finds the
 * thread in a wait in progress later than we look sees its slot. */
PM_HOT void pm_vthread_slot_enter(struct pm_vthread_slot *vslot, struct pm_slot *here)
{
    if (vslot->is_bare && here)
        pm_slot_enter(here);
    else if (vslot->is_bare)
        vslot->hold = (uint8_t)pm_epoch_enter();
    if (__builtin_expect(atomic_load(&pm_vthread_slot_standing), 0))
        pm_slot_end_in_progress_of(atomic_load_explicit(&vslot->tid, memory_order_relaxed));
}

PM_HOT void pm_vthread_slot_begin(struct pm_vthread_slot *vslot, struct pm_slot *here,
                                  const struct pm_raw_wait *wait)
{
    assert(!vslot->open.is_open);
    struct pm_open_wait *open = &vslot->open;
    *open = (struct pm_open_wait){
        .is_open = true, .kind = wait->kind, .blocker = wait->blocker, .unslotted = vslot->is_bare};
    if (!vslot->is_bare) {
        open->begin_ns = pm_slot_begin(vslot->slot, wait);
        return;
    }
    if (here)
        pm_slot_cancel(here);
    else
        pm_epoch_leave(vslot->hold);
    atomic_fetch_add_explicit(&n_bare_open, 1, memory_order_relaxed);
    /* Last: pm_vthread_slot_visit_bare takes it for whole. */
    __atomic_store_n(&open->begin_ns, pm_clock_now(), __ATOMIC_RELEASE);
}

/* Before it counts as ended: it is never both. */
static void close_bare(struct pm_vthread_slot *vslot)
{
    __atomic_store_n(&vslot->open.begin_ns, 0, __ATOMIC_RELEASE);
    atomic_fetch_sub_explicit(&n_bare_open, 1, memory_order_relaxed);
}

PM_HOT void pm_vthread_slot_end(struct pm_vthread_slot *vslot, struct pm_slot *here,
                                const struct pm_raw_wait *how)
{
    const struct pm_open_wait *open = &vslot->open;
    struct pm_raw_wait end = *how;
    bool is_sure = open->kind != PM_KIND_PARK || take_note(vslot->tid, &end);
    if (!vslot->is_bare) {
        pm_slot_end_unbound(vslot->slot, here, &end, is_sure);
    } else {
        const struct pm_raw_wait wait = {.kind = open->kind,
                                         .blocker = open->blocker,
                                         .begin_ns = open->begin_ns,
                                         .end_ns = pm_clock_now_after(open->begin_ns)};
        close_bare(vslot);
        pm_slot_add_unslotted(&wait);
    }
    leave(vslot);
}

void pm_vthread_slot_pin(int64_t tid)
{
    const struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
    if (vslot && !vslot->is_bare && vslot->open.is_open)
        pm_slot_set_mounted(vslot->slot);
}

void pm_vthread_slot_cancel(struct pm_vthread_slot *vslot)
{
    if (!vslot->is_bare)
        pm_slot_cancel(vslot->slot);
    else if (vslot->open.is_open)
        close_bare(vslot);
    leave(vslot);
}

static _Atomic(void *) *kept_at(const struct tier *tier, uint32_t number)
{
    return (_Atomic(void *) *)(void *)tier->kept.base + (number - 1);
}

_Atomic(void *) *pm_vthread_slot_keep(struct pm_vthread_slot *vslot)
{
    struct tier *tier = tier_of(vslot);
    uint32_t number = number_of(tier, vslot);
    atomic_store_explicit(&are_kept, true, memory_order_relaxed);
    return pm_reservation_open(&tier->kept, number * sizeof(void *)) ? kept_at(tier, number) : NULL;
}

void pm_vthread_slot_visit_kept(void (*each)(void *context, struct pm_vthread_slot *vslot,
                                             _Atomic(void *) *kept),
                                void *context)
{
    for (int t = 0; t < 2; t++) {
        struct tier *tier = &tiers[t];
        bool made = atomic_load_explicit(&tier->made, memory_order_acquire) > 0;
        uint32_t n = made ? atomic_load_explicit(&tier->n, memory_order_acquire) : 0;
        for (uint32_t i = 1; i <= n; i++) {
            struct pm_vthread_slot *vslot = vslot_at(tier, i);
            if (atomic_load_explicit(&vslot->tid, memory_order_relaxed) &&
                pm_reservation_open(&tier->kept, i * sizeof(void *)))
                each(context, vslot, kept_at(tier, i));
        }
    }
}

void pm_vthread_slot_end_collected(struct pm_vthread_slot *vslot)
{
    pm_vthread_slot_end(vslot, NULL, &(struct pm_raw_wait){.flags = PM_WAIT_AT_MOST});
}

uint32_t pm_vthread_slot_count_bare(void)
{
    return atomic_load_explicit(&n_bare_open, memory_order_relaxed);
}

void pm_vthread_slot_visit_bare(void (*each)(void *context, pm_blocker_id blocker, uint8_t kind,
                                             int64_t begin_ns),
                                void *context)
{
    uint32_t n = atomic_load_explicit(&bare->made, memory_order_acquire) > 0
                     ? atomic_load_explicit(&bare->n, memory_order_acquire)
                     : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct pm_open_wait *open = &vslot_at(bare, i + 1)->open;
        int64_t begin_ns = __atomic_load_n(&open->begin_ns, __ATOMIC_ACQUIRE);
        pm_blocker_id blocker = {__atomic_load_n(&open->blocker.n, __ATOMIC_RELAXED)};
        uint8_t kind = __atomic_load_n(&open->kind, __ATOMIC_RELAXED);
        atomic_thread_fence(memory_order_acquire);
        if (begin_ns && __atomic_load_n(&open->begin_ns, __ATOMIC_RELAXED) == begin_ns)
            each(context, blocker, kind, begin_ns);
    }
}

bool pm_vthread_slot_any(void)
{
    return atomic_load_explicit(&slotted->made, memory_order_relaxed) != 0;
}

void pm_vthread_slot_thread_end(void)
{
    uint32_t n = spare.generation == generation ? spare.n : 0;
    spare.n = 0;
    for (uint32_t i = 0; i < n; i++)
        push(slotted, spare.vslots[i]);
}

#include "recorder/agent/hooks/notify.h"

#include <stdalign.h>
#include <stdatomic.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/sparse-table.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"

#define N_PLACES 4096 /* a power of two, as the following */
#define N_NOTES  4    /* of a place: who was notified may resume after later ones */

typedef void(JNICALL *notify_function)(JNIEnv *env, jobject object);

static bool is_prepared;

struct note {
    _Atomic uint32_t hash;
    _Atomic uint32_t notifier;
    _Atomic uint32_t chain;
    _Atomic bool sure; /* it was for each who waited here */
    _Atomic int64_t at_ns;
};

/* One notifier writes at a time: `word` is odd meanwhile, and half of it the notes' number. */
struct place {
    alignas(128) _Atomic uint32_t waiters; /* none lies in two parts of the table */
    _Atomic uint32_t word;
    struct note notes[N_NOTES]; /* the last ones */
};

static struct pm_sparse_table places; /* opened by who waits there */

/* Of all places. While it is 0 no notified object is asked for its hash code: up to JDK 21 that
 * makes a monitor of the lock of an object that never had one, ten times the cost of the notify.
 * Who waits came here before it left the monitor that the notifier owns now, so it is seen. */
static _Atomic uint32_t n_waiters;

static size_t offset_of(uint32_t hash)
{
    return ((hash * 0x9e3779b1u) >> 20 & (N_PLACES - 1)) * sizeof(struct place);
}

static uint32_t hash_of(jobject object)
{
    jint hash = 0;
    return (*pm_host.jvmti)->GetObjectHashCode(pm_host.jvmti, object, &hash) ? 0 : (uint32_t)hash;
}

static void write_note(JNIEnv *env, struct pm_current_thread *self, struct place *place,
                       uint32_t hash, bool all)
{
    pm_thread_id notifier = pm_current_thread_running_id(env, self);
    pm_chain_id chain = pm_walk_current(&self->walker);
    uint32_t word = atomic_load_explicit(&place->word, memory_order_relaxed);
    if (word & 1 || !atomic_compare_exchange_strong(&place->word, &word, word + 1))
        return; /* another object's notifier; its waiter finds no note */
    atomic_thread_fence(memory_order_release);
    struct note *note = &place->notes[word / 2 % N_NOTES];
    atomic_store_explicit(&note->hash, hash, memory_order_relaxed);
    atomic_store_explicit(&note->notifier, notifier.n, memory_order_relaxed);
    atomic_store_explicit(&note->chain, chain.n, memory_order_relaxed);
    atomic_store_explicit(&note->sure, all || place->waiters == 1, memory_order_relaxed);
    atomic_store_explicit(&note->at_ns, pm_clock_now(), memory_order_relaxed);
    atomic_store_explicit(&place->word, word + 2, memory_order_release);
}

/* The notifier owns the monitor, so it is the only one that notes for this object. `self`: in the
 * stretch in which a chain and an identity stay. */
static void note_for_waiters(JNIEnv *env, struct pm_current_thread *self, jobject object, bool all)
{
    uint32_t hash = pm_identity_recent_hash(env, &self->recent, object);
    if (!hash)
        hash = hash_of(object);
    struct place *place = pm_sparse_table_at(&places, offset_of(hash));
    if (place && atomic_load_explicit(&place->waiters, memory_order_relaxed) != 0)
        write_note(env, self, place, hash, all);
}

static void leave_note(JNIEnv *env, jobject object, bool all)
{
    struct pm_current_thread *self;
    if (!pm_gate_open() || atomic_load_explicit(&n_waiters, memory_order_relaxed) == 0 ||
        !(self = pm_current_thread_get(env)))
        return;
    struct pm_slot *slot = self->slot && pm_slot_is_idle(self->slot) ? self->slot : NULL;
    uint32_t hold = 0;
    if (slot)
        pm_slot_enter(slot);
    else
        hold = pm_epoch_enter();
    note_for_waiters(env, self, object, all);
    if (slot)
        pm_slot_cancel(slot);
    else
        pm_epoch_leave(hold);
}

static void notify(enum pm_hook hook, JNIEnv *env, jobject object)
{
    if (!pm_hook_is_inside(hook))
        leave_note(env, object, hook == PM_HOOK_NOTIFY_ALL);
    void *next = pm_hook_call(hook);
    ((notify_function)next)(env, object);
    pm_hook_return(hook, next);
}

static void JNICALL notify_hook(JNIEnv *env, jobject object)
{
    notify(PM_HOOK_NOTIFY, env, object);
}

static void JNICALL notify_all_hook(JNIEnv *env, jobject object)
{
    notify(PM_HOOK_NOTIFY_ALL, env, object);
}

bool pm_notify_prepare(JNIEnv *env)
{
    is_prepared = pm_sparse_table_init(&places, N_PLACES * sizeof(struct place)) == 0 &&
                  pm_hooks_install_notifies(env, (void *)notify_hook, (void *)notify_all_hook) == 0;
    return is_prepared;
}

void pm_notify_watch(struct pm_open_wait *wait, jobject object, uint32_t hash)
{
    if (!is_prepared)
        return;
    wait->watched_hash = hash ? hash : hash_of(object);
    struct place *place = pm_sparse_table_open(&places, offset_of(wait->watched_hash));
    if (!place)
        return;
    wait->is_watching = true;
    wait->watched_word = atomic_load_explicit(&place->word, memory_order_acquire);
    atomic_fetch_add_explicit(&place->waiters, 1, memory_order_acq_rel);
    atomic_fetch_add_explicit(&n_waiters, 1, memory_order_acq_rel);
}

/* The one of these that ended the wait: the first that reached all who waited, as later ones found
 * it on its way; else perhaps the last. False: all of them were for other objects. */
static bool find_note(const struct place *place, const struct pm_open_wait *wait, uint32_t word,
                      struct pm_notify_note *ret_note)
{
    const uint32_t first = (wait->watched_word + 1) / 2, n = (word - wait->watched_word) / 2;
    const uint32_t lost = n > N_NOTES ? n - N_NOTES : 0;
    uint32_t found = 0;
    for (uint32_t i = lost; i < n; i++) {
        const struct note *note = &place->notes[(first + i) % N_NOTES];
        const int64_t at_ns = atomic_load_explicit(&note->at_ns, memory_order_relaxed);
        if (atomic_load_explicit(&note->hash, memory_order_relaxed) != wait->watched_hash ||
            at_ns < wait->begin_ns)
            continue;
        if (found++ && ret_note->sure)
            continue;
        *ret_note = (struct pm_notify_note){
            .notifier = {atomic_load_explicit(&note->notifier, memory_order_relaxed)},
            .chain = {atomic_load_explicit(&note->chain, memory_order_relaxed)},
            .at_ns = at_ns,
            .sure = atomic_load_explicit(&note->sure, memory_order_relaxed),
        };
    }
    ret_note->ambiguous = lost || found > 1;
    return found > 0;
}

enum pm_notify_answer pm_notify_take(struct pm_open_wait *wait, struct pm_notify_note *ret_note)
{
    if (!wait->is_watching)
        return PM_NOTIFY_MAYBE;
    wait->is_watching = false;
    struct place *place = pm_sparse_table_at(&places, offset_of(wait->watched_hash));
    atomic_fetch_sub_explicit(&place->waiters, 1, memory_order_acq_rel);
    atomic_fetch_sub_explicit(&n_waiters, 1, memory_order_acq_rel);
    uint32_t word = atomic_load_explicit(&place->word, memory_order_acquire);
    struct pm_notify_note note;
    if (word == wait->watched_word)
        return PM_NOTIFY_NOBODY;
    bool found = find_note(place, wait, word, &note);
    atomic_thread_fence(memory_order_acquire);
    if (word & 1 || !found || atomic_load_explicit(&place->word, memory_order_relaxed) != word)
        return PM_NOTIFY_MAYBE;
    *ret_note = note;
    return PM_NOTIFY_NOTE;
}

void pm_notify_use_chains(void)
{
    for (uint32_t i = 0; i < N_PLACES; i++) {
        struct place *place = pm_sparse_table_at(&places, i * sizeof *place);
        for (uint32_t k = 0; place && k < N_NOTES; k++)
            pm_chain_use(
                (pm_chain_id){atomic_load_explicit(&place->notes[k].chain, memory_order_relaxed)});
    }
}

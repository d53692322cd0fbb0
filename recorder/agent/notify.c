#include "recorder/agent/notify.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "recorder/agent/chain.h"
#include "recorder/agent/gate.h"
#include "recorder/agent/generation.h"
#include "recorder/agent/hooks.h"
#include "recorder/agent/native-thread.h"
#include "recorder/agent/spread.h"
#include "recorder/agent/walk.h"

#define N_PLACES 4096 /* a power of two */

typedef void(JNICALL *notify_function)(JNIEnv *env, jobject object);

static notify_function notify_original, notify_all_original;

/* One notifier writes at a time: `word` is odd meanwhile, and rises with each note. */
struct place {
    _Atomic uint32_t waiters;
    _Atomic uint32_t word;
    _Atomic uint32_t hash;
    _Atomic uint32_t notifier;
    _Atomic uint32_t chain;
    _Atomic int64_t at_ns;
};

static struct pm_spread places; /* opened by who waits there */

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

static void write_note(JNIEnv *env, struct pm_self *self, struct place *place, uint32_t hash,
                       const void *frame)
{
    pm_thread_id notifier = self->id;
    if (self->is_carrier) {
        jthread current = pm_self_current(env, self, &notifier);
        if (current)
            (*env)->DeleteLocalRef(env, current);
    }
    pm_chain_id chain = pm_walk_current(self, self->is_carrier ? NULL : frame);
    uint32_t word = atomic_load_explicit(&place->word, memory_order_relaxed);
    if (word & 1 || !atomic_compare_exchange_strong(&place->word, &word, word + 1))
        return; /* another object's notifier; its waiter finds no note */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&place->hash, hash, memory_order_relaxed);
    atomic_store_explicit(&place->notifier, notifier.n, memory_order_relaxed);
    atomic_store_explicit(&place->chain, chain.n, memory_order_relaxed);
    atomic_store_explicit(&place->at_ns, pm_clock_now(), memory_order_relaxed);
    atomic_store_explicit(&place->word, word + 2, memory_order_release);
}

/* The notifier owns the monitor, so it is the only one that notes for this object. */
static void leave_note(JNIEnv *env, jobject object, const void *frame)
{
    struct pm_self *self;
    if (!pm_gate_open() || atomic_load_explicit(&n_waiters, memory_order_relaxed) == 0)
        return;
    uint32_t hash = hash_of(object);
    struct place *place = pm_spread_at(&places, offset_of(hash));
    if (!place || atomic_load_explicit(&place->waiters, memory_order_relaxed) == 0 ||
        !(self = pm_self_get(env)))
        return;
    uint32_t hold = pm_generation_hold();
    write_note(env, self, place, hash, frame);
    pm_generation_release(hold);
}

static void JNICALL notify_hook(JNIEnv *env, jobject object)
{
    leave_note(env, object, __builtin_frame_address(0));
    notify_original(env, object);
}

static void JNICALL notify_all_hook(JNIEnv *env, jobject object)
{
    leave_note(env, object, __builtin_frame_address(0));
    notify_all_original(env, object);
}

bool pm_notify_prepare(JNIEnv *env)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    notify_original = (notify_function)dlsym(library, "JVM_MonitorNotify");
    notify_all_original = (notify_function)dlsym(library, "JVM_MonitorNotifyAll");
    dlclose(library);
    if (!notify_original || !notify_all_original ||
        pm_spread_init(&places, N_PLACES * sizeof(struct place)))
        return false;
    const JNINativeMethod methods[] = {
        {(char *)"notify", (char *)"()V", (void *)notify_hook},
        {(char *)"notifyAll", (char *)"()V", (void *)notify_all_hook},
    };
    jclass class = (*env)->FindClass(env, "java/lang/Object");
    bool done = class && pm_hooks_register_natives(env, class, methods, 2) == 0;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (class)
        (*env)->DeleteLocalRef(env, class);
    return done;
}

void pm_notify_watch(struct pm_open_wait *wait, jobject object)
{
    if (!notify_original)
        return;
    wait->watched_hash = hash_of(object);
    struct place *place = pm_spread_open(&places, offset_of(wait->watched_hash));
    if (!place)
        return;
    wait->is_watching = true;
    wait->watched_word = atomic_load_explicit(&place->word, memory_order_acquire);
    atomic_fetch_add_explicit(&place->waiters, 1, memory_order_acq_rel);
    atomic_fetch_add_explicit(&n_waiters, 1, memory_order_acq_rel);
}

bool pm_notify_take(struct pm_open_wait *wait, struct pm_notify_note *ret_note)
{
    if (!wait->is_watching)
        return false;
    wait->is_watching = false;
    struct place *place = pm_spread_at(&places, offset_of(wait->watched_hash));
    atomic_fetch_sub_explicit(&place->waiters, 1, memory_order_acq_rel);
    atomic_fetch_sub_explicit(&n_waiters, 1, memory_order_acq_rel);
    uint32_t word = atomic_load_explicit(&place->word, memory_order_acquire);
    struct pm_notify_note note = {
        .notifier = {atomic_load_explicit(&place->notifier, memory_order_relaxed)},
        .chain = {atomic_load_explicit(&place->chain, memory_order_relaxed)},
        .at_ns = atomic_load_explicit(&place->at_ns, memory_order_relaxed),
        .ambiguous = word - wait->watched_word > 2,
    };
    uint32_t hash = atomic_load_explicit(&place->hash, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (word & 1 || word == wait->watched_word || hash != wait->watched_hash ||
        note.at_ns < wait->begin_ns ||
        atomic_load_explicit(&place->word, memory_order_relaxed) != word)
        return false;
    *ret_note = note;
    return true;
}

void pm_notify_use_chains(void)
{
    for (uint32_t i = 0; i < N_PLACES; i++) {
        struct place *place = pm_spread_at(&places, i * sizeof *place);
        if (place)
            pm_chain_use((pm_chain_id){atomic_load_explicit(&place->chain, memory_order_relaxed)});
    }
}

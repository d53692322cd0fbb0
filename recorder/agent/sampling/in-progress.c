#include "recorder/agent/sampling/in-progress.h"

#include <stdlib.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/hotspot/thread-facts.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/hotspot/vthread-list.h"
#include "recorder/agent/sampling/class-init.h"
#include "recorder/agent/sampling/thread-snapshot.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/refusal.h"
#include "recorder/agent/waits/vthread-slot.h"

#define MAX_ENTRIES   65536
#define MAX_VIRTUAL   16384 /* of them; the other slots are for who waits from now on */
#define LOOKS_AT_ONCE 64
/* With very many threads the JVM takes long for each: in one piece that would use up what a
 * container may use of the processors, and the program would stand still meanwhile. */
#define SLICE_NS   1000000
#define PAUSE_NS   9000000
#define CLASSES_NS 2000000 /* the others are looked at next time */

/* What a thread waits in. */
struct stand {
    enum pm_kind kind;
    bool timed;
    bool is_virtual;            /* its thread is */
    struct pm_monitor_place at; /* of a monitor's */
    struct pm_class_init class; /* to be initialised; else none */
};

/* A wait in progress that was recorded. */
struct entry {
    jweak thread;
    jweak blocker; /* of a park; NULL: parked without one */
    struct stand stand;
    struct pm_slot *slot;
    int64_t tid;
};

static struct entry *entries;
static size_t n_entries, capacity;

/* One that is recorded has its slot. Without a blocker it sleeps, or waits for I/O. */
static bool find_virtual_stand(JNIEnv *env, jthread thread, int64_t tid, struct stand *ret)
{
    *ret = (struct stand){.kind = PM_KIND_PARK, .is_virtual = true};
    if (pm_vthread_slot_find(tid))
        return false;
    if (pm_monitor_is_watched() && pm_thread_snapshot_offered() &&
        pm_vthread_list_is_at_monitor(env, thread, &ret->kind, &ret->timed))
        return true;
    ret->kind = PM_KIND_PARK;
    if (!pm_vthread_list_is_parked(env, thread, &ret->timed))
        return false;
    jobject blocker = pm_field_object(env, thread, pm_host.thread_park_blocker);
    (*env)->DeleteLocalRef(env, blocker);
    return blocker != NULL;
}

/* False: in nothing that is recorded. */
static bool find_stand(JNIEnv *env, jthread thread, int64_t tid, bool is_virtual, struct stand *ret)
{
    if (is_virtual)
        return find_virtual_stand(env, thread, tid, ret);
    jint state = 0;
    const jint monitor =
        JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER;
    if (!pm_thread_facts_state(env, thread, &state))
        return false;
    *ret = (struct stand){.kind = PM_KIND_PARK,
                          .timed = (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0};
    if (state & JVMTI_THREAD_STATE_PARKED)
        return true;
    if (!(state & monitor) || !pm_monitor_is_watched() || !pm_monitor_objects_known() ||
        !pm_monitor_place_of(pm_vm_thread_of(env, thread), tid, &ret->at))
        return false;
    ret->kind = ret->at.enters ? PM_KIND_ENTER : PM_KIND_WAIT;
    return true;
}

/* Where it stood before? */
static bool stands_still(JNIEnv *env, jthread thread, int64_t tid, const struct stand *before)
{
    struct stand now;
    if (before->class.klass) /* whoever waits for it does so until it is over */
        return pm_class_init_lasts(&before->class);
    return find_stand(env, thread, tid, before->is_virtual, &now) && now.kind == before->kind &&
           now.at.monitor == before->at.monitor && now.at.again == before->at.again;
}

/* What it waits for, into `wait`, and as a local reference. False: it cannot be known. */
static bool read_blocker(JNIEnv *env, const struct pm_waiter *waiter, const struct stand *stand,
                         struct pm_raw_wait *wait, jobject *ret_blocker)
{
    struct pm_recent_identities recent = {0};
    int64_t owner;
    if (stand->class.klass) {
        *ret_blocker = NULL;
        wait->owner = pm_class_init_owner(&stand->class);
        wait->blocker = pm_class_init_blocker(&stand->class, wait->chain, waiter->id);
        return wait->blocker.n != 0;
    }
    if (stand->kind == PM_KIND_PARK) {
        *ret_blocker = pm_field_object(env, waiter->thread, pm_host.thread_park_blocker);
        pm_waited_on_read(env, *ret_blocker, waiter->id, &recent, wait);
        pm_recent_identities_free(env, &recent);
        return true;
    }
    *ret_blocker = stand->is_virtual ? pm_thread_snapshot_monitor(env, waiter->thread)
                                     : pm_monitor_object(env, stand->at.monitor);
    if (!*ret_blocker)
        return false;
    struct pm_identity identity =
        pm_identity_of(env, &recent, *ret_blocker, wait->chain, waiter->id);
    pm_recent_identities_free(env, &recent);
    wait->blocker = identity.blocker;
    wait->identity = identity.place;
    if (stand->kind == PM_KIND_ENTER &&
        (stand->is_virtual ? pm_monitor_owner_of_object(*ret_blocker, &owner)
                           : pm_monitor_owner_of_waiter(waiter->tid, *ret_blocker, true, &owner)) &&
        owner != PM_MONITOR_OWNED)
        wait->owner = pm_resolve_tid(owner);
    if (stand->kind == PM_KIND_WAIT && pm_chain_joins(wait->chain))
        wait->owner = pm_resolve_joined(env, *ret_blocker, false);
    if (wait->owner.n == waiter->id.n)
        wait->owner.n = 0; /* for its own end: for ever, by design */
    return true;
}

static void drop(JNIEnv *env, struct entry *entry)
{
    if (entry->thread)
        (*env)->DeleteWeakGlobalRef(env, entry->thread);
    if (entry->blocker)
        (*env)->DeleteWeakGlobalRef(env, entry->blocker);
}

/* The next entry; NULL: there is none. */
static struct entry *reserve(bool is_virtual)
{
    if (is_virtual && atomic_load(&pm_vthread_slot_standing) >= MAX_VIRTUAL)
        return NULL;
    if (n_entries == capacity && n_entries < MAX_ENTRIES) {
        size_t more = capacity ? capacity * 2 : 64;
        struct entry *grown = realloc(entries, more * sizeof *entries);
        if (!grown)
            return NULL;
        entries = grown;
        capacity = more;
    }
    return n_entries < capacity ? &entries[n_entries] : NULL;
}

static bool has_ended(pm_thread_id id)
{
    int64_t begin_ns, end_ns;
    return !pm_tables_thread_life(id, &begin_ns, &end_ns) || end_ns;
}

static bool read_chain(JNIEnv *env, jthread thread, const struct stand *stand,
                       pm_chain_id *ret_chain)
{
    int64_t stopped_ns;
    return (stand->is_virtual && stand->kind == PM_KIND_PARK
                ? pm_walk_parked(env, thread, ret_chain)
                : pm_walk_thread(thread, false, ret_chain, &stopped_ns)) == 0;
}

/* False: it moved on meanwhile. */
static bool fill(JNIEnv *env, const struct pm_waiter *waiter, const struct stand *stand,
                 struct pm_slot *slot, uint64_t mark, struct entry *entry)
{
    bool done = false;
    struct pm_raw_wait wait = {.kind = (uint8_t)stand->kind,
                               .flags = (stand->timed ? PM_WAIT_TIMED : 0) |
                                        (stand->at.again ? PM_WAIT_AFTER_WAIT : 0)};
    jobject blocker;
    if (!mark || !read_chain(env, waiter->thread, stand, &wait.chain) ||
        !read_blocker(env, waiter, stand, &wait, &blocker))
        return false;
    /* Still: what was read is of one wait. A new one would go through the hook. */
    if (stands_still(env, waiter->thread, waiter->tid, stand)) {
        *entry = (struct entry){
            .thread = (*env)->NewWeakGlobalRef(env, waiter->thread),
            .blocker = blocker && stand->kind == PM_KIND_PARK
                           ? (*env)->NewWeakGlobalRef(env, blocker)
                           : NULL,
            .stand = *stand,
            .slot = slot,
            .tid = waiter->tid,
        };
        done = entry->thread &&
               pm_slot_set_in_progress(slot, mark, &wait,
                                       stand->is_virtual ? pm_vthread_slot_stands : NULL);
        if (!done)
            drop(env, entry);
    }
    (*env)->DeleteLocalRef(env, blocker);
    return done;
}

/* In nothing else that is recorded, and waiting for a class? `*ret_later`: not known yet. */
static bool find_class_stand(JNIEnv *env, jthread thread, struct stand *ret, bool *ret_later)
{
    *ret = (struct stand){.kind = PM_KIND_ENTER};
    return pm_class_init_find(env, thread, &ret->class, ret_later);
}

/* What is looked for in a thread. */
enum search { ANY_WAIT, CLASS_WAIT, VIRTUAL_WAIT };

/* The slot of a virtual thread is the entry's alone. */
static void give_back(const struct entry *entry)
{
    if (entry->stand.is_virtual) {
        atomic_fetch_sub(&pm_vthread_slot_standing, 1);
        pm_slot_release_of(entry->tid);
    }
}

/* A slot for the entry; NULL: there is none, or the thread has ended. */
static struct pm_slot *claim(JNIEnv *env, const struct pm_waiter *waiter, const struct stand *stand,
                             uint64_t *ret_mark)
{
    struct pm_slot *slot = pm_slot_claim(waiter->id, waiter->tid);
    if (!slot) {
        pm_refusal_note(PM_REFUSAL_NO_SPACE);
        return NULL;
    }
    if (has_ended(waiter->id)) { /* before the claim, perhaps: nobody else will give it back */
        pm_slot_release_of(waiter->tid);
        pm_refusal_note(PM_REFUSAL_MOVED_ON);
        return NULL;
    }
    *ret_mark = pm_slot_mark(slot);
    if (!stands_still(env, waiter->thread, waiter->tid, stand))
        *ret_mark = 0;
    return slot;
}

/* False: it is not known yet if it waits for a class. */
static bool record(JNIEnv *env, jthread thread, unsigned version, enum search search)
{
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    struct pm_waiter waiter = {
        .thread = thread, .is_other = true, .is_virtual = search == VIRTUAL_WAIT};
    struct stand stand;
    bool later = false;
    /* The slot first, then the thread: what it does after the mark makes the entry fail. */
    struct pm_slot *slot = pm_slot_find(tid);
    uint64_t mark = slot ? pm_slot_mark(slot) : 0;
    if ((slot && !mark) ||
        !(search == CLASS_WAIT ? find_class_stand(env, thread, &stand, &later)
                               : find_stand(env, thread, tid, waiter.is_virtual, &stand)))
        return !later;
    waiter.kind = stand.kind;
    struct entry *entry = reserve(waiter.is_virtual);
    if (!entry)
        pm_refusal_note(PM_REFUSAL_NO_SPACE);
    if (!entry || !pm_may_record(env, &waiter))
        return true;
    if (!slot)
        slot = claim(env, &waiter, &stand, &mark);
    if (!slot)
        return true;
    if (stand.is_virtual)
        atomic_fetch_add(&pm_vthread_slot_standing, 1);
    if (!fill(env, &waiter, &stand, slot, mark, entry)) {
        pm_refusal_note(PM_REFUSAL_MOVED_ON);
        give_back(&(struct entry){.stand = stand, .tid = tid});
        return true;
    }
    n_entries++;
    /* Recording was switched as we looked: whoever opens it anew has us look again, and must find
     * the slot free. */
    if (pm_gate_version() != version)
        pm_slot_end_in_progress(slot);
    return true;
}

static bool record_one(JNIEnv *env, jthread thread, unsigned version, enum search search)
{
    if ((*env)->PushLocalFrame(env, 16)) {
        (*env)->ExceptionClear(env);
        return true;
    }
    uint32_t hold = pm_epoch_enter();
    bool known = record(env, thread, version, search);
    pm_epoch_leave(hold);
    (*env)->PopLocalFrame(env, NULL);
    return known;
}

/* What looks at all threads, so long at a time. */
struct round {
    unsigned version;
    bool (*pause)(JNIEnv *env, int64_t ns);
    int64_t pause_at_ns;
};

/* False: it is to be given up. */
static bool goes_on(struct round *round, JNIEnv *env)
{
    if (pm_clock_now() >= round->pause_at_ns) {
        if (!round->pause(env, PAUSE_NS))
            return false;
        round->pause_at_ns = pm_clock_now() + SLICE_NS;
    }
    return pm_gate_version() == round->version;
}

static bool record_virtual(void *context, JNIEnv *env, jthread thread)
{
    struct round *round = context;
    record_one(env, thread, round->version, VIRTUAL_WAIT);
    return goes_on(round, env);
}

void pm_in_progress_record(JNIEnv *env, bool (*pause)(JNIEnv *env, int64_t ns))
{
    jint n = 0;
    jthread *threads = NULL;
    struct round round = {pm_gate_version(), pause, pm_clock_now() + SLICE_NS};
    if (!pm_gate_open() || !pm_host_threads(env, &threads, &n))
        return;
    bool all = true;
    for (jint i = 0; i < n; i++) {
        if (all)
            record_one(env, threads[i], round.version, ANY_WAIT);
        (*env)->DeleteLocalRef(env, threads[i]);
        all = all && goes_on(&round, env);
    }
    pm_host_free(threads);
    if (all)
        pm_vthread_list_visit(env, record_virtual, &round);
}

/* Those to look at; at most so many of them now. */
static size_t find_still(int64_t ret_tids[LOOKS_AT_ONCE], pm_thread_id ret_ids[LOOKS_AT_ONCE])
{
    static size_t at;
    size_t n = 0;
    while (n < LOOKS_AT_ONCE && pm_class_init_next(&at, &ret_ids[n], &ret_tids[n]))
        n++;
    if (n < LOOKS_AT_ONCE)
        at = 0;
    return n;
}

void pm_in_progress_look_for_classes(JNIEnv *env)
{
    int64_t tids[LOOKS_AT_ONCE];
    pm_thread_id ids[LOOKS_AT_ONCE];
    jint n = 0;
    jthread *threads = NULL;
    unsigned version = pm_gate_version();
    size_t n_still = pm_gate_open() ? find_still(tids, ids) : 0;
    if (!n_still || !pm_host_threads(env, &threads, &n))
        return;
    const int64_t until_ns = pm_clock_now() + CLASSES_NS;
    for (jint i = 0; i < n; i++) {
        int64_t tid = pm_field_long(env, threads[i], pm_host.thread_tid);
        for (size_t k = 0; k < n_still; k++)
            if (tids[k] == tid && pm_clock_now() < until_ns &&
                record_one(env, threads[i], version, CLASS_WAIT))
                pm_class_init_note_looked(ids[k]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
}

static bool is_over(JNIEnv *env, const struct entry *entry)
{
    bool over = true;
    jthread thread = (*env)->NewLocalRef(env, entry->thread);
    if (!thread)
        return true;
    jobject blocker = entry->stand.kind == PM_KIND_PARK
                          ? pm_field_object(env, thread, pm_host.thread_park_blocker)
                          : NULL;
    if ((!blocker) == (!entry->blocker) &&
        (!blocker || (*env)->IsSameObject(env, blocker, entry->blocker)))
        over = !stands_still(env, thread, entry->tid, &entry->stand);
    (*env)->DeleteLocalRef(env, blocker);
    (*env)->DeleteLocalRef(env, thread);
    return over;
}

static bool is_kept(JNIEnv *env, const struct entry *entry)
{
    if (!pm_slot_is_in_progress(entry->slot) || pm_slot_tid(entry->slot) != entry->tid)
        return false;
    if (!is_over(env, entry))
        return true;
    pm_slot_end_in_progress(entry->slot);
    return false;
}

static bool is_waited_for(const struct pm_class_init *init)
{
    bool is = false;
    for (size_t i = 0; i < n_entries && !is; i++)
        is = entries[i].stand.class.klass == init->klass &&
             entries[i].stand.class.thread == init->thread;
    return is;
}

bool pm_in_progress_refresh(JNIEnv *env, int64_t ns)
{
    static size_t at;
    const int64_t until_ns = pm_clock_now() + ns;
    for (size_t left = n_entries; left > 0 && pm_clock_now() < until_ns; left--) {
        at = at < n_entries ? at : 0;
        struct entry *entry = &entries[at];
        if (is_kept(env, entry)) {
            at++;
            continue;
        }
        give_back(entry);
        drop(env, entry);
        *entry = entries[--n_entries];
    }
    pm_class_init_tidy(is_waited_for);
    return n_entries > 0;
}

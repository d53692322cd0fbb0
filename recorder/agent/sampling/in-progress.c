#include "recorder/agent/sampling/in-progress.h"

#include <stdlib.h>

#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/sampling/class-init.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/refusal.h"

#define MAX_ENTRIES   65536
#define LOOKS_AT_ONCE 64

/* What a thread waits in. */
struct stand {
    enum pm_kind kind;
    bool timed;
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

/* False: in nothing that is recorded. */
static bool find_stand(JNIEnv *env, jthread thread, int64_t tid, struct stand *ret)
{
    jint state = 0;
    const jint monitor =
        JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER;
    if ((*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, &state))
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
    return find_stand(env, thread, tid, &now) && now.kind == before->kind &&
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
        *ret_blocker = (*env)->GetObjectField(env, waiter->thread, pm_host.thread_park_blocker);
        pm_waited_on_read(env, *ret_blocker, waiter->id, &recent, wait);
        pm_recent_identities_free(env, &recent);
        return true;
    }
    *ret_blocker = pm_monitor_object(env, stand->at.monitor);
    if (!*ret_blocker)
        return false;
    struct pm_identity identity =
        pm_identity_of(env, &recent, *ret_blocker, wait->chain, waiter->id);
    pm_recent_identities_free(env, &recent);
    wait->blocker = identity.blocker;
    wait->identity = identity.place;
    if (stand->at.enters && pm_monitor_owner_of_waiter(waiter->tid, *ret_blocker, true, &owner) &&
        owner != PM_MONITOR_OWNED)
        wait->owner = pm_resolve_tid(owner);
    if (stand->kind == PM_KIND_WAIT && pm_chain_joins(wait->chain))
        wait->owner = pm_resolve_joined(env, *ret_blocker);
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
static struct entry *reserve(void)
{
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

/* False: it moved on meanwhile. */
static bool fill(JNIEnv *env, const struct pm_waiter *waiter, const struct stand *stand,
                 struct pm_slot *slot, uint64_t mark, struct entry *entry)
{
    bool done = false;
    struct pm_raw_wait wait = {.kind = (uint8_t)stand->kind,
                               .flags = (stand->timed ? PM_WAIT_TIMED : 0) |
                                        (stand->at.again ? PM_WAIT_AFTER_WAIT : 0)};
    jobject blocker;
    int64_t stopped_ns;
    if (!mark || pm_walk_thread(waiter->thread, false, &wait.chain, &stopped_ns) ||
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
        done = entry->thread && pm_slot_set_in_progress(slot, mark, &wait);
        if (!done)
            drop(env, entry);
    }
    (*env)->DeleteLocalRef(env, blocker);
    return done;
}

/* In nothing else that is recorded, and waiting for a class? `*ret_later`: not known yet. */
static bool find_class_stand(JNIEnv *env, jthread thread, int64_t tid, struct stand *ret,
                             bool *ret_later)
{
    *ret = (struct stand){.kind = PM_KIND_ENTER};
    return pm_class_init_find(env, thread, tid, &ret->class, ret_later);
}

/* `of_class`: a wait for the initialisation of a class. False: it is not known yet if it is one. */
static bool record(JNIEnv *env, jthread thread, unsigned version, bool of_class)
{
    int64_t tid = (*env)->GetLongField(env, thread, pm_host.thread_tid);
    struct pm_waiter waiter = {.thread = thread, .is_other = true};
    struct stand stand;
    bool later = false;
    /* The slot first, then the thread: what it does after the mark makes the entry fail. */
    struct pm_slot *slot = pm_slot_find(tid);
    uint64_t mark = slot ? pm_slot_mark(slot) : 0;
    if ((slot && !mark) || !(of_class ? find_class_stand(env, thread, tid, &stand, &later)
                                      : find_stand(env, thread, tid, &stand)))
        return !later;
    waiter.kind = stand.kind;
    if (!pm_may_record(env, &waiter))
        return true;
    struct entry *entry = reserve();
    if (entry && !slot) {
        slot = pm_slot_claim(waiter.id, waiter.tid);
        if (has_ended(waiter.id)) { /* before the claim, perhaps: nobody else will give it back */
            pm_slot_release_of(waiter.tid);
            pm_refusal_note(PM_REFUSAL_MOVED_ON);
            return true;
        }
        mark = slot ? pm_slot_mark(slot) : 0;
        if (!stands_still(env, thread, tid, &stand))
            mark = 0;
    }
    if (!entry || !slot) {
        pm_refusal_note(PM_REFUSAL_NO_SPACE);
        return true;
    }
    if (!fill(env, &waiter, &stand, slot, mark, entry)) {
        pm_refusal_note(PM_REFUSAL_MOVED_ON);
        return true;
    }
    n_entries++;
    /* Recording was switched as we looked: whoever opens it anew has us look again, and must find
     * the slot free. */
    if (pm_gate_version() != version)
        pm_slot_end_in_progress(slot);
    return true;
}

static bool record_one(JNIEnv *env, jthread thread, unsigned version, bool of_class)
{
    if ((*env)->PushLocalFrame(env, 16)) {
        (*env)->ExceptionClear(env);
        return true;
    }
    uint32_t hold = pm_epoch_enter();
    bool known = record(env, thread, version, of_class);
    pm_epoch_leave(hold);
    (*env)->PopLocalFrame(env, NULL);
    return known;
}

void pm_in_progress_record(JNIEnv *env)
{
    jint n = 0;
    jthread *threads = NULL;
    unsigned version = pm_gate_version();
    if (!pm_gate_open() || !pm_host_threads(env, &threads, &n))
        return;
    for (jint i = 0; i < n; i++) {
        record_one(env, threads[i], version, false);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
}

/* Those to look at; at most so many of them now. */
static size_t find_still(int64_t ret_tids[LOOKS_AT_ONCE], pm_thread_id ret_ids[LOOKS_AT_ONCE])
{
    static uint32_t at;
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
    for (jint i = 0; i < n; i++) {
        int64_t tid = (*env)->GetLongField(env, threads[i], pm_host.thread_tid);
        for (size_t k = 0; k < n_still; k++)
            if (tids[k] == tid && record_one(env, threads[i], version, true))
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
                          ? (*env)->GetObjectField(env, thread, pm_host.thread_park_blocker)
                          : NULL;
    if ((!blocker) == (!entry->blocker) &&
        (!blocker || (*env)->IsSameObject(env, blocker, entry->blocker)))
        over = !stands_still(env, thread, entry->tid, &entry->stand);
    (*env)->DeleteLocalRef(env, blocker);
    (*env)->DeleteLocalRef(env, thread);
    return over;
}

bool pm_in_progress_refresh(JNIEnv *env)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_entries; i++) {
        struct entry *entry = &entries[i];
        bool lies = pm_slot_is_in_progress(entry->slot) && pm_slot_tid(entry->slot) == entry->tid;
        if (lies && is_over(env, entry)) {
            pm_slot_end_in_progress(entry->slot);
            lies = false;
        }
        if (lies)
            entries[kept++] = *entry;
        else
            drop(env, entry);
    }
    n_entries = kept;
    pm_class_init_tidy();
    return n_entries > 0;
}

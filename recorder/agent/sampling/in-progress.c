#include "recorder/agent/sampling/in-progress.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"

#define MAX_SEEDS 65536

struct seed {
    jweak thread;
    jweak blocker; /* NULL: parked without one */
    struct pm_slot *slot;
    int64_t tid;
};

static struct seed *seeds;
static size_t n_seeds, capacity;

static bool is_parked(jthread thread, bool *ret_timed)
{
    jint state = 0;
    if ((*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, &state))
        return false;
    *ret_timed = (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0;
    return (state & JVMTI_THREAD_STATE_PARKED) != 0;
}

static void drop(JNIEnv *env, struct seed *seed)
{
    if (seed->thread)
        (*env)->DeleteWeakGlobalRef(env, seed->thread);
    if (seed->blocker)
        (*env)->DeleteWeakGlobalRef(env, seed->blocker);
}

static struct seed *room(void)
{
    if (n_seeds == capacity && n_seeds < MAX_SEEDS) {
        size_t more = capacity ? capacity * 2 : 64;
        struct seed *grown = realloc(seeds, more * sizeof *seeds);
        if (!grown)
            return NULL;
        seeds = grown;
        capacity = more;
    }
    return n_seeds < capacity ? &seeds[n_seeds] : NULL;
}

static bool has_ended(pm_thread_id id)
{
    int64_t begin_ns, end_ns;
    return !pm_tables_thread_life(id, &begin_ns, &end_ns) || end_ns;
}

static void plant(JNIEnv *env, jthread thread, unsigned turn)
{
    int64_t tid = (*env)->GetLongField(env, thread, pm_host.thread_tid);
    struct seed *seed = room();
    pm_thread_id id = pm_resolve_thread(env, thread, tid, 0);
    if (!seed || !id.n)
        return;
    /* The slot first, then the thread: what it does after the mark makes the seed fail. */
    struct pm_slot *slot = pm_slot_find(tid);
    uint64_t mark = 0;
    bool timed;
    if (slot && !(mark = pm_slot_mark(slot)))
        return;
    if (!is_parked(thread, &timed))
        return;
    if (!slot) {
        slot = pm_slot_claim(id, tid);
        if (has_ended(id)) { /* before the claim, perhaps: nobody else will give it back */
            pm_slot_release_of(tid);
            return;
        }
        mark = slot ? pm_slot_mark(slot) : 0;
        if (!mark || !is_parked(thread, &timed))
            return;
    }

    struct pm_raw_wait wait = {.kind = PM_KIND_PARK, .flags = timed ? PM_WAIT_TIMED : 0};
    struct pm_recent_identities recent = {0};
    int64_t stopped_ns;
    if (pm_walk_thread(thread, false, &wait.chain, &stopped_ns))
        return;
    jobject blocker = pm_waited_on_read(env, thread, id, &recent, &wait);
    /* Still: what was read is of one park. A new one would go through the hook. */
    if (!is_parked(thread, &timed)) {
        (*env)->DeleteLocalRef(env, blocker);
        return;
    }
    memset(seed, 0, sizeof *seed);
    seed->slot = slot;
    seed->tid = tid;
    seed->thread = (*env)->NewWeakGlobalRef(env, thread);
    seed->blocker = blocker ? (*env)->NewWeakGlobalRef(env, blocker) : NULL;
    (*env)->DeleteLocalRef(env, blocker);
    if (seed->thread && pm_slot_set_in_progress(slot, mark, &wait))
        n_seeds++;
    else
        drop(env, seed);
    /* Recording was switched as we looked: whoever opens it anew has us look again, and must find
     * the slot free. */
    if (pm_gate_version() != turn)
        pm_slot_end_in_progress(slot);
}

void pm_in_progress_record(JNIEnv *env)
{
    jint n = 0;
    jthread *threads = NULL;
    unsigned turn = pm_gate_version();
    if (!pm_gate_open() || !pm_host_threads(env, &threads, &n))
        return;
    for (jint i = 0; i < n; i++) {
        if ((*env)->PushLocalFrame(env, 16) == 0) {
            uint32_t hold = pm_epoch_enter();
            plant(env, threads[i], turn);
            pm_epoch_leave(hold);
            (*env)->PopLocalFrame(env, NULL);
        } else {
            (*env)->ExceptionClear(env);
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
}

static bool is_over(JNIEnv *env, const struct seed *seed)
{
    bool timed, over = true;
    jthread thread = (*env)->NewLocalRef(env, seed->thread);
    if (!thread)
        return true;
    jobject blocker = (*env)->GetObjectField(env, thread, pm_host.thread_park_blocker);
    if ((blocker == NULL) == (seed->blocker == NULL) &&
        (!blocker || (*env)->IsSameObject(env, blocker, seed->blocker)))
        over = !is_parked(thread, &timed);
    (*env)->DeleteLocalRef(env, blocker);
    (*env)->DeleteLocalRef(env, thread);
    return over;
}

bool pm_in_progress_refresh(JNIEnv *env)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_seeds; i++) {
        struct seed *seed = &seeds[i];
        bool lies = pm_slot_is_in_progress(seed->slot) && pm_slot_tid(seed->slot) == seed->tid;
        if (lies && is_over(env, seed)) {
            pm_slot_end_in_progress(seed->slot);
            lies = false;
        }
        if (lies)
            seeds[kept++] = *seed;
        else
            drop(env, seed);
    }
    n_seeds = kept;
    return n_seeds > 0;
}

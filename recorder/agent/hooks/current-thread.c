#include "recorder/agent/hooks/current-thread.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/base/thread-local.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/java-thread.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/thread.h"

/* VirtualThread.carrierThread, known once the first virtual thread was met; looking it up earlier
 * would initialise that class, and with it the program's scheduler. */
static _Atomic(jfieldID) carrier_field;

jthread pm_current_thread_carrier_of(JNIEnv *env, jthread virtual_thread)
{
    jfieldID field = atomic_load(&carrier_field);
    if (!field) {
        jclass class = (*env)->GetObjectClass(env, virtual_thread);
        field = pm_host_field(env, class, PM_JDK_CARRIER);
        (*env)->DeleteLocalRef(env, class);
        if (!field)
            return NULL;
        atomic_store(&carrier_field, field);
    }
    return pm_field_object(env, virtual_thread, field);
}

/* Is it of this class, by name? */
static bool is_of(JNIEnv *env, jthread thread, const char *signature)
{
    char *own_signature = NULL;
    jclass class = (*env)->GetObjectClass(env, thread);
    bool is =
        (*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &own_signature, NULL) == 0 &&
        strcmp(own_signature, signature) == 0;
    pm_host_free(own_signature);
    (*env)->DeleteLocalRef(env, class);
    return is;
}

bool pm_current_thread_is_jdks_carrier(JNIEnv *env, jthread thread)
{
    return pm_host.version >= 19 && is_of(env, thread, "Ljdk/internal/misc/CarrierThread;");
}

struct pm_current_thread *pm_current_thread_peek(void)
{
    return pm_thread_local.current;
}

static struct pm_current_thread *make(JNIEnv *env)
{
    jthread thread = NULL;
    pm_thread_local.lacks_memory = false;
    if (!pm_host.ready || pm_thread_local.has_ended ||
        (*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &thread) || !thread)
        return NULL;
    bool is_carrier = false;
    if (pm_host.version >= 19) {
        is_carrier = pm_current_thread_is_jdks_carrier(env, thread);
        if (is_of(env, thread, "Ljava/lang/VirtualThread;")) {
            jthread carrier = pm_current_thread_carrier_of(env, thread);
            (*env)->DeleteLocalRef(env, thread);
            if (!carrier)
                return NULL;
            thread = carrier;
            is_carrier = true;
        }
    }
    /* 0: its constructor runs, as a native thread attaches. */
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    pm_thread_local.lacks_memory = tid != 0; /* until it has its entry */
    struct pm_current_thread *self =
        tid ? aligned_alloc(_Alignof(struct pm_current_thread), sizeof *self) : NULL;
    if (!self) {
        (*env)->DeleteLocalRef(env, thread);
        return NULL;
    }
    memset(self, 0, sizeof *self);
    self->walker.is_carrier = is_carrier;
    self->walker.vm_thread = pm_vm_thread_of(env, thread);
    self->walker.tid = tid;
    self->id = pm_resolve_thread(env, thread, self->walker.tid, 0);
    if (self->id.n)
        pm_resolve_renamed(env, thread, self->id);
    self->thread = (*env)->NewGlobalRef(env, thread);
    (*env)->DeleteLocalRef(env, thread);
    if (!self->id.n || !self->thread) {
        if (self->thread)
            (*env)->DeleteGlobalRef(env, self->thread);
        free(self);
        return NULL;
    }
    if (!pm_java_thread_is_own((uintptr_t)self->walker.vm_thread))
        pm_vm_thread_begin(env, self->thread, tid, true);
    pm_thread_local.current = self;
    atomic_fetch_add_explicit(&pm_self_metrics.thread_bytes, sizeof *self, memory_order_relaxed);
    return self;
}

PM_HOT struct pm_current_thread *pm_current_thread_get(JNIEnv *env)
{
    struct pm_current_thread *self = pm_thread_local.current;
    return __builtin_expect(self != NULL, 1) ? self : make(env);
}

struct pm_slot *pm_current_thread_claim_slot(struct pm_current_thread *self)
{
    struct pm_slot *slot = pm_slot_claim(self->id, self->walker.tid);
    if (!slot || !pm_slot_own(slot))
        return NULL;
    if (self->walker.is_carrier)
        pm_slot_set_carrier(slot);
    return self->slot = slot;
}

/* `is_named`: its name must have been asked for. */
static pm_thread_id find_carried(const struct pm_current_thread *self, int64_t tid, bool is_named)
{
    uint32_t at = (uint64_t)tid % PM_N_CARRIED;
    uint32_t removals = atomic_load_explicit(&pm_thread_removals, memory_order_acquire);
    bool is_it = self->carried[at].tid == tid && self->carried[at].removals == removals &&
                 self->carried[at].is_named >= is_named;
    return (pm_thread_id){is_it ? self->carried[at].id : 0};
}

static void keep_carried(struct pm_current_thread *self, int64_t tid, pm_thread_id id,
                         uint32_t removals, bool is_named)
{
    uint32_t at = (uint64_t)tid % PM_N_CARRIED;
    self->carried[at].tid = tid;
    self->carried[at].id = id.n;
    self->carried[at].removals = removals;
    self->carried[at].is_named = is_named;
}

PM_HOT bool pm_current_thread_knows_carried(const struct pm_current_thread *self, int64_t tid)
{
    return find_carried(self, tid, true).n != 0;
}

PM_HOT void pm_current_thread_keep_carried(struct pm_current_thread *self, int64_t tid)
{
    uint32_t removals = atomic_load_explicit(&pm_thread_removals, memory_order_acquire);
    keep_carried(self, tid, pm_thread_virtual(tid, false), removals, true);
}

static pm_thread_id resolve_carried(JNIEnv *env, struct pm_current_thread *self, jthread thread,
                                    int64_t tid, bool is_named)
{
    uint32_t removals = atomic_load_explicit(&pm_thread_removals, memory_order_acquire);
    pm_thread_id id = pm_resolve_thread(env, thread, tid, 0);
    if (id.n)
        keep_carried(self, tid, id, removals, is_named);
    return id;
}

PM_HOT pm_thread_id pm_current_thread_carried_id(JNIEnv *env, struct pm_current_thread *self,
                                                 jthread thread, int64_t tid, bool is_named)
{
    if (!is_named)
        return pm_thread_virtual(tid, false);
    pm_thread_id id = find_carried(self, tid, true);
    return id.n ? id : resolve_carried(env, self, thread, tid, true);
}

PM_HOT pm_thread_id pm_current_thread_running_id(JNIEnv *env, struct pm_current_thread *self)
{
    jthread thread = NULL;
    if (!pm_walker_runs_virtual(&self->walker))
        return self->id;
    int64_t known = pm_vm_thread_running_tid(self->walker.vm_thread);
    pm_thread_id id = known ? find_carried(self, known, false) : (pm_thread_id){0};
    if (id.n)
        return id;
    if ((*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &thread) || !thread)
        return (pm_thread_id){0};
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    id = tid == self->walker.tid ? self->id : resolve_carried(env, self, thread, tid, false);
    (*env)->DeleteLocalRef(env, thread);
    return id;
}

PM_HOT uint8_t pm_current_thread_cause(struct pm_current_thread *self, pm_chain_id chain)
{
    uint32_t at = chain.n % PM_N_CAUSES;
    if (self->causes[at].chain.n != chain.n) {
        self->causes[at].chain = chain;
        self->causes[at].cause = pm_chain_cause(chain);
    }
    return self->causes[at].cause;
}

void pm_current_thread_begin(void)
{
    pm_thread_local.has_ended = false;
}

void pm_current_thread_end(JNIEnv *env)
{
    struct pm_current_thread *self = pm_thread_local.current;
    pm_thread_local.has_ended = true;
    if (!self)
        return;
    pm_thread_local.current = NULL;
    if (self->slot) {
        /* What was found of a thread that now ends is over. */
        pm_slot_end_in_progress(self->slot);
        pm_slot_close(self->slot, pm_slot_open_mark(self->slot, PM_KIND_WAIT));
        pm_slot_close(self->slot, pm_slot_open_mark(self->slot, PM_KIND_ENTER));
        pm_slot_release(self->slot);
    }
    pm_vthread_slot_thread_end();
    pm_walk_memory_free(self->walker.memory);
    free(self->copy);
    pm_recent_identities_free(env, &self->recent);
    (*env)->DeleteGlobalRef(env, self->thread);
    atomic_fetch_sub_explicit(&pm_self_metrics.thread_bytes,
                              sizeof *self + self->n_copy * sizeof *self->copy,
                              memory_order_relaxed);
    free(self);
}

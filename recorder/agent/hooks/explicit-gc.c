#include "recorder/agent/hooks/explicit-gc.h"

#include <stdatomic.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/hotspot/vmstructs.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"

#define PAUSE_NS 20000000

typedef void(JNICALL *gc_function)(JNIEnv *env, jobject runtime);

static void (*keep_sample)(const struct pm_owner_sample *sample);
static _Atomic int64_t next_ns;

static void tell_caller(JNIEnv *env)
{
    if (!pm_gate_open())
        return;
    int64_t now_ns = pm_clock_now(), due_ns = atomic_load(&next_ns);
    struct pm_current_thread *self;
    if (now_ns < due_ns || !atomic_compare_exchange_strong(&next_ns, &due_ns, now_ns + PAUSE_NS) ||
        !(self = pm_current_thread_get(env)))
        return;
    uint32_t hold = pm_epoch_enter();
    struct pm_owner_sample sample = {.at_ns = now_ns,
                                     .owner = pm_current_thread_running_id(env, self),
                                     .chain = pm_walk_current(&self->walker),
                                     .owner_state = PM_OWNER_RUNNING,
                                     .role = PM_SAMPLE_ENDER,
                                     .weight = 1};
    if (sample.owner.n && sample.chain.n)
        keep_sample(&sample);
    pm_epoch_leave(hold);
}

static void JNICALL gc_hook(JNIEnv *env, jobject runtime)
{
    if (!pm_hook_is_inside(PM_HOOK_GC))
        tell_caller(env);
    void *next = pm_hook_call(PM_HOOK_GC);
    ((gc_function)next)(env, runtime);
    pm_hook_return(PM_HOOK_GC, next);
}

void pm_explicit_gc_hook(JNIEnv *env, void (*keep)(const struct pm_owner_sample *sample))
{
    bool ignored;
    if (pm_vmstruct_switch("DisableExplicitGC", &ignored) && ignored)
        return; /* who asks is none the wiser, and no collection is its doing */
    keep_sample = keep;
    pm_hooks_install_gc(env, (void *)gc_hook);
}

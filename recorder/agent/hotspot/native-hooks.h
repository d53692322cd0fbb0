/* Hooks: six natives of the JDK that call the recorder first. They are registered once the JVM is
 * up, at startup and at attach alike, and never restored; when recording stops, the gate is closed
 * (JDK-8369219: each registration leaks code cache).
 *
 * Other agents may do the same. We call a hook that was installed before ours; a native that is
 * registered later is noticed by its event (NativeMethodBind), is called by us, and we are called
 * first again. Its library stays loaded from then on, because we cannot know when its last call
 * returns. If it calls the previous function, which is ours, the JVM's own is called and nothing is
 * recorded twice. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "recorder/agent/base/thread-local.h"
#include "recorder/agent/hotspot/host.h"

enum pm_hook {
    PM_HOOK_PARK,
    PM_HOOK_UNPARK,
    PM_HOOK_WAIT,
    PM_HOOK_NOTIFY,
    PM_HOOK_NOTIFY_ALL,
    PM_HOOK_GC,
    PM_N_HOOKS,
};

struct pm_hooked {
    void *original;       /* the JVM's own */
    _Atomic(void *) next; /* what we call: the original, or another agent's hook */
};
extern struct pm_hooked pm_hooked[PM_N_HOOKS];

/* Whether we are called by an agent that we have called: there is nothing to record. */
static inline bool pm_hook_is_inside(enum pm_hook hook)
{
    return __builtin_expect(pm_thread_local.hooks_inside >> hook & 1, 0);
}

/* The function to call next; then pm_hook_return with it. */
static inline void *pm_hook_call(enum pm_hook hook)
{
    void *next = atomic_load_explicit(&pm_hooked[hook].next, memory_order_relaxed);
    if (__builtin_expect(next == pm_hooked[hook].original, 1) || pm_hook_is_inside(hook))
        return pm_hooked[hook].original;
    pm_thread_local.hooks_inside |= (uint8_t)(1 << hook);
    return next;
}

static inline void pm_hook_return(enum pm_hook hook, const void *called)
{
    if (__builtin_expect(called != pm_hooked[hook].original, 0))
        pm_thread_local.hooks_inside &= (uint8_t) ~(1 << hook);
}

/* In Agent_OnLoad or OnAttach: requests the capability for the event. */
void pm_hooks_want(void);
/* The event handler, for agent.c's table of callbacks. */
void JNICALL pm_hooks_on_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                              void *address, void **new_address);

/* VMInit or later: hooks Unsafe.park and unpark, to call these functions. 0, or PM_ERROR_IO with
 * `*ret_text` saying what failed. Leaves no exception pending. */
int pm_hooks_install_parks(JNIEnv *env, void *park, void *unpark, const char **ret_text);
/* The same for Object.wait, notify and notifyAll, and Runtime.gc, after the parks. */
int pm_hooks_install_wait(JNIEnv *env, void *wait);
int pm_hooks_install_notifies(JNIEnv *env, void *notify, void *notify_all);
int pm_hooks_install_gc(JNIEnv *env, void *gc);
/* The parks are hooked. */
bool pm_hooks_in_place(void);

/* Parks bypassed our hook: registers it again if that is allowed (allowance.h). One thread. */
void pm_hooks_repair(JNIEnv *env);

/* The JVM's functions that are bound to natives of a class of the boot loader: false if one of them
 * is not known. Leaves no exception pending. */
struct pm_native_row {
    const char *name, *signature;
    void **function;
};
bool pm_hooks_find_natives(JNIEnv *env, const char *class_name, const struct pm_native_row *rows,
                           size_t n);

/* Registers natives of a class of the boot loader, without messages. 0 or PM_ERROR_IO; an exception
 * may be pending afterwards. */
int pm_hooks_register(JNIEnv *env, jclass class, const JNINativeMethod *methods, int n);

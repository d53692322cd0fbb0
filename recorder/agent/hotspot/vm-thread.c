#include "recorder/agent/hotspot/vm-thread.h"

#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/probe.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/java-thread.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/vmstructs.h"

struct pm_vm_thread_layout pm_vm_thread_layout PM_HOT_DATA;

static struct pm_vm_thread_layout *const layout = &pm_vm_thread_layout;

static bool at(const char *type, const char *field, size_t *ret_offset)
{
    struct pm_vmstruct found;
    /* Some releases declare a field of JavaThread in its base. */
    if (!pm_vmstruct_find(type, field, &found) && !pm_vmstruct_find("Thread", field, &found))
        return false;
    *ret_offset = found.offset;
    return true;
}

static void learn_anchor(void)
{
    struct pm_anchor_layout parts;
    layout->has_anchor = at("JavaThread", "_anchor", &layout->anchor_at) &&
                         at("JavaFrameAnchor", "_last_Java_sp", &parts.sp_at) &&
                         at("JavaFrameAnchor", "_last_Java_pc", &parts.pc_at) &&
                         at("JavaFrameAnchor", "_last_Java_fp", &parts.fp_at) &&
                         at("JavaCallWrapper", "_anchor", &parts.in_wrapper);
    if (layout->has_anchor)
        pm_frames_prepare(&parts);
    layout->has_entry = at("JavaThread", "_cont_entry", &layout->entry_at);
}

static void learn_identity(void)
{
    if (at("JavaThread", "_monitor_owner_id", &layout->identity_at)) {
        layout->has_identity = true;
    } else if (pm_host.version >= 19) {
        layout->identity_is_handles = layout->has_identity =
            at("JavaThread", "_threadObj", &layout->thread_at) &&
            at("JavaThread", "_vthread", &layout->virtual_at);
    }
}

void pm_vm_thread_prepare(JNIEnv *env)
{
    layout->eetop = pm_host_field(env, pm_host.thread, PM_JDK_EETOP);
    learn_anchor();
    learn_identity();
    layout->has_stack = at("JavaThread", "_stack_base", &layout->stack_base_at) &&
                        at("JavaThread", "_stack_size", &layout->stack_size_at);
    layout->has_pending = !pm_jdk_is_hidden(PM_JDK_PENDING_MONITOR) &&
                          at("JavaThread", "_current_pending_monitor", &layout->pending_at) &&
                          at("JavaThread", "_current_waiting_monitor", &layout->waiting_at);
    if (!layout->has_pending)
        pm_host_lose(PM_JDK_PENDING_MONITOR);
    layout->has_exception = at("ThreadShadow", "_pending_exception", &layout->exception_at);
    layout->has_native = at("JavaThread", "_osthread", &layout->native_at) &&
                         at("OSThread", "_thread_id", &layout->native_id_at);
    layout->has_lock_stack = at("JavaThread", "_lock_stack", &layout->lock_stack_at) &&
                             at("LockStack", "_top", &layout->lock_stack_top_at) &&
                             at("LockStack", "_base[0]", &layout->lock_stack_base_at);
}

const char *pm_vm_thread_of(JNIEnv *env, jthread thread)
{
    return layout->eetop ? (const char *)(uintptr_t)pm_field_long(env, thread, layout->eetop)
                         : NULL;
}

void pm_vm_thread_begin(JNIEnv *env, jthread thread, int64_t tid, bool is_own)
{
    struct pm_java_thread row = {
        .address = (uintptr_t)pm_vm_thread_of(env, thread), .tid = tid, .is_own = is_own};
    uintptr_t base;
    size_t size;
    if (!row.address || !tid)
        return;
    if (layout->has_stack &&
        pm_probe_read(row.address + layout->stack_base_at, &base, sizeof base) &&
        pm_probe_read(row.address + layout->stack_size_at, &size, sizeof size) && size < base) {
        row.stack_low = base - size;
        row.stack_high = base;
    }
    pm_java_thread_begin(&row);
}

void pm_vm_thread_end(JNIEnv *env, jthread thread)
{
    uintptr_t address = (uintptr_t)pm_vm_thread_of(env, thread);
    if (address)
        pm_java_thread_end(address);
}

int32_t pm_vm_thread_native_id(JNIEnv *env, jthread thread)
{
    uintptr_t own = (uintptr_t)pm_vm_thread_of(env, thread);
    uintptr_t native;
    int32_t id;
    return own && layout->has_native &&
                   pm_probe_read(own + layout->native_at, &native, sizeof native) &&
                   pm_probe_read(native + layout->native_id_at, &id, sizeof id) && id > 0
               ? id
               : 0;
}

static const char *pointer_at(const char *own, size_t offset)
{
    return *(const char *const volatile *)(const void *)(own + offset);
}

PM_HOT void pm_vm_thread_anchor(const char *own, struct pm_anchor *ret_anchor)
{
    if (own && layout->has_anchor)
        pm_anchor_read(own + layout->anchor_at, ret_anchor);
}

const uintptr_t *pm_vm_thread_stack_end(const char *own)
{
    return (const uintptr_t *)(const void *)pointer_at(own, layout->stack_base_at);
}

const uintptr_t *pm_vm_thread_virtual_end(const char *own)
{
    if (own && layout->has_entry)
        return (const uintptr_t *)(const void *)pointer_at(own, layout->entry_at);
    return own && layout->has_stack && pm_frames_knows_virtual_end() ? pm_vm_thread_stack_end(own)
                                                                     : NULL;
}

/* enterSpecial calls what a virtual thread runs, on the stack of its carrier. Earlier it would
 * initialise its class. */
void pm_vm_thread_learn_virtual_end(JNIEnv *env)
{
    static _Atomic bool looked;
    if (layout->has_entry || atomic_load_explicit(&looked, memory_order_relaxed) ||
        atomic_exchange(&looked, true) || !pm_quirks.knows_methods)
        return;
    jclass class = pm_host_find_class(env, "jdk/internal/vm/Continuation");
    jmethodID enter = class ? (*env)->GetStaticMethodID(env, class, "enterSpecial",
                                                        "(Ljdk/internal/vm/Continuation;ZZ)V")
                            : NULL;
    if (enter)
        pm_frames_end_virtual_at(pm_quirks_method_of(enter));
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, class);
}

PM_HOT bool pm_vm_thread_runs_virtual(const char *own, int64_t tid)
{
    if (!own || !layout->has_identity)
        return false;
    if (!layout->identity_is_handles)
        return *(const volatile int64_t *)(const void *)(own + layout->identity_at) != tid;
    /* A GC may move the objects between the two loads; then it looks as if one were virtual, and
     * who asks JVMTI next is told that it is not. */
    const char *thread = pointer_at(own, layout->thread_at);
    const char *virtual_thread = pointer_at(own, layout->virtual_at);
    return thread && virtual_thread && pointer_at(thread, 0) != pointer_at(virtual_thread, 0);
}

int64_t pm_vm_thread_running_tid(const char *own)
{
    return own && layout->has_identity && !layout->identity_is_handles
               ? *(const volatile int64_t *)(const void *)(own + layout->identity_at)
               : 0;
}

bool pm_vm_thread_may_carry(JNIEnv *env, jthread thread, int64_t tid)
{
    const uintptr_t own = (uintptr_t)pm_vm_thread_of(env, thread);
    int64_t runs;
    if (!layout->has_identity || layout->identity_is_handles)
        return true;
    return own && (!pm_probe_read(own + layout->identity_at, &runs, sizeof runs) || runs != tid);
}

const char *pm_vm_thread_pending_monitor(const char *own)
{
    return own && layout->has_pending ? pointer_at(own, layout->pending_at) : NULL;
}

bool pm_vm_thread_throws(JNIEnv *env, const char *own)
{
    return own && layout->has_exception ? pointer_at(own, layout->exception_at) != NULL
                                        : (*env)->ExceptionCheck(env);
}

bool pm_vm_thread_enters_again(const char *own)
{
    const char *pending = pm_vm_thread_pending_monitor(own);
    return pending && pending == pointer_at(own, layout->waiting_at);
}

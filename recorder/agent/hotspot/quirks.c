#include "recorder/agent/hotspot/quirks.h"

#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/probe.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hotspot/class-state.h"
#include "recorder/agent/hotspot/code.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/hotspot/vmstructs.h"
#include "recorder/agent/tables/reclaim.h"

struct pm_quirks pm_quirks PM_HOT_SMALL;

/* The newest JDK whose jmethodID is known to point at the Method*: later ones are numbers, which
 * must not be followed. */
#define LAST_POINTER_JDK 25

/* The processor whose frames are known. */
#if defined(__x86_64__)
#define KNOWS_FRAMES true
#else
#define KNOWS_FRAMES false
#endif

/* ConstMethod's head before the bytecodes: 48 to 64 bytes so far. */
#define CONST_METHOD_MAX 256

void pm_quirks_forget(void)
{
    atomic_fetch_add(&pm_chain_cache.epochs, 1);
}

/* ClassUnload is an extension event; its arguments are not looked at. */
static void JNICALL on_class_unload(jvmtiEnv *jvmti, ...)
{
    pm_reclaim_note_unload();
}

/* References of each kind to one object, which must look the same, and to another one. */
static void learn_references(JNIEnv *env)
{
    jobject one = (*env)->NewLocalRef(env, pm_host.thread);
    jobject other = (*env)->GetObjectClass(env, one);
    jweak weak = (*env)->NewWeakGlobalRef(env, one);
    pm_quirks.knows_references = KNOWS_FRAMES && one && other && weak &&
                                 pm_quirks_same(one, weak) && pm_quirks_same(one, pm_host.thread) &&
                                 !pm_quirks_same(other, weak) && !pm_quirks_same(other, one);
    (*env)->DeleteWeakGlobalRef(env, weak);
    (*env)->DeleteLocalRef(env, other);
    (*env)->DeleteLocalRef(env, one);
}

/* How a field that refers to an object is read, from one that can be set: `field` of `holder`. */
static bool reads_field(JNIEnv *env, jobject holder, jfieldID field, const jobject refs[3])
{
    uint32_t number[3];
    for (int i = 0; i < 3; i++) {
        (*env)->SetObjectField(env, holder, field, refs[i]);
        number[i] = (uint32_t)pm_field_int(env, holder, field);
    }
    uint64_t distance = pm_quirks_address(refs[1]) - pm_quirks_address(refs[0]);
    while (pm_quirks.field_bytes == 4 && pm_quirks.field_shift < 8 &&
           (uint64_t)((int64_t)number[1] - number[0]) << pm_quirks.field_shift != distance)
        pm_quirks.field_shift++;
    pm_quirks.field_base =
        pm_quirks_address(refs[0]) - ((uintptr_t)number[0] << pm_quirks.field_shift);
    for (int i = 0; i < 3; i++) {
        (*env)->SetObjectField(env, holder, field, refs[i]);
        if (pm_quirks_field(env, holder, field) != pm_quirks_address(refs[i]))
            return false;
    }
    (*env)->SetObjectField(env, holder, field, NULL);
    return pm_quirks_field(env, holder, field) == 0;
}

/* With the field that hooks read, of the current thread, which does not park now. */
static void learn_fields(JNIEnv *env)
{
    bool scaled;
    jthread thread = NULL;
    jfieldID field = pm_host.thread_park_blocker;
    if (!pm_quirks.knows_references || !field || pm_host.checks_jni ||
        !pm_vmstruct_switch("UseCompressedOops", &scaled) ||
        (*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &thread) || !thread)
        return;
    jobject before = pm_field_object(env, thread, field);
    jobject class = (*env)->GetObjectClass(env, pm_host.thread);
    const jobject refs[3] = {thread, class, pm_host.thread};
    bool reads = false;
    for (int tries = 0; tries < 3 && !reads; tries++) { /* a collection may move them meanwhile */
        pm_quirks.field_bytes = scaled ? 4 : 8;
        pm_quirks.field_shift = 0;
        reads = reads_field(env, thread, field, refs);
    }
    if (!reads)
        pm_quirks.field_bytes = 0;
    (*env)->SetObjectField(env, thread, field, before);
    (*env)->DeleteLocalRef(env, class);
    (*env)->DeleteLocalRef(env, before);
    (*env)->DeleteLocalRef(env, thread);
}

void pm_quirks_learn(JNIEnv *env)
{
    struct pm_vmstruct const_method, code_size;
    pm_host_await_extension("com.sun.hotspot.events.ClassUnload", on_class_unload);
    learn_references(env);
    learn_fields(env);
    pm_vm_thread_prepare(env);
    pm_monitor_owner_prepare();
    pm_class_state_prepare();
    pm_quirks.knows_methods = pm_host.version >= 17 && pm_host.version <= LAST_POINTER_JDK;
    if (!KNOWS_FRAMES || !pm_quirks.knows_methods ||
        !pm_vmstruct_find("Method", "_constMethod", &const_method) ||
        !pm_vmstruct_find("ConstMethod", "_code_size", &code_size))
        return;
    pm_quirks.const_method_at = const_method.offset;
    pm_quirks.code_size_at = code_size.offset;
    pm_quirks.knows_frames =
        pm_vm_thread_layout.has_anchor && pm_vm_thread_layout.has_stack && pm_code_prepare();
}

uintptr_t pm_quirks_method_of(jmethodID id)
{
    return id ? *(const volatile uintptr_t *)(const void *)id : 0;
}

/* An older version of a method runs only as long as it has the same bytecodes; else the walk tells
 * of it. `method` may be anything. */
static bool is_older_version(uintptr_t method, uintptr_t present, uintptr_t *ret_const_method)
{
    uint16_t code_size;
    uintptr_t present_const = *(const uintptr_t *)(present + pm_quirks.const_method_at);
    return pm_probe_read(method + pm_quirks.const_method_at, ret_const_method,
                         sizeof *ret_const_method) &&
           pm_probe_read(*ret_const_method + pm_quirks.code_size_at, &code_size,
                         sizeof code_size) &&
           *(const uint16_t *)(present_const + pm_quirks.code_size_at) == code_size;
}

bool pm_quirks_is_frame(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *frame)
{
    uintptr_t present = pm_quirks_method_of(frame->method);
    uintptr_t const_method = 0;
    if (!present || !method)
        return false;
    if (method == present)
        const_method = *(const uintptr_t *)(method + pm_quirks.const_method_at);
    else if (!is_older_version(method, present, &const_method))
        return false;
    return frame->location < 0 ||
           bcp - (uintptr_t)frame->location - const_method < CONST_METHOD_MAX;
}

#include "recorder/agent/quirks.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/agent/health.h"
#include "recorder/agent/reclaim.h"
#include "recorder/agent/vmstructs.h"

struct pm_quirks pm_quirks;

/* The newest JDK whose jmethodID is known to point at the Method*: later ones are numbers, which
 * must not be followed. */
#define LAST_POINTER_JDK 25

/* The processor whose interpreted frames pm_quirks_interpreted knows. */
#if defined(__x86_64__)
#define KNOWS_FRAMES true
#else
#define KNOWS_FRAMES false
#endif

/* ConstMethod's head before the bytecodes: 48 to 64 bytes so far. */
#define CONST_METHOD_MAX 256

void pm_quirks_want(void)
{
    jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
    (*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted);
}

void pm_quirks_forget(void)
{
    atomic_fetch_add(&pm_health.chain_epochs, 1);
}

/* ClassUnload is an extension event; its arguments are not looked at. */
static void JNICALL on_class_unload(jvmtiEnv *jvmti, ...)
{
    pm_quirks_forget();
    pm_reclaim_note_unload();
}

static uintptr_t static_pointer(const char *type, const char *field)
{
    struct pm_vmstruct found;
    if (!pm_vmstruct_find(type, field, &found) || !found.address)
        return 0;
    return *(const uintptr_t *)found.address;
}

void pm_quirks_learn(void)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    bool heavy = true;
    if (pm_host.version < 18)
        pm_vmstruct_flag("UseHeavyMonitors", &heavy);
    pm_quirks.has_monitor_usage = pm_host.version >= 18 || !heavy;

    struct pm_vmstruct const_method, code_size;
    pm_host_await_extension("com.sun.hotspot.events.ClassUnload", on_class_unload);
    if (!KNOWS_FRAMES || pm_host.version < 17 || pm_host.version > LAST_POINTER_JDK ||
        !pm_vmstruct_find("Method", "_constMethod", &const_method) ||
        !pm_vmstruct_find("ConstMethod", "_code_size", &code_size))
        return;
    pm_quirks.const_method_at = const_method.offset;
    pm_quirks.code_size_at = code_size.offset;
    pm_quirks.code_low = static_pointer("CodeCache", "_low_bound");
    pm_quirks.code_high = static_pointer("CodeCache", "_high_bound");
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
                                       NULL);
    (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
                                       NULL);
    /* Unload is posted only for what Load was posted for. */
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
                                       NULL);
    /* … also of code that was compiled before: 3 us for each method, on this thread alone. */
    (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

bool pm_quirks_have_code(void)
{
    return pm_quirks.code_low < pm_quirks.code_high &&
           pm_quirks.interpreter_low >= pm_quirks.code_low &&
           pm_quirks.interpreter_low < pm_quirks.interpreter_high &&
           pm_quirks.interpreter_high <= pm_quirks.code_high;
}

void JNICALL pm_quirks_on_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
    if (strcmp(name, "Interpreter") == 0) {
        pm_quirks.interpreter_low = (uintptr_t)address;
        pm_quirks.interpreter_high = (uintptr_t)address + (uintptr_t)length;
    }
}

void JNICALL pm_quirks_on_load(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                               jint map_length, const jvmtiAddrLocationMap *map, const void *info)
{
}

void JNICALL pm_quirks_on_unload(jvmtiEnv *jvmti, jmethodID method, const void *address)
{
    pm_quirks_forget();
}

bool pm_quirks_interpreted(const uintptr_t *at, const uintptr_t *end, uintptr_t *ret_method,
                           uintptr_t *ret_bcp)
{
    if (*at - pm_quirks.interpreter_low >= pm_quirks.interpreter_high - pm_quirks.interpreter_low)
        return false;
    uintptr_t rbp = at[-1];
    if (rbp <= (uintptr_t)at || rbp >= (uintptr_t)(end - 2) || rbp % sizeof rbp)
        return false;
    const uintptr_t *frame = (const uintptr_t *)rbp;
    if (frame - 8 <= at) /* its locals lie between */
        return false;
    *ret_method = frame[-3];
    *ret_bcp = frame[-8];
    return true;
}

bool pm_quirks_is_frame(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *frame)
{
    if (!frame->method || *(const uintptr_t *)(const void *)frame->method != method)
        return false;
    uintptr_t const_method = *(const uintptr_t *)(method + pm_quirks.const_method_at);
    return bcp - (uintptr_t)frame->location - const_method < CONST_METHOD_MAX;
}

struct pm_quirk_identity pm_quirks_identify(const jvmtiFrameInfo *frame)
{
    const uintptr_t *id = frame ? (const uintptr_t *)(const void *)frame->method : NULL;
    return (struct pm_quirk_identity){id, id ? *id : 0};
}

bool pm_quirks_is_same(const struct pm_quirk_identity *identity)
{
    return !identity->id || *(const volatile uintptr_t *)identity->id == identity->method;
}

/* Reads memory that may not be there; some sandboxes do not let the kernel say. */
enum probe { NOT_THERE, READ, NO_ANSWER };

static enum probe probe(uintptr_t from, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)from, size};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size)
        return READ;
    return errno == EFAULT ? NOT_THERE : NO_ANSWER;
}

bool pm_quirks_may_be_redefined(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *walk,
                                uint32_t n)
{
    uintptr_t const_method;
    uint16_t code_size;
    enum probe found =
        probe(method + pm_quirks.const_method_at, &const_method, sizeof const_method);
    if (found == READ)
        found = probe(const_method + pm_quirks.code_size_at, &code_size, sizeof code_size);
    if (found != READ)
        return found == NO_ANSWER;
    /* A method is redefined while it runs only with the same bytecodes: else the walk tells. */
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t head = bcp - (uintptr_t)walk[i].location - const_method;
        if (!walk[i].method || head >= CONST_METHOD_MAX)
            continue;
        uintptr_t new_method = *(const uintptr_t *)(const void *)walk[i].method;
        uintptr_t new_const = *(const uintptr_t *)(new_method + pm_quirks.const_method_at);
        if (*(const uint16_t *)(new_const + pm_quirks.code_size_at) == code_size)
            return true;
    }
    return false;
}

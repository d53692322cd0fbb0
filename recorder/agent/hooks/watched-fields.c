#include "recorder/agent/hooks/watched-fields.h"

#include <string.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/probe.h"
#include "recorder/agent/hotspot/code.h"
#include "recorder/agent/hotspot/vm-thread.h"

struct pm_watched_fields pm_watched_fields PM_HOT_SMALL;

/* The accessor begins with a load of the safepoints' counter, and asks whether fields are watched
 * if any may be: cmp dword [rip + …], 0 */
static const volatile int32_t *find_count(const uint8_t *code, size_t size)
{
    static const uint8_t begin[] = {0x44, 0x8b, 0x1d};
    static const int32_t none = 0;
    int32_t distance;
    if (memcmp(code, begin, sizeof begin) != 0)
        return NULL;
    for (size_t i = 0; i + 10 <= size; i++) {
        size_t constant = code[i] == 0x81 ? 4 : 1, end = i + 6 + constant;
        if ((code[i] != 0x81 && code[i] != 0x83) || code[i + 1] != 0x3d ||
            memcmp(code + i + 6, &none, constant) != 0)
            continue;
        memcpy(&distance, code + i + 2, sizeof distance);
        return (const volatile int32_t *)(const void *)(code + end + distance);
    }
    return NULL;
}

void pm_watched_fields_learn(JNIEnv *env)
{
    uint8_t code[48];
    int32_t n;
    jthread thread = NULL;
    uintptr_t accessor = (uintptr_t)(*env)->GetIntField;
    if (!pm_vm_thread_layout.has_anchor || !pm_probe_read(accessor, code, sizeof code) ||
        (*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &thread) || !thread)
        return;
    const volatile int32_t *count =
        find_count((const uint8_t *)(const void *)accessor, sizeof code);
    uintptr_t own = (uintptr_t)pm_vm_thread_of(env, thread);
    if (count && own && pm_probe_read((uintptr_t)count, &n, sizeof n)) {
        pm_watched_fields.env_at = (uintptr_t)env - own;
        pm_watched_fields.n = count;
    }
    (*env)->DeleteLocalRef(env, thread);
}

bool pm_watched_fields_interprets(JNIEnv *env)
{
    const char *own = (const char *)((uintptr_t)env - pm_watched_fields.env_at);
    struct pm_anchor anchor = {0};
    pm_vm_thread_anchor(own, &anchor);
    return !anchor.sp || pm_code_at(anchor.pc).kind == PM_CODE_INTERPRETER;
}

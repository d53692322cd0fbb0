#include "recorder/agent/hotspot/class-state.h"

#include <string.h>

#include "recorder/agent/base/probe.h"
#include "recorder/agent/hotspot/vmstructs.h"

#define MAX_NAME 65535
#define AT_ONCE  256 /* bytes of a name */

static struct {
    bool known;
    size_t klass_at; /* in a java.lang.Class */
    size_t state_at, thread_at;
    size_t name_at, length_at, body_at;
    size_t thread_state_at, anchor_at, sp_at;
    int initialising, blocked;
} layout;

void pm_class_state_prepare(void)
{
    struct pm_vmstruct klass;
    layout.known = !pm_jdk_is_hidden(PM_JDK_CLASS_STATE) &&
                   pm_vmstruct_find("java_lang_Class", "_klass_offset", &klass) && klass.address &&
                   pm_vmstruct_offset("InstanceKlass", "_init_state", &layout.state_at) &&
                   pm_vmstruct_offset("InstanceKlass", "_init_thread", &layout.thread_at) &&
                   pm_vmstruct_offset("Klass", "_name", &layout.name_at) &&
                   pm_vmstruct_offset("Symbol", "_length", &layout.length_at) &&
                   pm_vmstruct_offset("Symbol", "_body[0]", &layout.body_at) &&
                   pm_vmstruct_offset("JavaThread", "_thread_state", &layout.thread_state_at) &&
                   pm_vmstruct_offset("JavaThread", "_anchor", &layout.anchor_at) &&
                   pm_vmstruct_offset("JavaFrameAnchor", "_last_Java_sp", &layout.sp_at) &&
                   pm_vmstruct_constant("InstanceKlass::being_initialized", &layout.initialising) &&
                   pm_vmstruct_constant("_thread_blocked", &layout.blocked);
    if (!layout.known)
        pm_host_lose(PM_JDK_CLASS_STATE);
    layout.klass_at = layout.known ? (size_t) * (const int *)klass.address : 0;
}

/* Has the class this name? `name` is not zero-terminated. */
static bool is_named(uintptr_t klass, const char *name, size_t length)
{
    uintptr_t symbol;
    uint16_t its_length;
    char part[AT_ONCE];
    if (!pm_probe_read(klass + layout.name_at, &symbol, sizeof symbol) ||
        !pm_probe_read(symbol + layout.length_at, &its_length, sizeof its_length) ||
        its_length != length)
        return false;
    for (size_t i = 0; i < length; i += AT_ONCE) {
        size_t n = length - i < AT_ONCE ? length - i : AT_ONCE;
        if (!pm_probe_read(symbol + layout.body_at + i, part, n) || memcmp(part, name + i, n) != 0)
            return false;
    }
    return true;
}

uintptr_t pm_class_state_of(jclass class, const char *signature)
{
    const uintptr_t tags = 7; /* in the reference's lowest bits: its kind */
    size_t length = strlen(signature);
    uintptr_t mirror, klass;
    if (!layout.known || length < 3 || length > MAX_NAME)
        return 0;
    for (int tries = 0; tries < 3; tries++) /* a GC may move the object as we look */
        if (pm_probe_read((uintptr_t) class & ~tags, &mirror, sizeof mirror) &&
            pm_probe_read(mirror + layout.klass_at, &klass, sizeof klass) &&
            is_named(klass, signature + 1, length - 2))
            return klass;
    return 0;
}

bool pm_class_state_is_initialising(uintptr_t klass, uintptr_t *ret_thread)
{
    uint8_t state;
    return layout.known && pm_probe_read(klass + layout.state_at, &state, sizeof state) &&
           state == layout.initialising &&
           pm_probe_read(klass + layout.thread_at, ret_thread, sizeof *ret_thread) && *ret_thread;
}

bool pm_class_state_may_wait(uintptr_t thread)
{
    int32_t state;
    uintptr_t sp;
    return layout.known && thread &&
           pm_probe_read(thread + layout.thread_state_at, &state, sizeof state) &&
           state == layout.blocked &&
           pm_probe_read(thread + layout.anchor_at + layout.sp_at, &sp, sizeof sp) && sp;
}

/* Every dependence on HotSpot's inside, each with the check that must pass before it is relied on
 * and what is done without it. Tested with 17 and 25 on x86-64.
 *
 *   what                          learnt from                     without it
 *   bounds of the code cache      CodeCache::_low_/_high_bound    every chain is walked
 *   the interpreter's range       DynamicCodeGenerated            every chain is walked
 *   *(void **)jmethodID           up to JDK 25; see below         every chain is walked
 *     = Method*, emptied with
 *     the class
 *   rbp[-3] = Method*,            checked on the first stacks     every chain is walked
 *   rbp[-8] = bcp of an           with an interpreted frame:
 *   interpreted frame             the walk must show that method
 *                                 at that bytecode
 *   GetObjectMonitorUsage         17 only: UseHeavyMonitors is     an owner that the monitor does
 *                                 off; with it that call crashes   not name stays unknown
 *                                 (JDK-8276901)
 *   Unload events of code         CompiledMethodLoad enabled,     the 4096th hit tells
 *                                 generated for what was there
 */
#pragma once

#include "recorder/agent/host.h"

#include <stdatomic.h>
#include <stdint.h>

struct pm_quirks {
    uintptr_t code_low, code_high;
    uintptr_t interpreter_low, interpreter_high;
    uintptr_t const_method_at;     /* offset of Method::_constMethod */
    uintptr_t code_size_at;        /* offset of ConstMethod::_code_size, 16 bits */
    bool has_monitor_usage;        /* GetObjectMonitorUsage may be called */
    _Atomic int frames;            /* enum pm_quirk_frames */
    _Atomic uint32_t frames_tried; /* stacks with interpreted frames looked at in vain */
};

enum pm_quirk_frames { PM_FRAMES_UNCHECKED, PM_FRAMES_RIGHT, PM_FRAMES_WRONG };

extern struct pm_quirks pm_quirks;

/* At load or attach: capabilities. At VMInit: bounds and events. */
void pm_quirks_want(void);
void pm_quirks_learn(void);

/* A new epoch: nothing that was remembered of a stack holds any more. Any thread. */
void pm_quirks_forget(void);

/* Can chains be remembered by fingerprint (once the frames are checked)? */
bool pm_quirks_have_code(void);

/* Method* and bytecode pointer of the interpreted frame whose callee's return address lies at `at`,
 * if this looks like one; the stack ends at `end`. */
bool pm_quirks_interpreted(const uintptr_t *at, const uintptr_t *end, uintptr_t *ret_method,
                           uintptr_t *ret_bcp);
/* Is it the frame (method, location) of a walk? */
bool pm_quirks_is_frame(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *frame);

/* Which method a frame of a walk is of, beyond the address of its Method*, where another class's
 * may lie once its own is unloaded. NULL (not known): the same for ever. */
struct pm_quirk_identity {
    const uintptr_t *id; /* the jmethodID: never freed and never another method's, but emptied */
    uintptr_t method;    /* it led to */
};
struct pm_quirk_identity pm_quirks_identify(const jvmtiFrameInfo *frame);
bool pm_quirks_is_same(const struct pm_quirk_identity *identity);

/* May it be a frame of the walk whose method was redefined since it was entered? It then runs the
 * old Method*, while the walk names the new one. A left-over of a frame that is no more may look
 * so, too; anything may lie there instead of a Method*. */
bool pm_quirks_may_be_redefined(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *walk,
                                uint32_t n);

/* Callbacks of agent.c's table. */
void JNICALL pm_quirks_on_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length);
void JNICALL pm_quirks_on_load(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                               jint map_length, const jvmtiAddrLocationMap *map, const void *info);
void JNICALL pm_quirks_on_unload(jvmtiEnv *jvmti, jmethodID method, const void *address);

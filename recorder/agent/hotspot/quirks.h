/* Every dependency on HotSpot's internals, each with the check that must pass before it is relied
 * on and the consequence of not having it. Tested with 17, 21 and 25 on x86-64. Offsets come from
 * HotSpot's own table (vmstructs.h); what is missing from it is not guessed.
 *
 *   what                            checked by                       without it
 *   JavaThread::_anchor,            every walk by frames.h must      every stack is walked by the
 *     its frames, the code cache,   lead through the methods that    JVM
 *     interpreted frames' layout    the JVM's own walk tells, before
 *                                   anything of it is remembered
 *   *(void **)jmethodID = Method*,  up to JDK 25: later ones are     every stack is walked
 *     emptied with the class        numbers
 *   JavaThread's pending monitor,   vm-thread.h, monitor-owner.h     the owner of a monitor is not
 *     its ObjectMonitor's owner                                      known
 *   InstanceKlass's state, its      the class's name must be         waits for classes are not
 *     thread; a Class's Klass         its Klass's                      seen
 *   who runs on a JavaThread        JDK 19 on; vm-thread.h           its class tells a carrier
 *   StackChunk's words, frames in   every list of frozen.h must lead  stacks of virtual threads are
 *     them, ContinuationEntry         through the JVM's own walk       walked by the JVM
 *   Continuation.enterSpecial's     the same: the walk must end        the same
 *     frame is the carrier's          where the JVM's own does
 *   LockSupport's calls             each must be found in its class  parks of virtual threads are
 *                                     file as it is rewritten          seen by events
 *   a reference points at the      one of each kind to an object    references are compared by JNI
 *     object's address               we make, and to another one
 *   a field that refers to an      fields that we set must lead     such fields are read by JNI
 *     object holds its address,      to what references say; not
 *     whole or scaled                where JNI is checked
 *   the lowest bits of a field's   it must have the one that an     watched fields are read where
 *     id                             instance's has, and no hash      HotSpot may crash (field.h)
 *   Thread's holder, its status    both must be there               JVMTI is asked, which takes
 *                                                                    long beside very many threads
 *   Method's native function        the native of our own class      what another agent hooked
 *                                   must be found there              before an attach is not found
 */
#pragma once

#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/host.h"

#include <stdatomic.h>
#include <stdint.h>

struct pm_quirks {
    bool knows_methods;    /* a jmethodID leads to its Method* */
    bool knows_frames;     /* … and stacks can be walked */
    bool knows_references; /* where the address of their object lies */
    /* An object's field that refers to another one can be read as a number, of so many bytes, which
     * says at what address that one is; 0: it cannot. */
    uint8_t field_bytes, field_shift;
    uintptr_t field_base;
    uintptr_t const_method_at; /* offset of Method::_constMethod */
    uintptr_t code_size_at;    /* offset of ConstMethod::_code_size, 16 bits */
};

extern struct pm_quirks pm_quirks;

/* Once, when the JVM is up; after pm_host_prepare. */
void pm_quirks_learn(JNIEnv *env);

/* Whether they certainly refer to the same object, without a JVM call; false means unknown. */
static inline bool pm_quirks_same(jobject a, jobject b)
{
    const uintptr_t tags = 7; /* in the reference's lowest bits: its kind */
    const volatile uintptr_t *at = (const volatile uintptr_t *)((uintptr_t)a & ~tags);
    const volatile uintptr_t *other = (const volatile uintptr_t *)((uintptr_t)b & ~tags);
    /* A GC that moves objects between the two loads changes the first, or has moved neither. */
    uintptr_t address = *at;
    return address != 0 && *other == address && *at == address;
}

/* Where the object is that this field refers to; 0: it is null. Only if field_bytes. HotSpot reads
 * numbers of a field without a change of the thread's state, references with one. */
static inline uintptr_t pm_quirks_field(JNIEnv *env, jobject object, jfieldID field)
{
    if (pm_quirks.field_bytes == 8)
        return (uintptr_t)pm_field_long(env, object, field);
    uintptr_t number = (uint32_t)pm_field_int(env, object, field);
    return number ? pm_quirks.field_base + (number << pm_quirks.field_shift) : 0;
}

/* Where the object is that the reference refers to, now. */
static inline uintptr_t pm_quirks_address(jobject ref)
{
    return *(const volatile uintptr_t *)((uintptr_t)ref & ~(uintptr_t)7);
}

/* Starts a new epoch: everything cached about stacks is invalid. Any thread. */
void pm_quirks_forget(void);

/* The current Method* of a frame of a walk: a different one after its class was redefined, 0 after
 * it was unloaded. Only if pm_quirks.knows_methods. */
uintptr_t pm_quirks_method_of(jmethodID id);
/* Whether an interpreted frame (Method*, bytecode pointer) is at the same position as this frame of
 * a walk. It may run an older version of the method, if that was redefined since it was entered. */
bool pm_quirks_is_frame(uintptr_t method, uintptr_t bcp, const jvmtiFrameInfo *frame);

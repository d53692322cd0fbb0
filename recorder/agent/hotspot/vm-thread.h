/* HotSpot's internal object of a platform thread, its JavaThread, read through vmstructs.h: its
 * innermost Java frame, the virtual thread it runs, the monitor it is about to enter. The calling
 * thread's own JavaThread, which exists as long as the thread runs, is read with plain loads; those
 * of other threads may disappear at any time and are read with probe.h. */
#pragma once

#include "recorder/agent/hotspot/frames.h"
#include "recorder/agent/hotspot/host.h"

struct pm_vm_thread_layout {
    _Alignas(64) jfieldID eetop; /* Thread.eetop: the JavaThread; 0 once the thread has ended */
    bool has_anchor, has_stack, has_identity, has_pending, has_lock_stack;
    size_t anchor_at;
    bool has_entry;  /* JDK 24 and later; before, found from the carrier's frame */
    size_t entry_at; /* ContinuationEntry *: the end of the virtual thread's part of its stack */
    size_t stack_base_at, stack_size_at;
    size_t identity_at;       /* JDK 24 and later: Thread.tid of the thread that runs on it */
    bool identity_is_handles; /* earlier: two handles, to the same object unless it is virtual */
    size_t thread_at, virtual_at;
    size_t pending_at, waiting_at; /* ObjectMonitor *: to enter, to be notified on */
    bool has_exception;
    size_t exception_at;
    bool has_native;
    size_t native_at, native_id_at; /* the OSThread, and the kernel's thread id in it */
    size_t lock_stack_at, lock_stack_top_at, lock_stack_base_at;
};

/* What is known of this VM; read-only after pm_vm_thread_prepare. */
extern struct pm_vm_thread_layout pm_vm_thread_layout;

void pm_vm_thread_prepare(JNIEnv *env);

/* A thread starts, or is found, and ends: it is in java-thread.h's table between the two. `is_own`:
 * called on that thread itself. */
void pm_vm_thread_begin(JNIEnv *env, jthread thread, int64_t tid, bool is_own);
void pm_vm_thread_end(JNIEnv *env, jthread thread);

/* Whether a virtual thread may be running on this platform thread. Any thread. */
bool pm_vm_thread_may_carry(JNIEnv *env, jthread thread, int64_t tid);

/* The thread's JavaThread; NULL if it has ended or this VM keeps it elsewhere. */
const char *pm_vm_thread_of(JNIEnv *env, jthread thread);

/* The kernel's thread id; 0: unknown. */
int32_t pm_vm_thread_native_id(JNIEnv *env, jthread thread);

/* Of the calling thread. `sp` stays NULL: no Java frame, or unknown. */
void pm_vm_thread_anchor(const char *own, struct pm_anchor *ret_anchor);
/* The address just above the highest word of its stack. */
const uintptr_t *pm_vm_thread_stack_end(const char *own);
/* The latest possible end of the stack of the virtual thread that runs on it; NULL: unknown. */
const uintptr_t *pm_vm_thread_virtual_end(const char *own);
/* Determines how to find that end, if the VM does not provide it; once a virtual thread runs. */
void pm_vm_thread_learn_virtual_end(JNIEnv *env);
/* Whether a virtual thread is running on it. `tid`: its own. Always false if virtual threads are
 * unsupported. */
bool pm_vm_thread_runs_virtual(const char *own, int64_t tid);
/* Thread.tid of the thread that runs on it, virtual or not; 0: the VM does not say. */
int64_t pm_vm_thread_running_tid(const char *own);
/* The monitor it is about to enter; NULL: none, or not known. */
const char *pm_vm_thread_pending_monitor(const char *own);
/* Is an exception pending on it? */
bool pm_vm_thread_throws(JNIEnv *env, const char *own);
/* Whether it is re-entering a monitor that it released in Object.wait. */
bool pm_vm_thread_enters_again(const char *own);

/* HotSpot's own side of a platform thread, its JavaThread, read through vmstructs.h: where its
 * innermost Java frame is, who runs on it, which monitor it is about to enter. Plain loads from the
 * calling thread's own JavaThread, which lives as long as it runs; those of others may go at any
 * time, and are read with probe.h. */
#pragma once

#include "recorder/agent/hotspot/frames.h"
#include "recorder/agent/hotspot/host.h"

struct pm_vm_thread_layout {
    jfieldID eetop; /* Thread.eetop: the JavaThread; 0 once the thread has ended */
    bool has_anchor, has_stack, has_identity, has_pending, has_lock_stack;
    size_t anchor_at;
    bool has_entry;  /* from JDK 24 on; before, the carrier's frame tells it */
    size_t entry_at; /* ContinuationEntry *: where the virtual thread's part of its stack ends */
    size_t stack_base_at, stack_size_at;
    size_t identity_at;       /* from JDK 24 on: Thread.tid of who runs on it */
    bool identity_is_handles; /* before: two handles, the same object unless it is virtual */
    size_t thread_at, virtual_at;
    size_t pending_at, waiting_at; /* ObjectMonitor *: to enter, to be notified on */
    bool has_exception;
    size_t exception_at;
    bool has_native;
    size_t native_at, native_id_at; /* the OSThread, and what the kernel calls it there */
    size_t lock_stack_at, lock_stack_top_at, lock_stack_base_at;
};

/* What is known of this VM; read-only after pm_vm_thread_prepare. */
extern struct pm_vm_thread_layout pm_vm_thread_layout;

void pm_vm_thread_prepare(JNIEnv *env);

/* A thread begins, or is found, and ends: java-thread.h's table knows it meanwhile. `is_own`: on
 * that thread itself. */
void pm_vm_thread_begin(JNIEnv *env, jthread thread, int64_t tid, bool is_own);
void pm_vm_thread_end(JNIEnv *env, jthread thread);

/* The thread's JavaThread; NULL when it has ended or this VM keeps it elsewhere. */
const char *pm_vm_thread_of(JNIEnv *env, jthread thread);

/* What the kernel calls the thread; 0: not known. */
int32_t pm_vm_thread_native_id(JNIEnv *env, jthread thread);

/* Of the calling thread's own. `sp` stays NULL: no Java frame, or not known. */
void pm_vm_thread_anchor(const char *own, struct pm_anchor *ret_anchor);
/* Just above the highest word of its stack. */
const uintptr_t *pm_vm_thread_stack_end(const char *own);
/* Where the stack of the virtual thread that runs on it ends, at the latest; NULL: not known. */
const uintptr_t *pm_vm_thread_virtual_end(const char *own);
/* Finds what tells where it ends, if the VM does not; once a virtual thread runs. */
void pm_vm_thread_learn_virtual_end(JNIEnv *env);
/* Does a virtual thread run on it now? `tid`: its own. Never, where virtual threads are unknown. */
bool pm_vm_thread_runs_virtual(const char *own, int64_t tid);
/* The monitor it is about to enter; NULL: none, or not known. */
const char *pm_vm_thread_pending_monitor(const char *own);
/* Is an exception pending on it? */
bool pm_vm_thread_throws(JNIEnv *env, const char *own);
/* Does it enter a monitor again that it left to wait there? */
bool pm_vm_thread_enters_again(const char *own);

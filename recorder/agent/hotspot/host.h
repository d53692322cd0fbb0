/* The JVM that the agent is in: its interfaces, and the classes and fields that hooks read, looked
 * up once. Everything but `is_guarded` is constant after pm_host_prepare. */
#pragma once

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "recorder/agent/hotspot/jdk.h"

struct pm_host {
    _Alignas(64) jvmtiEnv *jvmti; /* one cache line of what each wait reads */
    jfieldID thread_tid;          /* J */
    jfieldID thread_park_blocker; /* Object */
    jfieldID thread_interrupted;  /* Z */
    jfieldID aqs_state;           /* I */
    jfieldID ownable_owner;       /* Thread */
    int version;                  /* feature release: 17, 25; 0 = not known */
    bool ready;                   /* all fields of Thread exist: waits can be recorded */
    bool reads_by_unsafe;         /* field.h's */

    JavaVM *vm;
    bool checks_jni; /* -Xcheck:jni, or not known */
    jclass thread;
    jclass ownable;              /* AbstractOwnableSynchronizer */
    jclass aqs;                  /* AbstractQueuedSynchronizer */
    jclass long_aqs;             /* AbstractQueuedLongSynchronizer */
    jfieldID long_aqs_state;     /* J */
    jclass stamped;              /* StampedLock */
    jfieldID stamped_state;      /* J */
    jclass condition[2];         /* ConditionObject of AQS and of AbstractQueuedLongSynchronizer */
    jfieldID condition_outer[2]; /* this$0 */
    jclass virtual_thread;       /* BaseVirtualThread; NULL before JDK 19 */
    jfieldID virtual_name;       /* String */
    jobject system_group;        /* of threads; NULL: not known */
    _Atomic bool is_guarded;     /* by the program's SecurityManager (hooks/guard.h) */
};

extern struct pm_host pm_host;

/* Looks everything up: at VMInit or attach. What a JVM lacks stays NULL, is not read, and is
 * reported (jdk.h). Leaves no exception pending. False if waits cannot be recorded here. */
bool pm_host_prepare(JNIEnv *env);
/* It could not, as the JVM's heap was full, which says nothing about what the JVM has: a later
 * attach may find it. */
bool pm_host_is_starved(void);

/* A field, to be read by field.h's functions, and the value of a static int, named by the table in
 * jdk.h, of a class encountered later. NULL, false: it does not exist, which has been reported.
 * Leaves no exception pending. */
jfieldID pm_host_field(JNIEnv *env, jclass class, enum pm_jdk_part part);
jfieldID pm_host_static_field(JNIEnv *env, jclass class, enum pm_jdk_part part);
bool pm_host_constant(JNIEnv *env, jclass class, enum pm_jdk_part part, jint *ret_value);
/* The same field of an instance, whose reads nobody is told of (field.h). */
jfieldID pm_host_read_in_silence(jfieldID field);
/* A class of the boot loader, as a local reference; NULL: there is none, or no memory. FindClass
 * asks the system class loader first, which may be the program's own. Leaves no exception pending.
 */
jclass pm_host_find_class(JNIEnv *env, const char *name);
/* The class of such a member, as a global reference that is never released. NULL: there is none. */
jclass pm_host_class(JNIEnv *env, enum pm_jdk_part part);
/* Whether what is looked up on first use was found, with the help of `object`. `known`: 0 not yet,
 * 1 yes, -1 no. Any attached thread; whoever comes first looks, and all find the same. What a full
 * heap did not let be found is looked up again. */
bool pm_host_knows(JNIEnv *env, _Atomic int *known, bool (*look_up)(JNIEnv *env, jobject object),
                   jobject object);
/* Reports that it does not exist: one line on stderr, the first time. Any thread. */
void pm_host_lose(enum pm_jdk_part part);

/* A system property, or NULL; free with pm_host_free. */
char *pm_host_property(const char *name);
void pm_host_free(void *memory); /* what JVMTI allocated */

/* All live platform threads: an array, to be freed with pm_host_free, of local references, each to
 * be deleted. False: unavailable. */
bool pm_host_threads(JNIEnv *env, jthread **ret_threads, jint *ret_n);

/* Sets and enables the callback of an extension event. False if this JVM has no event with this id.
 */
bool pm_host_await_extension(const char *id, jvmtiExtensionEvent callback);
/* The same for one named by the table in jdk.h. */
bool pm_host_await(enum pm_jdk_part part, jvmtiExtensionEvent callback);

/* One line on stderr: "parkmeter: …"; characters that would control a terminal are shown as '?'. */
void pm_host_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Attach the calling thread as a daemon of the system's thread group, 0 when done: not of the main
 * one, in which a program may wait until no other threads are left (Thread.activeCount). */
int pm_host_attach(const char *name);
void pm_host_detach(void);

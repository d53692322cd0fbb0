#include "recorder/agent/hotspot/lock-support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/allowance.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/bytecode/class-file.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/bytecode/parks-class.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/vmstructs.h"

#define TELL_EVERY_NS INT64_C(1000000000)

#define LOCK_SUPPORT "java/util/concurrent/locks/LockSupport"
#define PARKS        "java/util/concurrent/locks/ParkmeterParks"
#define ACCESS       "jdk/internal/access/JavaLangAccess"
#define THREADS      "jdk/internal/misc/VirtualThreads"

/* What LockSupport may call: the former from JDK 24 on, the latter before. */
static const struct pm_class_redirect redirects[] = {
    {{ACCESS, "parkVirtualThread", "()V"}, {PARKS, "park", "(L" ACCESS ";)V"}},
    {{ACCESS, "parkVirtualThread", "(J)V"}, {PARKS, "park", "(L" ACCESS ";J)V"}},
    {{ACCESS, "unparkVirtualThread", "(Ljava/lang/Thread;)V"},
     {PARKS, "unpark", "(L" ACCESS ";Ljava/lang/Thread;)V"}},
    {{THREADS, "park", "()V"}, {PARKS, "park", "()V"}},
    {{THREADS, "park", "(J)V"}, {PARKS, "park", "(J)V"}},
    {{THREADS, "parkUntil", "(J)V"}, {PARKS, "parkUntil", "(J)V"}},
    {{THREADS, "unpark", "(Ljava/lang/Thread;)V"}, {PARKS, "unpark", "(Ljava/lang/Thread;)V"}},
};
#define N_REDIRECTS (sizeof redirects / sizeof *redirects)

/* One of them, whose calls must all be there, and none of another's. */
static const struct way {
    size_t first, n;
    uint32_t frames; /* of ParkmeterParks, with the native */
} ways[] = {{0, 3, 2}, {3, 4, 3}};

static _Atomic bool is_whole; /* all calls were found, as it was handed to us last */
static _Atomic uint32_t n_frames;
static _Atomic bool is_rewritten;
static jclass lock_support; /* global */
static jmethodID park;      /* whose version tells when it was redefined */
static _Atomic uintptr_t version;
static jfieldID redefined_count; /* of Class; NULL: not known */
static jint n_redefined;         /* with our own */

bool pm_lock_support_is_rewritten(void)
{
    return atomic_load_explicit(&is_rewritten, memory_order_relaxed);
}

uint32_t pm_lock_support_frames(void)
{
    return atomic_load_explicit(&n_frames, memory_order_relaxed);
}

/* NULL: there is another call of one that is known, or not all of them. */
static const struct way *way_of(const uint32_t *calls)
{
    const struct way *found = NULL;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        size_t n_found = 0;
        for (size_t i = 0; i < ways[w].n; i++)
            n_found += calls[ways[w].first + i] > 0;
        if (n_found == ways[w].n && !found)
            found = &ways[w];
        else if (n_found > 0)
            return NULL;
    }
    return found;
}

void JNICALL pm_lock_support_on_load(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                     const char *name, jobject domain, jint size,
                                     const unsigned char *bytes, jint *ret_size,
                                     unsigned char **ret_bytes)
{
    uint8_t *rewritten;
    size_t n;
    uint32_t calls[N_REDIRECTS];
    if (!redefined || !name || loader || size <= 0 || strcmp(name, LOCK_SUPPORT) != 0 ||
        pm_class_file_redirect(bytes, (size_t)size, redirects, N_REDIRECTS, &rewritten, &n, calls))
        return;
    const struct way *way = way_of(calls);
    unsigned char *copy = NULL;
    if (way && n <= INT32_MAX && (*jvmti)->Allocate(jvmti, (jlong)n, &copy) == 0) {
        memcpy(copy, rewritten, n);
        *ret_bytes = copy;
        *ret_size = (jint)n;
        atomic_store(&n_frames, way->frames);
        atomic_store(&is_whole, true);
    }
    free(rewritten);
}

/* Leaves no exception. */
static bool clear(JNIEnv *env, bool done)
{
    if (!(*env)->ExceptionCheck(env))
        return done;
    (*env)->ExceptionClear(env);
    return false;
}

static bool set_field(JNIEnv *env, jclass class, const char *name, const void *value)
{
    jfieldID field = (*env)->GetStaticFieldID(env, class, name, "J");
    if (!field)
        return false;
    (*env)->SetStaticLongField(env, class, field, (jlong)(intptr_t)value);
    return true;
}

/* With all its links in place; asking for a field initialises it. */
static bool define_parks(JNIEnv *env, const struct pm_lock_support_links *links)
{
    jclass class =
        (*env)->DefineClass(env, PARKS, NULL, (const jbyte *)pm_parks_class, sizeof pm_parks_class);
    bool defined = class && pm_hooks_register(env, class, links->natives, links->n_natives) == 0 &&
                   set_field(env, class, "gate", links->gate) &&
                   set_field(env, class, "table", links->table) &&
                   set_field(env, class, "last", links->last);
    defined = clear(env, defined);
    (*env)->DeleteLocalRef(env, class);
    return defined;
}

static jint count_redefined(JNIEnv *env)
{
    return redefined_count ? pm_field_int(env, lock_support, redefined_count) : 0;
}

static bool retransform(JNIEnv *env)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    atomic_store(&is_whole, false);
    if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                           NULL))
        return false;
    n_redefined = count_redefined(env) + (redefined_count != NULL);
    bool done = (*jvmti)->RetransformClasses(jvmti, 1, &lock_support) == 0;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    atomic_store(&version, pm_quirks_method_of(park));
    return done && atomic_load(&is_whole);
}

/* The class, and by what its version is known: a method, and how often it was redefined. The method
 * alone is not enough, for the next but one may lie where it lay. */
static bool find_lock_support(JNIEnv *env)
{
    jclass class = pm_host_find_class(env, LOCK_SUPPORT);
    if (class)
        park = (*env)->GetStaticMethodID(env, class, "park", "(Ljava/lang/Object;)V");
    if (park)
        lock_support = (*env)->NewGlobalRef(env, class);
    (*env)->DeleteLocalRef(env, class);
    if (!clear(env, lock_support != NULL))
        return false;
    jclass type = (*env)->GetObjectClass(env, lock_support);
    redefined_count = (*env)->GetFieldID(env, type, "classRedefinedCount", "I");
    (*env)->DeleteLocalRef(env, type);
    clear(env, true);
    return true;
}

/* The JVM dies as it writes an AOT cache when a class was redefined whose methods it has profiled:
 * MethodTrainingData::cleanup, JDK 25. And it would leave LockSupport out of the cache. */
static bool is_training(void)
{
    bool on = false;
    return pm_vmstruct_switch("AOTRecordTraining", &on) && on;
}

bool pm_lock_support_rewrite(JNIEnv *env, const struct pm_lock_support_links *links)
{
    static bool tried;
    const jvmtiCapabilities wanted = {.can_retransform_classes = 1};
    if (tried || !pm_jdk_expects(PM_JDK_PARK_CALLS, pm_host.version) ||
        pm_jdk_is_hidden(PM_JDK_PARK_CALLS) || !pm_quirks.knows_methods || is_training())
        return false;
    tried = true;
    if ((*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted) || !find_lock_support(env) ||
        !define_parks(env, links) || !retransform(env))
        return false;
    atomic_store(&is_rewritten, true);
    return true;
}

bool pm_lock_support_is_undone(void)
{
    return pm_lock_support_is_rewritten() && pm_quirks_method_of(park) != atomic_load(&version);
}

void pm_lock_support_repair(JNIEnv *env)
{
    static struct pm_allowance repairs;
    static int64_t due_ns;
    int64_t now_ns = pm_clock_now();
    if (now_ns < due_ns || !pm_lock_support_is_rewritten() ||
        (!pm_lock_support_is_undone() && count_redefined(env) == n_redefined))
        return;
    due_ns = now_ns + TELL_EVERY_NS;
    atomic_fetch_add(&pm_self_metrics.parks_undone, 1);
    atomic_fetch_add(&pm_self_metrics.parks_unseen, 1); /* at least: nobody saw them */
    if (pm_allowance_take(&repairs, now_ns) && !retransform(env))
        pm_host_lose(PM_JDK_PARK_CALLS);
}

#include "recorder/agent/sampling/class-init.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/bytecode/class-file.h"
#include "recorder/agent/hotspot/class-state.h"
#include "recorder/agent/tables/java-thread.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/slot.h"

#define NAME_MAX     512 /* of a class; longer ones are not looked for */
#define MAX_CLASSES  256 /* being initialised at once, with threads that wait */
#define MAX_PARENTS  64
#define N_KNOWN      4
#define SEARCH_SHARE 20 /* of the time, one part may go into looking for classes by their name */

/* Blockers in use. */
static struct {
    pthread_mutex_t lock;
    struct {
        struct pm_class_init init;
        pm_blocker_id blocker;
    } rows[MAX_CLASSES];
    size_t n;
} classes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Classes found by their name last, as many wait for the same ones. */
static struct {
    jweak class, loader; /* NULL: the boot loader */
    char name[NAME_MAX];
} known[N_KNOWN];
static unsigned next_known;
static int64_t search_at_ns;

/* -- whom to look at -- */

static bool is_to_be_looked_at(const struct pm_thread_row *row)
{
    const struct pm_thread_activity *activity = &row->activity;
    if (row->end_ns || !activity->still_ns || row->looked_ns == activity->still_ns ||
        activity->read_ns - activity->still_ns < PM_CLASS_INIT_STILL_NS || pm_thread_is_ours(row))
        return false;
    const struct pm_slot *slot = pm_slot_find(row->tid);
    return !slot || (pm_slot_mark(slot) && !pm_slot_is_passing(slot));
}

bool pm_class_init_next(size_t *at, pm_thread_id *ret_id, int64_t *ret_tid)
{
    struct pm_thread_row row;
    struct pm_java_thread thread;
    while (pm_java_thread_visit(at, &thread)) {
        *ret_id = pm_thread_find(thread.tid);
        *ret_tid = thread.tid;
        if (ret_id->n && pm_thread_get(*ret_id, &row) && is_to_be_looked_at(&row) &&
            pm_class_state_may_wait(thread.address))
            return true;
    }
    return false;
}

void pm_class_init_note_looked(pm_thread_id id)
{
    struct pm_thread_row row;
    if (pm_thread_get(id, &row))
        pm_thread_set_looked(id, row.activity.still_ns);
}

/* -- what it waits for -- */

/* The name of the class that the instruction needs, "a/B". */
static bool read_needed(const jvmtiFrameInfo *top, char *ret_name)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    JNIEnv *env;
    unsigned char *code = NULL, *constants = NULL;
    jint code_size = 0, n = 0, size = 0;
    jclass class = NULL;
    bool done = false;
    if ((*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8) || top->location < 0 ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, top->method, &class))
        return false;
    if ((*jvmti)->GetBytecodes(jvmti, top->method, &code_size, &code) == 0) {
        if ((*jvmti)->GetConstantPool(jvmti, class, &n, &size, &constants) == 0)
            done = pm_class_file_needed_class(code, (size_t)code_size, (size_t)top->location,
                                              constants, (size_t)size, (uint32_t)n, ret_name,
                                              NAME_MAX) == 0;
        pm_host_free(constants);
    }
    pm_host_free(code);
    (*env)->DeleteLocalRef(env, class);
    return done;
}

static bool is_of(jclass class, const char *name)
{
    char *signature = NULL;
    if ((*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL))
        return false;
    size_t length = strlen(name);
    bool is = signature[0] == 'L' && strncmp(signature + 1, name, length) == 0 &&
              strcmp(signature + 1 + length, ";") == 0;
    pm_host_free(signature);
    return is;
}

/* The class that the loader knows under the name: all of its classes are asked. */
static jclass search(JNIEnv *env, jobject loader, const char *name)
{
    jint n = 0;
    jclass *all = NULL, found = NULL;
    if ((*env)->PushLocalFrame(env, 16)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    if ((*pm_host.jvmti)->GetClassLoaderClasses(pm_host.jvmti, loader, &n, &all) == 0) {
        /* So many local references were made that nobody announced: JNI's checks want to know. */
        if ((*env)->EnsureLocalCapacity(env, n + 16))
            (*env)->ExceptionClear(env);
        for (jint i = 0; i < n && !found; i++)
            found = is_of(all[i], name) ? all[i] : NULL;
        pm_host_free(all);
    }
    return (*env)->PopLocalFrame(env, found);
}

static jweak weak_of(JNIEnv *env, jobject object)
{
    jweak ref = object ? (*env)->NewWeakGlobalRef(env, object) : NULL;
    if (object && !ref && (*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
    return ref;
}

static void keep_known(JNIEnv *env, jobject loader, const char *name, jclass class)
{
    unsigned at = next_known++ % N_KNOWN;
    if (known[at].class)
        (*env)->DeleteWeakGlobalRef(env, known[at].class);
    if (known[at].loader)
        (*env)->DeleteWeakGlobalRef(env, known[at].loader);
    known[at].loader = weak_of(env, loader);
    known[at].class = !loader || known[at].loader ? weak_of(env, class) : NULL;
    snprintf(known[at].name, sizeof known[at].name, "%s", name);
}

/* What the method's class means by the name. NULL: not known, or, if `*ret_later`, not yet. */
static jclass find_class(JNIEnv *env, jmethodID method, const char *name, bool *ret_later)
{
    jclass class = NULL, found = NULL;
    jobject loader = NULL;
    if ((*pm_host.jvmti)->GetMethodDeclaringClass(pm_host.jvmti, method, &class) ||
        (*pm_host.jvmti)->GetClassLoader(pm_host.jvmti, class, &loader))
        return NULL;
    for (unsigned i = 0; i < N_KNOWN && !found; i++)
        if (known[i].class && strcmp(known[i].name, name) == 0 && !known[i].loader == !loader &&
            (*env)->IsSameObject(env, known[i].loader, loader))
            found = (*env)->NewLocalRef(env, known[i].class);
    int64_t begin_ns = pm_clock_now();
    *ret_later = !found && begin_ns < search_at_ns;
    if (!found && !*ret_later) {
        found = search(env, loader, name);
        int64_t end_ns = pm_clock_now();
        search_at_ns = end_ns + (end_ns - begin_ns) * SEARCH_SHARE;
        if (found)
            keep_known(env, loader, name, found);
    }
    return found;
}

/* Is the class being initialised, by another thread than `waiter`? */
static bool is_initialised_elsewhere(jclass class, uintptr_t waiter, struct pm_class_init *ret)
{
    char *signature = NULL, name[NAME_MAX], title[NAME_MAX + 32];
    jint hash = 0;
    if ((*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL))
        return false;
    ret->klass = pm_class_state_of(class, signature);
    bool is = ret->klass && pm_class_state_is_initialising(ret->klass, &ret->thread) &&
              ret->thread != waiter;
    if (is) {
        (*pm_host.jvmti)->GetObjectHashCode(pm_host.jvmti, class, &hash);
        pm_class_name_from_signature(signature, name, sizeof name);
        snprintf(title, sizeof title, "%s.<clinit>", name);
        ret->hash = (uint32_t)hash;
        ret->name = pm_class_add(title);
    }
    pm_host_free(signature);
    return is;
}

bool pm_class_init_find(JNIEnv *env, jthread thread, struct pm_class_init *ret, bool *ret_later)
{
    jvmtiFrameInfo top;
    jint n = 0;
    char name[NAME_MAX];
    const uintptr_t vm_thread = (uintptr_t)pm_vm_thread_of(env, thread);
    *ret_later = false;
    if (!pm_class_state_may_wait(vm_thread) ||
        (*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, thread, 0, 1, &top, &n) || n != 1 ||
        !read_needed(&top, name))
        return false;
    /* Its own initialisation may be waiting for that of a class that it extends. */
    jclass class = find_class(env, top.method, name, ret_later);
    for (int i = 0; class && i < MAX_PARENTS; i++) {
        if (is_initialised_elsewhere(class, vm_thread, ret))
            return true;
        jclass parent = (*env)->GetSuperclass(env, class);
        (*env)->DeleteLocalRef(env, class);
        class = parent;
    }
    return false;
}

bool pm_class_init_lasts(const struct pm_class_init *init)
{
    uintptr_t thread;
    return pm_class_state_is_initialising(init->klass, &thread) && thread == init->thread;
}

/* -- its blocker -- */

pm_blocker_id pm_class_init_blocker(const struct pm_class_init *init, pm_chain_id chain,
                                    pm_thread_id thread)
{
    pm_blocker_id id = {0};
    const struct pm_blocker row = {
        .class_id = init->name, .hash = init->hash, .first_chain = chain, .first_thread = thread};
    pthread_mutex_lock(&classes.lock);
    for (size_t i = 0; i < classes.n && !id.n; i++)
        if (classes.rows[i].init.klass == init->klass &&
            classes.rows[i].init.thread == init->thread)
            id = classes.rows[i].blocker;
    if (!id.n && classes.n < MAX_CLASSES && (id = pm_blocker_add(&row)).n) {
        classes.rows[classes.n].init = *init;
        classes.rows[classes.n++].blocker = id;
    }
    pthread_mutex_unlock(&classes.lock);
    return id;
}

void pm_class_init_tidy(bool (*is_waited_for)(const struct pm_class_init *init))
{
    pthread_mutex_lock(&classes.lock);
    for (size_t i = 0; i < classes.n;)
        if (pm_class_init_lasts(&classes.rows[i].init) || is_waited_for(&classes.rows[i].init)) {
            i++;
        } else {
            pm_blocker_leave(classes.rows[i].blocker, PM_BLOCKER_EVICTED);
            classes.rows[i] = classes.rows[--classes.n];
        }
    pthread_mutex_unlock(&classes.lock);
}

pm_thread_id pm_class_init_owner(const struct pm_class_init *init)
{
    return pm_resolve_tid(pm_java_thread_tid(init->thread));
}

bool pm_class_init_owner_of(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    struct pm_class_init init = {0};
    pthread_mutex_lock(&classes.lock);
    for (size_t i = 0; i < classes.n; i++)
        if (classes.rows[i].blocker.n == blocker.n)
            init = classes.rows[i].init;
    pthread_mutex_unlock(&classes.lock);
    *ret_owner =
        init.klass && pm_class_init_lasts(&init) ? pm_class_init_owner(&init) : (pm_thread_id){0};
    return init.klass != 0;
}

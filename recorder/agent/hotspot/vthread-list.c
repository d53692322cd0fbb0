#include "recorder/agent/hotspot/vthread-list.h"

#include <assert.h>
#include <stdatomic.h>

#include "recorder/agent/hotspot/field.h"

#define MAX_VISITED (1 << 21) /* entries of lists, in one visit */
#define MAX_ROUNDS  3         /* over a list that grows meanwhile */

enum {
    ROOT,
    REGISTRY,
    SET_MAP,
    MAP_TABLE,
    NODE_KEY,
    NODE_NEXT,
    TREE_FIRST,
    REFERENT,
    TASK_THREADS,
    SHARED_THREADS,
    N_FIELDS
};

static const struct {
    enum pm_jdk_part part;
    bool is_static;
} fields[N_FIELDS] = {
    [ROOT] = {PM_JDK_VTHREADS, true},
    [REGISTRY] = {PM_JDK_CONTAINERS, true},
    [SET_MAP] = {PM_JDK_SET_MAP, false},
    [MAP_TABLE] = {PM_JDK_MAP_TABLE, false},
    [NODE_KEY] = {PM_JDK_NODE_KEY, false},
    [NODE_NEXT] = {PM_JDK_NODE_NEXT, false},
    [TREE_FIRST] = {PM_JDK_TREE_FIRST, false},
    [REFERENT] = {PM_JDK_REFERENT, false},
    [TASK_THREADS] = {PM_JDK_TASK_THREADS, false},
    [SHARED_THREADS] = {PM_JDK_SHARED_THREADS, false},
};

/* Of the sweep's thread and the sampler's: looked up by whoever comes first, on both the same. */
static struct {
    _Atomic int known; /* see pm_host_knows */
    jclass class[N_FIELDS];
    jfieldID field[N_FIELDS];
} layout;

/* VirtualThread's own, learnt from the first thread: looking it up by its name would initialise the
 * class, which starts threads and reads the options of the program's scheduler. */
static struct {
    _Atomic int known;
    jfieldID field;
    jint parked[2], timed[2];         /* unmounted, pinned */
    jint started;                     /* and has not run yet */
    jint blocked, waits, timed_waits; /* unmounted; 0: this JDK has no such state */
} states;

static bool look_up(JNIEnv *env, jobject unused)
{
    for (int i = 0; i < N_FIELDS; i++) {
        if (!pm_jdk_expects(fields[i].part, pm_host.version))
            return false;
        if (!layout.class[i])
            layout.class[i] = pm_host_class(env, fields[i].part);
        layout.field[i] = fields[i].is_static
                              ? pm_host_static_field(env, layout.class[i], fields[i].part)
                              : pm_host_field(env, layout.class[i], fields[i].part);
        if (!layout.field[i])
            return false;
    }
    return true;
}

static bool look_up_states(JNIEnv *env, jthread thread)
{
    static const enum pm_jdk_part parts[] = {
        PM_JDK_VTHREAD_PARKED,       PM_JDK_VTHREAD_PINNED,    PM_JDK_VTHREAD_TIMED_PARKED,
        PM_JDK_VTHREAD_TIMED_PINNED, PM_JDK_VTHREAD_STARTED,   PM_JDK_VTHREAD_BLOCKED,
        PM_JDK_VTHREAD_WAIT,         PM_JDK_VTHREAD_TIMED_WAIT};
    jint *values[sizeof parts / sizeof *parts] = {
        &states.parked[0], &states.parked[1], &states.timed[0], &states.timed[1],
        &states.started,   &states.blocked,   &states.waits,    &states.timed_waits};
    jclass class = (*env)->GetObjectClass(env, thread);
    bool found = (states.field = pm_host_field(env, class, PM_JDK_VTHREAD_STATE)) != NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && found; i++)
        if (pm_jdk_expects(parts[i], pm_host.version))
            found = pm_host_constant(env, class, parts[i], values[i]);
    (*env)->DeleteLocalRef(env, class);
    return found;
}

/* Of VirtualThread; 0: not known. */
static jint state_of(JNIEnv *env, jthread thread)
{
    return pm_host_knows(env, &states.known, look_up_states, thread)
               ? pm_field_int(env, thread, states.field)
               : 0;
}

/* -- lists -- */

/* What to do with each key of a ConcurrentHashMap. */
struct visit {
    bool (*each)(void *context, JNIEnv *env, jobject key);
    void *context;
    int left;   /* entries, until it is enough */
    bool moved; /* a part lies in another table by now */
};

static jobject take(JNIEnv *env, jobject object, int field)
{
    return pm_field_object(env, object, layout.field[field]);
}

/* The nodes of a bucket; takes the reference to it. */
static void visit_bucket(JNIEnv *env, jobject node, struct visit *visit)
{
    while (node) {
        jobject key = take(env, node, NODE_KEY);
        bool is_tree = !key && (*env)->IsInstanceOf(env, node, layout.class[TREE_FIRST]);
        visit->moved |= !key && !is_tree;
        if (key && (--visit->left <= 0 || !visit->each(visit->context, env, key)))
            visit->left = 0;
        (*env)->DeleteLocalRef(env, key);
        jobject next = visit->left ? take(env, node, is_tree ? TREE_FIRST : NODE_NEXT) : NULL;
        (*env)->DeleteLocalRef(env, node);
        node = next;
    }
}

static void visit_table(JNIEnv *env, jobjectArray table, struct visit *visit)
{
    jsize length = (*env)->GetArrayLength(env, table);
    for (jsize i = 0; i < length && visit->left; i++)
        visit_bucket(env, (*env)->GetObjectArrayElement(env, table, i), visit);
}

/* The keys of a set that ConcurrentHashMap.newKeySet made; NULL: there are none. What lies in a
 * table that is just being replaced is looked for in the new one, and then may come twice. */
static void visit_set(JNIEnv *env, jobject set, struct visit *visit)
{
    jobject map = set ? take(env, set, SET_MAP) : NULL;
    visit->moved = map != NULL;
    for (int round = 0; round < MAX_ROUNDS && visit->moved && visit->left; round++) {
        jobject table = take(env, map, MAP_TABLE);
        visit->moved = false;
        if (table)
            visit_table(env, table, visit);
        (*env)->DeleteLocalRef(env, table);
    }
    (*env)->DeleteLocalRef(env, map);
}

/* A container of threads, as the weak reference that the registry holds. */
static bool visit_container(void *context, JNIEnv *env, jobject reference)
{
    struct visit *visit = context;
    jobject container = take(env, reference, REFERENT);
    jobject set = NULL;
    if (container && (*env)->IsInstanceOf(env, container, layout.class[TASK_THREADS]))
        set = take(env, container, TASK_THREADS);
    else if (container && (*env)->IsInstanceOf(env, container, layout.class[SHARED_THREADS]))
        set = take(env, container, SHARED_THREADS);
    visit_set(env, set, visit);
    (*env)->DeleteLocalRef(env, set);
    (*env)->DeleteLocalRef(env, container);
    return visit->left > 0;
}

bool pm_vthread_list_visit(JNIEnv *env, bool (*each)(void *context, JNIEnv *env, jthread thread),
                           void *context)
{
    assert(each);
    if (!pm_host_knows(env, &layout.known, look_up, NULL))
        return false;
    struct visit threads = {.each = each, .context = context, .left = MAX_VISITED};
    struct visit containers = {.each = visit_container, .context = &threads, .left = MAX_VISITED};
    jobject set = (*env)->GetStaticObjectField(env, layout.class[ROOT], layout.field[ROOT]);
    visit_set(env, set, &threads);
    (*env)->DeleteLocalRef(env, set);
    set = (*env)->GetStaticObjectField(env, layout.class[REGISTRY], layout.field[REGISTRY]);
    visit_set(env, set, &containers);
    (*env)->DeleteLocalRef(env, set);
    return true;
}

/* -- forks -- */

#define MAX_NESTED 4  /* scopes, each of a fork of the one before */
#define MAX_SCOPES 16 /* of one thread */

enum { THREAD_SCOPES, SCOPE_PREVIOUS, SCOPE_FLOCK, FLOCK_THREADS, N_FORK_FIELDS };

static const enum pm_jdk_part fork_parts[N_FORK_FIELDS] = {
    [THREAD_SCOPES] = PM_JDK_THREAD_SCOPES,
    [SCOPE_PREVIOUS] = PM_JDK_SCOPE_PREVIOUS,
    [SCOPE_FLOCK] = PM_JDK_SCOPE_FLOCK,
    [FLOCK_THREADS] = PM_JDK_FLOCK_THREADS,
};

/* Of the classes behind scopes, looked up once a thread has one. */
static struct {
    _Atomic int scopes_known, rest_known;
    jclass class[N_FORK_FIELDS];
    jfieldID field[N_FORK_FIELDS];
} forks;

static bool look_up_forks(JNIEnv *env, int first, int end)
{
    for (int i = first; i < end; i++) {
        if (!forks.class[i] && pm_jdk_expects(fork_parts[i], pm_host.version))
            forks.class[i] = pm_host_class(env, fork_parts[i]);
        if (!forks.class[i] ||
            !(forks.field[i] = pm_host_field(env, forks.class[i], fork_parts[i])))
            return false;
    }
    return true;
}

static bool look_up_scopes(JNIEnv *env, jobject unused)
{
    return look_up_forks(env, THREAD_SCOPES, THREAD_SCOPES + 1);
}

static bool look_up_rest(JNIEnv *env, jobject unused)
{
    return look_up_forks(env, SCOPE_PREVIOUS, N_FORK_FIELDS);
}

/* The forks of what a thread has open, and of what those have. */
struct nest {
    struct visit *forks;
    bool (*goes_on)(void *context);
    int depth;
};

static bool visit_owner(void *context, JNIEnv *env, jthread owner);

static bool visit_fork(void *context, JNIEnv *env, jobject thread)
{
    const struct nest *nest = context;
    struct visit *visit = nest->forks;
    if (--visit->left <= 0 || !visit->each(visit->context, env, thread))
        visit->left = 0;
    else if (nest->depth < MAX_NESTED)
        visit_owner(&(struct nest){visit, nest->goes_on, nest->depth + 1}, env, thread);
    return visit->left > 0;
}

static bool visit_owner(void *context, JNIEnv *env, jthread owner)
{
    struct nest *nest = context;
    if (!nest->goes_on(nest->forks->context)) {
        nest->forks->left = 0;
        return false;
    }
    jobject scope = pm_field_object(env, owner, forks.field[THREAD_SCOPES]);
    for (int i = 0; scope; i++) {
        jobject previous = NULL;
        if (i < MAX_SCOPES && nest->forks->left > 0 &&
            pm_host_knows(env, &forks.rest_known, look_up_rest, NULL)) {
            jobject flock = (*env)->IsInstanceOf(env, scope, forks.class[SCOPE_FLOCK])
                                ? pm_field_object(env, scope, forks.field[SCOPE_FLOCK])
                                : NULL;
            jobject set = flock ? pm_field_object(env, flock, forks.field[FLOCK_THREADS]) : NULL;
            struct visit threads = {.each = visit_fork, .context = nest, .left = MAX_VISITED};
            visit_set(env, set, &threads);
            (*env)->DeleteLocalRef(env, set);
            (*env)->DeleteLocalRef(env, flock);
            previous = pm_field_object(env, scope, forks.field[SCOPE_PREVIOUS]);
        }
        (*env)->DeleteLocalRef(env, scope);
        scope = previous;
    }
    return nest->forks->left > 0;
}

bool pm_vthread_list_visit_forks(JNIEnv *env,
                                 bool (*each)(void *context, JNIEnv *env, jthread thread),
                                 bool (*goes_on)(void *context), void *context)
{
    struct visit visit = {.each = each, .context = context, .left = MAX_VISITED};
    struct nest nest = {&visit, goes_on, 0};
    jthread *owners = NULL;
    jint n = 0;
    assert(each && goes_on);
    if (!pm_host_knows(env, &layout.known, look_up, NULL) ||
        !pm_host_knows(env, &forks.scopes_known, look_up_scopes, NULL) ||
        !pm_host_threads(env, &owners, &n))
        return false;
    for (jint i = 0; i < n; i++) {
        if (visit.left > 0)
            visit_owner(&nest, env, owners[i]);
        (*env)->DeleteLocalRef(env, owners[i]);
    }
    pm_host_free(owners);
    if (visit.left > 0)
        pm_vthread_list_visit(env, visit_owner, &nest);
    return visit.left < MAX_VISITED;
}

bool pm_vthread_list_is_parked(JNIEnv *env, jthread thread, bool *ret_timed)
{
    jint state = state_of(env, thread);
    *ret_timed = state && (state == states.timed[0] || state == states.timed[1]);
    return *ret_timed || (state && (state == states.parked[0] || state == states.parked[1]));
}

bool pm_vthread_list_is_at_monitor(JNIEnv *env, jthread thread, enum pm_kind *ret_kind,
                                   bool *ret_timed)
{
    jint state = state_of(env, thread);
    *ret_timed = state && state == states.timed_waits;
    *ret_kind = state && state == states.blocked ? PM_KIND_ENTER : PM_KIND_WAIT;
    return *ret_kind == PM_KIND_ENTER || *ret_timed || (state && state == states.waits);
}

bool pm_vthread_list_waits_unmounted(JNIEnv *env, jthread thread)
{
    jint state = state_of(env, thread);
    return state &&
           (state == states.parked[0] || state == states.timed[0] || state == states.blocked ||
            state == states.waits || state == states.timed_waits);
}

bool pm_vthread_list_has_begun(JNIEnv *env, jthread thread)
{
    jint state = state_of(env, thread);
    return state && state != states.started;
}

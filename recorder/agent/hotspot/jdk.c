#include "recorder/agent/hotspot/jdk.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LOCKS   "java/util/concurrent/locks/"
#define EVENT   "com.sun.hotspot.events."
#define VTHREAD "java/lang/VirtualThread"
#define MAP     "java/util/concurrent/ConcurrentHashMap"
#define LISTS   "jdk/internal/vm/"
#define BEFORE  "virtual threads that waited before"

#define FORKS "what forks of a StructuredTaskScope do"
#define FLOCK "jdk/internal/misc/ThreadFlock"

#define SNAPSHOT LISTS "ThreadSnapshot"
#define OWNERS   "owners of monitors"

static const struct pm_jdk_row rows[PM_N_JDK_PARTS] = {
    [PM_JDK_TID] = {"java/lang/Thread", "tid", "J", 0, 0, 0, "any wait"},
    [PM_JDK_PARK_BLOCKER] = {"java/lang/Thread", "parkBlocker", "Ljava/lang/Object;", 0, 0, 0,
                             "any wait"},
    [PM_JDK_INTERRUPTED] = {"java/lang/Thread", "interrupted", "Z", 14, 0, 0, "interrupts"},
    [PM_JDK_OWNER] = {LOCKS "AbstractOwnableSynchronizer", "exclusiveOwnerThread",
                      "Ljava/lang/Thread;", 0, 0, 0, "owners of locks"},
    [PM_JDK_AQS_STATE] = {LOCKS "AbstractQueuedSynchronizer", "state", "I", 0, 0, 0,
                          "states of synchronizers"},
    [PM_JDK_LONG_AQS_STATE] = {LOCKS "AbstractQueuedLongSynchronizer", "state", "J", 0, 0, 0,
                               "states of synchronizers"},
    [PM_JDK_STAMPED_STATE] = {LOCKS "StampedLock", "state", "J", 0, 0, 0,
                              "states of synchronizers"},
    [PM_JDK_CONDITION] = {LOCKS "AbstractQueuedSynchronizer$ConditionObject", "this$0",
                          "L" LOCKS "AbstractQueuedSynchronizer;", 0, 0, 0, "locks of conditions"},
    [PM_JDK_LONG_CONDITION] = {LOCKS "AbstractQueuedLongSynchronizer$ConditionObject", "this$0",
                               "L" LOCKS "AbstractQueuedLongSynchronizer;", 0, 0, 0,
                               "locks of conditions"},
    [PM_JDK_EETOP] = {"java/lang/Thread", "eetop", "J", 0, 0, 0, "owners of monitors"},
    [PM_JDK_PENDING_MONITOR] = {"JavaThread", "_current_pending_monitor", "", 0, 0, 0,
                                "owners of monitors"},
    [PM_JDK_MONITOR_OWNER] = {"ObjectMonitor", "_owner", "", 0, 0, 0, "owners of monitors"},
    [PM_JDK_CLASS_STATE] = {"InstanceKlass", "_init_state", "", 0, 0, 0, "class initialisation"},
    [PM_JDK_NOTIFY] = {"java/lang/Object", "notify", "()V", 0, 0, 0, "notifiers"},
    [PM_JDK_PARK_CALLS] = {LOCKS "LockSupport", "parkVirtualThread", "", 21, 0, 21,
                           "virtual threads"},
    [PM_JDK_PARK_PERMIT] = {VTHREAD, "parkPermit", "Z", 21, 0, 21, "virtual threads"},
    [PM_JDK_MOUNT] = {EVENT "VirtualThreadMount", "", "", 24, 0, 19, "virtual threads"},
    [PM_JDK_UNMOUNT] = {EVENT "VirtualThreadUnmount", "", "", 24, 0, 19, "virtual threads"},
    [PM_JDK_VTHREAD_STATE] = {VTHREAD, "state", "I", 21, 0, 19, "virtual threads"},
    [PM_JDK_VTHREAD_TIMEOUT] = {VTHREAD, "timeout", "J", 24, 0, 19, "virtual threads"},
    [PM_JDK_VTHREAD_PARKING] = {VTHREAD, "PARKING", "I", 24, 0, 19, "virtual threads"},
    [PM_JDK_VTHREAD_TIMED_PARKING] = {VTHREAD, "TIMED_PARKING", "I", 24, 0, 19, "virtual threads"},
    [PM_JDK_CARRIER] = {VTHREAD, "carrierThread", "Ljava/lang/Thread;", 19, 0, 19,
                        "waits on carriers of virtual threads"},
    [PM_JDK_VTHREAD_NAME] = {"java/lang/BaseVirtualThread", "name", "Ljava/lang/String;", 19, 0, 19,
                             "which threads are virtual"},
    [PM_JDK_VTHREADS] = {LISTS "ThreadContainers$RootContainer$TrackingRootContainer", "VTHREADS",
                         "Ljava/util/Set;", 21, 0, 21, BEFORE},
    [PM_JDK_CONTAINERS] = {LISTS "ThreadContainers", "CONTAINER_REGISTRY", "Ljava/util/Set;", 21, 0,
                           21, BEFORE},
    [PM_JDK_SET_MAP] = {MAP "$CollectionView", "map", "L" MAP ";", 21, 0, 21, BEFORE},
    [PM_JDK_MAP_TABLE] = {MAP, "table", "[L" MAP "$Node;", 21, 0, 21, BEFORE},
    [PM_JDK_NODE_KEY] = {MAP "$Node", "key", "Ljava/lang/Object;", 21, 0, 21, BEFORE},
    [PM_JDK_NODE_NEXT] = {MAP "$Node", "next", "L" MAP "$Node;", 21, 0, 21, BEFORE},
    [PM_JDK_TREE_FIRST] = {MAP "$TreeBin", "first", "L" MAP "$TreeNode;", 21, 0, 21, BEFORE},
    [PM_JDK_REFERENT] = {"java/lang/ref/Reference", "referent", "Ljava/lang/Object;", 21, 0, 21,
                         BEFORE},
    [PM_JDK_TASK_THREADS] = {"java/util/concurrent/ThreadPerTaskExecutor", "threads",
                             "Ljava/util/Set;", 21, 0, 21, BEFORE},
    [PM_JDK_SHARED_THREADS] = {LISTS "SharedThreadContainer", "virtualThreads", "Ljava/util/Set;",
                               21, 0, 21, BEFORE},
    [PM_JDK_THREAD_SCOPES] = {"java/lang/Thread", "headStackableScopes",
                              "L" LISTS "StackableScope;", 25, 0, 25, FORKS},
    [PM_JDK_SCOPE_PREVIOUS] = {LISTS "StackableScope", "previous", "L" LISTS "StackableScope;", 25,
                               0, 25, FORKS},
    [PM_JDK_SCOPE_FLOCK] = {FLOCK "$ThreadContainerImpl", "flock", "L" FLOCK ";", 25, 0, 25, FORKS},
    [PM_JDK_FLOCK_THREADS] = {FLOCK, "threads", "Ljava/util/Set;", 25, 0, 25, FORKS},
    [PM_JDK_VTHREAD_PARKED] = {VTHREAD, "PARKED", "I", 21, 0, 21, BEFORE},
    [PM_JDK_VTHREAD_PINNED] = {VTHREAD, "PINNED", "I", 21, 0, 21, BEFORE},
    [PM_JDK_VTHREAD_TIMED_PARKED] = {VTHREAD, "TIMED_PARKED", "I", 21, 0, 21, BEFORE},
    [PM_JDK_VTHREAD_TIMED_PINNED] = {VTHREAD, "TIMED_PINNED", "I", 21, 0, 21, BEFORE},
    [PM_JDK_VTHREAD_STARTED] = {VTHREAD, "STARTED", "I", 21, 0, 21, BEFORE},
    [PM_JDK_VTHREAD_BLOCKED] = {VTHREAD, "BLOCKED", "I", 24, 0, 25, OWNERS},
    [PM_JDK_VTHREAD_WAIT] = {VTHREAD, "WAIT", "I", 24, 0, 25, OWNERS},
    [PM_JDK_VTHREAD_TIMED_WAIT] = {VTHREAD, "TIMED_WAIT", "I", 24, 0, 25, OWNERS},
    /* Which threads may be asked, and what the caller must keep from moving, is of that release:
     * later ones, once they have been tested. */
    [PM_JDK_SNAPSHOT_BLOCKER] = {SNAPSHOT, "blockerObject", "Ljava/lang/Object;", 25, 25, 25,
                                 OWNERS},
    [PM_JDK_SNAPSHOT_LOCKS] = {SNAPSHOT, "locks", "[L" SNAPSHOT "$ThreadLock;", 25, 25, 25, OWNERS},
    [PM_JDK_SNAPSHOT_TRACE] = {SNAPSHOT, "stackTrace", "[Ljava/lang/StackTraceElement;", 25, 25, 25,
                               OWNERS},
    [PM_JDK_LOCK_TYPE] = {SNAPSHOT "$ThreadLock", "typeOrdinal", "I", 25, 25, 25, OWNERS},
    [PM_JDK_LOCK_OBJECT] = {SNAPSHOT "$ThreadLock", "obj", "Ljava/lang/Object;", 25, 25, 25,
                            OWNERS},
};

static _Atomic bool missing[PM_N_JDK_PARTS];
static const char *hidden = "";

const struct pm_jdk_row *pm_jdk_row(enum pm_jdk_part part)
{
    assert((unsigned)part < PM_N_JDK_PARTS);
    return &rows[part];
}

bool pm_jdk_expects(enum pm_jdk_part part, int version)
{
    const struct pm_jdk_row *row = &rows[part];
    if (version == 0 || (version >= row->from && (row->until == 0 || version <= row->until)))
        return true;
    if (version >= row->matters_from)
        pm_jdk_note_missing(part);
    return false;
}

bool pm_jdk_note_missing(enum pm_jdk_part part)
{
    assert((unsigned)part < PM_N_JDK_PARTS);
    return !atomic_exchange(&missing[part], true);
}

/* A list "a, b" or "a;b". */
static bool lists(const char *list, const char *item)
{
    size_t length = strlen(item);
    for (const char *at = list; (at = strstr(at, item)) != NULL; at += length)
        if ((at == list || strchr(" ;", at[-1])) && strchr(",;", at[length]))
            return true;
    return false;
}

void pm_jdk_list_losses(char *list, size_t size)
{
    assert(strlen(list) < size);
    for (int part = 0; part < PM_N_JDK_PARTS; part++) {
        size_t used = strlen(list);
        if (atomic_load(&missing[part]) && !lists(list, rows[part].lost))
            snprintf(list + used, size - used, "%s%s", used ? ", " : "", rows[part].lost);
    }
}

void pm_jdk_hide(const char *names)
{
    assert(names);
    hidden = names;
}

bool pm_jdk_is_hidden(enum pm_jdk_part part)
{
    const struct pm_jdk_row *row = &rows[part];
    return lists(hidden, *row->member ? row->member : row->class);
}

void pm_jdk_clear(void)
{
    hidden = "";
    for (int part = 0; part < PM_N_JDK_PARTS; part++)
        atomic_store(&missing[part], false);
}

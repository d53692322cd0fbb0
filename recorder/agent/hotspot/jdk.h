/* What the recorder needs of a JDK beyond its specified interfaces: one table of classes, fields,
 * events and natives, each with the releases that have it and what is not recorded without it. What
 * is missing is reported in the recording, in `status` and on stderr. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum pm_jdk_part {
    PM_JDK_TID,
    PM_JDK_PARK_BLOCKER,
    PM_JDK_INTERRUPTED,
    PM_JDK_OWNER,
    PM_JDK_AQS_STATE,
    PM_JDK_LONG_AQS_STATE,
    PM_JDK_STAMPED_STATE,
    PM_JDK_CONDITION,
    PM_JDK_LONG_CONDITION,
    PM_JDK_EETOP,
    PM_JDK_PENDING_MONITOR,
    PM_JDK_MONITOR_OWNER,
    PM_JDK_CLASS_STATE,
    PM_JDK_NOTIFY,
    PM_JDK_PARK_CALLS,
    PM_JDK_PARK_PERMIT,
    PM_JDK_MOUNT,
    PM_JDK_UNMOUNT,
    PM_JDK_VTHREAD_STATE,
    PM_JDK_VTHREAD_TIMEOUT,
    PM_JDK_VTHREAD_PARKING,
    PM_JDK_VTHREAD_TIMED_PARKING,
    PM_JDK_CARRIER,
    PM_JDK_VTHREAD_NAME,
    PM_JDK_VTHREADS,
    PM_JDK_CONTAINERS,
    PM_JDK_SET_MAP,
    PM_JDK_MAP_TABLE,
    PM_JDK_NODE_KEY,
    PM_JDK_NODE_NEXT,
    PM_JDK_TREE_FIRST,
    PM_JDK_REFERENT,
    PM_JDK_TASK_THREADS,
    PM_JDK_SHARED_THREADS,
    PM_JDK_THREAD_SCOPES,
    PM_JDK_SCOPE_PREVIOUS,
    PM_JDK_SCOPE_FLOCK,
    PM_JDK_FLOCK_THREADS,
    PM_JDK_VTHREAD_PARKED,
    PM_JDK_VTHREAD_PINNED,
    PM_JDK_VTHREAD_TIMED_PARKED,
    PM_JDK_VTHREAD_TIMED_PINNED,
    PM_JDK_VTHREAD_STARTED,
    PM_JDK_VTHREAD_BLOCKED,
    PM_JDK_VTHREAD_WAIT,
    PM_JDK_VTHREAD_TIMED_WAIT,
    PM_JDK_SNAPSHOT_BLOCKER,
    PM_JDK_SNAPSHOT_LOCKS,
    PM_JDK_SNAPSHOT_TRACE,
    PM_JDK_LOCK_TYPE,
    PM_JDK_LOCK_OBJECT,
    PM_N_JDK_PARTS
};

/* Of a list of all that is not recorded. */
#define PM_NOT_RECORDED_MAX 768

struct pm_jdk_row {
    const char *class, *member, *signature; /* of JNI; "" where there is none */
    int from, until;                        /* releases that have it; 0: no bound */
    int matters_from;                       /* before this release, nothing is lost without it */
    const char *lost;                       /* what is not recorded without it */
};

const struct pm_jdk_row *pm_jdk_row(enum pm_jdk_part part);
/* Whether to look for it in this release (0: unknown). Otherwise its loss is noted, if it matters.
 */
bool pm_jdk_expects(enum pm_jdk_part part, int version);
/* It was looked for and does not exist. True the first time. Any thread. */
bool pm_jdk_note_missing(enum pm_jdk_part part);
/* Appends what is not recorded to a list "a, b" of `size` bytes, without duplicates. */
void pm_jdk_list_losses(char *list, size_t size);
/* For tests: the members "a;b" are treated as missing. `names` must stay valid. Before the first
 * lookup. */
void pm_jdk_hide(const char *names);
bool pm_jdk_is_hidden(enum pm_jdk_part part);
void pm_jdk_clear(void); /* for tests: nothing is missing or hidden */

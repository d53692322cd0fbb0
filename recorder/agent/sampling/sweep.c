#include "recorder/agent/sampling/sweep.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/allocation/path-walk.h"
#include "recorder/agent/allocation/reporting.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/native-thread.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/park.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/vthread.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/sampling/class-init.h"
#include "recorder/agent/sampling/in-progress.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/gate.h"

#define LISTEN_NS      INT64_C(5000000000)
#define LOOK_EVERY_NS  INT64_C(10000000000)
#define LOOK_SLICE_NS  2000000
#define LOOK_SHARE     100 /* one part of the time in so many: looks at all threads, or for classes */
#define STILL_EVERY_NS INT64_C(500000000)
#define QUIET_NS       INT64_C(10000000000)
#define SETTLED_NS                                                                                 \
    INT64_C(2000000000) /* since the gate opened, and since all waits in progress were recorded */
#define QUIET_BLOCKERS   2048
#define LAST_LOOK_NS     50000000 /* as the JVM ends: which waits in progress are over? */
#define REFRESH_SHARE    100      /* one part of the time in so many: are waits in progress over? */
#define REFRESH_SLICE_NS 1000000
#define STACK_BYTES      (512u << 10) /* the JVM wants its guard zones in it */

static struct {
    struct pm_native_thread thread;
    bool runs;
    bool stop, done;
    _Atomic bool has_entries; /* of in-progress.h */
    _Atomic bool hurry, record, switches;
    _Atomic bool deaf; /* waits for monitors need not be reported; changed: `switches` */
    /* Of its thread: */
    int64_t chores_ns;   /* when they are due */
    bool records;        /* the waits in progress, which takes long where threads are many */
    int64_t recorded_ns; /* when it had done so last */
    pthread_mutex_t lock;
    pthread_cond_t wake;
} sweep = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wake(_Atomic bool *wish)
{
    if (!sweep.runs || atomic_exchange(wish, true))
        return;
    pthread_mutex_lock(&sweep.lock);
    pthread_cond_signal(&sweep.wake);
    pthread_mutex_unlock(&sweep.lock);
}

void pm_sweep_hurry(void)
{
    wake(&sweep.hurry);
}

void pm_sweep_record_in_progress(void)
{
    wake(&sweep.record);
}

bool pm_sweep_listen(bool listens)
{
    int64_t until_ns = pm_clock_now() + LISTEN_NS;
    atomic_store(&sweep.deaf, !listens);
    wake(&sweep.switches);
    while (listens && !pm_monitor_listens() && sweep.runs && pm_clock_now() < until_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return !listens || pm_monitor_listens();
}

static void look_at(JNIEnv *env, jthread thread, bool watches, uint64_t *n_unseen)
{
    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    pm_thread_id id = pm_thread_find(tid);
    if (!id.n)
        return;
    pm_resolve_renamed(env, thread, id);
    pm_monitor_settle_other(env, thread, tid);
    *n_unseen += watches && pm_park_is_unseen(env, thread, tid);
}

/* What no event tells: threads rename themselves, leave an Object.wait by an exception, park where
 * we are not called. For some milliseconds, then where it stopped: with each thread that it is
 * asked for, JDK 25 looks at all of them, and mounts no virtual one meanwhile. Returns when the
 * next look is due. */
static int64_t look_at_threads(JNIEnv *env)
{
    static jint next; /* of them, to be looked at */
    jint n = 0, from = next;
    jthread *threads = NULL;
    uint64_t n_unseen = 0;
    unsigned round = pm_gate_version();
    const int64_t begin_ns = pm_clock_now();
    bool watches = pm_gate_open() && !sweep.records && !atomic_load(&sweep.record) &&
                   begin_ns - atomic_load(&pm_gate_opened_ns) > SETTLED_NS &&
                   begin_ns - sweep.recorded_ns > SETTLED_NS;
    if (!pm_host_threads(env, &threads, &n))
        return begin_ns + LOOK_EVERY_NS;
    next = 0;
    for (jint i = 0; i < n; i++) {
        if (i >= from && !next) {
            look_at(env, threads[i], watches, &n_unseen);
            if (pm_clock_now() - begin_ns > LOOK_SLICE_NS)
                next = i + 1;
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    pm_host_free(threads);
    if (n_unseen && pm_gate_version() == round) {
        atomic_fetch_add(&pm_self_metrics.parks_unseen, n_unseen);
        pm_hooks_repair(env);
    }
    const int64_t end_ns = pm_clock_now(), due_ns = end_ns + (end_ns - begin_ns) * LOOK_SHARE;
    return next || due_ns > begin_ns + LOOK_EVERY_NS ? due_ns : begin_ns + LOOK_EVERY_NS;
}

/* Is it in a futex without a timeout, as the kernel tells? */
static bool waits_for_ever(int32_t native_id)
{
    char path[64], text[128], *at = text;
    long words[5] = {0}; /* the call's number, and what it was called with */
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)native_id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? 0 : pread(file, text, sizeof text - 1, 0);
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 5; i++)
        words[i] = strtol(at, &at, 0);
    return n > 0 && words[0] == SYS_futex && words[4] == 0;
}

/* A thread of the program that may wait for the initialisation of a class. */
static bool stands_still(void)
{
    pm_thread_id id;
    struct pm_thread_row row;
    int64_t tid;
    for (size_t at = 0; pm_class_init_next(&at, &id, &tid);)
        if (pm_thread_get(id, &row) && row.begin_ns && waits_for_ever(row.native_id))
            return true;
    return false;
}

/* Attaching gives the thread a Thread.tid, which moves the ids of the program's later threads; a
 * short program with few blockers is left alone. */
static bool is_needed(int64_t begin_ns)
{
    return pm_reporting_is_on() || atomic_load(&sweep.record) || atomic_load(&sweep.hurry) ||
           atomic_load(&sweep.switches) || pm_vthread_is_undone() ||
           pm_identity_count() > QUIET_BLOCKERS || stands_still() ||
           pm_clock_now() - begin_ns > QUIET_NS;
}

/* Ends the waits in progress that are over, if it is time to look. */
static void refresh(JNIEnv *env)
{
    static int64_t at_ns;
    int64_t begin_ns = pm_clock_now();
    if (begin_ns < at_ns)
        return;
    atomic_store(&sweep.has_entries, pm_in_progress_refresh(env, REFRESH_SLICE_NS));
    int64_t end_ns = pm_clock_now();
    at_ns = end_ns + (end_ns - begin_ns) * REFRESH_SHARE;
}

/* When it is due: it takes one part in so many of the time at most. */
static void look_for_classes(JNIEnv *env)
{
    static int64_t at_ns;
    const int64_t begin_ns = pm_clock_now();
    if (begin_ns < at_ns)
        return;
    pm_in_progress_look_for_classes(env);
    const int64_t end_ns = pm_clock_now(), pause_ns = (end_ns - begin_ns) * LOOK_SHARE;
    at_ns = end_ns + (pause_ns > STILL_EVERY_NS ? pause_ns : STILL_EVERY_NS);
}

/* All but what is in progress as the recording begins. */
static void do_chores(JNIEnv *env)
{
    static int64_t look_at_ns;
    atomic_store(&sweep.hurry, false);
    atomic_store(&sweep.switches, false);
    pm_monitor_listen(!atomic_load(&sweep.deaf));
    look_for_classes(env);
    refresh(env);
    bool soon = pm_identity_reclaim(env);
    pm_vthread_repair(env);
    pm_vthread_look_after(env);
    soon |= pm_reporting_work(env);
    soon |= pm_path_work(env);
    if (pm_clock_now() >= look_at_ns)
        look_at_ns = look_at_threads(env);
    const int64_t pause_ns = soon                              ? 20000000
                             : atomic_load(&sweep.has_entries) ? 100000000
                                                               : 1000000000;
    sweep.chores_ns = pm_clock_now() + pause_ns;
}

/* In the middle of looking at all threads: chores are done meanwhile. False: it is to be given up.
 */
static bool pause_record(JNIEnv *env, int64_t ns)
{
    const int64_t until_ns = pm_clock_now() + ns;
    pthread_mutex_lock(&sweep.lock);
    while (!sweep.stop && !atomic_load(&sweep.record) && pm_clock_now() < until_ns) {
        if (atomic_load(&sweep.hurry) || atomic_load(&sweep.switches) ||
            pm_clock_now() >= sweep.chores_ns) {
            pthread_mutex_unlock(&sweep.lock);
            do_chores(env);
            pthread_mutex_lock(&sweep.lock);
        } else {
            pm_native_thread_wait(&sweep.wake, &sweep.lock,
                                  until_ns < sweep.chores_ns ? until_ns : sweep.chores_ns);
        }
    }
    const bool goes_on = !sweep.stop && !atomic_load(&sweep.record);
    pthread_mutex_unlock(&sweep.lock);
    return goes_on;
}

static void work(JNIEnv *env)
{
    while (!sweep.stop) {
        if (!atomic_load(&sweep.record) && !atomic_load(&sweep.switches) && sweep.chores_ns)
            pm_native_thread_wait(&sweep.wake, &sweep.lock, sweep.chores_ns);
        if (sweep.stop)
            break;
        pthread_mutex_unlock(&sweep.lock);
        do_chores(env);
        if (atomic_exchange(&sweep.record, false)) {
            sweep.records = true;
            pm_in_progress_record(env, pause_record);
            sweep.records = false;
            sweep.recorded_ns = pm_clock_now();
            sweep.chores_ns = 0; /* what was found is looked at soon */
        }
        pthread_mutex_lock(&sweep.lock);
    }
    pthread_mutex_unlock(&sweep.lock);
    if (atomic_load(&sweep.has_entries))
        atomic_store(&sweep.has_entries, pm_in_progress_refresh(env, LAST_LOOK_NS));
    pthread_mutex_lock(&sweep.lock);
    sweep.done = true;
    pthread_cond_signal(&sweep.wake);
}

/* It fails while the heap is full. False: the sweep is to stop. */
static bool attach(void)
{
    int64_t pause_ns = PM_ATTACH_PAUSE_NS;
    bool goes_on = true, attached = false;
    while (goes_on && !(attached = pm_host_attach(PM_SWEEP_THREAD) == 0)) {
        const int64_t until_ns = pm_clock_now() + pause_ns;
        pthread_mutex_lock(&sweep.lock);
        while (!sweep.stop && pm_clock_now() < until_ns)
            pm_native_thread_wait(&sweep.wake, &sweep.lock, until_ns);
        goes_on = !sweep.stop;
        pthread_mutex_unlock(&sweep.lock);
        pause_ns = pm_attach_pause(pause_ns);
    }
    return attached;
}

static void *run(void *context)
{
    JNIEnv *env = NULL;
    int64_t begin_ns = pm_clock_now();
    pthread_mutex_lock(&sweep.lock);
    while (!sweep.stop && !is_needed(begin_ns))
        pm_native_thread_wait(&sweep.wake, &sweep.lock, pm_clock_now() + 1000000000);
    bool needed = !sweep.stop;
    pthread_mutex_unlock(&sweep.lock);
    if (!needed || !attach())
        return NULL;
    (*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8);
    pthread_mutex_lock(&sweep.lock);
    work(env);
    pthread_mutex_unlock(&sweep.lock);
    pm_host_detach();
    return NULL;
}

int pm_sweep_start(bool listens)
{
    atomic_store(&sweep.deaf, !listens);
    pm_native_thread_condition_init(&sweep.wake);
    int error = pm_native_thread_start(&sweep.thread, "parkmeter-sweep", STACK_BYTES, run, NULL);
    sweep.runs = error == 0;
    return error;
}

void pm_sweep_stop(void)
{
    if (!sweep.runs)
        return;
    pthread_mutex_lock(&sweep.lock);
    sweep.stop = true;
    pthread_cond_signal(&sweep.wake);
    int64_t until_ns = pm_clock_now() + LAST_LOOK_NS;
    while (atomic_load(&sweep.has_entries) && !sweep.done &&
           pm_native_thread_wait(&sweep.wake, &sweep.lock, until_ns) == 0) {
    }
    pthread_mutex_unlock(&sweep.lock);
    sweep.runs = false;
}

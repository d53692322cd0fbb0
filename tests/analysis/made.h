/* Recordings made by hand or at random, for the tests of the analysis. */
#pragma once

#include <string.h>

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/recording-private.h"

typedef struct {
    PmAssembly *assembly;
    guint32 lock_class, queue_class, none_class;
    guint32 lock_chain, idle_chain, other_chain;
} PmMade;

static inline guint32 pm_made_method(PmAssembly *a, const char *class_name, const char *method,
                                     const char *file)
{
    return pm_assembly_add_method(a, pm_assembly_add_class(a, class_name), method, file);
}

/* The method of that name, made where there is none yet. */
static inline guint32 pm_made_method_once(PmAssembly *a, const char *class_name, const char *method)
{
    const char *last = strrchr(class_name, '.');
    g_autofree char *file = g_strconcat(last ? last + 1 : class_name, ".java", NULL);
    for (guint32 m = 1; m < a->methods->len; m++) {
        const PmMethod *known = &g_array_index(a->methods, PmMethod, m);
        if (strcmp(known->name, method) == 0 &&
            strcmp(g_array_index(a->classes, PmClass, known->class_index).name, class_name) == 0)
            return m;
    }
    return pm_made_method(a, class_name, method, file);
}

/* A chain of "com.acme.PriceCache.get" and the like, the innermost first, until NULL; each at line
 * 1 and so on, in the file of its class. */
static inline guint32 pm_made_chain(PmAssembly *a, const char *innermost, ...)
{
    PmFrame frames[16];
    guint n = 0;
    va_list names;
    va_start(names, innermost);
    for (const char *name = innermost; name; name = va_arg(names, const char *)) {
        const char *method = strrchr(name, '.');
        g_autofree char *class_name = g_strndup(name, (gsize)(method - name));
        g_assert_cmpuint(n, <, G_N_ELEMENTS(frames));
        frames[n].method = pm_made_method_once(a, class_name, method + 1);
        frames[n].line = (gint32)n + 1;
        n++;
    }
    va_end(names);
    return pm_assembly_add_chain(a, frames, n, FALSE);
}

/* One look at `owner`, for the sake of `waiter`, which waits for `blocker`. */
static inline void pm_made_sample(PmAssembly *a, guint8 role, guint32 waiter, guint32 blocker,
                                  guint32 owner, guint32 chain, gint64 at)
{
    const PmOwnerSample sample = {.at = at,
                                  .waiter = waiter,
                                  .blocker = blocker,
                                  .owner = owner,
                                  .chain = chain,
                                  .weight = 1,
                                  .role = role};
    g_array_append_val(a->samples, sample);
}

/* Three chains: a lock taken in PriceCache.get, an idle pool thread, a wait in Report.render. */
static inline PmMade pm_made_begin(void)
{
    PmMade m = {.assembly = pm_assembly_new()};
    PmAssembly *a = m.assembly;
    m.lock_class = pm_assembly_add_class(a, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    m.queue_class = pm_assembly_add_class(
        a, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject");
    m.none_class = 0;
    guint32 unsafe = pm_made_method(a, "jdk.internal.misc.Unsafe", "park", "Unsafe.java");
    guint32 park =
        pm_made_method(a, "java.util.concurrent.locks.LockSupport", "park", "LockSupport.java");
    guint32 acquire = pm_made_method(a, "java.util.concurrent.locks.AbstractQueuedSynchronizer",
                                     "acquire", "AbstractQueuedSynchronizer.java");
    guint32 get = pm_made_method(a, "com.acme.PriceCache", "get", "PriceCache.java");
    guint32 await =
        pm_made_method(a, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
                       "await", "AbstractQueuedSynchronizer.java");
    guint32 take = pm_made_method(a, "java.util.concurrent.LinkedBlockingQueue", "take",
                                  "LinkedBlockingQueue.java");
    guint32 task = pm_made_method(a, "java.util.concurrent.ThreadPoolExecutor", "getTask",
                                  "ThreadPoolExecutor.java");
    guint32 render = pm_made_method(a, "com.acme.Report", "render", "Report.java");
    guint32 run = pm_made_method(a, "java.lang.Thread", "run", "Thread.java");
    PmFrame lock[] = {{unsafe, -1}, {park, 211}, {acquire, 715}, {get, 41}, {run, 840}};
    PmFrame idle[] = {{unsafe, -1}, {park, 211},  {await, 506},
                      {take, 435},  {task, 1062}, {run, 840}};
    PmFrame other[] = {{unsafe, -1}, {park, 211}, {await, 506}, {render, 12}, {run, 840}};
    m.lock_chain = pm_assembly_add_chain(a, lock, G_N_ELEMENTS(lock), FALSE);
    m.idle_chain = pm_assembly_add_chain(a, idle, G_N_ELEMENTS(idle), FALSE);
    m.other_chain = pm_assembly_add_chain(a, other, G_N_ELEMENTS(other), FALSE);
    return m;
}

/* `format`: of its name. */
G_GNUC_PRINTF(2, 3)
static inline guint32 pm_made_thread(PmMade *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *name = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    PmThread t = {.tid = m->assembly->threads->len, .name = name};
    return pm_assembly_add_thread(m->assembly, &t);
}

static inline guint32 pm_made_blocker(PmMade *m, guint32 class_index, guint32 hash,
                                      guint32 first_chain)
{
    PmBlocker b = {.class_index = class_index, .hash = hash, .first_chain = first_chain};
    return pm_assembly_add_blocker(m->assembly, &b);
}

/* Adds a wait; behind its chain come the other members of its PmWaitRow, as `.flags = …`. */
#define PM_MADE_WAIT(assembly_, begin_, end_, thread_, blocker_, chain_, ...)                      \
    pm_assembly_add_wait(assembly_, &(PmWaitRow){.begin = (begin_),                                \
                                                 .end = (end_),                                    \
                                                 .thread = (thread_),                              \
                                                 .blocker = (blocker_),                            \
                                                 .chain = (chain_),                                \
                                                 __VA_ARGS__})

static inline void pm_made_wait(PmMade *m, guint32 thread, guint32 blocker, guint32 chain,
                                gint64 begin, gint64 end, guint16 flags)
{
    PM_MADE_WAIT(m->assembly, begin, end, thread, blocker, chain, .flags = flags);
}

/* The same for what `owner` holds, who releases it at the end of a wait that does not go on. */
static inline void pm_made_held_wait(PmMade *m, guint32 thread, guint32 blocker, guint32 chain,
                                     guint32 owner, gint64 begin, gint64 end, guint16 flags)
{
    const gboolean ended = (flags & PM_WAIT_IN_PROGRESS) == 0;
    PM_MADE_WAIT(m->assembly, begin, end, thread, blocker, chain, .owner = owner, .flags = flags,
                 .wake_cause = ended ? PM_WAKE_RELEASE : 0, .wake = ended ? end : 0,
                 .waker = ended ? owner : 0, .waker_chain = ended ? m->other_chain : 0);
}

/* A lock held for 400 ms of each of 20 seconds; its owner and somebody else allocate an object of
 * `size` bytes every 100 ms. */
static inline PmRecording *pm_made_holding(guint64 size)
{
    const gint64 ms = 1000000;
    PmMade m = pm_made_begin();
    const guint32 owner = pm_made_thread(&m, "owner"), waiter = pm_made_thread(&m, "waiter");
    const guint32 other = pm_made_thread(&m, "other");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 chain = pm_made_chain(m.assembly, "com.acme.Report.render", NULL);
    m.assembly->duration = 20000 * ms;
    for (gint64 k = 0; k < 20; k++)
        pm_made_held_wait(&m, waiter, lock, m.lock_chain, owner, 1000 * k * ms,
                          (1000 * k + 400) * ms, 0);
    for (gint64 k = 0; k < 400; k++) {
        const PmAllocation sample = {.at = k / 2 * 100 * ms,
                                     .size = size,
                                     .interval = 512 << 10,
                                     .thread = k % 2 ? other : owner,
                                     .class_index = m.lock_class,
                                     .chain = chain};
        g_array_append_val(m.assembly->allocations, sample);
    }
    return pm_assembly_finish(m.assembly);
}

/* All waits of a recording. */
static inline PmView *pm_made_view(PmRecording *recording)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    return pm_view_new(recording, filter, NULL);
}

/* `n_threads` threads that wait one wait after the other, on a few blockers of each meaning, some
 * before the begin, some for ever, with many equal instants and waits of no length. */
static inline PmRecording *pm_made_random(guint32 seed, guint n_waits, guint n_threads,
                                          gint64 duration)
{
    GRand *rand = g_rand_new_with_seed(seed);
    PmMade m = pm_made_begin();
    guint32 threads[64], blockers[6], chains[6];
    n_threads = MIN(n_threads, G_N_ELEMENTS(threads));
    for (guint i = 0; i < n_threads; i++)
        threads[i] = pm_made_thread(&m, "%s-%u", i % 3 == 0 ? "http-nio" : "pool", i);
    for (guint i = 0; i < 6; i++) {
        chains[i] = i < 3 ? m.lock_chain : i < 5 ? m.idle_chain : m.other_chain;
        blockers[i] =
            pm_made_blocker(&m, i < 3 ? m.lock_class : m.queue_class, 0x1000 + i, chains[i]);
    }
    gint64 step = MAX(duration * (gint64)n_threads / MAX((gint64)n_waits, 1), 2);
    for (guint t = 0; t < n_threads; t++) {
        gint64 at = g_rand_int_range(rand, -100, 100);
        for (guint i = 0; i < n_waits / n_threads && at < duration; i++) {
            guint b = (guint)g_rand_int_range(rand, 0, 6);
            gint64 length = g_rand_int_range(rand, 0, 8) == 0
                                ? 0
                                : (gint64)(g_rand_double(rand) * (double)step);
            gboolean open = at + length >= duration;
            gint64 end = open ? duration : at + length;
            PM_MADE_WAIT(m.assembly, at, end, threads[t], blockers[b], chains[b],
                         .wake = open ? 0 : end, .owner = b < 3 ? threads[(t + 1) % n_threads] : 0,
                         .waker = open ? 0 : threads[(t + 2) % n_threads],
                         .waker_chain = open ? 0 : m.lock_chain,
                         .flags = open ? PM_WAIT_IN_PROGRESS : 0,
                         .wake_cause = (guint8)(open ? 0 : g_rand_int_range(rand, 0, 3)));
            if (open)
                break;
            at = end + g_rand_int_range(rand, 0, 4) * (step / 4);
        }
    }
    m.assembly->duration = duration;
    m.assembly->facts.begin_unix_ns = G_GINT64_CONSTANT(1795269731000000000);
    m.assembly->facts.file = "made.park";
    g_rand_free(rand);
    return pm_assembly_finish(m.assembly);
}

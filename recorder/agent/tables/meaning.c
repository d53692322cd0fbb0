#include "recorder/agent/tables/meaning.h"

#include <string.h>

#include "recorder/agent/tables/names.h"

/* From the innermost frame outwards the first frame that a row fits decides. A class ending in '*'
 * stands for what begins so; a method "" for any. `inside`: only if some frame further out has
 * this method; rows with it come before the row they refine.
 *
 * JDK 17-25: AbstractQueuedSynchronizer.signalNext is how all of them unpark, and says nothing;
 * who called it does. await() gives the lock back by enableWait → release, which is a release. */
#define JUC "java.util.concurrent."
#define AQS JUC "locks.AbstractQueued*"

static const struct rule {
    const char *class_name;
    const char *method;
    const char *inside;
    uint8_t cause;
} rules[] = {
    {AQS, "cancelAcquire", NULL, PM_WAKE_CANCELLATION},
    {AQS, "cleanQueue", NULL, PM_WAKE_CANCELLATION},
    {AQS, "signalNextIfShared", NULL, PM_WAKE_PROPAGATION},
    {AQS, "setHeadAndPropagate", NULL, PM_WAKE_PROPAGATION},
    {AQS, "doSignal", NULL, PM_WAKE_SIGNAL},
    {AQS, "doSignalAll", NULL, PM_WAKE_SIGNAL},
    {AQS, "signal", NULL, PM_WAKE_SIGNAL},
    {AQS, "signalAll", NULL, PM_WAKE_SIGNAL},
    {AQS, "releaseShared", "countDown", PM_WAKE_COMPLETION},
    {AQS, "releaseShared", NULL, PM_WAKE_RELEASE},
    {AQS, "release", NULL, PM_WAKE_RELEASE},
    {JUC "locks.StampedLock", "cancelWaiter", NULL, PM_WAKE_CANCELLATION},
    {JUC "locks.StampedLock", "cancelAcquire", NULL, PM_WAKE_CANCELLATION},
    {JUC "locks.StampedLock", "cleanQueue", NULL, PM_WAKE_CANCELLATION},
    {JUC "locks.StampedLock", "signalCowaiters", NULL, PM_WAKE_PROPAGATION},
    {JUC "locks.StampedLock", "acquireRead", NULL, PM_WAKE_PROPAGATION},
    {JUC "locks.StampedLock", "acquireWrite", NULL, PM_WAKE_PROPAGATION},
    {JUC "locks.StampedLock", "releaseWrite", NULL, PM_WAKE_RELEASE},
    {JUC "locks.StampedLock", "unlockWrite", NULL, PM_WAKE_RELEASE},
    {JUC "locks.StampedLock", "unlockRead", NULL, PM_WAKE_RELEASE},
    {JUC "locks.StampedLock", "unlock", NULL, PM_WAKE_RELEASE},
    {JUC "FutureTask", "finishCompletion", NULL, PM_WAKE_COMPLETION},
    {JUC "CompletableFuture$Signaller", "tryFire", "waitingGet", PM_WAKE_PROPAGATION},
    {JUC "CompletableFuture$Signaller", "tryFire", "timedGet", PM_WAKE_PROPAGATION},
    {JUC "CompletableFuture*", "", NULL, PM_WAKE_COMPLETION},
    {JUC "Phaser", "releaseWaiters", "internalAwaitAdvance", PM_WAKE_PROPAGATION},
    {JUC "Phaser", "", NULL, PM_WAKE_COMPLETION},
    {JUC "ForkJoinTask*", "", NULL, PM_WAKE_COMPLETION},
    {JUC "ForkJoinPool", "signalWork", NULL, PM_WAKE_SIGNAL},
    {JUC "ForkJoinPool", "tryTerminate", NULL, PM_WAKE_SIGNAL},
    {JUC "ForkJoinPool", "", NULL, PM_WAKE_SIGNAL},
    {JUC "DelayScheduler", "", NULL, PM_WAKE_SIGNAL},
    {JUC "Exchanger", "", NULL, PM_WAKE_SIGNAL},
    {JUC "SynchronousQueue*", "", NULL, PM_WAKE_SIGNAL},
    {JUC "LinkedTransferQueue*", "", NULL, PM_WAKE_SIGNAL},
    {JUC "SubmissionPublisher*", "", NULL, PM_WAKE_SIGNAL},
};

/* Frames that say nothing either way; the search goes on behind them, and stops at any other. */
static const struct neutral {
    const char *class_name;
    const char *method;
} neutrals[] = {
    {"jdk.internal.misc.Unsafe", ""},
    {JUC "locks.LockSupport", ""},
    {AQS, ""},
    {JUC "locks.StampedLock*", ""},
    {"java.lang.VirtualThread", ""},
    {"java.lang.System$*", ""}, /* JavaLangAccess.unparkVirtualThread */
};

/* Locking code of java.base, where no site is looked for. */
static const char *const locking[] = {
    "jdk.internal.misc.Unsafe", "jdk.internal.misc.Blocker", "java.util.concurrent.*",
    "java.lang.VirtualThread*", "java.lang.Object",          "java.lang.ref.*",
    "jdk.internal.vm.*",
};

/* The frame below which a thread has no task. */
static const struct neutral idles[] = {
    {JUC "ThreadPoolExecutor", "getTask"},
    {JUC "ForkJoinPool", "awaitWork"},
    {JUC "DelayScheduler", "run"},
    {"org.apache.tomcat.util.threads.ThreadPoolExecutor", "getTask"},
    {"java.util.TimerThread", "mainLoop"},
    {"jdk.internal.ref.CleanerImpl", "run"},
    {"java.lang.ref.Finalizer$FinalizerThread", "run"},
};

/* Queues of pools that are not the JDK's. */
static const char *const pool_queues[] = {"org.apache.tomcat.util.threads.TaskQueue"};

static bool class_fits(const char *pattern, struct pm_text name)
{
    size_t length = strlen(pattern);
    if (length && pattern[length - 1] == '*')
        return name.length >= length - 1 && memcmp(pattern, name.bytes, length - 1) == 0;
    return name.length == length && memcmp(pattern, name.bytes, length) == 0;
}

static bool method_fits(const char *pattern, struct pm_text name)
{
    size_t length = strlen(pattern);
    return length == 0 || (name.length == length && memcmp(pattern, name.bytes, length) == 0);
}

static bool names_of(struct pm_frame frame, struct pm_text *ret_class, struct pm_text *ret_method)
{
    struct pm_method method;
    struct pm_class class;
    if (!pm_method_get(frame.method, &method) || !pm_class_get(method.class_id, &class))
        return false;
    *ret_class = class.name;
    *ret_method = method.name;
    return true;
}

static bool has_method(const struct pm_frame *frames, uint32_t n_frames, const char *wanted)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames && i < 4; i++)
        if (names_of(frames[i], &class, &method) && method_fits(wanted, method))
            return true;
    return false;
}

uint8_t pm_meaning_cause(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames && i < 16; i++) {
        if (!names_of(frames[i], &class, &method))
            break;
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
            if (class_fits(rules[r].class_name, class) && method_fits(rules[r].method, method) &&
                (!rules[r].inside || has_method(frames + i + 1, n_frames - i - 1, rules[r].inside)))
                return rules[r].cause;
        bool neutral = false;
        for (size_t r = 0; r < sizeof neutrals / sizeof *neutrals && !neutral; r++)
            neutral = class_fits(neutrals[r].class_name, class) &&
                      method_fits(neutrals[r].method, method);
        if (!neutral)
            break;
    }
    return PM_WAKE_UNKNOWN;
}

static bool is_locking(struct pm_text class)
{
    for (size_t r = 0; r < sizeof locking / sizeof *locking; r++)
        if (class_fits(locking[r], class))
            return true;
    return false;
}

uint32_t pm_meaning_site_frame(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames; i++)
        if (names_of(frames[i], &class, &method) && !is_locking(class))
            return i;
    return n_frames;
}

pm_method_id pm_meaning_site(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    uint32_t site = pm_meaning_site_frame(frames, n_frames);
    if (site < n_frames)
        return frames[site].method;
    for (uint32_t i = 0; i < n_frames; i++)
        if (names_of(frames[i], &class, &method) &&
            !class_fits("jdk.internal.misc.Unsafe", class) &&
            !class_fits(JUC "locks.LockSupport", class))
            return frames[i].method;
    return n_frames ? frames[n_frames - 1].method : (pm_method_id){0};
}

bool pm_meaning_is_idle(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames && names_of(frames[i], &class, &method); i++) {
        for (size_t r = 0; r < sizeof idles / sizeof *idles; r++)
            if (class_fits(idles[r].class_name, class) && method_fits(idles[r].method, method))
                return true;
        bool goes_on = is_locking(class);
        for (size_t r = 0; r < sizeof pool_queues / sizeof *pool_queues && !goes_on; r++)
            goes_on = class_fits(pool_queues[r], class);
        if (!goes_on)
            return false;
    }
    return false;
}

bool pm_meaning_polls(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames && names_of(frames[i], &class, &method); i++)
        if (!class_fits(JUC "locks.LockSupport", class))
            return class_fits("sun.nio.ch.Poller*", class); /* and its requests, of JDK 21 */
    return false;
}

bool pm_meaning_joins(const struct pm_frame *frames, uint32_t n_frames)
{
    struct pm_text class, method;
    for (uint32_t i = 0; i < n_frames && names_of(frames[i], &class, &method); i++)
        if (!class_fits("java.lang.Object", class))
            return class_fits("java.lang.Thread", class) && method_fits("join", method);
    return false;
}

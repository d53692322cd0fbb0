#include "viewer/analysis/recording/category.h"

#include <string.h>

#include "format/record.h"
#include "viewer/analysis/base/glob.h"
#include "viewer/analysis/recording/label.h"

static const struct {
    const char *name;
    PmFamily family;
} categories[PM_N_CATEGORIES] = {
    [PM_CATEGORY_LOCK] = {"lock", PM_FAMILY_LOCK},
    [PM_CATEGORY_CLASS_INIT] = {"class-init", PM_FAMILY_LOCK},
    [PM_CATEGORY_SEMAPHORE] = {"semaphore", PM_FAMILY_RESOURCE},
    [PM_CATEGORY_RESOURCE] = {"resource", PM_FAMILY_RESOURCE},
    [PM_CATEGORY_CONDITION] = {"condition", PM_FAMILY_SIGNAL},
    [PM_CATEGORY_QUEUE] = {"queue", PM_FAMILY_SIGNAL},
    [PM_CATEGORY_TRANSFER] = {"transfer", PM_FAMILY_SIGNAL},
    [PM_CATEGORY_LATCH] = {"latch", PM_FAMILY_JOIN},
    [PM_CATEGORY_BARRIER] = {"barrier", PM_FAMILY_JOIN},
    [PM_CATEGORY_FUTURE] = {"future", PM_FAMILY_JOIN},
    [PM_CATEGORY_POOL_IDLE] = {"pool-idle", PM_FAMILY_IDLE},
    [PM_CATEGORY_TIMER] = {"timer", PM_FAMILY_IDLE},
    [PM_CATEGORY_OTHER] = {"other", PM_FAMILY_OTHER},
};

static const char *const families[PM_N_FAMILIES] = {
    [PM_FAMILY_LOCK] = "lock", [PM_FAMILY_RESOURCE] = "resource", [PM_FAMILY_SIGNAL] = "signal",
    [PM_FAMILY_JOIN] = "join", [PM_FAMILY_IDLE] = "idle",         [PM_FAMILY_OTHER] = "other",
};

const char *pm_category_name(PmCategory category)
{
    return (guint)category < PM_N_CATEGORIES ? categories[category].name : "other";
}

const char *pm_family_name(PmFamily family)
{
    return (guint)family < PM_N_FAMILIES ? families[family] : "other";
}

PmFamily pm_category_family(PmCategory category)
{
    return (guint)category < PM_N_CATEGORIES ? categories[category].family : PM_FAMILY_OTHER;
}

const char *pm_category_wait_title(PmCategory category, int kind)
{
    return category == PM_CATEGORY_CLASS_INIT ? "class initialisation" : pm_kind_title(kind);
}

/* NULL-terminated, in their order. Owned; the texts are not. */
static const char **names_of_all(void)
{
    const char **names = g_new0(const char *, PM_N_CATEGORIES + 1);

    for (guint i = 0; i < PM_N_CATEGORIES; i++)
        names[i] = categories[i].name;
    return names;
}

gboolean pm_category_parse(const char *name, PmCategory *ret_category)
{
    g_return_val_if_fail(name != NULL && ret_category != NULL, FALSE);
    for (guint i = 0; i < PM_N_CATEGORIES; i++) {
        if (strcmp(name, categories[i].name) == 0) {
            *ret_category = i;
            return TRUE;
        }
    }
    return FALSE;
}

#define PARK         (1 << PM_KIND_PARK)
#define ENTER        (1 << PM_KIND_ENTER)
#define WAIT         (1 << PM_KIND_WAIT)
#define PARK_OR_WAIT (PARK | WAIT)

/* Where a frame pattern is looked for. */
enum place {
    ANY,  /* in any frame */
    SITE, /* in the first frame outside java.base's locking code */
    NEXT, /* in the frame that called Unsafe.park or Object.wait */
};

typedef struct {
    PmCategory category;
    const char *frame; /* "Class.method"; NULL = any */
    enum place place;
    const char *class_name; /* of the blocker; NULL = any, "" = none */
    int kinds;              /* 0 = PARK_OR_WAIT */
} Rule;

#define JUC "java.util.concurrent."

static const Rule rules[] = {
    /* Of a class that another thread initialises; and contended monitors, among which the lock of
     * such a class is an int[0]. */
    {PM_CATEGORY_CLASS_INIT, .class_name = "*.<clinit>", .kinds = ENTER},
    {PM_CATEGORY_CLASS_INIT, .class_name = "int[]", .kinds = ENTER},
    {PM_CATEGORY_CLASS_INIT, .class_name = "[I", .kinds = ENTER},
    /* An event loop that takes note of who wakes it: that is what it waits for. */
    {PM_CATEGORY_POOL_IDLE, "sun.nio.ch.*SelectorImpl.doSelect", .kinds = ENTER},
    {PM_CATEGORY_LOCK, .kinds = ENTER},
    /* What is a lock is a lock also inside an idle pool's queue or a connection pool. */
    {PM_CATEGORY_LOCK, .class_name = JUC "locks.ReentrantLock*", .kinds = PARK},
    {PM_CATEGORY_LOCK, .class_name = JUC "locks.ReentrantReadWriteLock*", .kinds = PARK},
    {PM_CATEGORY_LOCK, .class_name = JUC "locks.StampedLock*", .kinds = PARK},

    /* Idle: executors without a task. */
    {PM_CATEGORY_POOL_IDLE, JUC "ThreadPoolExecutor.getTask"},
    {PM_CATEGORY_POOL_IDLE, JUC "ForkJoinPool.awaitWork"},
    {PM_CATEGORY_POOL_IDLE, JUC "ForkJoinPool.deactivate", SITE},
    {PM_CATEGORY_POOL_IDLE, JUC "ForkJoinPool.runWorker", SITE},
    {PM_CATEGORY_POOL_IDLE, JUC "ForkJoinPool.scan", SITE},
    {PM_CATEGORY_TIMER, JUC "DelayScheduler.*", SITE},
    {PM_CATEGORY_TIMER, JUC "ForkJoinPool$DelayScheduler*", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.tomcat.util.threads.TaskQueue.take"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.tomcat.util.threads.TaskQueue.poll"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.catalina.core.StandardServer.await", SITE},
    {PM_CATEGORY_TIMER, "org.apache.catalina.core.ContainerBase$ContainerBackgroundProcessor.run",
     SITE},
    {PM_CATEGORY_POOL_IDLE, "org.eclipse.jetty.util.thread.QueuedThreadPool*.idleJobPoll"},
    {PM_CATEGORY_POOL_IDLE, "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.*",
     SITE},
    {PM_CATEGORY_POOL_IDLE, "org.eclipse.jetty.util.thread.*ThreadPool.join", SITE},
    {PM_CATEGORY_POOL_IDLE, "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask"},
    {PM_CATEGORY_POOL_IDLE, "io.netty.util.concurrent.GlobalEventExecutor.takeTask"},
    {PM_CATEGORY_TIMER, "io.netty.util.HashedWheelTimer$Worker.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "io.netty.channel.*EventLoop.select*"},
    {PM_CATEGORY_POOL_IDLE, "org.glassfish.grizzly.threadpool.AbstractThreadPool$Worker.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "weblogic.work.ExecuteThread.waitForRequest"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.cassandra.concurrent.SEPWorker.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "kafka.network.RequestChannel.receiveRequest", SITE},
    {PM_CATEGORY_POOL_IDLE, "com.hazelcast.*.MPSCQueue.take*"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.activemq.thread.DedicatedTaskRunner.runTask"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.derby.impl.services.daemon.BasicDaemon.rest"},
    {PM_CATEGORY_POOL_IDLE, "org.eclipse.core.internal.jobs.WorkerPool.sleep"},
    {PM_CATEGORY_POOL_IDLE,
     "org.eclipse.osgi.framework.eventmgr.EventManager$EventThread.getNextEvent"},
    {PM_CATEGORY_POOL_IDLE, "org.apache.felix.framework.util.EventDispatcher.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.felix.framework.FrameworkStartLevelImpl.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.openide.util.RequestProcessor$Processor.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "net.engio.mbassy.bus.*MessageBus$1.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.jboss.threads.EnhancedQueueExecutor*", SITE},
    {PM_CATEGORY_POOL_IDLE, "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.*", SITE},
    {PM_CATEGORY_TIMER, "kotlinx.coroutines.DefaultExecutor.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.quartz.simpl.SimpleThreadPool$*", SITE},
    {PM_CATEGORY_TIMER, "kafka.utils.timer.SystemTimer.advanceClock", SITE},
    {PM_CATEGORY_TIMER, "org.apache.kafka.*.SystemTimer.advanceClock", SITE},
    {PM_CATEGORY_TIMER, "org.hsqldb.lib.HsqlTimer$TaskQueue.park"},
    {PM_CATEGORY_TIMER, "org.quartz.core.QuartzSchedulerThread.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "com.lmax.disruptor.*WaitStrategy.waitFor"},
    {PM_CATEGORY_TIMER, "okhttp3.internal.concurrent.TaskRunner$*.coordinatorWait"},
    {PM_CATEGORY_TIMER, "org.h2.mvstore.MVStore$BackgroundWriterThread.run", SITE},
    {PM_CATEGORY_TIMER, "org.h2.store.WriterThread.run", SITE},
    /* Those that write the log, without a line to write. */
    {PM_CATEGORY_POOL_IDLE, "ch.qos.logback.core.AsyncAppenderBase$Worker.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.logging.log4j.core.appender.AsyncAppender*Dispatcher.*",
     SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.log4j.AsyncAppender$Dispatcher.run", SITE},
    /* Surefire's threads between Maven and a forked JVM, without a command or a line to pass on. */
    {PM_CATEGORY_POOL_IDLE,
     "org.apache.maven.plugin.surefire.booterclient.output.ThreadedStreamConsumer$Pumper.run",
     SITE},
    {PM_CATEGORY_POOL_IDLE,
     "org.apache.maven.plugin.surefire.booterclient.lazytestprovider.*.awaitNextCommand", SITE},
    /* A server's main thread, until the server is told to end. */
    {PM_CATEGORY_POOL_IDLE, "org.apache.zookeeper.server.ZooKeeperServerMain.runFromConfig", SITE},
    {PM_CATEGORY_POOL_IDLE, "kafka.server.*.awaitShutdown"},
    {PM_CATEGORY_POOL_IDLE, "io.grpc.internal.ServerImpl.awaitTermination"},
    {PM_CATEGORY_POOL_IDLE, "*.awaitShutdown"},
    {PM_CATEGORY_POOL_IDLE, "*.waitForShutdown"},
    {PM_CATEGORY_POOL_IDLE, "*.wait_for_shutdown"},
    {PM_CATEGORY_POOL_IDLE, "*.blockUntilShutdown"},
    {PM_CATEGORY_POOL_IDLE, "io.quarkus.runtime.*.waitForExit"},
    {PM_CATEGORY_POOL_IDLE, "*.waitForStop"},
    {PM_CATEGORY_POOL_IDLE, "sun.nio.fs.AbstractWatchService.*"},
    /* ZooKeeper's stages, each a thread with a queue of its own. */
    {PM_CATEGORY_POOL_IDLE, "org.apache.zookeeper.server.*Processor.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.zookeeper.server.RequestThrottler.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "org.apache.zookeeper.ClientCnxn$EventThread.run", SITE},
    {PM_CATEGORY_FUTURE, "org.apache.zookeeper.ClientCnxn.submitRequest", SITE},
    /* Idle: the JDK's own threads and pollers. */
    {PM_CATEGORY_POOL_IDLE, "java.lang.ref.ReferenceQueue*.remove*"},
    {PM_CATEGORY_POOL_IDLE, "java.lang.ref.Reference*Handler.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "java.lang.ref.Finalizer*", SITE},
    {PM_CATEGORY_POOL_IDLE, "jdk.internal.ref.CleanerImpl.run", SITE},
    {PM_CATEGORY_TIMER, "java.util.TimerThread.mainLoop", SITE},
    {PM_CATEGORY_TIMER, "javax.swing.TimerQueue.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "java.awt.EventQueue.getNextEvent"},
    {PM_CATEGORY_POOL_IDLE, "sun.awt.AWTAutoShutdown.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "sun.awt.image.ImageFetcher.nextImage"},
    {PM_CATEGORY_POOL_IDLE, "com.sun.tools.jdi.EventQueueImpl.removeUnfiltered"},
    {PM_CATEGORY_TIMER, "sun.java2d.*$QueueFlusher.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "com.sun.glass.ui.InvokeLaterDispatcher.run", SITE},
    {PM_CATEGORY_POOL_IDLE, "com.sun.media.sound.EventDispatcher.dispatchEvents", SITE},
    {PM_CATEGORY_TIMER, "jdk.jfr.internal.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "sun.nio.ch.*EventHandlerTask.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "sun.nio.ch.SelectorImpl.*"},
    {PM_CATEGORY_POOL_IDLE, "jdk.internal.net.http.HttpClientImpl$SelectorManager.*", SITE},
    {PM_CATEGORY_POOL_IDLE, "sun.net.httpserver.ServerImpl$Dispatcher.run", SITE},
    {PM_CATEGORY_TIMER, "sun.net.www.http.KeepAliveCache.run", SITE},
    {PM_CATEGORY_TIMER, "sun.*.GC$Daemon.run", SITE},
    {PM_CATEGORY_TIMER, "com.sun.jmx.remote.internal.ServerCommunicatorAdmin$Timeout.run", SITE},
    {PM_CATEGORY_POOL_IDLE,
     "com.sun.jmx.remote.internal.ArrayNotificationBuffer.fetchNotifications"},
    {PM_CATEGORY_TIMER, "sun.rmi.transport.*Reaper.*", SITE},
    /* A thread that sleeps by parkNanos and waits for nothing is its own alarm clock. */
    {PM_CATEGORY_FUTURE, JUC "ForkJoinTask.*", NEXT, .class_name = "", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "ForkJoinPool.awaitDone", .class_name = "", .kinds = PARK},

    /* Pooled connections and permits. */
    {PM_CATEGORY_RESOURCE, "com.zaxxer.hikari.util.ConcurrentBag.borrow"},
    {PM_CATEGORY_RESOURCE, "com.zaxxer.hikari.pool.HikariPool.getConnection"},
    {PM_CATEGORY_RESOURCE, "org.h2.jdbcx.JdbcConnectionPool.getConnection*"},
    {PM_CATEGORY_RESOURCE, "org.apache.commons.pool*ObjectPool.borrowObject"},
    {PM_CATEGORY_RESOURCE, "org.apache.tomcat.dbcp.pool2.*ObjectPool.borrowObject"},
    {PM_CATEGORY_RESOURCE, "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection"},
    {PM_CATEGORY_RESOURCE, "org.apache.tomcat.util.threads.LimitLatch.*"},
    {PM_CATEGORY_RESOURCE, "com.mchange.v2.resourcepool.*.awaitAvailable"},
    {PM_CATEGORY_RESOURCE, "com.alibaba.druid.pool.DruidDataSource.*Last"},
    {PM_CATEGORY_RESOURCE, "io.agroal.pool.ConnectionPool.*"},
    {PM_CATEGORY_RESOURCE, "org.apache.http.pool.AbstractConnPool*"},
    {PM_CATEGORY_RESOURCE, "org.apache.hc.core5.pool.*"},
    {PM_CATEGORY_RESOURCE, "oracle.ucp.*borrow*"},
    /* H2's table and row locks are Object.wait loops. */
    {PM_CATEGORY_LOCK, "org.h2.*Table.doLock*"},
    {PM_CATEGORY_LOCK, "org.h2.mvstore.tx.Transaction.waitFor*"},

    /* Until something has started, which it does once. */
    {PM_CATEGORY_FUTURE, .class_name = "scala.concurrent.impl.Promise$*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, "clojure.core$promise$*.deref", SITE, .kinds = PARK},
    {PM_CATEGORY_FUTURE, "kotlinx.coroutines.BlockingCoroutine.joinBlocking", SITE, .kinds = PARK},
    {PM_CATEGORY_FUTURE, "reactor.core.publisher.Blocking*.blocking*Get", SITE, .kinds = PARK},
    {PM_CATEGORY_FUTURE, "io.reactivex.*.Blocking*.blockingGet*", SITE, .kinds = PARK},
    {PM_CATEGORY_LATCH, "*.awaitRunning"},
    {PM_CATEGORY_LATCH, "*.awaitHealthy"},
    {PM_CATEGORY_LATCH, "*.awaitStarted"},
    {PM_CATEGORY_LATCH, "*.waitUntilStarted"},

    /* By what the object is. */
    {PM_CATEGORY_SEMAPHORE, .class_name = JUC "Semaphore*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, "java.lang.Thread.join*"},
    {PM_CATEGORY_FUTURE, "java.lang.VirtualThread.join*"},
    {PM_CATEGORY_FUTURE, "*.awaitTermination"},
    {PM_CATEGORY_FUTURE, "java.lang.Process*.waitFor"},
    {PM_CATEGORY_FUTURE, JUC "ExecutorCompletionService.*"},
    {PM_CATEGORY_FUTURE, "*.cli.AbstractStreamHandler.waitUntilDone", SITE},
    {PM_CATEGORY_LATCH, .class_name = JUC "CountDownLatch*", .kinds = PARK},
    {PM_CATEGORY_BARRIER, JUC "CyclicBarrier.dowait"},
    {PM_CATEGORY_BARRIER, .class_name = JUC "Phaser*", .kinds = PARK},
    {PM_CATEGORY_TRANSFER, .class_name = JUC "SynchronousQueue*", .kinds = PARK},
    {PM_CATEGORY_TRANSFER, .class_name = JUC "LinkedTransferQueue*", .kinds = PARK},
    {PM_CATEGORY_TRANSFER, .class_name = JUC "Exchanger*", .kinds = PARK},
    {PM_CATEGORY_TRANSFER, JUC "SynchronousQueue$Transfer*", .kinds = PARK},
    {PM_CATEGORY_TRANSFER, JUC "LinkedTransferQueue.*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, .class_name = JUC "FutureTask*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "FutureTask.awaitDone", .kinds = PARK}, /* of a subclass */
    {PM_CATEGORY_FUTURE, .class_name = JUC "CompletableFuture*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, .class_name = JUC "ForkJoinTask*", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "ForkJoinTask.awaitDone", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "ForkJoinPool.awaitDone", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "ForkJoinPool.helpQuiescePool", .kinds = PARK},
    {PM_CATEGORY_FUTURE, JUC "CompletableFuture.*Get", .kinds = PARK},
    {PM_CATEGORY_FUTURE, "io.netty.util.concurrent.DefaultPromise.await*"},
    {PM_CATEGORY_FUTURE, "*Future.get", SITE},
    {PM_CATEGORY_QUEUE, JUC "*BlockingQueue.*"},
    {PM_CATEGORY_QUEUE, JUC "*BlockingDeque.*"},
    {PM_CATEGORY_QUEUE, JUC "DelayQueue.*"},
    {PM_CATEGORY_QUEUE, JUC "*DelayedWorkQueue.*"},
    {PM_CATEGORY_QUEUE, "*Queue.take*", SITE},
    {PM_CATEGORY_QUEUE, "*Queue.poll*", SITE},
    {PM_CATEGORY_QUEUE, "*Queue.put*", SITE},
    {PM_CATEGORY_QUEUE, "*Queue.offer*", SITE},
    {PM_CATEGORY_CONDITION, .class_name = "*Synchronizer$ConditionObject", .kinds = PARK},
    {PM_CATEGORY_CONDITION, JUC "locks.*Synchronizer$ConditionObject.await*", .kinds = PARK},
    {PM_CATEGORY_CONDITION, .kinds = WAIT},
    {PM_CATEGORY_POOL_IDLE, JUC "ForkJoinPool.*", SITE, .class_name = "", .kinds = PARK},
    {PM_CATEGORY_TIMER, JUC "locks.LockSupport.parkNanos", NEXT, .class_name = "", .kinds = PARK},
    {PM_CATEGORY_TIMER, JUC "locks.LockSupport.parkUntil", NEXT, .class_name = "", .kinds = PARK},
    /* A synchronizer of one's own: shared acquires are latches, exclusive ones locks. */
    {PM_CATEGORY_LATCH, JUC "locks.*Synchronizer.*acquireShared*", .kinds = PARK},
    {PM_CATEGORY_LATCH, JUC "locks.*Synchronizer.tryAcquireShared*", .kinds = PARK},
    {PM_CATEGORY_LOCK, JUC "locks.*Synchronizer.*acquire*", .kinds = PARK},
    {PM_CATEGORY_LOCK, JUC "locks.*Synchronizer.tryAcquireNanos", .kinds = PARK},
};

/* ---- the user's rules ---- */

#define NO_CLASS "(none)"

typedef struct {
    char *class_name, *frame;
    PmCategory category;
} UserRule;

static GPtrArray *user_rules; /* of UserRule; NULL = none */

static void user_rule_free(gpointer data)
{
    UserRule *rule = data;
    g_free(rule->class_name);
    g_free(rule->frame);
    g_free(rule);
}

void pm_category_forget_rules(void)
{
    g_clear_pointer(&user_rules, g_ptr_array_unref);
}

/* One line without its comment. NULL in `ret_rule` for an empty one. */
static gboolean parse_rule(char *line, UserRule **ret_rule, char **ret_why)
{
    g_auto(GStrv) split = g_strsplit_set(line, " \t\r\f\v", -1);
    const char *words[4] = {NULL};
    guint n = 0;
    PmCategory category;

    for (guint i = 0; split[i] && n < G_N_ELEMENTS(words); i++)
        if (*split[i])
            words[n++] = split[i];
    *ret_rule = NULL;
    if (n == 0)
        return TRUE;
    if (n != 3) {
        *ret_why =
            g_strdup_printf("%s; a rule is three words: CLASS-PATTERN FRAME-PATTERN CATEGORY",
                            n < 3 ? "a word is missing" : "a word too many");
        return FALSE;
    }
    if (!pm_category_parse(words[2], &category)) {
        g_autofree const char **names = names_of_all();
        g_autofree char *all = g_strjoinv(", ", (char **)names);
        *ret_why = g_strdup_printf("unknown category \"%s\"; categories: %s", words[2], all);
        return FALSE;
    }
    *ret_rule = g_new0(UserRule, 1);
    (*ret_rule)->class_name = g_strdup(strcmp(words[0], NO_CLASS) == 0 ? "" : words[0]);
    (*ret_rule)->frame = strcmp(words[1], "*") == 0 ? NULL : g_strdup(words[1]);
    (*ret_rule)->category = category;
    return TRUE;
}

gboolean pm_category_read_rules(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, FALSE);
    g_autoptr(GPtrArray) read = g_ptr_array_new_with_free_func(user_rule_free);
    g_autofree char *text = NULL;
    gsize length;

    if (!g_file_get_contents(path, &text, &length, error))
        return FALSE;
    if (strlen(text) != length) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: no text file of categories: it holds a zero byte", path);
        return FALSE;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        g_autofree char *why = NULL;
        UserRule *rule;
        lines[i][strcspn(lines[i], "#")] = '\0';
        if (!parse_rule(lines[i], &rule, &why)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s:%u: %s", path, i + 1, why);
            return FALSE;
        }
        if (rule)
            g_ptr_array_add(read, rule);
    }
    pm_category_forget_rules();
    user_rules = g_steal_pointer(&read);
    return TRUE;
}

gboolean pm_category_read_default_rules(GError **error)
{
    g_autofree char *path =
        g_build_filename(g_get_user_config_dir(), "parkmeter", "categories", NULL);

    return !g_file_test(path, G_FILE_TEST_EXISTS) || pm_category_read_rules(path, error);
}

static const UserRule *find_user_rule(const char *class_name, const char *const *frames,
                                      gsize n_frames)
{
    for (guint i = 0; user_rules && i < user_rules->len; i++) {
        const UserRule *rule = user_rules->pdata[i];
        if (!pm_glob_match(rule->class_name, class_name))
            continue;
        gboolean found = !rule->frame;
        for (gsize f = 0; f < n_frames && !found; f++)
            found = pm_glob_match(rule->frame, frames[f]);
        if (found)
            return rule;
    }
    return NULL;
}

/* The frame that called the primitive: parks come as Unsafe.park < LockSupport.park < caller, of a
 * virtual thread with some frames of VirtualThread between. */
static gsize next_of(const char *const *frames, gsize n_frames)
{
    static const char *const primitives[] = {
        "jdk.internal.misc.Unsafe.*", "java.lang.Object.wait*", "java.lang.VirtualThread.*",
        "java.lang.System$*.parkVirtualThread", "jdk.internal.vm.Continuation*"};
    gsize i = 0;
    for (; i < n_frames; i++) {
        gboolean primitive = FALSE;
        for (gsize p = 0; p < G_N_ELEMENTS(primitives) && !primitive; p++)
            primitive = pm_glob_match(primitives[p], frames[i]);
        if (!primitive)
            break;
    }
    return i;
}

static gsize site_of(const char *const *frames, gsize n_frames)
{
    for (gsize i = 0; i < n_frames; i++) {
        const char *dot = strrchr(frames[i], '.');
        if (!dot)
            continue;
        g_autofree char *class_name = g_strndup(frames[i], (gsize)(dot - frames[i]));
        if (!pm_label_is_locking(class_name, dot + 1))
            return i;
    }
    return n_frames;
}

static gboolean frame_matches(const Rule *rule, const char *const *frames, gsize n_frames,
                              gsize next, gsize site)
{
    switch (rule->place) {
    case ANY:
        for (gsize i = 0; i < n_frames; i++)
            if (pm_glob_match(rule->frame, frames[i]))
                return TRUE;
        return FALSE;
    case SITE:
        return site < n_frames && pm_glob_match(rule->frame, frames[site]);
    case NEXT:
        return next < n_frames && pm_glob_match(rule->frame, frames[next]);
    }
    return FALSE;
}

PmCategory pm_category_of(const char *class_name, const char *const *frames, gsize n_frames,
                          int kind)
{
    const UserRule *user_rule = find_user_rule(class_name, frames, n_frames);
    if (user_rule)
        return user_rule->category;

    gsize next = next_of(frames, n_frames), site = site_of(frames, n_frames);
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++) {
        const Rule *rule = &rules[i];
        if (((rule->kinds != 0 ? rule->kinds : PARK_OR_WAIT) & 1 << kind) == 0)
            continue;
        if (rule->class_name && !pm_glob_match(rule->class_name, class_name))
            continue;
        if (rule->frame && !frame_matches(rule, frames, n_frames, next, site))
            continue;
        return rule->category;
    }
    return PM_CATEGORY_OTHER;
}

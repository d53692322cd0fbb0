#include "format/record.h"
#include "viewer/analysis/recording/category.h"

#include <string.h>

#include <glib/gstdio.h>

#define JUC         "java.util.concurrent."
#define PARK_FRAMES "jdk.internal.misc.Unsafe.park", JUC "locks.LockSupport.park"
#define CONDITION   JUC "locks.AbstractQueuedSynchronizer$ConditionObject"

static const struct {
    const char *name, *class_name;
    int kind;
    PmCategory category;
    const char *frames[12];
} cases[] = {
    {"reentrant lock",
     JUC "locks.ReentrantLock$NonfairSync",
     PM_KIND_PARK,
     PM_CATEGORY_LOCK,
     {PARK_FRAMES, JUC "locks.AbstractQueuedSynchronizer.acquire", "a.B.c"}},
    {"read-write lock",
     JUC "locks.ReentrantReadWriteLock$FairSync",
     PM_KIND_PARK,
     PM_CATEGORY_LOCK,
     {PARK_FRAMES, "a.B.c"}},
    {"stamped lock",
     JUC "locks.StampedLock",
     PM_KIND_PARK,
     PM_CATEGORY_LOCK,
     {PARK_FRAMES, JUC "locks.StampedLock.acquireWrite", "a.B.c"}},
    {"future of a library",
     "com.google.common.util.concurrent.SettableFuture",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, "com.google.common.util.concurrent.AbstractFuture.get", "a.B.c"}},
    {"future of one's own",
     "a.ReplyFuture",
     PM_KIND_WAIT,
     PM_CATEGORY_FUTURE,
     {"java.lang.Object.wait", "a.ReplyFuture.get", "a.B.c"}},
    {"lock of a pool's queue",
     JUC "locks.ReentrantLock$NonfairSync",
     PM_KIND_PARK,
     PM_CATEGORY_LOCK,
     {PARK_FRAMES, JUC "LinkedBlockingQueue.take", JUC "ThreadPoolExecutor.getTask"}},
    {"idle worker",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", JUC "LinkedBlockingQueue.take",
      JUC "ThreadPoolExecutor.getTask", JUC "ThreadPoolExecutor.runWorker"}},
    {"idle cached worker",
     JUC "SynchronousQueue$TransferStack",
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, JUC "SynchronousQueue$TransferStack.transfer", JUC "SynchronousQueue.poll",
      JUC "ThreadPoolExecutor.getTask"}},
    {"idle scheduler",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".awaitNanos", JUC "ScheduledThreadPoolExecutor$DelayedWorkQueue.take",
      JUC "ThreadPoolExecutor.getTask"}},
    {"jetty's main thread",
     "java.lang.Object",
     PM_KIND_WAIT,
     PM_CATEGORY_POOL_IDLE,
     {"java.lang.Object.wait", "org.eclipse.jetty.util.thread.QueuedThreadPool.join",
      "org.eclipse.jetty.server.Server.join", "a.B.main"}},
    {"the toolkit's thread that waits for the last window",
     "java.lang.Object",
     PM_KIND_WAIT,
     PM_CATEGORY_POOL_IDLE,
     {"java.lang.Object.wait", "sun.awt.AWTAutoShutdown.run", "java.lang.Thread.run"}},
    {"a row's lock of H2",
     "org.h2.mvstore.db.MVTable",
     PM_KIND_WAIT,
     PM_CATEGORY_LOCK,
     {"java.lang.Object.wait", "org.h2.mvstore.db.MVTable.doLock1", "a.B.c"}},
    {"the end of another's pool",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, CONDITION ".awaitNanos",
      "org.apache.tomcat.util.threads.ThreadPoolExecutor.awaitTermination", "a.B.c"}},
    {"consumer of a fork's lines, without one",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", JUC "ArrayBlockingQueue.take",
      "org.apache.maven.plugin.surefire.booterclient.output.ThreadedStreamConsumer$Pumper.run"}},
    {"helper without a command to feed",
     JUC "Semaphore$NonfairSync",
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, JUC "Semaphore.acquire",
      "org.apache.maven.plugin.surefire.booterclient.lazytestprovider.TestLessInputStream."
      "awaitNextCommand"}},
    {"whoever watches a folder",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", JUC "LinkedBlockingDeque.takeFirst",
      "sun.nio.fs.AbstractWatchService.take", "a.B.c"}},
    {"main of a service, by way of a promise of its language",
     JUC "CountDownLatch$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, JUC "CountDownLatch.await", "clojure.core$promise$reify.deref",
      "a.service$fn.wait_for_shutdown", "clojure.main.main"}},
    {"result of a task in Scala",
     "scala.concurrent.impl.Promise$CompletionLatch",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, JUC "locks.AbstractQueuedSynchronizer.acquireSharedInterruptibly",
      "scala.concurrent.impl.Promise$DefaultPromise.tryAwait", "a.B.c"}},
    {"promise in Clojure",
     JUC "CountDownLatch$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, JUC "CountDownLatch.await", "clojure.core$promise$reify__8591.deref",
      "a.b$c.invoke"}},
    {"the next of many tasks to complete",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, CONDITION ".await", JUC "LinkedBlockingQueue.take",
      JUC "ExecutorCompletionService.take", "a.B.c"}},
    {"helper that a program's end is awaited with",
     "a.cli.StreamFeeder",
     PM_KIND_WAIT,
     PM_CATEGORY_FUTURE,
     {"java.lang.Object.wait", "a.cli.AbstractStreamHandler.waitUntilDone", "a.B.c"}},
    {"tomcat worker",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", JUC "LinkedBlockingQueue.take",
      "org.apache.tomcat.util.threads.TaskQueue.take",
      "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask"}},
    {"common pool on 17",
     JUC "ForkJoinPool",
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, JUC "ForkJoinPool.awaitWork", JUC "ForkJoinPool.runWorker"}},
    {"common pool without blocker",
     "",
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, JUC "ForkJoinPool.runWorker", JUC "ForkJoinWorkerThread.run"}},
    {"task of a common pool waits",
     "",
     PM_KIND_PARK,
     PM_CATEGORY_OTHER,
     {PARK_FRAMES, "a.B.c", JUC "ForkJoinTask.doExec", JUC "ForkJoinPool.runWorker"}},
    {"delay scheduler on 25",
     "",
     PM_KIND_PARK,
     PM_CATEGORY_TIMER,
     {PARK_FRAMES, JUC "DelayScheduler.loop", JUC "DelayScheduler.run"}},
    {"cleaner on 17",
     "java.lang.ref.ReferenceQueue$Lock",
     PM_KIND_WAIT,
     PM_CATEGORY_POOL_IDLE,
     {"java.lang.Object.wait", "java.lang.ref.ReferenceQueue.remove",
      "jdk.internal.ref.CleanerImpl.run"}},
    {"cleaner on 25",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", "java.lang.ref.ReferenceQueue.await",
      "java.lang.ref.ReferenceQueue.remove0", "java.lang.ref.ReferenceQueue.remove",
      "jdk.internal.ref.CleanerImpl.run"}},
    {"thread of a channel group without an event",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".await", JUC "ArrayBlockingQueue.take",
      "sun.nio.ch.EPollPort$EventHandlerTask.run",
      "sun.nio.ch.AsynchronousChannelGroupImpl$1.run"}},
    {"handler waits on the thread of a channel group",
     JUC "CountDownLatch$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_LATCH,
     {PARK_FRAMES, JUC "CountDownLatch.await", "a.B.completed",
      "sun.nio.ch.Invoker.invokeUnchecked", "sun.nio.ch.EPollPort$EventHandlerTask.run",
      "sun.nio.ch.AsynchronousChannelGroupImpl$1.run"}},
    {"finalizer waits",
     JUC "CountDownLatch$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_LATCH,
     {PARK_FRAMES, JUC "CountDownLatch.await", "a.B.finalize",
      "java.lang.ref.Finalizer.runFinalizer", "java.lang.ref.Finalizer$FinalizerThread.run"}},
    {"cleaner of a buffer waits",
     "a.B",
     PM_KIND_WAIT,
     PM_CATEGORY_CONDITION,
     {"java.lang.Object.wait", "a.B.free", "jdk.internal.ref.Cleaner.clean",
      "java.lang.ref.Reference$ReferenceHandler.run"}},
    {"timer",
     "java.util.TaskQueue",
     PM_KIND_WAIT,
     PM_CATEGORY_TIMER,
     {"java.lang.Object.wait", "java.util.TimerThread.mainLoop", "java.util.TimerThread.run"}},
    {"jetty",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_POOL_IDLE,
     {PARK_FRAMES, CONDITION ".awaitNanos", "org.eclipse.jetty.util.BlockingArrayQueue.poll",
      "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll"}},
    {"sleeps by parkNanos",
     "",
     PM_KIND_PARK,
     PM_CATEGORY_TIMER,
     {"jdk.internal.misc.Unsafe.park", JUC "locks.LockSupport.parkNanos", "a.Poller.run"}},
    {"parks for nothing", "", PM_KIND_PARK, PM_CATEGORY_OTHER, {PARK_FRAMES, "a.B.c"}},
    {"semaphore",
     JUC "Semaphore$FairSync",
     PM_KIND_PARK,
     PM_CATEGORY_SEMAPHORE,
     {PARK_FRAMES, "a.B.c"}},
    {"latch", JUC "CountDownLatch$Sync", PM_KIND_PARK, PM_CATEGORY_LATCH, {PARK_FRAMES, "a.B.c"}},
    {"barrier",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_BARRIER,
     {PARK_FRAMES, CONDITION ".await", JUC "CyclicBarrier.dowait", "a.B.c"}},
    {"phaser", JUC "Phaser$QNode", PM_KIND_PARK, PM_CATEGORY_BARRIER, {PARK_FRAMES, "a.B.c"}},
    {"blocking queue",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_QUEUE,
     {PARK_FRAMES, CONDITION ".await", JUC "ArrayBlockingQueue.put", "a.B.c"}},
    {"condition",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_CONDITION,
     {PARK_FRAMES, CONDITION ".await", "a.B.c"}},
    {"hand-off",
     JUC "SynchronousQueue$TransferQueue",
     PM_KIND_PARK,
     PM_CATEGORY_TRANSFER,
     {PARK_FRAMES, JUC "SynchronousQueue.put", "a.B.c"}},
    {"exchanger", JUC "Exchanger", PM_KIND_PARK, PM_CATEGORY_TRANSFER, {PARK_FRAMES, "a.B.c"}},
    {"future task", JUC "FutureTask", PM_KIND_PARK, PM_CATEGORY_FUTURE, {PARK_FRAMES, "a.B.c"}},
    {"subclass of a future task",
     "com.acme.Shop$Quote",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, JUC "FutureTask.awaitDone", JUC "FutureTask.get", "a.B.c"}},
    {"completable future",
     JUC "CompletableFuture$Signaller",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, "a.B.c"}},
    {"fork-join join",
     "",
     PM_KIND_PARK,
     PM_CATEGORY_FUTURE,
     {PARK_FRAMES, JUC "ForkJoinTask.awaitDone", JUC "ForkJoinTask.join", "a.B.c"}},
    {"thread join",
     "java.lang.Thread",
     PM_KIND_WAIT,
     PM_CATEGORY_FUTURE,
     {"java.lang.Object.wait", "java.lang.Thread.join", "a.B.main"}},
    {"hikari",
     JUC "SynchronousQueue$TransferQueue",
     PM_KIND_PARK,
     PM_CATEGORY_RESOURCE,
     {PARK_FRAMES, JUC "SynchronousQueue.poll", "com.zaxxer.hikari.util.ConcurrentBag.borrow"}},
    {"dbcp",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_RESOURCE,
     {PARK_FRAMES, CONDITION ".await",
      "org.apache.commons.pool2.impl.LinkedBlockingDeque.takeFirst",
      "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject"}},
    {"h2 pool",
     "org.h2.jdbcx.JdbcConnectionPool",
     PM_KIND_WAIT,
     PM_CATEGORY_RESOURCE,
     {"java.lang.Object.wait", "org.h2.jdbcx.JdbcConnectionPool.getConnection"}},
    {"until a service has started",
     CONDITION,
     PM_KIND_PARK,
     PM_CATEGORY_LATCH,
     {PARK_FRAMES, CONDITION ".awaitUninterruptibly", "a.Monitor.enterWhen",
      "a.Service.awaitRunning", "a.B.c"}},
    {"monitor", "a.B", PM_KIND_ENTER, PM_CATEGORY_LOCK, {"a.B.c"}},
    {"event loop that is being woken",
     "java.lang.Object",
     PM_KIND_ENTER,
     PM_CATEGORY_POOL_IDLE,
     {"sun.nio.ch.EPollSelectorImpl.clearInterrupt", "sun.nio.ch.EPollSelectorImpl.doSelect",
      "sun.nio.ch.SelectorImpl.lockAndDoSelect", "a.B.run"}},
    {"who wakes an event loop",
     "java.lang.Object",
     PM_KIND_ENTER,
     PM_CATEGORY_LOCK,
     {"sun.nio.ch.EPollSelectorImpl.wakeup", "a.B.send"}},
    {"class initialisation", "a.B$C.<clinit>", PM_KIND_ENTER, PM_CATEGORY_CLASS_INIT, {"a.B.c"}},
    {"a class's initialiser parks", "a.B", PM_KIND_ENTER, PM_CATEGORY_LOCK, {"a.B.<clinit>"}},
    {"the lock of a class initialisation",
     "int[]",
     PM_KIND_ENTER,
     PM_CATEGORY_CLASS_INIT,
     {"a.B.c"}},
    {"object wait",
     "java.lang.Object",
     PM_KIND_WAIT,
     PM_CATEGORY_CONDITION,
     {"java.lang.Object.wait", "a.B.c"}},
    {"own synchronizer, exclusive",
     "a.Mutex$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_LOCK,
     {PARK_FRAMES, JUC "locks.AbstractQueuedSynchronizer.acquire", "a.Mutex.lock"}},
    {"own synchronizer, shared",
     "a.Gate$Sync",
     PM_KIND_PARK,
     PM_CATEGORY_LATCH,
     {PARK_FRAMES, JUC "locks.AbstractQueuedSynchronizer.acquire",
      JUC "locks.AbstractQueuedSynchronizer.acquireSharedInterruptibly", "a.Gate.pass"}},
    {"nothing known", "a.B", PM_KIND_PARK, PM_CATEGORY_OTHER, {NULL}},
};

static void table_names_what_waits_mean(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gsize n = 0;
        while (n < G_N_ELEMENTS(cases[i].frames) && cases[i].frames[n] != NULL)
            n++;
        PmCategory got = pm_category_of(cases[i].class_name, cases[i].frames, n, cases[i].kind);
        if (got != cases[i].category)
            g_error("%s: %s, not %s", cases[i].name, pm_category_name(got),
                    pm_category_name(cases[i].category));
    }
}

/* What the threads of libraries wait for without work: where, and what they call to wait there. */
static void threads_of_libraries_are_idle(void)
{
    static const char *const sites[] = {
        "sun.awt.image.ImageFetcher.nextImage",
        "sun.rmi.transport.GC$Daemon.run",
        "sun.java2d.opengl.OGLRenderQueue$QueueFlusher.run",
        "com.sun.jmx.remote.internal.ServerCommunicatorAdmin$Timeout.run",
        "org.apache.felix.framework.Felix.waitForStop",
        "org.eclipse.core.internal.jobs.WorkerPool.sleep",
        "org.hsqldb.lib.HsqlTimer$TaskQueue.park",
        "ch.qos.logback.core.AsyncAppenderBase$Worker.run",
        "kafka.network.RequestChannel.receiveRequest",
        "net.engio.mbassy.bus.AbstractSyncAsyncMessageBus$1.run",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(sites); i++) {
        const char *waits[] = {"java.lang.Object.wait", sites[i], "a.B.run"};
        const char *polls[] = {PARK_FRAMES, CONDITION ".await", JUC "ArrayBlockingQueue.poll",
                               sites[i], "a.B.run"};
        g_assert_true(
            pm_category_is_idle(pm_category_of("a.B", waits, G_N_ELEMENTS(waits), PM_KIND_WAIT)));
        g_assert_true(pm_category_is_idle(
            pm_category_of(CONDITION, polls, G_N_ELEMENTS(polls), PM_KIND_PARK)));
    }
}

static void names_round_trip(void)
{
    for (guint i = 0; i < PM_N_CATEGORIES; i++) {
        PmCategory parsed = PM_N_CATEGORIES;
        g_assert_true(pm_category_parse(pm_category_name(i), &parsed));
        g_assert_cmpint(parsed, ==, i);
        g_assert_cmpint(pm_category_is_idle(i), ==, pm_category_family(i) == PM_FAMILY_IDLE);
    }
    PmCategory untouched = PM_CATEGORY_LATCH;
    g_assert_false(pm_category_parse("locks", &untouched));
    g_assert_cmpint(untouched, ==, PM_CATEGORY_LATCH);
}

static char *folder;

static char *rules_file(const char *text)
{
    char *path = g_build_filename(folder, "categories", NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static PmCategory ask(const char *class_name, const char *frame)
{
    const char *frames[] = {"jdk.internal.misc.Unsafe.park", frame};
    return pm_category_of(class_name, frames, frame ? 2 : 0, PM_KIND_PARK);
}

static void a_users_rules_come_first(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = rules_file("# mine\n"
                                       "com.acme.Permit*  com.acme.Pool.*  resource # of a pool\n"
                                       "\t com.acme.Permit$Sync * \t lock \r\n"
                                       "\n"
                                       "(none) com.acme.Worker.rest pool-idle\n"
                                       "* com.acme.Poller.sleep timer");
    g_assert_true(pm_category_read_rules(path, &error));
    g_assert_no_error(error);
    g_assert_cmpint(ask("com.acme.Permit$Sync", "com.acme.Pool.borrow"), ==, PM_CATEGORY_RESOURCE);
    g_assert_cmpint(ask("com.acme.Permit$Sync", "com.acme.Other.run"), ==, PM_CATEGORY_LOCK);
    g_assert_cmpint(ask("com.acme.Permit$Sync", NULL), ==, PM_CATEGORY_LOCK);
    g_assert_cmpint(ask("", "com.acme.Worker.rest"), ==, PM_CATEGORY_POOL_IDLE);
    g_assert_cmpint(ask("a.B", "com.acme.Worker.rest"), ==, PM_CATEGORY_OTHER);
    /* Even what the table knows. */
    g_assert_cmpint(ask(JUC "Semaphore$FairSync", "com.acme.Poller.sleep"), ==, PM_CATEGORY_TIMER);
    g_assert_cmpint(ask(JUC "Semaphore$FairSync", "a.B.c"), ==, PM_CATEGORY_SEMAPHORE);
    pm_category_forget_rules();
    g_assert_cmpint(ask(JUC "Semaphore$FairSync", "com.acme.Poller.sleep"), ==,
                    PM_CATEGORY_SEMAPHORE);
}

static void a_wrong_rule_is_refused_with_its_line(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"a.B c.D lok\n", "categories:1: unknown category \"lok\"; categories: lock, class-init"},
        {"a.B c.D lock\n\na.B lock\n", "categories:3: a word is missing"},
        {"# x\nlock\n", "categories:2: a word is missing"},
        {"a.B c.D lock timer\n", "categories:1: a word too many"},
    };
    g_autofree char *good = rules_file("a.B * timer\n");
    g_assert_true(pm_category_read_rules(good, NULL));
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = rules_file(wrong[i].text);
        g_assert_false(pm_category_read_rules(path, &error));
        if (!strstr(error->message, wrong[i].message))
            g_error("\"%s\" is not in: %s", wrong[i].message, error->message);
        /* Those read before still hold. */
        g_assert_cmpint(ask("a.B", "x.Y.z"), ==, PM_CATEGORY_TIMER);
    }
    g_autoptr(GError) error = NULL;
    g_autofree char *missing = g_build_filename(folder, "nowhere", NULL);
    g_assert_false(pm_category_read_rules(missing, &error));
    g_assert_nonnull(strstr(error->message, "nowhere"));
    pm_category_forget_rules();
}

static void any_bytes_are_survived(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    static const char *const pieces[] = {"a.B",   "*",  " ",    "\n",     "#", "lock",
                                         "timer", "\t", "\xff", "(none)", "\r"};
    for (guint k = 0; k < 300; k++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (gint n = g_rand_int_range(rand, 0, 40); n > 0; n--)
            g_string_append(text, pieces[g_rand_int_range(rand, 0, (gint)G_N_ELEMENTS(pieces))]);
        g_autofree char *path = rules_file(text->str);
        g_autoptr(GError) error = NULL;
        if (pm_category_read_rules(path, &error))
            g_assert_cmpint(ask("a.B", "*"), <, PM_N_CATEGORIES);
        else
            g_assert_nonnull(error);
    }
    pm_category_forget_rules();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("categories-XXXXXX", NULL);
    g_test_add_func("/analysis/category/table-names-what-waits-mean", table_names_what_waits_mean);
    g_test_add_func("/analysis/category/threads-of-libraries-are-idle",
                    threads_of_libraries_are_idle);
    g_test_add_func("/analysis/category/names-round-trip", names_round_trip);
    g_test_add_func("/analysis/category/a-users-rules-come-first", a_users_rules_come_first);
    g_test_add_func("/analysis/category/a-wrong-rule-is-refused-with-its-line",
                    a_wrong_rule_is_refused_with_its_line);
    g_test_add_func("/analysis/category/any-bytes-are-survived", any_bytes_are_survived);
    int status = g_test_run();
    g_autofree char *path = g_build_filename(folder, "categories", NULL);
    g_remove(path);
    g_rmdir(folder);
    g_free(folder);
    return status;
}

/* Hangs of many kinds, all before anybody looks: prints "HANG thread code" for each, code being the
 * program's own method that `now` must name, then "ready" when every thread stands where it will stay.
 * Who holds something for ever is the code to name; where nobody does, who waits. */
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

public class Hangs {
    interface Task {
        void run() throws Exception;
    }

    static final List<Thread> standing = new ArrayList<>();
    static volatile long spun;
    static ServerSocket server; /* kept: a collected one closes */

    /* A thread that hangs; `code` is what is to be named, null when another's is. */
    static Thread hang(String name, String code, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        standing.add(thread);
        if (code != null)
            System.out.println("HANG " + name + " Hangs." + code);
        return thread;
    }

    static void awaitStill(Thread thread) throws InterruptedException {
        while (thread.getState() == Thread.State.RUNNABLE || thread.getState() == Thread.State.NEW)
            Thread.sleep(1);
    }

    /* Who holds, and then a thread that wants what is held. */
    static void held(String kind, String code, Task holder, Task waiter) throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            try {
                holding.set(holds);
                holder.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, kind + "-holder");
        thread.setDaemon(true);
        thread.start();
        holds.await();
        hang(kind + "-waiter", code, waiter);
    }

    static final ThreadLocal<CountDownLatch> holding = new ThreadLocal<>();

    static void sleepForEver() throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
    }

    /* -- held for ever -- */

    static void sleepsInMonitor(Object monitor) throws Exception {
        synchronized (monitor) {
            holding.get().countDown();
            sleepForEver();
        }
    }

    static void entersMonitor(Object monitor) {
        synchronized (monitor) {
            spun++;
        }
    }

    static void spinsInMonitor(Object monitor) {
        synchronized (monitor) {
            holding.get().countDown();
            while (true)
                spun++;
        }
    }

    static void readsInMonitor(Object monitor, Socket socket) throws Exception {
        synchronized (monitor) {
            holding.get().countDown();
            socket.getInputStream().read();
        }
    }

    static void waitsForOtherInMonitor(Object monitor, CountDownLatch latch) throws Exception {
        synchronized (monitor) {
            holding.get().countDown();
            latch.await();
        }
    }

    static void sleepsWithLock(ReentrantLock lock) throws Exception {
        lock.lock();
        holding.get().countDown();
        sleepForEver();
    }

    static void spinsWithLock(ReentrantLock lock) {
        lock.lock();
        holding.get().countDown();
        while (true)
            spun++;
    }

    static void diesWithLock(ReentrantLock lock) {
        lock.lock();
        holding.get().countDown();
    }

    static void takesLock(ReentrantLock lock) {
        lock.lock();
    }

    static void takesOrphan(ReentrantLock lock) {
        lock.lock();
    }

    static void writesForEver(ReentrantReadWriteLock lock) throws Exception {
        lock.writeLock().lock();
        holding.get().countDown();
        sleepForEver();
    }

    static void reads(ReentrantReadWriteLock lock) {
        lock.readLock().lock();
    }

    static void readsAndDies(ReentrantReadWriteLock lock) {
        lock.readLock().lock();
        holding.get().countDown();
    }

    static void writes(ReentrantReadWriteLock lock) {
        lock.writeLock().lock();
    }

    static void stampsAndDies(StampedLock lock) {
        lock.writeLock();
        holding.get().countDown();
    }

    static void readsStamped(StampedLock lock) {
        lock.readLock();
    }

    static void computesForEver(ConcurrentHashMap<String, Long> map) {
        map.computeIfAbsent("rate", key -> Hangs.loadsForEver());
    }

    static Long loadsForEver() {
        holding.get().countDown();
        LockSupport.park(Hangs.class);
        return loadsForEver();
    }

    static void computes(ConcurrentHashMap<String, Long> map) {
        map.computeIfAbsent("rate", key -> 1L);
    }

    static void heldForEver() throws Exception {
        Object[] monitors = {new Object(), new Object(), new Object(), new Object()};
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        ReentrantLock asleep = new ReentrantLock(), spins = new ReentrantLock(true);
        ReentrantLock orphan = new ReentrantLock();
        ReentrantReadWriteLock written = new ReentrantReadWriteLock(), read = new ReentrantReadWriteLock();
        StampedLock stamped = new StampedLock();
        ConcurrentHashMap<String, Long> map = new ConcurrentHashMap<>();
        held("monitor-sleep", "sleepsInMonitor", () -> sleepsInMonitor(monitors[0]),
             () -> entersMonitor(monitors[0]));
        held("monitor-spin", "spinsInMonitor", () -> spinsInMonitor(monitors[1]),
             () -> entersMonitor(monitors[1]));
        held("monitor-read", "readsInMonitor", () -> readsInMonitor(monitors[2], socket),
             () -> entersMonitor(monitors[2]));
        held("monitor-wait", "waitsForOtherInMonitor",
             () -> waitsForOtherInMonitor(monitors[3], new CountDownLatch(1)),
             () -> entersMonitor(monitors[3]));
        held("lock-sleep", "sleepsWithLock", () -> sleepsWithLock(asleep), () -> takesLock(asleep));
        held("lock-spin", "spinsWithLock", () -> spinsWithLock(spins), () -> takesLock(spins));
        held("lock-orphan", "takesOrphan", () -> diesWithLock(orphan), () -> takesOrphan(orphan));
        held("write-lock", "writesForEver", () -> writesForEver(written), () -> reads(written));
        held("read-lock", "writes", () -> readsAndDies(read), () -> writes(read));
        held("stamped-lock", "readsStamped", () -> stampsAndDies(stamped), () -> readsStamped(stamped));
        held("map", "loadsForEver", () -> computesForEver(map), () -> computes(map));
    }

    /* -- deadlocks -- */

    static void meet(CyclicBarrier all) throws Exception {
        all.await();
    }

    static void booksLedger(Object ledger, Object journal, CyclicBarrier all) throws Exception {
        synchronized (ledger) {
            meet(all);
            entersMonitor(journal);
        }
    }

    static void booksJournal(Object ledger, Object journal, CyclicBarrier all) throws Exception {
        synchronized (journal) {
            meet(all);
            entersMonitor(ledger);
        }
    }

    static void debits(ReentrantLock from, ReentrantLock to, CyclicBarrier all) throws Exception {
        from.lock();
        meet(all);
        to.lock();
    }

    static void credits(ReentrantLock from, ReentrantLock to, CyclicBarrier all) throws Exception {
        to.lock();
        meet(all);
        from.lock();
    }

    static void evicts(ReentrantLock region, Object cache, CyclicBarrier all) throws Exception {
        region.lock();
        meet(all);
        entersMonitor(cache);
    }

    static void refreshes(ReentrantLock region, Object cache, CyclicBarrier all) throws Exception {
        synchronized (cache) {
            meet(all);
            region.lock();
        }
    }

    static void dines(ReentrantLock left, ReentrantLock right, CyclicBarrier all) throws Exception {
        left.lock();
        meet(all);
        right.lock();
    }

    static void upgrades(ReentrantReadWriteLock lock) {
        lock.readLock().lock();
        lock.writeLock().lock();
    }

    static void deadlocks() throws Exception {
        Object ledger = new Object(), journal = new Object(), cache = new Object();
        ReentrantLock[] forks = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
        ReentrantLock from = new ReentrantLock(), to = new ReentrantLock(), region = new ReentrantLock();
        CyclicBarrier books = new CyclicBarrier(2), transfers = new CyclicBarrier(2);
        CyclicBarrier caches = new CyclicBarrier(2), diners = new CyclicBarrier(3);
        hang("deadlock-monitors-1", "booksLedger", () -> booksLedger(ledger, journal, books));
        hang("deadlock-monitors-2", "booksJournal", () -> booksJournal(ledger, journal, books));
        hang("deadlock-locks-1", "debits", () -> debits(from, to, transfers));
        hang("deadlock-locks-2", "credits", () -> credits(from, to, transfers));
        hang("deadlock-mixed-1", "evicts", () -> evicts(region, cache, caches));
        hang("deadlock-mixed-2", "refreshes", () -> refreshes(region, cache, caches));
        for (int i = 0; i < 3; i++) {
            ReentrantLock left = forks[i], right = forks[(i + 1) % 3];
            hang("deadlock-three-" + i, "dines", () -> dines(left, right, diners));
        }
        ReentrantReadWriteLock own = new ReentrantReadWriteLock();
        hang("deadlock-upgrade", "upgrades", () -> upgrades(own));
    }

    /* -- nobody comes -- */

    static void awaitsLatch(CountDownLatch latch) throws Exception {
        latch.await();
    }

    static void joinsFuture(CompletableFuture<String> future) {
        future.join();
    }

    static void getsComposed(CompletableFuture<String> future) throws Exception {
        future.thenApply(String::trim).get();
    }

    static void getsTask(FutureTask<String> task) throws Exception {
        task.get();
    }

    static void awaitsSignal(ReentrantLock lock, Condition condition) throws Exception {
        lock.lock();
        condition.await();
    }

    static void waitsForNotify(Object monitor) throws Exception {
        synchronized (monitor) {
            monitor.wait();
        }
    }

    static void acquiresPermit(Semaphore permits) throws Exception {
        permits.acquire();
    }

    static void takesFromQueue(LinkedBlockingQueue<String> queue) throws Exception {
        queue.take();
    }

    static void takesFromDeque(LinkedBlockingDeque<String> deque) throws Exception {
        deque.takeLast();
    }

    static void putsIntoQueue(ArrayBlockingQueue<String> queue) throws Exception {
        queue.put("one");
        queue.put("too many");
    }

    static void handsOver(SynchronousQueue<String> queue) throws Exception {
        queue.put("nobody takes");
    }

    static void transfers(LinkedTransferQueue<String> queue) throws Exception {
        queue.transfer("nobody takes");
    }

    static void awaitsBarrier(CyclicBarrier barrier) throws Exception {
        barrier.await();
    }

    static void awaitsPhase(Phaser phaser) {
        phaser.arriveAndAwaitAdvance();
    }

    static void exchanges(Exchanger<String> exchanger) throws Exception {
        exchanger.exchange("alone");
    }

    static void joinsThread(Thread thread) throws Exception {
        thread.join();
    }

    static void spinsForEver() {
        while (true)
            spun++;
    }

    static void parksForEver() {
        while (true)
            LockSupport.park();
    }

    static void awaitsItself(ExecutorService pool) throws Exception {
        pool.submit(() -> awaitsOwnPool(pool)).get();
    }

    static String awaitsOwnPool(ExecutorService pool) throws Exception {
        return pool.submit(() -> "never").get();
    }

    static class Never extends RecursiveTask<String> {
        private static final long serialVersionUID = 1;

        @Override
        protected String compute() {
            return "never";
        }
    }

    static void joinsForkJoin(Never task) {
        task.join();
    }

    static void invokesAll(ExecutorService pool) throws Exception {
        pool.invokeAll(List.of(() -> never()));
    }

    static String never() throws InterruptedException {
        sleepForEver();
        return "";
    }

    static class Late implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(1, TimeUnit.DAYS);
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    static void takesFirst(PriorityBlockingQueue<String> queue) throws Exception {
        queue.take();
    }

    static void takesDue(DelayQueue<Late> queue) throws Exception {
        queue.put(new Late());
        queue.take();
    }

    static void joinsAll(CompletableFuture<String> future) {
        CompletableFuture.allOf(future, CompletableFuture.completedFuture("")).join();
    }

    static void awaitsStubbornly(ReentrantLock lock, Condition condition) {
        lock.lock();
        condition.awaitUninterruptibly();
    }

    static void acquiresAll(Semaphore permits) {
        permits.acquireUninterruptibly(3);
    }

    static void putsFirst(LinkedBlockingDeque<String> deque) throws Exception {
        deque.putFirst("one");
        deque.putFirst("too many");
    }

    static void waitsForADay(Object monitor) throws Exception {
        synchronized (monitor) {
            monitor.wait(86400000);
        }
    }

    static void writesStamped(StampedLock lock) {
        lock.readLock();
        lock.writeLock();
    }

    static void awaitsTermination(ExecutorService pool) throws Exception {
        pool.submit(Hangs::never);
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.DAYS);
    }

    static void nobodyComes() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        CyclicBarrier two = new CyclicBarrier(2);
        ExecutorService one = Executors.newSingleThreadExecutor();
        ExecutorService other = Executors.newSingleThreadExecutor();
        CompletableFuture<String> future = new CompletableFuture<>();
        hang("latch", "awaitsLatch", () -> awaitsLatch(new CountDownLatch(1)));
        hang("future", "joinsFuture", () -> joinsFuture(future));
        hang("composed", "getsComposed", () -> getsComposed(future));
        hang("task", "getsTask", () -> getsTask(new FutureTask<>(() -> "")));
        hang("signal", "awaitsSignal", () -> awaitsSignal(lock, lock.newCondition()));
        hang("notify", "waitsForNotify", () -> waitsForNotify(new Object()));
        hang("permit", "acquiresPermit", () -> acquiresPermit(new Semaphore(0)));
        hang("queue", "takesFromQueue", () -> takesFromQueue(new LinkedBlockingQueue<>()));
        hang("deque", "takesFromDeque", () -> takesFromDeque(new LinkedBlockingDeque<>()));
        hang("full-queue", "putsIntoQueue", () -> putsIntoQueue(new ArrayBlockingQueue<>(1)));
        hang("handoff", "handsOver", () -> handsOver(new SynchronousQueue<>()));
        hang("transfer", "transfers", () -> transfers(new LinkedTransferQueue<>()));
        hang("barrier", "awaitsBarrier", () -> awaitsBarrier(two));
        hang("phase", "awaitsPhase", () -> awaitsPhase(new Phaser(2)));
        hang("exchange", "exchanges", () -> exchanges(new Exchanger<>()));
        hang("join", "joinsThread", () -> {
            Thread spinner = new Thread(Hangs::spinsForEver, "spinner");
            spinner.setDaemon(true);
            spinner.start();
            joinsThread(spinner);
        });
        hang("park", "parksForEver", Hangs::parksForEver);
        hang("own-pool", "awaitsOwnPool", () -> awaitsItself(one));
        hang("fork-join", "joinsForkJoin", () -> joinsForkJoin(new Never()));
        hang("invoke-all", "invokesAll", () -> invokesAll(other));
        hang("priority", "takesFirst", () -> takesFirst(new PriorityBlockingQueue<>()));
        hang("delay", "takesDue", () -> takesDue(new DelayQueue<>()));
        hang("all-of", "joinsAll", () -> joinsAll(future));
        hang("stubborn", "awaitsStubbornly", () -> awaitsStubbornly(lock, lock.newCondition()));
        hang("permits", "acquiresAll", () -> acquiresAll(new Semaphore(2)));
        hang("full-deque", "putsFirst", () -> putsFirst(new LinkedBlockingDeque<>(1)));
        hang("timed", "waitsForADay", () -> waitsForADay(new Object()));
        hang("stamped", "writesStamped", () -> writesStamped(new StampedLock()));
        hang("termination", "awaitsTermination", () -> awaitsTermination(Executors.newCachedThreadPool()));
    }

    public static void main(String[] arguments) throws Exception {
        heldForEver();
        deadlocks();
        nobodyComes();
        for (Thread thread : standing)
            awaitStill(thread);
        Thread.sleep(300);
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }
}

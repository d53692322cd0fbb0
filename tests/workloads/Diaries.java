import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * A program made of chance around one synchronizer, that tells what it saw of itself (Witness): its threads
 * are quick or slow, come steadily or in bursts, give up after a while, are interrupted, or only try. The same
 * seed makes the same threads. Arguments: KIND SEED ms. Each kind says what its threads want:
 * read-write, stamped: lock; semaphore: permit; condition: news and lock; phaser: phase; queue: element and
 * room; future: future.
 */
class Diaries {
    static final List<Thread> threads = new ArrayList<>();
    static final List<Thread> interruptible = new ArrayList<>();
    static SplittableRandom chance;
    static volatile boolean stopped;

    /** What a thread does with what it gets, in microseconds, and how it asks. */
    static final class Role {
        final SplittableRandom chance = Diaries.chance.split();
        final int least = Diaries.chance.nextInt(3) == 0 ? 4000 : 200;
        final int most = least * Diaries.chance.nextInt(2, 5);
        final int rest = Diaries.chance.nextInt(500, 12000);
        final int burst = Diaries.chance.nextInt(2) == 0 ? 1 : Diaries.chance.nextInt(2, 9);
        final int way = Diaries.chance.nextInt(6); // 0: with a time-out, 1: may be interrupted, 2: tries first
        final boolean slow = least == 4000;
        int asked;

        void work() {
            pause(chance.nextInt(least, most));
        }

        /** Between two uses. */
        void rest() {
            if (++asked % burst == 0) {
                pause(chance.nextInt(rest / 2, rest * burst));
            }
        }

        long patience() {
            return chance.nextInt(1000, 15000);
        }
    }

    /** The end is nobody's doing. */
    static void wanted(String what, long from, long to) {
        Witness.wanted(stopped ? "end" : what, from, to);
    }

    interface Body {
        void run(Role role) throws InterruptedException;
    }

    public static void main(String[] arguments) throws InterruptedException {
        chance = new SplittableRandom(Long.parseLong(arguments[1]) * 7919 + arguments[0].hashCode());
        Runnable end = () -> { };
        switch (arguments[0]) {
            case "read-write" -> readWrite();
            case "stamped" -> stamped();
            case "semaphore" -> semaphore();
            case "condition" -> end = condition();
            case "phaser" -> end = phaser();
            case "queue" -> end = queue();
            case "future" -> end = future();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        if (!interruptible.isEmpty()) {
            thread("interrupter", role -> {
                pause(role.chance.nextInt(2000, 20000));
                interruptible.get(role.chance.nextInt(interruptible.size())).interrupt();
            });
        }
        Runnable last = end;
        Witness.watch(Long.parseLong(arguments[2]), () -> {
            stopped = true;
            last.run();
        }, threads.toArray(new Thread[0]));
    }

    /** A thread that does the same until all is stopped. */
    static Role thread(String name, Body body) {
        Role role = new Role();
        int number = 1 + (int) threads.stream().filter(t -> t.getName().startsWith(name + "-")).count();
        Thread thread = new Thread(() -> {
            while (!stopped) {
                try {
                    body.run(role);
                } catch (InterruptedException interrupted) {
                    // it gave up, and goes on with the next
                }
            }
        }, name + "-" + number);
        threads.add(thread);
        if (role.way == 1 && !name.equals("interrupter")) {
            interruptible.add(thread);
        }
        return role;
    }

    /** However often it is interrupted, as who holds something needs its time. */
    static void pause(long micros) {
        long until = System.nanoTime() + micros * 1000;
        for (long left; (left = until - System.nanoTime()) > 0;) {
            try {
                TimeUnit.NANOSECONDS.sleep(left);
            } catch (InterruptedException interrupted) {
                // not now
            }
        }
    }

    // ---- locks ----

    /** One side of a lock. */
    interface Side {
        long lock();

        long lockInterruptibly() throws InterruptedException;

        long tryLock(long micros) throws InterruptedException; // 0: no

        void unlock(long stamp);
    }

    static void use(Role role, Side side) throws InterruptedException {
        long asked = Witness.now(), stamp = 0;
        try {
            stamp = role.way == 0 ? side.tryLock(role.patience())
                : role.way == 1 ? side.lockInterruptibly()
                : role.way == 2 && role.chance.nextInt(2) == 0 ? side.tryLock(0)
                : side.lock();
        } finally {
            if (stamp == 0) {
                wanted("lock", asked, Witness.now());
            }
        }
        if (stamp != 0) {
            long from = Witness.now();
            role.work();
            Witness.held("lock", asked, from, Witness.now());
            side.unlock(stamp);
        }
        role.rest();
    }

    static void sides(Side read, Side write) {
        for (int i = chance.nextInt(2, 5); i > 0; i--) {
            thread("reader", role -> use(role, read));
        }
        for (int i = chance.nextInt(1, 4); i > 0; i--) {
            thread("writer", role -> use(role, write));
        }
    }

    static Side side(Lock lock) {
        return new Side() {
            @Override
            public long lock() {
                lock.lock();
                return 1;
            }

            @Override
            public long lockInterruptibly() throws InterruptedException {
                lock.lockInterruptibly();
                return 1;
            }

            @Override
            public long tryLock(long micros) throws InterruptedException {
                return lock.tryLock(micros, TimeUnit.MICROSECONDS) ? 1 : 0;
            }

            @Override
            public void unlock(long stamp) {
                lock.unlock();
            }
        };
    }

    static void readWrite() {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock(chance.nextBoolean());
        sides(side(lock.readLock()), side(lock.writeLock()));
    }

    static void stamped() {
        StampedLock lock = new StampedLock();
        sides(new Side() {
            @Override
            public long lock() {
                return lock.readLock();
            }

            @Override
            public long lockInterruptibly() throws InterruptedException {
                return lock.readLockInterruptibly();
            }

            @Override
            public long tryLock(long micros) throws InterruptedException {
                return lock.tryReadLock(micros, TimeUnit.MICROSECONDS);
            }

            @Override
            public void unlock(long stamp) {
                lock.unlockRead(stamp);
            }
        }, new Side() {
            @Override
            public long lock() {
                return lock.writeLock();
            }

            @Override
            public long lockInterruptibly() throws InterruptedException {
                return lock.writeLockInterruptibly();
            }

            @Override
            public long tryLock(long micros) throws InterruptedException {
                return lock.tryWriteLock(micros, TimeUnit.MICROSECONDS);
            }

            @Override
            public void unlock(long stamp) {
                lock.unlockWrite(stamp);
            }
        });
    }

    // ---- permits ----

    static void semaphore() {
        int permits = chance.nextInt(1, 4);
        Semaphore semaphore = new Semaphore(permits, chance.nextBoolean());
        for (int i = permits + chance.nextInt(2, 5); i > 0; i--) {
            thread("user", role -> {
                long asked = Witness.now();
                boolean got = false;
                try {
                    if (role.way == 0) {
                        got = semaphore.tryAcquire(role.patience(), TimeUnit.MICROSECONDS);
                    } else if (role.way == 1) {
                        semaphore.acquire();
                        got = true;
                    } else {
                        semaphore.acquireUninterruptibly();
                        got = true;
                    }
                } finally {
                    wanted("permit", asked, Witness.now());
                }
                if (got) {
                    long from = Witness.now();
                    role.work();
                    Witness.kept("permit", from, Witness.now());
                    semaphore.release();
                }
                role.rest();
            });
        }
    }

    // ---- a signal ----

    /** Each waiter has a box; who has news for it takes the lock, puts it in and signals. */
    static Runnable condition() {
        ReentrantLock lock = new ReentrantLock(chance.nextBoolean());
        int n = chance.nextInt(2, 5);
        int[] news = new int[n], read = new int[n];
        Condition shared = lock.newCondition();
        boolean one = chance.nextBoolean(); // for all of them
        Condition[] conditions = new Condition[n];
        for (int i = 0; i < n; i++) {
            int box = i;
            conditions[i] = one ? shared : lock.newCondition();
            thread("waiter", role -> {
                long asked = Witness.now();
                lock.lock();
                long from = Witness.now();
                wanted("lock", asked, from);
                while (news[box] == read[box] && !stopped) {
                    String what = "news#" + box + "." + (read[box] + 1) + "@lock";
                    Witness.held("lock", from, Witness.now());
                    asked = Witness.now();
                    try {
                        if (role.way == 0) {
                            if (!conditions[box].await(role.patience(), TimeUnit.MICROSECONDS)) {
                                what = "news#none@lock";
                            }
                        } else if (role.way == 1) {
                            conditions[box].await();
                        } else {
                            conditions[box].awaitUninterruptibly();
                        }
                    } catch (InterruptedException interrupted) {
                        what = "news#none@lock";
                    }
                    from = Witness.now();
                    wanted(what, asked, from);
                }
                read[box] = news[box];
                if (role.slow) {
                    role.work();
                }
                Witness.held("lock", from, Witness.now());
                lock.unlock();
                role.rest();
            });
        }
        for (int i = chance.nextInt(1, 4); i > 0; i--) {
            thread("giver", role -> {
                role.rest();
                role.work();
                int box = role.chance.nextInt(n);
                long asked = Witness.now();
                lock.lock();
                long from = Witness.now();
                wanted("lock", asked, from);
                if (role.slow) {
                    role.work();
                }
                if (news[box] == read[box]) {
                    news[box]++;
                    if (one) {
                        conditions[box].signalAll();
                    } else {
                        conditions[box].signal();
                    }
                    Witness.owed("news#" + box + "." + news[box] + "@lock", 0, Witness.now());
                }
                if (role.chance.nextInt(3) == 0) {
                    role.work();
                }
                Witness.held("lock", from, Witness.now());
                lock.unlock();
            });
        }
        return () -> {
            lock.lock();
            for (Condition condition : conditions) {
                condition.signalAll();
            }
            lock.unlock();
        };
    }

    // ---- phases ----

    static Runnable phaser() {
        int n = chance.nextInt(3, 7);
        Thread[] opener = new Thread[1]; // of the phase before: who came last, which only the phaser knows
        Phaser phaser = new Phaser(n) {
            @Override
            protected boolean onAdvance(int phase, int parties) {
                opener[0] = Thread.currentThread();
                return false;
            }
        };
        for (int i = 0; i < n; i++) {
            long[] last = new long[1];
            thread("party", role -> {
                role.work();
                if (role.burst > 1 && role.chance.nextInt(role.burst) == 0) {
                    pause(role.chance.nextInt(role.rest));
                }
                String what = "phase#" + phaser.getPhase();
                long came = Witness.now();
                if (role.way < 2) {
                    int phase = phaser.arrive();
                    long arrived = Witness.now();
                    Witness.owed(what, last[0], arrived);
                    phaser.awaitAdvance(phase);
                } else {
                    phaser.arriveAndAwaitAdvance();
                    Witness.owed(what, last[0], opener[0] == Thread.currentThread() ? Witness.now() : came);
                }
                last[0] = came;
                wanted(what, came, Witness.now());
            });
        }
        return phaser::forceTermination;
    }

    // ---- a queue ----

    static Runnable queue() {
        int capacity = chance.nextInt(1, 6);
        boolean linked = chance.nextBoolean();
        BlockingQueue<Integer> queue = linked ? new LinkedBlockingQueue<>(capacity)
            : new ArrayBlockingQueue<>(capacity, chance.nextBoolean());
        AtomicInteger number = new AtomicInteger();
        for (int i = chance.nextInt(1, 4); i > 0; i--) {
            thread("producer", role -> {
                role.rest();
                role.work();
                int element = number.incrementAndGet();
                long asked = Witness.now();
                boolean put = false;
                try {
                    put = role.way == 0 ? queue.offer(element, role.patience(), TimeUnit.MICROSECONDS)
                        : role.way == 2 ? queue.offer(element)
                        : put(queue, element);
                } finally {
                    wanted("room", asked, Witness.now());
                }
                if (put) {
                    Witness.owed("element#" + element, 0, Witness.now());
                }
            });
        }
        for (int i = chance.nextInt(1, 4); i > 0; i--) {
            thread("consumer", role -> {
                long asked = Witness.now();
                Integer element = null;
                try {
                    element = role.way == 0 ? queue.poll(role.patience(), TimeUnit.MICROSECONDS) : queue.take();
                } finally {
                    long now = Witness.now();
                    wanted("element#" + (element == null ? "none" : element), asked, now);
                    if (element != null) {
                        Witness.gave("room", asked, now);
                    }
                }
                role.work();
            });
        }
        return () -> {
            while (threads.stream().anyMatch(Thread::isAlive)) {
                threads.forEach(Thread::interrupt);
                pause(1000);
            }
        };
    }

    static boolean put(BlockingQueue<Integer> queue, int element) throws InterruptedException {
        queue.put(element);
        return true;
    }

    // ---- futures ----

    /** Clients hand requests to whichever worker is asked for them, and wait for the answers. */
    static Runnable future() {
        int n = chance.nextInt(1, 4);
        AtomicInteger number = new AtomicInteger();
        List<ArrayDeque<Runnable>> requests = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            ArrayDeque<Runnable> mine = new ArrayDeque<>();
            requests.add(mine);
            thread("worker", role -> {
                Runnable request;
                synchronized (mine) {
                    request = mine.poll();
                }
                if (request == null) {
                    pause(500);
                } else {
                    role.work();
                    request.run();
                }
                if (stopped) { // the rest was owed as well
                    synchronized (mine) {
                        mine.forEach(Runnable::run);
                    }
                }
            });
        }
        Queue<CompletableFuture<Integer>> open = new ConcurrentLinkedQueue<>();
        for (int i = chance.nextInt(2, 6); i > 0; i--) {
            thread("client", role -> {
                CompletableFuture<Integer> future = new CompletableFuture<>();
                String what = "future#" + number.incrementAndGet();
                open.add(future);
                ArrayDeque<Runnable> theirs = requests.get(role.chance.nextInt(n));
                synchronized (theirs) {
                    theirs.add(() -> {
                        future.complete(1);
                        Witness.owed(what, 0, Witness.now());
                    });
                }
                boolean owed = false;
                CompletableFuture<Integer> wanted = role.burst > 4 ? future.thenApply(one -> one + 1) : future;
                long asked = Witness.now();
                try {
                    if (role.way == 0) {
                        wanted.get(role.patience(), TimeUnit.MICROSECONDS);
                    } else if (role.way == 1) {
                        wanted.get();
                    } else {
                        wanted.join();
                    }
                    owed = true;
                } catch (TimeoutException late) {
                    owed = true; // by who answers later
                } catch (ExecutionException failed) {
                    // without an answer
                } finally {
                    wanted(owed ? what : "future#none", asked, Witness.now());
                }
                role.rest();
            });
        }
        return () -> {
            for (int i = 0; i < 200; i++) { // a client may ask once more
                open.forEach(future -> future.complete(0));
                pause(1000);
            }
        };
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that wait in every way there is, each way a known number of times: timed parks, a
 * lock, a monitor and Object.wait that `main` holds until all stand there, a park while pinned; they
 * also sleep and yield, which is no waiting. Eight named walker-0 … walker-7, then as many without a
 * name as the argument says (0), each of which parks once. At the end three stay parked for ever.
 * Prints `parks COUNT NANOS`, how often and for how long they saw themselves park for a Bench, at
 * most; then `ready`. Goes on until it is killed, or ends at the file that is the second argument.
 */
class VirtualWaits {
    static final int WALKERS = 8, PARKS = 25;
    static final long NANOS = 1_500_000;
    static final ReentrantLock lock = new ReentrantLock();
    static final Door door = new Door();
    static final AtomicInteger passed = new AtomicInteger();
    static final AtomicLong parkedNanos = new AtomicLong();
    static volatile boolean opened, released;
    static volatile Thread anchored;

    public static void main(String[] arguments) throws Exception {
        int crowd = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        List<Thread> walkers = new ArrayList<>();
        lock.lock();
        for (int i = 0; i < WALKERS; i++) {
            int number = i;
            walkers.add(Virtual.start("walker-" + i, () -> walk(number)));
        }
        while (anchored == null || anchored.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        released = true;
        LockSupport.unpark(anchored);
        await(walkers, Thread.State.WAITING, 1); // all for the lock
        synchronized (door) {
            lock.unlock();
            await(walkers, Thread.State.BLOCKED, 2);
        }
        await(walkers, Thread.State.WAITING, 3); // in Object.wait
        synchronized (door) {
            opened = true;
            door.notifyAll();
        }
        for (Thread walker : walkers) {
            walker.join();
        }
        System.out.println("parks " + WALKERS * PARKS + " " + parkedNanos.get());
        List<Thread> people = new ArrayList<>();
        for (int i = 0; i < crowd; i++) {
            people.add(Virtual.start("", () -> LockSupport.parkNanos(new Stool(), 1)));
        }
        for (Thread person : people) {
            person.join();
        }
        Bed bed = new Bed();
        List<Thread> sleepers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sleepers.add(Virtual.start("sleeper-" + i, () -> lieDown(bed)));
        }
        await(sleepers, Thread.State.WAITING, 0);
        System.out.println("ready");
        while (arguments.length < 2 || !new java.io.File(arguments[1]).exists()) {
            Thread.sleep(10);
        }
        sleepers.forEach(LockSupport::unpark);
    }

    /* Until all threads are in this state, and came to the stage before it. */
    static void await(List<Thread> threads, Thread.State state, int stage) throws Exception {
        for (Thread thread : threads) {
            while (thread.getState() != state || passed.get() < stage * threads.size()) {
                Thread.sleep(1);
            }
        }
    }

    static void walk(int number) {
        Bench bench = new Bench();
        long parked = 0;
        for (int i = 0; i < PARKS; i++) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(bench, NANOS);
            parked += System.nanoTime() - begin;
            Thread.yield();
        }
        if (number == 0) {
            Pinned.touch();
        }
        parkedNanos.addAndGet(parked);
        passed.incrementAndGet();
        lock.lock();
        lock.unlock();
        passed.incrementAndGet();
        enter();
    }

    static void enter() {
        try {
            synchronized (door) {
                passed.incrementAndGet();
                while (!opened) {
                    door.wait();
                }
            }
            for (int i = 0; i < 3; i++) {
                Thread.sleep(1); // last, as it leaves its thread a permit
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void lieDown(Bed bed) {
        while (true) {
            LockSupport.park(bed);
        }
    }

    static class Bench {
    }

    static class Door {
    }

    static class Stool {
    }

    static class Bed {
    }

    static class Anchor {
    }

    /** A class initialiser pins whoever runs it. */
    static class Pinned {
        static {
            Anchor anchor = new Anchor();
            anchored = Thread.currentThread();
            while (!released) {
                LockSupport.park(anchor);
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        static void touch() {
        }
    }
}

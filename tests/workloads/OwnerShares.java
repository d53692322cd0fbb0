import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock, three owners that hold it in turn for 70, 20 and 10 ms, each from a method of its own, while
 * one thread waits for the fair lock again and again: its waiting is 70 %, 20 % and 10 % theirs.
 * Arguments: seconds (0 = until killed). At the end one line an owner: name, holds, ns held in all;
 * then `contended N NS`: the holds, those of the one thread too, during which others waited from
 * begin to end, and how long one took on average.
 */
class OwnerShares {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static final String[] NAMES = {"most", "some", "little"};
    static final AtomicLong[] HOLDS = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final AtomicLong[] HELD_NS = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final AtomicLong CONTENDED = new AtomicLong();
    static final AtomicLong CONTENDED_NS = new AtomicLong();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Thread[] threads = {
            new Thread(OwnerShares::most, "most-1"), new Thread(OwnerShares::some, "some-1"),
            new Thread(OwnerShares::little, "little-1"), new Thread(OwnerShares::want, "waiter-1"),
        };
        for (Thread thread : threads) {
            thread.start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            TimeUnit.SECONDS.sleep(seconds);
            stopped = true;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < NAMES.length; i++) {
            System.out.println(NAMES[i] + " " + HOLDS[i].get() + " " + HELD_NS[i].get());
        }
        long holds = CONTENDED.get();
        System.out.println("contended " + holds + " " + CONTENDED_NS.get() / Math.max(holds, 1));
    }

    static void most() {
        while (!stopped) {
            hold(0, 70);
        }
    }

    static void some() {
        while (!stopped) {
            hold(1, 20);
        }
    }

    static void little() {
        while (!stopped) {
            hold(2, 10);
        }
    }

    static void hold(int owner, long millis) {
        LOCK.lock();
        try {
            boolean contended = LOCK.hasQueuedThreads();
            long begin = System.nanoTime();
            Thread.sleep(millis);
            long held = System.nanoTime() - begin;
            HOLDS[owner].incrementAndGet();
            HELD_NS[owner].addAndGet(held);
            count(contended, held);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            LOCK.unlock();
        }
    }

    static void want() {
        while (!stopped) {
            LOCK.lock();
            try {
                boolean contended = LOCK.hasQueuedThreads();
                long begin = System.nanoTime();
                count(contended, System.nanoTime() - begin);
            } finally {
                LOCK.unlock();
            }
        }
    }

    static void count(boolean contended, long held) {
        if (contended) {
            CONTENDED.incrementAndGet();
            CONTENDED_NS.addAndGet(held);
        }
    }
}

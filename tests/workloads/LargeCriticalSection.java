import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The thesis' large-critical-section pattern (004 §5.2): three locks taken equally often and held 4,
 * 16 and 64 ms. The third one is the bottleneck.
 *
 * <p>Arguments: threads (64), seconds (0 = until killed). At the end one line a lock: its name, how
 * often it was taken, and for how long on average in ns as the holders saw it.
 */
class LargeCriticalSection {
    static final ReentrantLock FIRST = new ReentrantLock();
    static final ReentrantLock SECOND = new ReentrantLock();
    static final ReentrantLock THIRD = new ReentrantLock();
    static final AtomicLong[] TAKEN = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final AtomicLong[] HELD_NS = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(LargeCriticalSection::work, "worker-" + (i + 1));
            workers[i].start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            TimeUnit.SECONDS.sleep(seconds);
            stopped = true;
        }
        for (Thread worker : workers) {
            worker.join();
        }
        String[] names = {"first", "second", "third"};
        for (int i = 0; i < names.length; i++) {
            long taken = TAKEN[i].get();
            System.out.println(names[i] + " " + taken + " " + HELD_NS[i].get() / Math.max(taken, 1));
        }
    }

    static void work() {
        while (!stopped) {
            first();
            second();
            third();
        }
    }

    static void first() {
        FIRST.lock();
        try {
            hold(0, 4);
        } finally {
            FIRST.unlock();
        }
    }

    static void second() {
        SECOND.lock();
        try {
            hold(1, 16);
        } finally {
            SECOND.unlock();
        }
    }

    static void third() {
        THIRD.lock();
        try {
            hold(2, 64);
        } finally {
            THIRD.unlock();
        }
    }

    static void hold(int lock, long millis) {
        if (stopped) {
            return;
        }
        long begin = System.nanoTime();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        HELD_NS[lock].addAndGet(System.nanoTime() - begin);
        TAKEN[lock].incrementAndGet();
    }
}

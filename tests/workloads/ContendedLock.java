import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * N threads that want one lock and work inside and outside of it. Arguments: seconds to measure,
 * seconds to warm up (1), threads (8), spins of work outside of
 * the lock (500) and inside (500), whether the lock is `fair` (each of them then waits for its turn)
 * or not (`barging`), and `holds` to measure them. Prints `pairs N wall_ns N cpu_ns N`; a pair is one
 * lock and unlock; then with `holds` `contended N NS`: the holds that their threads waited for and
 * during which others waited from begin to end, and how long one took on average.
 */
class ContendedLock {
    static ReentrantLock lock;
    static final AtomicLong DONE = new AtomicLong();
    static final AtomicLong CONTENDED = new AtomicLong();
    static final AtomicLong CONTENDED_NS = new AtomicLong();
    static volatile boolean stopped;
    static boolean measures;
    static long guarded;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = Long.parseLong(arguments[0]);
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        int threads = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 8;
        int spins = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 500;
        int inside = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 500;
        lock = new ReentrantLock(arguments.length > 5 && arguments[5].equals("fair"));
        measures = arguments.length > 6 && arguments[6].equals("holds");
        for (int i = 0; i < threads; i++) {
            new Thread(() -> work(spins, inside), "worker-" + (i + 1)).start();
        }
        System.out.println("ready");
        Measure.pairs(warmUp, seconds, DONE::get);
        if (measures) {
            long holds = CONTENDED.get();
            System.out.println("contended " + holds + " " + CONTENDED_NS.get() / Math.max(holds, 1));
        }
        stopped = true;
    }

    static void work(int spins, int inside) {
        while (!stopped) {
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            boolean waited = false;
            if (measures) {
                waited = !tryLock();
            }
            if (waited || !measures) {
                lock.lock();
            }
            try {
                if (waited) {
                    measure(inside);
                } else {
                    hold(inside);
                }
            } finally {
                lock.unlock();
            }
            DONE.incrementAndGet();
        }
    }

    /** As lock() begins; tryLock() does not care for who waits for a fair lock. */
    static boolean tryLock() {
        try {
            return lock.tryLock(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static void hold(int inside) {
        for (int i = 0; i < inside; i++) {
            guarded += i;
            Thread.onSpinWait();
        }
    }

    static void measure(int inside) {
        boolean contended = lock.hasQueuedThreads();
        long begin = System.nanoTime();
        hold(inside);
        long held = System.nanoTime() - begin;
        if (contended) {
            CONTENDED.incrementAndGet();
            CONTENDED_NS.addAndGet(held);
        }
    }
}

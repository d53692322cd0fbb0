import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The thesis' frequently-acquired-lock pattern (004 §5.3): two locks held equally long, 32 ms, one of
 * them taken three times as often. That one is the bottleneck.
 *
 * <p>Arguments: threads (64), seconds (0 = until killed). At the end one line a lock: its name, how
 * often it was taken, and for how long on average in ns as the holders saw it.
 */
class FrequentlyAcquiredLock {
    static final double OFTEN = 0.75;
    static final ReentrantLock FREQUENT = new ReentrantLock();
    static final ReentrantLock RARE = new ReentrantLock();
    static final AtomicLong[] TAKEN = {new AtomicLong(), new AtomicLong()};
    static final AtomicLong[] HELD_NS = {new AtomicLong(), new AtomicLong()};
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(FrequentlyAcquiredLock::work, "worker-" + (i + 1));
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
        String[] names = {"frequent", "rare"};
        for (int i = 0; i < names.length; i++) {
            long taken = TAKEN[i].get();
            System.out.println(names[i] + " " + taken + " " + HELD_NS[i].get() / Math.max(taken, 1));
        }
    }

    static void work() {
        while (!stopped) {
            if (ThreadLocalRandom.current().nextDouble() < OFTEN) {
                frequent();
            } else {
                rare();
            }
        }
    }

    static void frequent() {
        FREQUENT.lock();
        try {
            hold(0);
        } finally {
            FREQUENT.unlock();
        }
    }

    static void rare() {
        RARE.lock();
        try {
            hold(1);
        } finally {
            RARE.unlock();
        }
    }

    static void hold(int lock) {
        if (stopped) {
            return;
        }
        long begin = System.nanoTime();
        try {
            Thread.sleep(32);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        HELD_NS[lock].addAndGet(System.nanoTime() - begin);
        TAKEN[lock].incrementAndGet();
    }
}

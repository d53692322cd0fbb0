import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An alignment of stock runs every 100 ms by each of three schedulers, which share a lock with each other, as the nodes
 * of a cluster do; one takes 140 ms. Who does not get the lock within 5 ms skips the run. Two pickers read stock without
 * the lock.
 *
 * Problem: none: a run that overlaps another one has nothing to do. Truth: healthy. Measured: the time for which
 * anybody waits for the lock.
 */
final class OverlappingRunsAreSkippedHealthy {
    static final class Alignment implements Runnable {
        private final ReentrantLock lock;
        private final AtomicLong waited;
        private volatile int runs, skipped;

        Alignment(ReentrantLock lock, AtomicLong waited) {
            this.lock = lock;
            this.waited = waited;
        }

        @Override
        public void run() {
            try {
                long from = System.nanoTime();
                boolean isMine = lock.tryLock(5, TimeUnit.MILLISECONDS);
                waited.addAndGet(System.nanoTime() - from);
                if (!isMine) {
                    skipped++;
                    return;
                }
                try {
                    Truth.sleep(0.14);
                    runs++;
                } finally {
                    lock.unlock();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ReentrantLock lock = new ReentrantLock();
        AtomicLong waited = new AtomicLong();
        for (int i = 1; i <= 3; i++) {
            String name = "node-" + i;
            ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(1, work -> {
                Thread thread = new Thread(work, name);
                thread.setDaemon(true);
                return thread;
            });
            scheduler.scheduleAtFixedRate(new Alignment(lock, waited), 30 * i, 100, TimeUnit.MILLISECONDS);
        }
        long[] stock = new long[100];
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("picker-" + i, () -> {
                for (int article = 0; article < 100; article++) {
                    stock[article]++;
                }
                Thread.sleep(5);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%.2f s for the lock%n", waited.get() / 1e9);
        Truth.healthy("overlapping runs are skipped on purpose").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}

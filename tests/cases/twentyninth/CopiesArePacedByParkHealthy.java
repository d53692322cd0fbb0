import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Two threads copy files in the background, 20 blocks a second each, by a limiter that parks them until it is their
 * turn, as is intended. Four pages ask a pool for something every 30 ms and have it in 2 ms; a limiter that sleeps
 * paces a report.
 *
 * Problem: none. Truth: healthy.
 */
final class CopiesArePacedByParkHealthy {
    static final class Limiter {
        private final long interval;
        private long next = System.nanoTime();

        Limiter(long interval) {
            this.interval = interval;
        }

        private synchronized long reserve() {
            long now = System.nanoTime();
            long turn = Math.max(next, now);
            next = turn + interval;
            return turn - now;
        }

        void acquire() {
            long until = System.nanoTime() + reserve();
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
            }
        }

        void acquireAsleep() throws InterruptedException {
            Thread.sleep(Math.max(0, reserve()) / 1_000_000);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(4, work -> Truth.daemon("answers", work));
        Limiter blocks = new Limiter(25_000_000);
        Limiter lines = new Limiter(10_000_000);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("copy-" + i, () -> {
                blocks.acquire();
                Truth.sleep(0.001);
            });
        }
        Truth.repeat("report", () -> {
            lines.acquireAsleep();
            Truth.sleep(0.0005);
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("page-" + i, () -> {
                CompletableFuture.runAsync(() -> Truth.sleep(0.002), pool).join();
                Thread.sleep(30);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("background work is paced as it was meant to be").say();
    }
}

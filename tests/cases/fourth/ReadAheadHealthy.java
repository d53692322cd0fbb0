import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three players take a block of sound each 20 ms, on time. For each, a reader keeps sixteen blocks ahead
 * of it, and waits for room when it has.
 *
 * Problem: none; a full buffer is what readers are for, and players never wait. Truth: healthy.
 * Measured: blocks missed, which ought to be none.
 */
final class ReadAheadHealthy {
    public static void main(String[] arguments) {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, work -> {
            Thread thread = new Thread(work, "player");
            thread.setDaemon(true);
            return thread;
        });
        AtomicInteger missed = new AtomicInteger();
        for (int i = 1; i <= 3; i++) {
            ArrayBlockingQueue<byte[]> blocks = new ArrayBlockingQueue<>(16);
            Truth.repeat("read-ahead-" + i, () -> {
                Truth.sleep(0.001);
                try {
                    blocks.put(new byte[1764]);
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
            clock.scheduleAtFixedRate(() -> {
                if (blocks.poll() == null) {
                    missed.incrementAndGet();
                }
            }, 100, 20, TimeUnit.MILLISECONDS);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("readers are sixteen blocks ahead and wait for room; missed " + missed)
            .object().culprit().thread().victims().noShare().say();
    }
}

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A service at ease, all of whose waits are pauses: two pollers pause by a delayed executor's future, two consumers poll
 * a queue for 300 ms at a time, two stewards pause by a latch that the end of the program opens, a throttle by
 * tryAcquire of a permit that does not exist. Four pages ask a pool for something each 60 ms, and have it in 2 ms.
 *
 * Problem: none. Truth: healthy.
 */
final class PausesByTheClockHealthy {
    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(4, work -> Truth.daemon("answers", work));
        CountDownLatch end = new CountDownLatch(1);
        BlockingQueue<Integer> letters = new ArrayBlockingQueue<>(10);
        Semaphore none = new Semaphore(0);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("poller-" + i, () -> {
                CompletableFuture.runAsync(() -> { }, CompletableFuture.delayedExecutor(250, TimeUnit.MILLISECONDS))
                    .join();
                Truth.sleep(0.002);
            });
            Truth.repeat("consumer-" + i, () -> {
                if (letters.poll(300, TimeUnit.MILLISECONDS) != null) {
                    Truth.sleep(0.002);
                }
            });
            Truth.repeat("steward-" + i, () -> {
                end.await(400, TimeUnit.MILLISECONDS);
                Truth.sleep(0.001);
            });
        }
        Truth.repeat("throttle", () -> {
            none.tryAcquire(200, TimeUnit.MILLISECONDS);
            letters.offer(1);
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("page-" + i, () -> {
                CompletableFuture.runAsync(() -> Truth.sleep(0.002), pool).orTimeout(1, TimeUnit.SECONDS).join();
                Thread.sleep(60);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("who waits does so by the clock, or has nothing to do").say();
    }
}

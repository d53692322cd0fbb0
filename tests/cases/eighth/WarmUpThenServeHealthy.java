import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * At its start a service warms up: caches are filled on a pool of its own while three gates wait at a latch;
 * then it serves. Requests come in bursts, of which there are three; the last quarter of the time is silent.
 *
 * Problem: none. The gates waited 300 ms once; who waits at the end waits for requests. Truth: healthy.
 * Measured: requests.
 */
final class WarmUpThenServeHealthy {
    static final AtomicInteger SERVED = new AtomicInteger();

    static final class Caches {
        private final ForkJoinPool pool = new ForkJoinPool(2);

        void fill(CountDownLatch ready) {
            List<CompletableFuture<Void>> parts = new ArrayList<>();
            for (int part = 0; part < 4; part++) {
                parts.add(CompletableFuture.runAsync(() -> Truth.sleep(0.15), pool));
            }
            CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0])).join();
            ready.countDown();
        }
    }

    record Gate(CountDownLatch ready, LinkedTransferQueue<Integer> requests) {
        void serve() throws InterruptedException {
            ready.await();
            int request = requests.take();
            if (IntStream.range(0, 20_000).map(i -> i * request % 17).sum() >= 0) {
                Truth.sleep(0.001);
            }
            SERVED.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        CountDownLatch ready = new CountDownLatch(1);
        LinkedTransferQueue<Integer> requests = new LinkedTransferQueue<>();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("gate-" + i, new Gate(ready, requests)::serve);
        }
        new Caches().fill(ready);
        for (int burst = 0; burst < 3; burst++) {
            Truth.sleep(seconds / 4 - 0.1);
            for (int i = 0; i < 200; i++) {
                requests.put(i);
            }
        }
        Truth.sleep(seconds / 4);
        System.out.println(SERVED.get() + " requests");
        Truth.healthy("a service that warmed up, served its bursts, and waits for more").object().culprit()
            .thread().victims().noShare().say();
    }
}

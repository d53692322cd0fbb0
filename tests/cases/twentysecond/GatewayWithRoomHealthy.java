import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gateway with little to do: one client a quarter of a second asks it; a call goes through a semaphore of eight, is
 * made by one of four workers (4 ms), and written down by a consumer of a queue. A token bucket is filled every 100 ms
 * with what nobody needs.
 *
 * Problem: none; everything has room. Truth: healthy. Measured: how many calls were made.
 */
final class GatewayWithRoomHealthy {
    static final class Gateway {
        private final Semaphore seats = new Semaphore(8), tokens = new Semaphore(10);
        private final BlockingQueue<Integer> audit = new ArrayBlockingQueue<>(100);
        private final ExecutorService workers;
        final AtomicInteger calls = new AtomicInteger();

        Gateway(ExecutorService workers) {
            this.workers = workers;
        }

        int call(int number) throws Exception {
            seats.acquire();
            try {
                tokens.tryAcquire(100, TimeUnit.MILLISECONDS);
                int answer = CompletableFuture.supplyAsync(() -> answer(number), workers).get();
                audit.put(answer);
                return answer;
            } finally {
                seats.release();
            }
        }

        private int answer(int number) {
            Truth.sleep(0.004);
            return number + calls.incrementAndGet();
        }

        void refill() {
            tokens.release(Math.max(0, 10 - tokens.availablePermits()));
        }

        void write() throws InterruptedException {
            audit.take();
            Truth.sleep(0.001);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger number = new AtomicInteger();
        Gateway gateway = new Gateway(Executors.newFixedThreadPool(4, work ->
            Truth.daemon("worker-" + number.incrementAndGet(), work)));
        Truth.repeat("auditor", gateway::write);
        Executors.newSingleThreadScheduledExecutor(work -> Truth.daemon("refill", work))
            .scheduleAtFixedRate(gateway::refill, 0, 100, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 4; i++) {
            int client = i;
            Truth.repeat("client-" + i, () -> {
                gateway.call(client);
                Thread.sleep(250);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d calls%n", gateway.calls.get());
        Truth.healthy("a gateway that has room for all").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

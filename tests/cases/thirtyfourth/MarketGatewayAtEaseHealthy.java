import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A gateway with twenty sessions, virtual threads where the JDK has them: each takes one of thirty permits, counts
 * itself with a lock (next to nothing), asks a pool of four for a price (2 ms), and rests for 60 to 80 ms. Orders go by
 * a queue to one router that mostly waits for them; a publisher waits for ticks, of which one comes each 40 ms.
 *
 * Problem: none: nobody waits for long but for work. Truth: healthy. Measured: nothing.
 */
final class MarketGatewayAtEaseHealthy {
    static final class Gateway {
        private final Semaphore permits = new Semaphore(30);
        private final ReentrantLock lock = new ReentrantLock();
        private final ExecutorService pricing =
            Executors.newFixedThreadPool(4, work -> Truth.daemon("pricing", work));
        private final BlockingQueue<Integer> orders = new LinkedBlockingQueue<>();
        private int calls;

        int quote(int symbol) throws InterruptedException {
            permits.acquire();
            try {
                count();
                return CompletableFuture.supplyAsync(() -> price(symbol), pricing).join();
            } finally {
                permits.release();
            }
        }

        private void count() {
            lock.lock();
            try {
                calls++;
            } finally {
                lock.unlock();
            }
        }

        private static int price(int symbol) {
            Truth.sleep(0.002);
            return symbol * 11;
        }
    }

    public static void main(String[] arguments) {
        Gateway gateway = new Gateway();
        BlockingQueue<Long> ticks = new LinkedBlockingQueue<>();
        Truth.repeat("order-router", () -> {
            Integer order = gateway.orders.poll(500, TimeUnit.MILLISECONDS);
            if (order != null) {
                Thread.sleep(1);
            }
        });
        Truth.repeat("tick-publisher", () -> Truth.sleep(ticks.take() > 0 ? 0.001 : 0.002));
        Truth.repeat("exchange-feed", () -> {
            Thread.sleep(40);
            ticks.add(System.nanoTime());
        });
        for (int i = 1; i <= 20; i++) {
            int own = i;
            Truth.virtual("session-" + i, () -> {
                while (true) {
                    try {
                        gateway.orders.add(gateway.quote(own));
                    } catch (InterruptedException exception) {
                        return;
                    }
                    Truth.sleep(0.060 + 0.001 * own);
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there is room for all").object().culprit().thread().victims().noShare().say();
    }
}

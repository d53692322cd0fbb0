import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four brokers ask eight carriers for each quote, by way of a pool of two threads with a queue for 40; from
 * the second second on they ask for six variants of each.
 *
 * Problem: the pool was made with DiscardPolicy, so that what does not fit is forgotten in silence, and
 * QuoteDesk.best waits for its future without a limit. Truth: stuck, once each broker has lost a task.
 * Measured: nothing else.
 */
final class QuotesDiscardedInSilence {
    record Quote(int carrier, int cents) {
    }

    static final class CarrierPool {
        private final AtomicInteger threads = new AtomicInteger();
        private final ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(40), work -> {
                Thread thread = new Thread(work, "carrier-pool-" + threads.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }, new ThreadPoolExecutor.DiscardPolicy());

        Future<Quote> ask(int carrier, int parcel) {
            return pool.submit(() -> call(carrier, parcel));
        }

        private Quote call(int carrier, int parcel) throws InterruptedException {
            Thread.sleep(2);
            return new Quote(carrier, (carrier * 31 + parcel * 17) % 900);
        }
    }

    static final class QuoteDesk {
        private static final long BEGIN = System.nanoTime();
        private final CarrierPool carriers;

        QuoteDesk(CarrierPool carriers) {
            this.carriers = carriers;
        }

        Quote best(int parcel) throws InterruptedException, ExecutionException {
            int variants = System.nanoTime() - BEGIN < 1_500_000_000L ? 1 : 6;
            List<Future<Quote>> asked = new ArrayList<>();
            for (int i = 0; i < 8 * variants; i++) {
                asked.add(carriers.ask(i % 8, parcel + i));
            }
            Quote best = null;
            for (Future<Quote> future : asked) {
                Quote quote = future.get();
                best = best == null || quote.cents() < best.cents() ? quote : best;
            }
            return best;
        }
    }

    record Broker(QuoteDesk desk) implements Runnable {
        @Override
        public void run() {
            try {
                for (int parcel = 0;; parcel++) {
                    Thread.sleep(60);
                    desk.best(parcel);
                }
            } catch (InterruptedException | ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        QuoteDesk desk = new QuoteDesk(new CarrierPool());
        List<Thread> brokers = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Thread broker = new Thread(new Broker(desk), "broker-" + i);
            broker.setDaemon(true);
            broker.start();
            brokers.add(broker);
        }
        Truth.hangsOnce(brokers);
        Truth.sayAndHalt(Truth.stuck("tasks are discarded in silence, and their futures waited for")
            .object("FutureTask").culprit("QuoteDesk.best", "CarrierPool.ask").thread("broker-*")
            .victims("broker-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}

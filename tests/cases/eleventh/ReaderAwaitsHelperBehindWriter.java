import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Prices are behind a read-write lock; four threads quote, one thread brings new prices each 40 ms, and two value
 * portfolios, for which they keep the read lock so that all prices are of the same moment.
 *
 * Problem: options, of which there are some from the second second on, are priced by a helper of a pool, which
 * takes the read lock itself. If somebody waits to write in between, the helper waits behind it, the writer for the
 * valuation, and the valuation for its helper. Truth: stuck, quotes wait for the ReentrantReadWriteLock because of
 * Valuation.value.
 */
final class ReaderAwaitsHelperBehindWriter {
    static final class PriceBook {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final double[] prices = new double[100];

        double price(int paper) {
            lock.readLock().lock();
            try {
                return prices[paper];
            } finally {
                lock.readLock().unlock();
            }
        }

        void set(int paper, double price) {
            lock.writeLock().lock();
            try {
                prices[paper] = price;
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    record Valuation(PriceBook book, ExecutorService helpers) {
        double value(int[] papers, boolean options) throws InterruptedException, ExecutionException {
            book.lock.readLock().lock();
            try {
                double sum = 0;
                List<Future<Double>> parts = new ArrayList<>();
                for (int paper : papers) {
                    if (options && paper % 9 == 0) {
                        parts.add(helpers.submit(() -> book.price(paper) * 0.3));
                    } else {
                        sum += book.price(paper);
                        Thread.sleep(0, 400_000);
                    }
                }
                for (Future<Double> part : parts) {
                    sum += part.get();
                }
                return sum;
            } finally {
                book.lock.readLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        PriceBook book = new PriceBook();
        int[] number = new int[1];
        ExecutorService helpers = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "helper-" + ++number[0]);
            thread.setDaemon(true);
            return thread;
        });
        Valuation valuation = new Valuation(book, helpers);
        long later = System.nanoTime() + 1_200_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int first = i;
            threads.add(Truth.repeat("valuation-" + i, () -> {
                valuation.value(new int[] {first, 18, 33, first + 60, 81}, System.nanoTime() > later);
                Thread.sleep(7);
            }));
        }
        for (int i = 1; i <= 4; i++) {
            int paper = i * 13;
            threads.add(Truth.repeat("quote-" + i, () -> {
                book.price(paper);
                Thread.sleep(5);
            }));
        }
        threads.add(Truth.repeat("price-feed", () -> {
            book.set((int) (Math.random() * 100), Math.random());
            Thread.sleep(40);
        }));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a valuation awaits, with the read lock, a helper that stands behind a writer")
            .object("ReentrantReadWriteLock", "NonfairSync", "FutureTask").culprit("Valuation.value")
            .thread("valuation-*").victims("quote-*", "valuation-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

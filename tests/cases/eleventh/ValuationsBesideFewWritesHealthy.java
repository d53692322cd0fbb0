import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Prices are behind a read-write lock; four threads quote, one brings new prices each 350 ms, two value portfolios,
 * with the read lock held while two helpers calculate, some three milliseconds.
 *
 * Problem: none: the helpers need no lock, a new price waits for a millisecond or two, and quotes behind it as long.
 * Truth: healthy.
 */
final class ValuationsBesideFewWritesHealthy {
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

    static double discount(double price) throws InterruptedException {
        Thread.sleep(1);
        return price * 0.97;
    }

    static double value(PriceBook book, ExecutorService helpers, int[] papers) throws Exception {
        book.lock.readLock().lock();
        try {
            List<Future<Double>> parts = new ArrayList<>();
            for (int paper : papers) {
                double price = book.price(paper);
                parts.add(helpers.submit(() -> discount(price)));
            }
            double sum = 0;
            for (Future<Double> part : parts) {
                sum += part.get();
            }
            return sum;
        } finally {
            book.lock.readLock().unlock();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        PriceBook book = new PriceBook();
        ExecutorService helpers = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "helper");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 1; i <= 2; i++) {
            int first = i;
            Truth.repeat("valuation-" + i, () -> {
                value(book, helpers, new int[] {first, 18, 33, first + 60});
                Thread.sleep(90);
            });
        }
        for (int i = 1; i <= 4; i++) {
            int paper = i * 13;
            Truth.repeat("quote-" + i, () -> {
                book.price(paper);
                Thread.sleep(5);
            });
        }
        Truth.repeat("price-feed", () -> {
            book.set((int) (Math.random() * 100), Math.random());
            Thread.sleep(350);
        });
        Thread.sleep((long) (seconds * 1000));
        Truth.healthy("valuations are short and prices change seldom").object().culprit().thread().victims()
            .noShare().say();
    }
}

import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Eight quotes read a book of prices (2 ms), under a ReentrantReadWriteLock that is fair.
 *
 * Problem: three exchanges send their changes ten times a second, and almost at once: each is applied by
 * PriceBook.applyChanges under the write lock, for 18 ms, one after the other, while a ticker writes single prices
 * (0.3 ms) often. Truth: quotes wait for the read lock because of PriceBook.applyChanges. Measured: changes, single
 * prices and reading within the quotes' waiting for the lock, evenly divided.
 */
final class WritersFollowEachOther {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Guarded {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);

        <T> T reading(Supplier<T> work) {
            long from = System.nanoTime();
            lock.readLock().lock();
            DIARY.waited(from, System.nanoTime());
            return locked(lock.readLock(), work);
        }

        <T> T writing(Supplier<T> work) {
            lock.writeLock().lock();
            return locked(lock.writeLock(), work);
        }

        private static <T> T locked(Lock lock, Supplier<T> work) {
            try {
                return work.get();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class PriceBook {
        private final TreeMap<Integer, Integer> prices = new TreeMap<>();
        private final Guarded guarded = new Guarded();
        final AtomicInteger changes = new AtomicInteger();

        int price(int article) {
            return guarded.reading(() -> timed(2, 0.002, prices.getOrDefault(article, 1)));
        }

        void set(int article, int price) {
            guarded.writing(() -> timed(1, 0.0003, prices.put(article, price)));
        }

        void applyChanges(int exchange) {
            guarded.writing(() -> {
                for (int article = 0; article < 100; article++) {
                    prices.merge(article, exchange, Integer::sum);
                }
                return timed(0, 0.018, changes.incrementAndGet());
            });
        }

        private static <T> T timed(int who, double seconds, T result) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(who, from, System.nanoTime());
            return result;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PriceBook book = new PriceBook();
        for (int i = 1; i <= 8; i++) {
            int article = i;
            Truth.repeat("quote-" + i, () -> {
                book.price(article);
                Thread.sleep(12);
            });
        }
        for (int i = 1; i <= 3; i++) {
            int exchange = i;
            Truth.repeat("exchange-" + i, () -> {
                book.applyChanges(exchange);
                Thread.sleep(80);
            });
        }
        Truth.repeat("ticker", () -> {
            book.set(5, 7);
            Thread.sleep(15);
        });
        Truth.sleep(seconds);
        System.out.printf("%d changes, waited %.2f s%n", book.changes.get(), DIARY.waitedSeconds());
        Truth.of("writers come one after the other, and readers wait for all").object("FairSync", "ReentrantReadWriteLock")
            .culprit("PriceBook.applyChanges").thread("exchange-*").victims("quote-*")
            .share(DIARY.share(0), "the quotes' waiting for the lock").say();
        Runtime.getRuntime().halt(0);
    }
}

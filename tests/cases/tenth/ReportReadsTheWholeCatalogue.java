import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * A catalogue behind a read-write lock: four threads browse, two change prices, a report reads all of it.
 *
 * Problem: the report keeps the read lock while it prints 30 pages; a price change waits for it, and whoever wants to
 * browse waits behind the price change. Truth: both wait for the ReentrantReadWriteLock because of StockReport.print.
 * Measured: the part of all waiting during which the report reads, shared with other readers.
 */
final class ReportReadsTheWholeCatalogue {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Catalogue {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> prices = new TreeMap<>();

        <T> T read(int who, Function<Map<Integer, Integer>, T> reader) {
            long from = System.nanoTime();
            lock.readLock().lock();
            long entered = System.nanoTime();
            try {
                return reader.apply(prices);
            } finally {
                lock.readLock().unlock();
                note(who, from, entered);
            }
        }

        void write(int article, int price) {
            long from = System.nanoTime();
            lock.writeLock().lock();
            long entered = System.nanoTime();
            try {
                prices.put(article, price);
            } finally {
                lock.writeLock().unlock();
                note(2, from, entered);
            }
        }

        private static void note(int who, long from, long entered) {
            DIARY.waited(from, entered);
            DIARY.held(who, entered, System.nanoTime());
        }
    }

    static final class StockReport {
        private long printed;

        Integer print(Map<Integer, Integer> prices) {
            int pages = 0;
            for (; pages < 30; pages++) {
                page(prices, pages);
            }
            return pages;
        }

        private void page(Map<Integer, Integer> prices, int page) {
            long end = System.nanoTime() + 5_000_000;
            while (System.nanoTime() < end) {
                for (int price : prices.values()) {
                    printed += Integer.toString(price + page).length();
                }
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Catalogue catalogue = new Catalogue();
        for (int article = 0; article < 1000; article++) {
            catalogue.prices.put(article, 100 + article);
        }
        for (int i = 1; i <= 4; i++) {
            int own = i;
            Truth.repeat("browse-" + i, () -> {
                catalogue.read(1, prices -> prices.get(own));
                Thread.sleep(6);
            });
        }
        for (int i = 1; i <= 2; i++) {
            int own = i;
            Truth.repeat("price-" + i, () -> {
                catalogue.write(own, 77);
                Thread.sleep(20);
            });
        }
        StockReport report = new StockReport();
        Truth.repeat("stock-report", () -> {
            catalogue.read(0, report::print);
            Thread.sleep(300);
        });
        DIARY.fill(seconds);
        Truth.of("a report keeps the read lock for all its pages, and a writer makes everybody queue behind it")
            .object("ReentrantReadWriteLock", "NonfairSync").culprit("StockReport.print", "StockReport.page")
            .thread("stock-report").victims("browse-*", "price-*")
            .share(DIARY.share(0), "all waiting for the lock").say();
    }
}

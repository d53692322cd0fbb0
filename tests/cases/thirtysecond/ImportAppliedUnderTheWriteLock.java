import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A catalogue under a ReentrantReadWriteLock: nine queries read in it for half a millisecond each.
 *
 * Problem: an import sorts its rows and writes a journal with the write lock, CatalogueImport.apply, some 25 ms,
 * after each 60 ms; a feed changes prices with the write lock, PriceFeed.tick, 3 ms, after each 14 ms. Truth:
 * queries wait for the ReentrantReadWriteLock because of CatalogueImport.apply. Measured: the part of the queries'
 * and the feed's waiting during which the import has the lock, evenly shared with ticks and queries.
 */
final class ImportAppliedUnderTheWriteLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Catalogue {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        final Map<Integer, Integer> prices = new HashMap<>();
    }

    record CatalogueImport(Catalogue catalogue) {
        void run() {
            long asked = System.nanoTime();
            catalogue.lock.writeLock().lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                apply();
                DIARY.held(0, from, System.nanoTime());
            } finally {
                catalogue.lock.writeLock().unlock();
            }
        }

        private void apply() {
            TreeMap<String, Integer> rows = new TreeMap<>();
            for (int i = 0; i < 2500; i++) {
                rows.put("article " + (i * 7919) % 2500, i);
            }
            for (String name : rows.keySet()) {
                catalogue.prices.put(name.hashCode() % 500, rows.get(name));
            }
            journal(rows.size());
        }

        private void journal(int rows) {
            for (int i = 0; i < rows; i += 250) {
                Truth.sleep(0.002);
            }
        }
    }

    record PriceFeed(Catalogue catalogue) {
        void tick(int article) {
            long asked = System.nanoTime();
            catalogue.lock.writeLock().lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                catalogue.prices.put(article, 5);
                Truth.sleep(0.003);
                DIARY.held(1, from, System.nanoTime());
            } finally {
                catalogue.lock.writeLock().unlock();
            }
        }
    }

    record Query(Catalogue catalogue) {
        Integer find(int article) {
            long asked = System.nanoTime();
            catalogue.lock.readLock().lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                Truth.sleep(0.0005);
                Integer price = catalogue.prices.get(article);
                DIARY.held(2, from, System.nanoTime());
                return price;
            } finally {
                catalogue.lock.readLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Catalogue catalogue = new Catalogue();
        CatalogueImport load = new CatalogueImport(catalogue);
        PriceFeed feed = new PriceFeed(catalogue);
        Truth.repeat("import", () -> {
            load.run();
            Thread.sleep(60);
        });
        Truth.repeat("price-feed", () -> {
            feed.tick(7);
            Thread.sleep(14);
        });
        AtomicInteger threads = new AtomicInteger();
        ExecutorService queries =
            Executors.newFixedThreadPool(9, work -> Truth.daemon("query-" + threads.incrementAndGet(), work));
        for (int i = 1; i <= 9; i++) {
            int article = i;
            Query query = new Query(catalogue);
            queries.submit(() -> {
                while (true) {
                    query.find(article);
                    Thread.sleep(7);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an import sorts and writes its journal with the write lock").object("ReentrantReadWriteLock")
            .culprit("CatalogueImport.apply", "CatalogueImport.run", "CatalogueImport.journal").thread("import")
            .victims("query-*").share(DIARY.share(0), "the waiting for the catalogue").say();
        Runtime.getRuntime().halt(0);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;

/**
 * A product catalogue in memory behind a StampedLock that only the helper class Stamped touches.
 * Searches read, importers write, and two audit threads compare the catalogue with the warehouse.
 *
 * Problem: CatalogAudit.compareAll does its calls to the warehouse under the read lock: about 180
 * ms per round. Importers cannot write, and once one is queued, searches cannot read.
 *
 * Truth: the StampedLock and the audit. Measured: the helper knows for whom it holds the lock and
 * notes it, and the waits of all searches and importers.
 */
class AuditKeepsStampedReadLock {
    enum Use { AUDIT, SEARCH, IMPORT }

    static final class Stamped<T> {
        private final StampedLock lock = new StampedLock();
        private final T guarded;
        private final Truth.Diary diary;

        Stamped(T guarded, Truth.Diary diary) {
            this.guarded = guarded;
            this.diary = diary;
        }

        <R> R read(Use use, java.util.function.Function<? super T, ? extends R> reader) {
            long asked = System.nanoTime();
            long stamp = lock.readLock();
            return run(use, asked, stamp, () -> reader.apply(guarded));
        }

        void write(Use use, java.util.function.Consumer<? super T> writer) {
            long asked = System.nanoTime();
            long stamp = lock.writeLock();
            run(use, asked, stamp, () -> {
                writer.accept(guarded);
                return null;
            });
        }

        private <R> R run(Use use, long asked, long stamp, Supplier<R> body) {
            long got = System.nanoTime();
            if (use != Use.AUDIT) {
                diary.waited(asked, got);
            }
            try {
                return body.get();
            } finally {
                diary.held(use.ordinal(), got, System.nanoTime());
                lock.unlock(stamp);
            }
        }
    }

    static final class Catalog {
        private final Stamped<List<String>> products;

        Catalog(Truth.Diary diary) {
            List<String> start = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                start.add("product " + i);
            }
            products = new Stamped<>(start, diary);
        }

        long search(String word) {
            return products.read(Use.SEARCH,
                all -> all.stream().filter(product -> product.endsWith(word)).count());
        }

        void importOne(int at, String product) {
            products.write(Use.IMPORT, all -> all.set(at % all.size(), product));
        }

        Stamped<List<String>> guarded() {
            return products;
        }
    }

    static final class CatalogAudit implements Runnable {
        private final Catalog catalog;
        private final Warehouse warehouse = new Warehouse();

        CatalogAudit(Catalog catalog) {
            this.catalog = catalog;
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                compareAll();
                rest(60);
            }
        }

        int compareAll() {
            return catalog.guarded().read(Use.AUDIT, products -> {
                int missing = 0;
                for (int from = 0; from < products.size(); from += 50) {
                    missing += warehouse.missing(products.subList(from, from + 50));
                }
                return missing;
            });
        }
    }

    static final class Warehouse {
        int missing(List<String> some) {
            rest(30);
            return some.size() % 7;
        }
    }

    static void rest(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    static ExecutorService pool(String name, int size) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(size, body -> {
            Thread thread = new Thread(body, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    public static void main(String[] args) throws InterruptedException {
        double seconds = Truth.seconds(args);
        Truth.Diary diary = new Truth.Diary();
        Catalog catalog = new Catalog(diary);
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService searches = pool("search", 8), imports = pool("import", 3);
        ExecutorService audits = pool("audit", 1), mail = pool("mail", 3);
        for (int i = 0; i < 8; i++) {
            Random random = new Random(i);
            searches.execute(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    catalog.search(" " + random.nextInt(300));
                    rest(8 + random.nextInt(8));
                }
            });
        }
        for (int i = 0; i < 3; i++) {
            Random random = new Random(50 + i);
            imports.execute(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    rest(15 + random.nextInt(40));
                    catalog.importOne(random.nextInt(300), "product " + random.nextInt(300));
                }
            });
        }
        audits.execute(new CatalogAudit(catalog));
        mail.execute(() -> rest(20)); // an idle pool
        go.await((long) (seconds * 1000), TimeUnit.MILLISECONDS);
        for (ExecutorService each : List.of(searches, imports, audits, mail)) {
            each.shutdownNow();
            each.awaitTermination(1, TimeUnit.SECONDS);
        }
        Truth.of("CatalogAudit.compareAll calls the warehouse while it keeps the read lock of the "
                + "catalogue; importers cannot write and searches queue behind them")
            .object("StampedLock")
            .culprit("CatalogAudit.compareAll", "AuditKeepsStampedReadLock$CatalogAudit.compareAll",
                "Warehouse.missing", "AuditKeepsStampedReadLock$Warehouse.missing")
            .thread("audit-*")
            .victims("search-*", "import-*")
            .share(diary.share(Use.AUDIT.ordinal()), "the waiting of search and import threads")
            .say();
    }
}

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;

/**
 * Prices are memoized as the book has it: a map of FutureTasks, run by who comes first. They are loaded by a session
 * of the vendor's, of which there is one (a Semaphore). Twelve requests, virtual threads where the JDK has them, ask
 * for three prices. Each 100 ms all prices are out of date.
 *
 * Problem: a warmer has the session for 45 ms of each 60, CatalogWarmer.preload, so that a load (4 ms) waits for it,
 * and all others for that load. Truth: requests wait for the FutureTask, or the Semaphore, because of
 * CatalogWarmer.preload. Measured: the part of the waiting for prices during which the warmer has the session.
 */
final class PricesLoadBehindTheWarmer {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Vendor {
        final Semaphore session = new Semaphore(1, true);

        int load(int item) throws InterruptedException {
            session.acquire();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.004);
                return item * 7;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                session.release();
            }
        }
    }

    static final class CatalogWarmer {
        private final Vendor vendor;

        CatalogWarmer(Vendor vendor) {
            this.vendor = vendor;
        }

        void preload() throws InterruptedException {
            vendor.session.acquire();
            long from = System.nanoTime();
            try {
                for (int page = 0; page < 3; page++) {
                    Truth.sleep(0.015);
                }
            } finally {
                DIARY.held(0, from, System.nanoTime());
                vendor.session.release();
            }
        }
    }

    static final class Prices {
        private final ConcurrentHashMap<Integer, FutureTask<Integer>> cache = new ConcurrentHashMap<>();
        private final Vendor vendor;

        Prices(Vendor vendor) {
            this.vendor = vendor;
        }

        int price(int item) throws InterruptedException {
            FutureTask<Integer> task = cache.get(item);
            if (task == null) {
                FutureTask<Integer> own = new FutureTask<>(() -> vendor.load(item));
                task = cache.putIfAbsent(item, own);
                if (task == null) {
                    task = own;
                    own.run();
                }
            }
            try {
                return task.get();
            } catch (ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }

        void expire() {
            cache.clear();
        }
    }

    public static void main(String[] arguments) {
        Vendor vendor = new Vendor();
        Prices prices = new Prices(vendor);
        CatalogWarmer warmer = new CatalogWarmer(vendor);
        Truth.repeat("catalog-warmer", () -> {
            warmer.preload();
            Thread.sleep(15);
        });
        Truth.repeat("price-expiry", () -> {
            Thread.sleep(100);
            prices.expire();
        });
        for (int i = 1; i <= 12; i++) {
            int item = i % 3;
            Truth.virtual("request-" + i, () -> {
                while (true) {
                    long from = System.nanoTime();
                    try {
                        prices.price(item);
                    } catch (InterruptedException exception) {
                        return;
                    }
                    DIARY.waited(from, System.nanoTime());
                    Truth.sleep(0.008);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who warms a cache has the vendor's only session").object("FutureTask", "Semaphore", "FairSync")
            .culprit("CatalogWarmer.preload").thread("catalog-warmer").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for prices").say();
    }
}

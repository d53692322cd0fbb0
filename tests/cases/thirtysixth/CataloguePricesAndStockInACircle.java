import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A shop has a catalogue with a read-write lock, a stock with a monitor, and a price list with a lock.
 * Each of three jobs needs two of them now and then; visitors read the catalogue.
 *
 * Problem: after two fifths of the time all three run at once. Availability.fill reads the catalogue
 * and wants the stock; Reorder.run has the stock and wants the prices; Repricing.run has the prices
 * and wants to write the catalogue, which Availability.fill still reads. Truth: stuck, and visitors
 * behind the writer are too.
 */
final class CataloguePricesAndStockInACircle {
    static volatile boolean atOnce;

    static final class Shop {
        private final ReentrantReadWriteLock catalogue = new ReentrantReadWriteLock();
        private final Object stock = new Stock();
        private final ReentrantLock prices = new ReentrantLock();
    }

    static final class Stock {
    }

    static void workWith() {
        Truth.sleep(atOnce ? 0.2 : 0.001);
    }

    record Availability(Shop shop) {
        void fill() {
            shop.catalogue.readLock().lock();
            try {
                workWith();
                synchronized (shop.stock) {
                    Truth.sleep(0.001);
                }
            } finally {
                shop.catalogue.readLock().unlock();
            }
        }
    }

    record Reorder(Shop shop) {
        void run() {
            synchronized (shop.stock) {
                workWith();
                shop.prices.lock();
                try {
                    Truth.sleep(0.001);
                } finally {
                    shop.prices.unlock();
                }
            }
        }
    }

    record Repricing(Shop shop) {
        void run() {
            shop.prices.lock();
            try {
                workWith();
                shop.catalogue.writeLock().lock();
                try {
                    Truth.sleep(0.001);
                } finally {
                    shop.catalogue.writeLock().unlock();
                }
            } finally {
                shop.prices.unlock();
            }
        }
    }

    /** Until then one job runs at a time, by the clock: each in its third of 60 ms. */
    static void turn(int own) {
        if (!atOnce) {
            long millis = System.nanoTime() / 1_000_000 % 60;
            Truth.sleep((60 + 20 * own - millis) % 60 / 1000.0);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Shop shop = new Shop();
        Availability availability = new Availability(shop);
        Reorder reorder = new Reorder(shop);
        Repricing repricing = new Repricing(shop);
        List<Thread> all = new ArrayList<>();
        List<Truth.Step> jobs = List.of(availability::fill, reorder::run, repricing::run);
        List<String> names = List.of("availability", "reorder", "repricing");
        for (int i = 0; i < 3; i++) {
            int own = i;
            all.add(Truth.repeat(names.get(i), () -> {
                turn(own);
                jobs.get(own).run();
                Thread.sleep(5);
            }));
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("visitor-" + i, () -> {
                shop.catalogue.readLock().lock();
                shop.catalogue.readLock().unlock();
                Thread.sleep(10);
            });
        }
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("three jobs each have what the next one wants, a read lock among it")
            .object("ReentrantReadWriteLock", "NonfairSync", "ReentrantLock", "Stock")
            .culprit("Availability.fill", "Reorder.run", "Repricing.run").thread("availability", "reorder", "repricing")
            .victims("availability", "reorder", "repricing", "visitor-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        atOnce = true;
        Truth.sleep(seconds + 2);
    }
}

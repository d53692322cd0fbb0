import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A price list has a ReentrantReadWriteLock. Three pricers want to write (0.5 ms), and try for 9 ms at
 * a time, again and again; two shelves read quickly.
 *
 * Problem: an export reads the list as it goes, a chunk at a time, SheetExport.chunk, 4 ms for each of
 * nine, with the read lock. Truth: pricers wait for the write lock, mostly in vain, because of
 * SheetExport.chunk. Measured: the part of the pricers' trying during which an export reads, evenly
 * shared with whoever else has the lock.
 */
final class PricersRetryTheWriteLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PriceList {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> prices = new TreeMap<>();

        boolean tryReprice(int article, int price) throws InterruptedException {
            long asked = System.nanoTime();
            boolean locked = lock.writeLock().tryLock(9, TimeUnit.MILLISECONDS);
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            if (!locked) {
                return false;
            }
            try {
                prices.put(article, price);
                Truth.sleep(0.0005);
                return true;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                lock.writeLock().unlock();
            }
        }

        int price(int article) {
            lock.readLock().lock();
            long from = System.nanoTime();
            try {
                return prices.getOrDefault(article, 0);
            } finally {
                DIARY.held(2, from, System.nanoTime());
                lock.readLock().unlock();
            }
        }

        int export(SheetExport export) {
            lock.readLock().lock();
            long from = System.nanoTime();
            try {
                return export.write(prices);
            } finally {
                DIARY.held(0, from, System.nanoTime());
                lock.readLock().unlock();
            }
        }
    }

    static final class SheetExport {
        int write(Map<Integer, Integer> prices) {
            int cells = 0;
            for (int first = 0; first < 900; first += 100) {
                cells += chunk(prices, first);
            }
            return cells;
        }

        private int chunk(Map<Integer, Integer> prices, int first) {
            Truth.sleep(0.004);
            return prices.size() + first;
        }
    }

    static final class Pricer {
        private final PriceList list;
        private int given;

        Pricer(PriceList list) {
            this.list = list;
        }

        void reprice(int article) throws InterruptedException {
            for (int turn = 0; turn < 50; turn++) {
                if (list.tryReprice(article, turn)) {
                    return;
                }
            }
            given++;
        }
    }

    public static void main(String[] arguments) {
        PriceList list = new PriceList();
        SheetExport export = new SheetExport();
        Truth.repeat("sheet-export", () -> {
            list.export(export);
            Thread.sleep(30);
        });
        for (int i = 1; i <= 2; i++) {
            int article = i;
            Truth.repeat("shelf-" + i, () -> {
                list.price(article);
                Thread.sleep(15);
            });
        }
        for (int i = 1; i <= 3; i++) {
            int article = i;
            Pricer pricer = new Pricer(list);
            Truth.repeat("pricer-" + i, () -> {
                pricer.reprice(article);
                Thread.sleep(12);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an export keeps the read lock for all of its chunks")
            .object("ReentrantReadWriteLock", "NonfairSync", "WriteLock")
            .culprit("SheetExport.chunk", "SheetExport.write").thread("sheet-export").victims("pricer-*")
            .share(DIARY.share(0), "the pricers' waiting to write").say();
    }
}

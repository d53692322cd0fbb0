import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Five readers of a price list share a ReentrantReadWriteLock; a correction takes its write lock now and then. A clock
 * ticks beside them.
 *
 * Problem: from two fifths of the time on, the correction looks the price up first, and asks for the write lock while
 * it has the read lock, for which it waits for ever: PriceList.correct. Truth: stuck; readers and the correction wait
 * for the ReentrantReadWriteLock.
 */
final class CorrectionUpgradesItsReadLock {
    static volatile boolean careful;

    static final class PriceList {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final int[] prices = new int[20];

        int price(int item) {
            lock.readLock().lock();
            try {
                Truth.sleep(0.002);
                return prices[item];
            } finally {
                lock.readLock().unlock();
            }
        }

        private void set(int item, int price) {
            lock.writeLock().lock();
            try {
                prices[item] = price;
            } finally {
                lock.writeLock().unlock();
            }
        }

        void correct(int item, int price) {
            if (!careful) {
                set(item, price);
                return;
            }
            lock.readLock().lock();
            try {
                if (prices[item] != price) {
                    set(item, price);
                }
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    record Reader(PriceList list, int item, long[] sum) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            sum[0] += list.price(item);
            Thread.sleep(4);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PriceList list = new PriceList();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            all.add(Truth.repeat("reader-" + i, new Reader(list, i, new long[1])));
        }
        int[] price = {0};
        all.add(Truth.repeat("correction", () -> {
            list.correct(3, ++price[0]);
            Thread.sleep(50);
        }));
        Truth.repeat("clock", () -> Truth.sleep(0.1));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("a write lock is asked for with the read lock held")
            .object("ReentrantReadWriteLock", "NonfairSync").culprit("PriceList.correct", "PriceList.set")
            .thread("correction").victims("reader-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        careful = true;
        Truth.sleep(seconds + 2);
    }
}

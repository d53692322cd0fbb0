import java.util.concurrent.locks.StampedLock;

/**
 * Seven quotes read a price list: optimistically, and with the read lock of its StampedLock if that fails. Corrections
 * write one price at a time, 1 ms, every 20 ms.
 *
 * Problem: every 90 ms all is priced anew with the write lock, PriceList.reprice, 40 ms. Truth: quotes wait for the
 * StampedLock because of PriceList.reprice. Measured: repricing and correcting, within the quotes' waiting.
 */
final class QuotesAwaitTheRepricing {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PriceList {
        private final StampedLock lock = new StampedLock();
        private final int[] prices = new int[100];

        int quote(int item) {
            long stamp = lock.tryOptimisticRead();
            int price = prices[item];
            if (stamp != 0 && lock.validate(stamp)) {
                return price;
            }
            long from = System.nanoTime();
            stamp = lock.readLock();
            DIARY.waited(from, System.nanoTime());
            try {
                return prices[item];
            } finally {
                lock.unlockRead(stamp);
            }
        }

        void reprice() {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                for (int i = 0; i < prices.length; i += 25) {
                    Truth.sleep(0.01);
                    prices[i]++;
                }
            } finally {
                DIARY.held(0, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }

        void correct(int item) {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.001);
                prices[item]++;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }
    }

    public static void main(String[] arguments) {
        PriceList list = new PriceList();
        for (int i = 1; i <= 7; i++) {
            int item = i;
            Truth.repeat("quote-" + i, () -> {
                list.quote(item);
                Thread.sleep(3);
            });
        }
        Truth.repeat("correction", () -> {
            list.correct(9);
            Thread.sleep(20);
        });
        Truth.repeat("pricing", () -> {
            list.reprice();
            Thread.sleep(90);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("correcting %.3f%n", DIARY.share(1));
        Truth.of("a long write with a StampedLock").object("StampedLock").culprit("PriceList.reprice")
            .thread("pricing").victims("quote-*")
            .share(DIARY.share(0), "the quotes' waiting for the lock").say();
    }
}

import com.google.common.util.concurrent.Striped;
import java.util.Random;
import java.util.concurrent.locks.Lock;

/**
 * Eight order threads lock the stripe of an article for a quarter of a millisecond; two price threads do
 * so as well. The bulk repricer locks the stripe of whatever article it is at for 60 to 110 ms.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: BulkReprice.reprice calculates under the lock of a stripe, which stands for a quarter of all
 * articles. Truth: orders wait for stripes because of it. Measured: who holds a stripe, against the
 * orders' waiting for that same stripe.
 */
final class StripeOfBulkReprice {
    private static final int STRIPES = 4, BULK = 0, OTHER = 1;
    private static final Striped<Lock> LOCKS = Striped.lock(STRIPES);
    private static final Truth.Diary[] DIARIES = new Truth.Diary[STRIPES];

    static final class BulkReprice {
        static void reprice(Random random) {
            underLock(random.nextInt(STRIPES), BULK, 0.06 + random.nextDouble() * 0.05);
        }
    }

    static final class Orders {
        static void place(Random random) {
            underLock(random.nextInt(STRIPES), OTHER, 0.00025);
            Truth.sleep(0.002 + random.nextDouble() * 0.004);
        }
    }

    private static void underLock(int stripe, int who, double seconds) {
        long asked = System.nanoTime();
        Lock lock = LOCKS.getAt(stripe);
        lock.lock();
        long got = System.nanoTime();
        try {
            Truth.sleep(seconds);
        } finally {
            DIARIES[stripe].held(who, got, System.nanoTime());
            lock.unlock();
        }
        DIARIES[stripe].waited(asked, got);
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < STRIPES; i++) {
            DIARIES[i] = new Truth.Diary();
        }
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.repeat("order-" + i, () -> Orders.place(random));
        }
        Random random = new Random(99);
        Truth.repeat("repricer", () -> {
            BulkReprice.reprice(random);
            Truth.sleep(0.03);
        });
        Truth.sleep(Truth.seconds(arguments));
        double its = 0, all = 0;
        for (Truth.Diary diary : DIARIES) {
            double waited = diary.waitedSeconds();
            its += waited * diary.share(BULK);
            all += waited;
        }
        Truth.of("the bulk repricer calculates while it has the lock of a stripe of articles")
            .object("ReentrantLock", "PaddedLock", "NonfairSync")
            .culprit("BulkReprice.reprice")
            .thread("repricer").victims("order-*")
            .share(its / all, "all waiting for stripes").say();
    }
}

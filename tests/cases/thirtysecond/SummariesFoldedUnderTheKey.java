import java.util.Random;
import net.sf.ehcache.Cache;
import net.sf.ehcache.CacheManager;
import net.sf.ehcache.Element;
import net.sf.ehcache.config.CacheConfiguration;
import net.sf.ehcache.config.Configuration;

/**
 * Summaries of customers are in an Ehcache whose keys are locked explicitly: six screens read one with its read
 * lock, four bookings change one with its write lock, all of eight large customers.
 *
 * NEEDS: libehcache-java libslf4j-java (ehcache.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: a statement folds the postings anew with the key's write lock, Statement.fold, 22 ms; Booking.post has
 * it for 3 ms. Truth: screens (and bookings) wait for a lock of Ehcache's because of Statement.fold. Measured: the
 * part of the waiting for a key, of each by itself, during which a statement has that key, against bookings.
 */
final class SummariesFoldedUnderTheKey {
    static final int CUSTOMERS = 8;
    static final Truth.Diary[] DIARIES = new Truth.Diary[CUSTOMERS];

    static double share() {
        double sum = 0, whole = 0;
        for (Truth.Diary diary : DIARIES) {
            sum += diary.share(0) * diary.waitedSeconds();
            whole += diary.waitedSeconds();
        }
        return sum / whole;
    }

    record Statement(Cache cache) {
        void renew(int customer) {
            long asked = System.nanoTime();
            cache.acquireWriteLockOnKey(customer);
            long from = System.nanoTime();
            DIARIES[customer].waited(asked, from);
            try {
                cache.put(new Element(customer, fold(customer)));
                DIARIES[customer].held(0, from, System.nanoTime());
            } finally {
                cache.releaseWriteLockOnKey(customer);
            }
        }

        private long fold(int customer) {
            long sum = customer;
            for (int i = 0; i < 11; i++) {
                for (int k = 0; k < 40_000; k++) {
                    sum = sum * 31 + k;
                }
                Truth.sleep(0.002);
            }
            return sum;
        }
    }

    record Booking(Cache cache) {
        void post(int customer) {
            long asked = System.nanoTime();
            cache.acquireWriteLockOnKey(customer);
            long from = System.nanoTime();
            DIARIES[customer].waited(asked, from);
            try {
                cache.put(new Element(customer, 7L));
                Truth.sleep(0.003);
                DIARIES[customer].held(1, from, System.nanoTime());
            } finally {
                cache.releaseWriteLockOnKey(customer);
            }
        }
    }

    record Screen(Cache cache) {
        long show(int customer) {
            long asked = System.nanoTime();
            cache.acquireReadLockOnKey(customer);
            DIARIES[customer].waited(asked, System.nanoTime());
            try {
                Element element = cache.get(customer);
                return element == null ? 0 : (Long) element.getObjectValue();
            } finally {
                cache.releaseReadLockOnKey(customer);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < CUSTOMERS; i++) {
            DIARIES[i] = new Truth.Diary();
        }
        CacheManager manager = new CacheManager(new Configuration().name("bank").updateCheck(false));
        Cache cache = new Cache(new CacheConfiguration("summaries", 1000));
        manager.addCache(cache);
        Statement statement = new Statement(cache);
        Booking booking = new Booking(cache);
        Screen screen = new Screen(cache);
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(i);
            Truth.repeat("statements-" + i, () -> {
                statement.renew(random.nextInt(CUSTOMERS));
                Thread.sleep(4);
            });
        }
        for (int i = 1; i <= 4; i++) {
            Random random = new Random(10 + i);
            Truth.repeat("booking-" + i, () -> {
                booking.post(random.nextInt(CUSTOMERS));
                Thread.sleep(5);
            });
        }
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(20 + i);
            Truth.repeat("screen-" + i, () -> {
                screen.show(random.nextInt(CUSTOMERS));
                Thread.sleep(3);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("statements are folded with the key of the cache locked")
            .object("ReentrantReadWriteLock", "ReadWriteLockSync", "NonfairSync", "FairSync")
            .culprit("Statement.fold", "Statement.renew").thread("statements-*").victims("screen-*")
            .share(share(), "the waiting for a key").say();
        Runtime.getRuntime().halt(0);
    }
}

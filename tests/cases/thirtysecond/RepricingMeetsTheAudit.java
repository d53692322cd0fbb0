import java.util.ArrayList;
import java.util.List;
import net.sf.ehcache.Cache;
import net.sf.ehcache.CacheManager;
import net.sf.ehcache.Element;
import net.sf.ehcache.config.CacheConfiguration;
import net.sf.ehcache.config.Configuration;

/**
 * Prices are in an Ehcache, whose keys are locked explicitly, and tariffs are objects with synchronized methods.
 * Three desks read a price each, and wait for nobody long.
 *
 * NEEDS: libehcache-java libslf4j-java (ehcache.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: Repricing.run takes the write lock of a price's key and then asks the tariff; after three seconds
 * Audit.check asks, from within the tariff's monitor, for the same key. Truth: stuck; a ReentrantReadWriteLock and
 * a Tariff wait for each other because of Repricing.run and Audit.check. Measured: no share.
 */
final class RepricingMeetsTheAudit {
    static final class Tariff {
        private final int percent = 19;

        synchronized int percent() {
            return percent;
        }
    }

    record Repricing(Cache cache, Tariff tariff) {
        void run(int key) throws InterruptedException {
            cache.acquireWriteLockOnKey(key);
            try {
                Thread.sleep(6);
                cache.put(new Element(key, 100 + tariff.percent()));
            } finally {
                cache.releaseWriteLockOnKey(key);
            }
        }
    }

    record Audit(Cache cache, Tariff tariff) {
        int check(int key) throws InterruptedException {
            synchronized (tariff) {
                Thread.sleep(6);
                cache.acquireReadLockOnKey(key);
                try {
                    return (Integer) cache.get(key).getObjectValue() - tariff.percent();
                } finally {
                    cache.releaseReadLockOnKey(key);
                }
            }
        }
    }

    record Desk(Cache cache) {
        Object price(int key) {
            cache.acquireReadLockOnKey(key);
            try {
                return cache.get(key).getObjectValue();
            } finally {
                cache.releaseReadLockOnKey(key);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        CacheManager manager = new CacheManager(new Configuration().name("prices").updateCheck(false));
        Cache cache = new Cache(new CacheConfiguration("prices", 1000));
        manager.addCache(cache);
        cache.put(new Element(1, 119));
        Tariff tariff = new Tariff();
        Repricing repricing = new Repricing(cache, tariff);
        Audit audit = new Audit(cache, tariff);
        Desk desk = new Desk(cache);
        List<Thread> threads = new ArrayList<>();
        threads.add(Truth.repeat("repricing", () -> {
            repricing.run(1);
            Thread.sleep(5);
        }));
        for (int i = 1; i <= 3; i++) {
            threads.add(Truth.repeat("desk-" + i, () -> {
                desk.price(1);
                Thread.sleep(10);
            }));
        }
        Truth.sayAndHalt(Truth.stuck("repricing has the key and wants the tariff, the audit has the tariff and wants the key")
            .object("ReentrantReadWriteLock", "ReadWriteLockSync", "NonfairSync", "FairSync", "Tariff")
            .culprit("Repricing.run", "Audit.check").thread("repricing", "audit")
            .victims("repricing", "audit", "desk-*").noShare(), Truth.seconds(arguments));
        Truth.sleep(3);
        threads.add(Truth.repeat("audit", () -> {
            audit.check(1);
            Thread.sleep(20);
        }));
        Truth.hangsOnce(threads);
        Truth.sleep(Truth.seconds(arguments) + 5);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.sf.ehcache.Cache;
import net.sf.ehcache.CacheManager;
import net.sf.ehcache.Ehcache;
import net.sf.ehcache.Element;
import net.sf.ehcache.config.CacheConfiguration;
import net.sf.ehcache.config.Configuration;
import net.sf.ehcache.constructs.blocking.BlockingCache;

/**
 * Six threads rate calls with tariffs from a blocking cache: a get that misses locks the key until
 * the same thread puts something. A tariff is good for a second. After two seconds the tariff
 * service fails for one of them.
 *
 * NEEDS: libehcache-java libslf4j-java (ehcache.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: when TariffBook.load throws, TariffBook.find leaves without a put, and its thread, which
 * goes on with other calls, keeps the key for ever. Truth: stuck; the other five wait for the key's
 * ReentrantReadWriteLock one after the other. Measured: no share; HANG is said when the five wait.
 */
final class FailedLoadKeepsCacheKey {
    static final class TariffBook {
        private final Ehcache cache;
        private final long start = System.nanoTime();

        TariffBook(Ehcache cache) {
            this.cache = cache;
        }

        double find(int code) {
            Element element = cache.get(code);
            if (element == null) {
                double tariff = load(code);
                cache.put(new Element(code, tariff));
                return tariff;
            }
            return (Double) element.getObjectValue();
        }

        private double load(int code) {
            Truth.sleep(0.004);
            if (code == 7 && System.nanoTime() - start > 2_000_000_000L) {
                throw new IllegalStateException("tariff service: 503 for tariff " + code);
            }
            return code * 0.01;
        }
    }

    public static void main(String[] arguments) {
        Configuration configuration = new Configuration();
        configuration.setUpdateCheck(false);
        configuration.setName("rating");
        CacheManager manager = new CacheManager(configuration);
        manager.addCache(new Cache(new CacheConfiguration("tariffs", 1000).timeToLiveSeconds(1)));
        TariffBook book = new TariffBook(new BlockingCache(manager.getEhcache("tariffs")));
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            threads.add(new Thread(() -> rate(book, random), "rate-" + i));
        }
        threads.forEach(Thread::start);
        Truth.sayAndHalt(Truth.stuck("the load of a tariff failed, and find returned by the exception "
            + "without a put, so the key stays locked by a thread that goes on elsewhere")
            .object("ReentrantReadWriteLock")
            .culprit("TariffBook.find", "TariffBook.load")
            .thread("rate-*").victims("rate-*").noShare(), Truth.seconds(arguments));
        observe(threads);
    }

    private static void rate(TariffBook book, Random random) {
        while (true) {
            Truth.sleep(0.005 + random.nextDouble() * 0.02);
            try {
                book.find(random.nextInt(12));
            } catch (IllegalStateException exception) {
                System.out.println(exception.getMessage());
            }
        }
    }

    private static void observe(List<Thread> threads) {
        while (threads.stream().filter(thread -> thread.getState() == Thread.State.WAITING).count()
                < 5) {
            Truth.sleep(0.05);
        }
        Truth.hangs();
    }
}

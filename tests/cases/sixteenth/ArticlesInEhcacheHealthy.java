import java.util.concurrent.atomic.AtomicLong;
import net.sf.ehcache.Cache;
import net.sf.ehcache.CacheManager;
import net.sf.ehcache.Element;
import net.sf.ehcache.config.CacheConfiguration;
import net.sf.ehcache.config.Configuration;
import net.sf.ehcache.constructs.blocking.CacheEntryFactory;
import net.sf.ehcache.constructs.blocking.SelfPopulatingCache;

/**
 * Four visitors read articles through a SelfPopulatingCache of Ehcache, and an editor changes one now and then; Ehcache
 * expires entries with threads of its own and keeps statistics.
 *
 * NEEDS: libehcache-java libslf4j-java (ehcache.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: an article is loaded in 2 ms, once in some seconds, and hardly ever do two want the same one. Truth:
 * healthy. Measured: how many articles have been read and loaded.
 */
final class ArticlesInEhcacheHealthy {
    static final AtomicLong READ = new AtomicLong(), LOADED = new AtomicLong();

    static final class Articles implements CacheEntryFactory {
        @Override
        public Object createEntry(Object key) throws InterruptedException {
            Thread.sleep(2);
            LOADED.incrementAndGet();
            return "article " + key;
        }
    }

    static final class Visitor {
        private final SelfPopulatingCache articles;
        private int next;

        Visitor(SelfPopulatingCache articles, int first) {
            this.articles = articles;
            this.next = first;
        }

        void read() throws InterruptedException {
            next = (next * 31 + 7) % 997;
            articles.get(next % 200);
            READ.incrementAndGet();
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Configuration configuration = new Configuration().name("shop");
        configuration.setUpdateCheck(false);
        CacheManager manager = CacheManager.create(configuration);
        Cache cache = new Cache(new CacheConfiguration("articles", 150).timeToLiveSeconds(4));
        manager.addCache(cache);
        cache.setStatisticsEnabled(true);
        SelfPopulatingCache articles = new SelfPopulatingCache(cache, new Articles());
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("visitor-" + i, new Visitor(articles, i * 191)::read);
        }
        Truth.repeat("editor", () -> {
            articles.put(new Element(17, "article 17, corrected"));
            Thread.sleep(400);
        });
        Truth.sleep(seconds);
        System.out.printf("%d read, %d loaded%n", READ.get(), LOADED.get());
        Truth.healthy("articles are loaded quickly and seldom").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.RateLimiter;
import java.util.Date;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.sf.ehcache.Cache;
import net.sf.ehcache.CacheManager;
import net.sf.ehcache.Element;
import net.sf.ehcache.config.Configuration;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * A newsroom: Spring's scheduler of four threads fetches three wires every 200 ms and clears up; what comes is put into a
 * queue, which two editors take from; they take one of eight translators of a Commons Pool (3 ms), look up authors in a
 * cache of Guava's, which loads one in 5 ms, and put the piece into an Ehcache. A mailer sends five letters a second.
 *
 * NEEDS: libspring-context-java libspring-core-java libspring-beans-java libcommons-logging-java libehcache-java
 * libslf4j-java libguava-java libcommons-pool2-java (spring3-context.jar spring3-core.jar spring3-beans.jar
 * commons-logging.jar ehcache.jar slf4j-api.jar slf4j-nop.jar guava.jar commons-pool2.jar)
 *
 * Problem: none: editors wait for news, and nobody for an editor. Truth: healthy. Measured: nothing.
 */
final class NewsroomAtEaseHealthy {
    static final class Translator {
        int translate(int piece) {
            Truth.sleep(0.003);
            return piece;
        }
    }

    static final class Translators extends BasePooledObjectFactory<Translator> {
        @Override
        public Translator create() {
            return new Translator();
        }

        @Override
        public PooledObject<Translator> wrap(Translator translator) {
            return new DefaultPooledObject<>(translator);
        }
    }

    static final class Desk {
        private final LinkedBlockingQueue<Integer> wire = new LinkedBlockingQueue<>();
        private final GenericObjectPool<Translator> translators = new GenericObjectPool<>(new Translators());
        private final LoadingCache<Integer, String> authors = CacheBuilder.newBuilder()
            .expireAfterWrite(800, TimeUnit.MILLISECONDS).build(CacheLoader.from(number -> {
                Truth.sleep(0.005);
                return "author " + number;
            }));
        private final Cache pieces = new Cache("pieces", 1000, false, false, 60, 60);

        Desk() {
            CacheManager.create(new Configuration().name("newsroom").updateCheck(false)).addCache(pieces);
        }

        void edit() throws Exception {
            int piece = wire.take();
            Translator translator = translators.borrowObject();
            try {
                translator.translate(piece);
            } finally {
                translators.returnObject(translator);
            }
            pieces.put(new Element(piece, authors.get(piece % 7)));
        }
    }

    public static void main(String[] arguments) {
        Desk desk = new Desk();
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setPoolSize(4);
        scheduler.setDaemon(true);
        scheduler.setThreadNamePrefix("newsroom-");
        scheduler.initialize();
        for (int i = 1; i <= 3; i++) {
            int source = i;
            scheduler.scheduleAtFixedRate(() -> {
                Truth.sleep(0.006);
                desk.wire.add((int) (System.nanoTime() / 1000 % 5000) * 3 + source);
            }, new Date(System.currentTimeMillis() + 37L * i), 200);
        }
        scheduler.scheduleWithFixedDelay(desk.pieces::evictExpiredElements, 700);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("editor-" + i, desk::edit);
        }
        RateLimiter letters = RateLimiter.create(5);
        Truth.repeat("mailer", () -> Truth.sleep(0.001 + letters.acquire() / 1000));
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("editors wait for news").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

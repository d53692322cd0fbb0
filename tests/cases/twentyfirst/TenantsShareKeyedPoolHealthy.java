import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;

/**
 * Two tenants share a keyed pool of Commons Pool: four sessions for each, an evictor that looks around each quarter of
 * a second, six readers a tenant that use a session for 3 ms about twenty times a second.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: none; once in a while a reader waits a millisecond or two as four others read. Truth: healthy. Measured:
 * how long readers waited, in the mean.
 */
final class TenantsShareKeyedPoolHealthy {
    static final AtomicInteger READ = new AtomicInteger();
    static final AtomicLong WAITED = new AtomicLong();

    static final class Factory extends BaseKeyedPooledObjectFactory<String, StringBuilder> {
        @Override
        public StringBuilder create(String tenant) {
            return new StringBuilder(tenant);
        }

        @Override
        public PooledObject<StringBuilder> wrap(StringBuilder session) {
            return new DefaultPooledObject<>(session);
        }
    }

    record Reader(GenericKeyedObjectPool<String, StringBuilder> pool, String tenant) {
        void request() throws Exception {
            long from = System.nanoTime();
            StringBuilder session = pool.borrowObject(tenant);
            WAITED.addAndGet(System.nanoTime() - from);
            Truth.sleep(0.003);
            pool.returnObject(tenant, session);
            READ.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        GenericKeyedObjectPool<String, StringBuilder> pool = new GenericKeyedObjectPool<>(new Factory());
        pool.setMaxTotalPerKey(4);
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(250));
        for (String tenant : new String[] {"north", "south"}) {
            for (int i = 1; i <= 6; i++) {
                Reader reader = new Reader(pool, tenant);
                Truth.repeat(tenant + "-" + i, () -> {
                    reader.request();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(30, 70));
                });
            }
        }
        Truth.sleep(seconds);
        System.out.printf("%d read, waited %.3f ms each%n", READ.get(), WAITED.get() / 1e6 / Math.max(1, READ.get()));
        Truth.healthy("there are sessions enough").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

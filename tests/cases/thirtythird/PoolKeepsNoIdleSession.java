import java.util.concurrent.LinkedBlockingQueue;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * Eight workers sign documents with one of four sessions of a signing service, from a Commons Pool. A consumer
 * writes down what was signed.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: somebody set maxIdle to 0, so that a session is closed as it is given back, and a new one is made for
 * each use: SessionFactory.create shakes hands for 19 ms, signing takes 4. Truth: workers wait for the pool
 * (LinkedBlockingDeque) because of SessionFactory.create. Measured: the part of the waiting in borrowObject, but for
 * what a worker makes itself meanwhile, during which sessions are made, evenly shared with those that sign.
 */
final class PoolKeepsNoIdleSession {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> MADE = ThreadLocal.withInitial(() -> 0L);

    static final class Session {
        int sign(int document) {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return document * 31;
        }
    }

    static final class SessionFactory extends BasePooledObjectFactory<Session> {
        @Override
        public Session create() {
            long from = System.nanoTime();
            for (String step : new String[] {"hello", "key", "finished"}) {
                Truth.sleep(0.006 + step.length() * 0.00005);
            }
            long to = System.nanoTime();
            DIARY.held(0, from, to);
            MADE.set(to - from);
            return new Session();
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }
    }

    static final class Signatures {
        private final GenericObjectPool<Session> pool;
        private final LinkedBlockingQueue<Integer> log = new LinkedBlockingQueue<>();

        Signatures() {
            GenericObjectPoolConfig<Session> config = new GenericObjectPoolConfig<>();
            config.setMaxTotal(4);
            config.setMaxIdle(0);
            config.setMinIdle(0);
            config.setJmxEnabled(false);
            pool = new GenericObjectPool<>(new SessionFactory(), config);
        }

        void sign(int document) throws Exception {
            MADE.set(0L);
            long from = System.nanoTime();
            Session session = pool.borrowObject();
            long to = System.nanoTime() - MADE.get();
            if (to > from) {
                DIARY.waited(from, to);
            }
            try {
                log.add(session.sign(document));
            } finally {
                pool.returnObject(session);
            }
        }
    }

    public static void main(String[] arguments) {
        Signatures signatures = new Signatures();
        Truth.repeat("signature-log", () -> signatures.log.take());
        for (int i = 1; i <= 8; i++) {
            int own = i;
            Truth.repeat("signer-" + i, () -> {
                signatures.sign(own);
                Thread.sleep(11);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a pool that keeps no idle session makes one for each use")
            .object("LinkedBlockingDeque", "InterruptibleReentrantLock", "Object").culprit("SessionFactory.create")
            .thread("signer-*").victims("signer-*")
            .share(DIARY.share(0), "the signers' waiting for a session, but for making it").say();
    }
}

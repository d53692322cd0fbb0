import java.util.concurrent.CountDownLatch;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * Five queries borrow a session from a commons-pool of four, use it for 6 ms, and give it back.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: three mirrors borrowed one each when the program started, and keep it as long as it runs: Mirror.follow. There
 * is one left for all queries. Truth: queries wait for the pool because of Mirror.follow. Measured: mirroring and
 * querying with a session, within the queries' waiting, evenly divided.
 */
final class MirrorsKeepThreeOfFourSessions {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Session {
        int count;

        int ask(double seconds) {
            Truth.sleep(seconds);
            return ++count;
        }
    }

    static final class Factory extends BasePooledObjectFactory<Session> {
        @Override
        public Session create() {
            return new Session();
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }
    }

    record Mirror(GenericObjectPool<Session> pool, CountDownLatch ready) {
        void follow() {
            try {
                Session session = pool.borrowObject();
                ready.countDown();
                while (session.count >= 0) {
                    long from = System.nanoTime();
                    session.ask(0.05);
                    DIARY.held(0, from, System.nanoTime());
                }
                pool.returnObject(session);
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    record Query(GenericObjectPool<Session> pool) implements Truth.Step {
        private int run(int key) throws Exception {
            long from = System.nanoTime();
            Session session = pool.borrowObject();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                return session.ask(0.006) + key;
            } finally {
                DIARY.held(1, got, System.nanoTime());
                pool.returnObject(session);
            }
        }

        @Override
        public void run() throws Exception {
            run(7);
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) throws Exception {
        GenericObjectPool<Session> pool = new GenericObjectPool<>(new Factory());
        pool.setMaxTotal(4);
        CountDownLatch ready = new CountDownLatch(3);
        for (int i = 1; i <= 3; i++) {
            Truth.start("mirror-" + i, new Mirror(pool, ready)::follow);
        }
        ready.await();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("query-" + i, new Query(pool));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("queries %.3f%n", DIARY.share(1));
        Truth.of("three of four pooled sessions are kept as long as the program runs").object("ConditionObject",
            "LinkedBlockingDeque", "GenericObjectPool").culprit("Mirror.follow").thread("mirror-*").victims("query-*")
            .share(DIARY.share(0), "the queries' waiting for a session").say();
    }
}

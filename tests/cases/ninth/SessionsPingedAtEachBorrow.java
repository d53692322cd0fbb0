import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * Nine senders share four sessions of a pool of commons-pool2 and need each for 2 ms.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: the pool tests each session as it is borrowed, and the test is a round trip of 14 ms. Truth: senders
 * wait for the pool's deque because of SessionFactory.validateObject. Measured: the part of their waiting during which
 * sessions are tested, evenly shared among those who have one.
 */
final class SessionsPingedAtEachBorrow {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> TESTED = new ThreadLocal<>();

    static final class Session {
        int sent;

        void send() {
            Truth.sleep(0.002);
            sent += 1;
        }
    }

    static final class SessionFactory extends BasePooledObjectFactory<Session> {
        @Override
        public Session create() {
            return new Session();
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }

        @Override
        public boolean validateObject(PooledObject<Session> pooled) {
            long from = System.nanoTime();
            TESTED.set(from);
            Truth.sleep(0.014);
            DIARY.held(0, from, System.nanoTime());
            return pooled.getObject().sent >= 0;
        }
    }

    record Sender(GenericObjectPool<Session> pool) {
        void sendNext() throws Exception {
            long from = System.nanoTime();
            Session session = pool.borrowObject();
            DIARY.waited(from, Math.max(from, TESTED.get()));
            long got = System.nanoTime();
            try {
                session.send();
            } finally {
                DIARY.held(1, got, System.nanoTime());
                pool.returnObject(session);
            }
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        GenericObjectPool<Session> pool = new GenericObjectPool<>(new SessionFactory());
        pool.setMaxTotal(4);
        pool.setMaxIdle(4);
        pool.setTestOnCreate(false);
        pool.setTestOnBorrow(true);
        TESTED.set(0L);
        for (int i = 1; i <= 9; i++) {
            Truth.repeat("sender-" + i, () -> {
                TESTED.set(0L);
                new Sender(pool).sendNext();
            });
        }
        DIARY.fill(seconds);
        Truth.of("a pool tests each session as it is borrowed").object("LinkedBlockingDeque", "ConditionObject",
            "GenericObjectPool").culprit("SessionFactory.validateObject").thread("sender-*").victims("sender-*")
            .share(DIARY.share(0), "the senders' waiting for a session").say();
    }
}

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * Six requests borrow one of four sessions of a commons-pool for 5 ms, and give up after 250 ms.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: every 600 ms a job borrows all four, one after the other, and compares them with each other,
 * NightJob.compare, for 400 ms. Truth: requests wait for the pool because of NightJob.compare. Measured: comparing and
 * serving within the requests' waiting, evenly divided.
 */
final class NightJobBorrowsEverySession {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Session {
        int uses;
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

    record NightJob(GenericObjectPool<Session> pool) implements Truth.Step {
        private int compare(List<Session> sessions) {
            long from = System.nanoTime();
            Truth.sleep(0.4);
            DIARY.held(0, from, System.nanoTime());
            return sessions.size();
        }

        @Override
        public void run() throws Exception {
            List<Session> sessions = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    sessions.add(pool.borrowObject(Duration.ofSeconds(5)));
                }
                compare(sessions);
            } finally {
                sessions.forEach(pool::returnObject);
            }
            Thread.sleep(600);
        }
    }

    record Request(GenericObjectPool<Session> pool) implements Truth.Step {
        private void serve() throws Exception {
            long from = System.nanoTime();
            Session session;
            try {
                session = pool.borrowObject();
            } catch (NoSuchElementException exception) {
                DIARY.waited(from, System.nanoTime());
                return;
            }
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                session.uses++;
                Truth.sleep(0.005);
            } finally {
                DIARY.held(1, got, System.nanoTime());
                pool.returnObject(session);
            }
        }

        @Override
        public void run() throws Exception {
            serve();
            Thread.sleep(14);
        }
    }

    public static void main(String[] arguments) {
        GenericObjectPool<Session> pool = new GenericObjectPool<>(new Factory());
        pool.setMaxTotal(4);
        pool.setMaxWait(Duration.ofMillis(250));
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("request-" + i, new Request(pool));
        }
        Truth.repeat("night-job", new NightJob(pool));
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("serving %.3f%n", DIARY.share(1));
        Truth.of("a job borrows all sessions of a pool at once").object("ConditionObject", "LinkedBlockingDeque",
            "GenericObjectPool").culprit("NightJob.compare", "NightJob.run").thread("night-job").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for a session").say();
    }
}

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;

/**
 * Sessions for three tenants come from one pool of Commons Pool, with a key for each tenant and six sessions in all.
 * All is done with a session by Sessions.call, which takes one and gives it back. South and east read for 4 ms at a
 * time.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: six threads of north copy its archive: NorthArchive.copy keeps its session for 180 ms. Truth: readers of
 * south and east wait for a session because of NorthArchive.copy. Measured: who has sessions within the readers'
 * waiting, evenly divided.
 */
final class NorthTakesTheKeyedPool {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Session(String tenant) {
        int read(double took) {
            Truth.sleep(took);
            return tenant.length();
        }
    }

    static final class Factory extends BaseKeyedPooledObjectFactory<String, Session> {
        @Override
        public Session create(String tenant) {
            return new Session(tenant);
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }
    }

    interface Work {
        int run(Session session);
    }

    static final class Sessions {
        private final GenericKeyedObjectPool<String, Session> pool = new GenericKeyedObjectPool<>(new Factory());

        Sessions() {
            pool.setMaxTotal(6);
            pool.setMaxTotalPerKey(6);
            pool.setMaxIdlePerKey(6);
        }

        int call(String tenant, Work work) throws Exception {
            Session session = pool.borrowObject(tenant);
            try {
                return work.run(session);
            } finally {
                pool.returnObject(tenant, session);
            }
        }
    }

    static final class Reader implements Work {
        @Override
        public int run(Session session) {
            long from = System.nanoTime();
            int read = session.read(0.004);
            DIARY.held(1, from, System.nanoTime());
            return read;
        }
    }

    record NorthArchive(Sessions sessions) {
        void copy() throws Exception {
            sessions.call("north", session -> {
                long from = System.nanoTime();
                int read = 0;
                for (int part = 0; part < 9; part++) {
                    read += session.read(0.02);
                }
                DIARY.held(0, from, System.nanoTime());
                return read;
            });
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Sessions sessions = new Sessions();
        AtomicInteger answered = new AtomicInteger();
        for (String tenant : new String[] {"south", "east"}) {
            for (int i = 1; i <= 4; i++) {
                Reader reader = new Reader();
                Truth.repeat(tenant + "-reader-" + i, () -> {
                    long from = System.nanoTime();
                    sessions.call(tenant, reader);
                    DIARY.waited(from, System.nanoTime() - 4_000_000);
                    answered.incrementAndGet();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(10, 25));
                });
            }
        }
        NorthArchive archive = new NorthArchive(sessions);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("north-archive-" + i, () -> {
                archive.copy();
                Thread.sleep(25);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d answered, waited %.2f s%n", answered.get(), DIARY.waitedSeconds());
        Truth.of("one tenant's archive takes nearly all sessions of a pool that three share")
            .object("ConditionObject", "InterruptibleReentrantLock", "LinkedBlockingDeque", "GenericKeyedObjectPool")
            .culprit("NorthArchive.copy", "NorthArchive.lambda$copy$0").thread("north-archive-*")
            .victims("south-reader-*", "east-reader-*")
            .share(DIARY.share(0), "the readers' waiting for sessions").say();
        Runtime.getRuntime().halt(0);
    }
}

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * A pool of up to twelve sessions for eight uploaders that need one for 2 to 10 ms; a nightly copy
 * keeps one for half a second at a time. The pool's evictor runs four times a second. What is
 * uploaded is told to two listeners by a queue.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: none; there is a session for everybody at any time. Truth: healthy. Measured: nothing.
 */
final class PooledSessionsHealthy {
    static final class Session {
        private final byte[] buffer = new byte[4096];

        int send(double seconds) {
            Truth.sleep(seconds);
            return buffer.length;
        }
    }

    static final class Sessions extends BasePooledObjectFactory<Session> {
        @Override
        public Session create() {
            Truth.sleep(0.01);
            return new Session();
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }
    }

    public static void main(String[] arguments) {
        GenericObjectPool<Session> pool = new GenericObjectPool<>(new Sessions());
        pool.setMaxTotal(12);
        pool.setMaxIdle(12);
        pool.setMinIdle(4);
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(250));
        LinkedTransferQueue<Integer> uploaded = new LinkedTransferQueue<>();
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.repeat("uploader-" + i, () -> {
                Truth.sleep(0.01 + random.nextDouble() * 0.03);
                uploaded.add(use(pool, 0.002 + random.nextDouble() * 0.008));
            });
        }
        Truth.repeat("nightly-copy", () -> {
            use(pool, 0.5);
            Truth.sleep(0.05);
        });
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("listener-" + i, () -> listen(uploaded));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("nine threads need at most nine of twelve sessions")
            .object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }

    private static int use(GenericObjectPool<Session> pool, double seconds) {
        try {
            Session session = pool.borrowObject();
            try {
                return session.send(seconds);
            } finally {
                pool.returnObject(session);
            }
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }

    private static void listen(LinkedTransferQueue<Integer> uploaded) {
        try {
            Integer bytes = uploaded.poll(1, TimeUnit.SECONDS);
            if (bytes != null) {
                Truth.sleep(0.001);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

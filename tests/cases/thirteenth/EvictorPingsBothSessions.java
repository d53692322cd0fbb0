import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * Five clients share two sessions of a pool of commons-pool2, each for 3 ms at a time.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: the pool's evictor tests idle sessions every 30 ms, and a test is a round trip of 40 ms to the host,
 * SessionFactory.validateObject, during which nobody gets that session. Truth: clients wait for the pool because of
 * that. Measured: who has a session, the evictor's tests and the clients evenly shared, against the time to borrow one.
 */
final class EvictorPingsBothSessions {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int TESTED = 0, USED = 1;

    static final class Session {
        private final Socket socket;

        Session(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
        }

        boolean ping() {
            try {
                socket.getOutputStream().write('p');
                return socket.getInputStream().read() == 'p';
            } catch (IOException exception) {
                return false;
            }
        }
    }

    static final class SessionFactory extends BasePooledObjectFactory<Session> {
        private final int port;

        SessionFactory(int port) {
            this.port = port;
        }

        @Override
        public Session create() throws IOException {
            return new Session(port);
        }

        @Override
        public PooledObject<Session> wrap(Session session) {
            return new DefaultPooledObject<>(session);
        }

        @Override
        public boolean validateObject(PooledObject<Session> pooled) {
            long from = System.nanoTime();
            boolean answers = pooled.getObject().ping();
            DIARY.held(TESTED, from, System.nanoTime());
            return answers;
        }
    }

    /** The host at the other end: it answers each ping after 40 ms. */
    static void answer(Socket socket) {
        try {
            for (int ping = socket.getInputStream().read(); ping >= 0; ping = socket.getInputStream().read()) {
                Truth.sleep(0.04);
                socket.getOutputStream().write(ping);
            }
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        ServerSocket host = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        Truth.repeat("host", () -> {
            Socket socket = host.accept();
            Truth.repeat("host-line", () -> answer(socket));
        });
        GenericObjectPoolConfig<Session> config = new GenericObjectPoolConfig<>();
        config.setJmxEnabled(false);
        config.setMaxTotal(2);
        config.setMaxIdle(2);
        config.setTestWhileIdle(true);
        config.setNumTestsPerEvictionRun(2);
        config.setTimeBetweenEvictionRuns(java.time.Duration.ofMillis(30));
        GenericObjectPool<Session> pool = new GenericObjectPool<>(new SessionFactory(host.getLocalPort()), config);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("client-" + i, () -> {
                long asked = System.nanoTime();
                Session session = pool.borrowObject();
                long since = System.nanoTime();
                DIARY.waited(asked, since);
                try {
                    Thread.sleep(3);
                } finally {
                    DIARY.held(USED, since, System.nanoTime());
                    pool.returnObject(session);
                }
                Thread.sleep(9);
            });
        }
        DIARY.fill(seconds);
        Truth.of("the evictor of a small pool keeps sessions for slow tests")
            .object("ConditionObject", "LinkedBlockingDeque", "GenericObjectPool")
            .culprit("SessionFactory.validateObject", "Session.ping").thread("commons-pool-evictor")
            .victims("client-*").share(DIARY.share(TESTED), "the time to borrow a session").say();
        System.exit(0);
    }
}

import com.mchange.v2.c3p0.AbstractConnectionCustomizer;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;

/**
 * Six requests use a connection of c3p0, which may have three, to an H2: 5 ms each. A connection lives for one second.
 *
 * NEEDS: libc3p0-java libh2-java (c3p0.jar h2.jar)
 *
 * FLAGS: -Dcom.mchange.v2.log.MLog=com.mchange.v2.log.FallbackMLog
 *
 * Problem: each new connection is warmed up by the program, Warmer.onAcquire, for 300 ms, on c3p0's helper threads, and
 * until then there are fewer. Truth: requests wait for c3p0's BasicResourcePool because of Warmer.onAcquire. Measured:
 * warming, and using a connection, within the requests' waiting, evenly divided.
 */
public final class CustomizerWarmsEachConnection {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static final class Warmer extends AbstractConnectionCustomizer {
        @Override
        public void onAcquire(Connection connection, String token) {
            long from = System.nanoTime();
            Truth.sleep(0.3);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    record Request(ComboPooledDataSource source) implements Truth.Step {
        private void answer() throws Exception {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                Truth.sleep(0.005);
                connection.getAutoCommit();
                DIARY.held(1, got, System.nanoTime());
            }
        }

        @Override
        public void run() throws Exception {
            answer();
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setDriverClass("org.h2.Driver");
        source.setJdbcUrl("jdbc:h2:mem:desk");
        source.setInitialPoolSize(1);
        source.setMinPoolSize(1);
        source.setMaxPoolSize(3);
        source.setMaxConnectionAge(1);
        source.setConnectionCustomizerClassName(Warmer.class.getName());
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("request-" + i, new Request(source));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("using %.3f%n", DIARY.share(1));
        Truth.of("new connections are warmed up, and live for one second").object("BasicResourcePool")
            .culprit("Warmer.onAcquire").thread("com.mchange.v2.async.ThreadPoolAsynchronousRunner$PoolThread-#*")
            .victims("request-*").share(DIARY.share(0), "the requests' waiting for a connection").say();
        System.exit(0);
    }
}

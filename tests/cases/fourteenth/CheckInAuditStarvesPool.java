import com.mchange.v2.c3p0.AbstractConnectionCustomizer;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;

/**
 * Eight agents look up fares through c3p0, which has four connections to H2; a look-up takes 4 ms.
 *
 * NEEDS: libc3p0-java libh2-java (c3p0.jar h2.jar)
 *
 * Problem: AccessAudit.onCheckIn reports who used a connection, which takes 25 ms, and c3p0 gives the connection to
 * nobody until it is done. Truth: agents wait for a BasicResourcePool because of AccessAudit.onCheckIn or
 * AuditLog.report. Measured: who has connections, evenly shared, while agents are in getConnection; what takes less
 * than 1 ms is no waiting.
 */
final class CheckInAuditStarvesPool {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int AUDIT = 0, LOOKUP = 1;

    static final class AuditLog {
        static void report(Connection connection) {
            if (connection != null) {
                Truth.sleep(0.025);
            }
        }
    }

    public static final class AccessAudit extends AbstractConnectionCustomizer {
        @Override
        public void onCheckIn(Connection connection, String token) {
            long from = System.nanoTime();
            AuditLog.report(connection);
            DIARY.held(AUDIT, from, System.nanoTime());
        }
    }

    record Agent(ComboPooledDataSource source) {
        void lookUp() throws Exception {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long to = System.nanoTime();
                if (to - from > 1_000_000) {
                    DIARY.waited(from, to);
                }
                try (Statement query = connection.createStatement();
                        ResultSet fares = query.executeQuery("SELECT 48")) {
                    fares.next();
                }
                Thread.sleep(4);
                DIARY.held(LOOKUP, to, System.nanoTime());
            }
            Thread.sleep(15);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        System.setProperty("com.mchange.v2.log.MLog", "com.mchange.v2.log.FallbackMLog");
        System.setProperty("com.mchange.v2.log.FallbackMLog.DEFAULT_CUTOFF_LEVEL", "OFF");
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setDriverClass("org.h2.Driver");
        source.setJdbcUrl("jdbc:h2:mem:fares;DB_CLOSE_DELAY=-1");
        source.setConnectionCustomizerClassName("CheckInAuditStarvesPool$AccessAudit");
        source.setInitialPoolSize(4);
        source.setMinPoolSize(4);
        source.setMaxPoolSize(4);
        source.setNumHelperThreads(6);
        while (source.getNumConnectionsDefaultUser() < 4) {
            source.getConnection().close();
            Thread.sleep(50);
        }
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("agent-" + i, new Agent(source)::lookUp);
        }
        DIARY.fill(seconds);
        Truth.of("connections are audited before they come back").object("BasicResourcePool")
            .culprit("AccessAudit.onCheckIn", "AuditLog.report")
            .thread("com.mchange.v*.async.ThreadPoolAsynchronousRunner$PoolThread-#*").victims("agent-*")
            .share(DIARY.share(AUDIT), "the agents' waiting for connections, evenly among who has one").say();
        System.exit(0);
    }
}

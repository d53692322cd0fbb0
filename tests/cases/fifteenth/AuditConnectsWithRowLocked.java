import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;

/**
 * Six tellers give out numbers, each in a transaction that raises one row of H2, over a pool of four connections.
 *
 * NEEDS: libtomcat9-java libh2-java (tomcat9-dbcp.jar tomcat9-juli.jar h2.jar)
 *
 * Problem: AuditTrail.record takes a connection of its own while the teller's transaction has the row. Until the second
 * second there are two tellers; with six, the other three connections are soon with those that wait for the row. Truth:
 * stuck, tellers wait for H2's Transaction and for a connection because of AuditTrail.record.
 */
final class AuditConnectsWithRowLocked {
    record AuditTrail(BasicDataSource source) {
        void record(String who) throws SQLException {
            try (Connection connection = source.getConnection(); Statement insert = connection.createStatement()) {
                insert.execute("INSERT INTO audit VALUES ('" + who + "')");
            }
        }
    }

    static final class Teller {
        private final BasicDataSource source;
        private final AuditTrail audit;
        private final AtomicInteger given;

        Teller(BasicDataSource source, AtomicInteger given) {
            this.source = source;
            this.given = given;
            this.audit = new AuditTrail(source);
        }

        void next() throws SQLException, InterruptedException {
            try (Connection connection = source.getConnection(); Statement update = connection.createStatement()) {
                connection.setAutoCommit(false);
                update.execute("UPDATE numbers SET last = last + 1 WHERE id = 1");
                Thread.sleep(3);
                audit.record(Thread.currentThread().getName());
                connection.commit();
                connection.setAutoCommit(true);
                given.incrementAndGet();
            }
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BasicDataSource source = new BasicDataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:numbers;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=600000");
        source.setInitialSize(4);
        source.setMaxTotal(4);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE numbers(id INT PRIMARY KEY, last INT)");
            statement.execute("CREATE TABLE audit(who VARCHAR(20))");
            statement.execute("INSERT INTO numbers VALUES (1, 0)");
        }
        AtomicInteger given = new AtomicInteger();
        for (int i = 1; i <= 6; i++) {
            Teller teller = new Teller(source, given);
            boolean[] isLater = {i > 2};
            Truth.repeat("teller-" + i, () -> {
                Thread.sleep(isLater[0] ? 1300 : 0);
                isLater[0] = false;
                teller.next();
            });
        }
        int[] before = {-1};
        Truth.repeat("observer", () -> {
            if (before[0] != (before[0] = given.get())) {
                Thread.sleep(1000);
                return;
            }
            Truth.hangs();
            throw new InterruptedException();
        });
        Truth.sayAndHalt(Truth.stuck("a second connection is needed while a row is locked")
            .object("Transaction", "GenericObjectPool", "LinkedBlockingDeque", "ConditionObject")
            .culprit("AuditTrail.record").thread("teller-*").victims("teller-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

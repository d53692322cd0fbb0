import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * Five lookup threads and a report share one connection to a database. A lookup takes less than a
 * millisecond, the report's statement 120 to 200 ms.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: QuarterReport.run keeps the only session; there ought to be a pool. Truth: lookups wait for
 * the session's monitor because of it. Measured: the report's statements, against what lookups take in
 * excess of a millisecond.
 */
public final class ReportsOnSharedConnection {
    private static final Truth.Diary DIARY = new Truth.Diary();

    /** Called by the statement. */
    public static int total(int millis) {
        long from = System.nanoTime();
        Truth.sleep(millis / 1e3);
        DIARY.held(0, from, System.nanoTime());
        return millis;
    }

    static final class QuarterReport {
        static void run(Connection connection, Random random) {
            query(connection, "select total(" + (120 + random.nextInt(80)) + ")");
        }
    }

    static final class Lookup {
        static void price(Connection connection, int article) {
            long from = System.nanoTime();
            query(connection, "select price from article where id = " + article);
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
        }
    }

    private static void query(Connection connection, String text) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        } catch (SQLException exception) {
            throw new IllegalStateException(exception);
        }
    }

    public static void main(String[] arguments) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:prices");
        query(connection, "create alias total for 'ReportsOnSharedConnection.total'");
        query(connection, "create table article(id int primary key, price int)");
        query(connection, "insert into article select x, x * 3 from system_range(1, 200)");
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Truth.repeat("lookup-" + i, () -> {
                Truth.sleep(0.01 + random.nextDouble() * 0.01);
                Lookup.price(connection, 1 + random.nextInt(200));
            });
        }
        Random random = new Random(17);
        Truth.repeat("quarter-report", () -> {
            QuarterReport.run(connection, random);
            Truth.sleep(0.15);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a report's long statement runs on the one connection that lookups use as well")
            .object("SessionLocal", "Session", "JdbcConnection")
            .culprit("QuarterReport.run", "ReportsOnSharedConnection.total")
            .thread("quarter-report").victims("lookup-*")
            .share(DIARY.share(0), "the lookups' waiting for the session").say();
        System.exit(0);
    }
}

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * Six tellers book on 40 accounts of a database in memory, each booking a transaction of its own.
 * Now and then the end of the month is run for a branch: it adds interest to all of the branch's
 * accounts, prints the statements, and commits.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: MonthEnd.closeBranch prints (200 to 300 ms) before it commits, so half of the rows stay
 * locked meanwhile. Truth: the tellers wait for the other's Transaction. Measured: from the update
 * to the commit of closeBranch, within the tellers' updates that took longer than 3 ms.
 */
final class MonthEndKeepsRows {
    private static final String URL =
        "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=60000";
    private static final Truth.Diary DIARY = new Truth.Diary();

    private interface Turn {
        void take(Connection connection) throws SQLException;
    }

    static final class MonthEnd {
        private final Random random = new Random(31);

        void closeBranch(Connection connection) throws SQLException {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("update account set amount = amount * 1.0001 where id < 20");
                long from = System.nanoTime();
                printStatements(20);
                connection.commit();
                DIARY.held(0, from, System.nanoTime());
            }
            Truth.sleep(0.3 + random.nextDouble() * 0.1);
        }

        private void printStatements(int accounts) {
            for (int i = 0; i < accounts; i++) {
                Truth.sleep(0.01 + random.nextDouble() * 0.005);
            }
        }
    }

    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
             Statement statement = connection.createStatement()) {
            statement.execute("create table account (id int primary key, amount double)");
            statement.execute("insert into account select x, 100 from system_range(0, 39)");
        }
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            start("teller-" + i, connection -> book(connection, random));
        }
        MonthEnd monthEnd = new MonthEnd();
        start("month-end", monthEnd::closeBranch);
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the end of the month prints statements between its update and its commit, and "
            + "tellers wait for the rows")
            .object("Transaction")
            .culprit("MonthEnd.closeBranch", "MonthEnd.printStatements")
            .thread("month-end").victims("teller-*")
            .share(DIARY.share(0), "the tellers' updates of more than 3 ms").say();
        System.exit(0);
    }

    private static void book(Connection connection, Random random) throws SQLException {
        Truth.sleep(0.005 + random.nextDouble() * 0.01);
        try (PreparedStatement statement = connection.prepareStatement(
                "update account set amount = amount + ? where id = ?")) {
            statement.setInt(1, random.nextInt(20));
            statement.setInt(2, random.nextInt(40));
            long from = System.nanoTime();
            statement.executeUpdate();
            long to = System.nanoTime();
            if (to - from > 3_000_000) {
                DIARY.waited(from, to);
            }
        }
    }

    private static void start(String name, Turn turn) {
        Thread thread = new Thread(() -> {
            try (Connection connection = DriverManager.getConnection(URL)) {
                while (true) {
                    turn.take(connection);
                }
            } catch (SQLException exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}

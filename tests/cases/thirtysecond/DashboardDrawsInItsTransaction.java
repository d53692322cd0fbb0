import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A shop on HSQLDB in memory, in its usual mode of locks. Five tills sell: each updates a row of the stock, and
 * commits.
 *
 * NEEDS: libhsqldb-java (hsqldb.jar)
 *
 * Problem: a dashboard, whose reads are repeatable, sums up the stock and draws (Dashboard.draw, 45 ms) before it
 * commits, so that its read lock stays meanwhile; an importer writes prices and waits for its supplier
 * (Importer.confirm, 15 ms) before it commits. Truth: tills wait for a CountUpDownLatch of HSQLDB's because of
 * Dashboard.draw. Measured: the part of the tills' waiting during which it draws, evenly shared with confirming,
 * and with tills that have it themselves.
 */
final class DashboardDrawsInItsTransaction {
    static final Truth.Diary DIARY = new Truth.Diary();

    static Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:hsqldb:mem:shop", "SA", "");
        connection.setAutoCommit(false);
        return connection;
    }

    static final class Dashboard {
        private final Connection connection;
        private double height;

        Dashboard(Connection connection) {
            this.connection = connection;
        }

        void refresh() throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet sum = statement.executeQuery("SELECT SUM(pieces) FROM stock")) {
                sum.next();
                draw(sum.getLong(1));
            }
            connection.commit();
        }

        private void draw(long pieces) {
            long from = System.nanoTime();
            for (int i = 0; i < 9; i++) {
                height += Math.log(pieces + 1);
                Truth.sleep(0.005);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Importer {
        private final Connection connection;
        private int confirmed;

        Importer(Connection connection) {
            this.connection = connection;
        }

        void load() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE stock SET price = price + 1 WHERE id < 10");
            }
            confirm();
            connection.commit();
        }

        private void confirm() {
            long from = System.nanoTime();
            Truth.sleep(0.015);
            confirmed++;
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Till {
        private final Connection connection;
        private int article;

        Till(Connection connection, int article) {
            this.connection = connection;
            this.article = article;
        }

        void sell() throws SQLException {
            long asked = System.nanoTime();
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE stock SET pieces = pieces - 1 WHERE id = ?")) {
                update.setInt(1, article = (article + 7) % 200);
                update.executeUpdate();
            }
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            connection.commit();
            DIARY.held(2, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws Exception {
        Connection first = connect();
        try (Statement statement = first.createStatement()) {
            statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, pieces INT, price INT)");
            for (int i = 0; i < 200; i++) {
                statement.execute("INSERT INTO stock VALUES (" + i + ", 100000, 5)");
            }
        }
        first.commit();
        Connection repeatable = connect();
        repeatable.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        Dashboard dashboard = new Dashboard(repeatable);
        Importer importer = new Importer(connect());
        Truth.repeat("dashboard", () -> {
            dashboard.refresh();
            Thread.sleep(40);
        });
        Truth.repeat("importer", () -> {
            importer.load();
            Thread.sleep(50);
        });
        for (int i = 1; i <= 5; i++) {
            Till till = new Till(connect(), i);
            Truth.repeat("till-" + i, () -> {
                till.sell();
                Thread.sleep(6);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a dashboard draws before it commits").object("CountUpDownLatch").culprit("Dashboard.draw")
            .thread("dashboard").victims("till-*").share(DIARY.share(0), "the tills' waiting for the table").say();
        Runtime.getRuntime().halt(0);
    }
}

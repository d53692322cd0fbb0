import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Five clerks book what is sold in a Derby database, each in a transaction of its own. Stocktaking corrects a third of
 * the rows, shelf by shelf.
 *
 * NEEDS: libderby-java (derby.jar)
 *
 * Problem: Stocktake.correct asks the scales, for 70 ms, after it has updated the rows of a shelf and before it
 * commits. Truth: clerks wait for Derby's row locks (ActiveLock) because of Stocktake.correct or Scales.weigh.
 * Measured: the part of the clerks' waiting during which a shelf is corrected; an update that takes less than 1 ms
 * does not count as waiting.
 */
final class StocktakeKeepsDerbyRows {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final String URL = "jdbc:derby:memory:stock";
    static final int ROWS = 24;

    static final class Scales {
        private int weighed;

        int weigh(int shelf) {
            Truth.sleep(0.07);
            return ++weighed + shelf;
        }
    }

    static final class Stocktake {
        private final Scales scales = new Scales();
        private final Connection connection;
        private int shelf;

        Stocktake(Connection connection) throws SQLException {
            this.connection = connection;
            connection.setAutoCommit(false);
        }

        void correct() throws SQLException {
            shelf = (shelf + 1) % 3;
            long from = System.nanoTime();
            try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET amount = 100 WHERE id = ?")) {
                for (int id = shelf; id < ROWS; id += 3) {
                    update.setInt(1, id);
                    update.executeUpdate();
                    from = id == shelf ? System.nanoTime() : from;
                }
            }
            scales.weigh(shelf);
            connection.commit();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Clerk {
        private final PreparedStatement update;

        Clerk(Connection connection) throws SQLException {
            update = connection.prepareStatement("UPDATE stock SET amount = amount - 1 WHERE id = ?");
        }

        void sell() throws Exception {
            update.setInt(1, ThreadLocalRandom.current().nextInt(ROWS));
            long from = System.nanoTime();
            update.executeUpdate();
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Thread.sleep(8);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        System.setProperty("derby.stream.error.file", "/dev/null");
        try (Connection connection = DriverManager.getConnection(URL + ";create=true");
                Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE stock(id INT PRIMARY KEY, amount INT)");
            for (int id = 0; id < ROWS; id++) {
                make.execute("INSERT INTO stock VALUES (" + id + ", 100)");
            }
        }
        Stocktake stocktake = new Stocktake(DriverManager.getConnection(URL));
        Truth.repeat("stocktake", () -> {
            stocktake.correct();
            Thread.sleep(25);
        });
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("clerk-" + i, new Clerk(DriverManager.getConnection(URL))::sell);
        }
        DIARY.fill(seconds);
        Truth.of("rows stay locked while the scales are asked").object("ActiveLock")
            .culprit("Stocktake.correct", "Scales.weigh").thread("stocktake").victims("clerk-*")
            .share(DIARY.share(0), "the clerks' waiting for rows").say();
        System.exit(0);
    }
}

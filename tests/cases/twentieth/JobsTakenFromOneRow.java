import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five stations print labels, which a table of an H2 in memory is the queue of: each takes the oldest row for itself by
 * select … for update, and deletes it when the label is printed.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: rows that are locked are not skipped, so that all stations want the same row, and LabelPrinter.print takes
 * 15 ms in that transaction. Truth: stations wait for each other's Transaction, in H2, because of LabelPrinter.print
 * (called by Station.printNext). Measured: when it runs, within the stations' selects.
 */
final class JobsTakenFromOneRow {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class LabelPrinter {
        private int printed;

        void print(long label) {
            long from = System.nanoTime();
            Truth.sleep(0.015);
            printed += label >= 0 ? 1 : 0;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Station {
        private final Connection connection;
        private final PreparedStatement select, delete;
        private final LabelPrinter printer = new LabelPrinter();

        Station(String url) throws SQLException {
            connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            select = connection.prepareStatement("select id from label order by id fetch first row only for update");
            delete = connection.prepareStatement("delete from label where id = ?");
        }

        boolean printNext() throws SQLException {
            long label = take();
            if (label >= 0) {
                printer.print(label);
                delete.setLong(1, label);
                delete.executeUpdate();
            }
            connection.commit();
            return label >= 0;
        }

        private long take() throws SQLException {
            long from = System.nanoTime();
            try (ResultSet row = select.executeQuery()) {
                DIARY.waited(from, System.nanoTime());
                return row.next() ? row.getLong(1) : -1;
            }
        }
    }

    public static void main(String[] arguments) throws SQLException {
        double seconds = Truth.seconds(arguments);
        String url = "jdbc:h2:mem:labels;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        Connection connection = DriverManager.getConnection(url);
        connection.createStatement().execute("create table label (id bigint primary key)");
        PreparedStatement insert = connection.prepareStatement("insert into label values (?)");
        AtomicInteger ordered = new AtomicInteger(), printed = new AtomicInteger();
        Truth.repeat("orders", () -> {
            insert.setLong(1, ordered.incrementAndGet());
            insert.executeUpdate();
            Thread.sleep(12);
        });
        for (int i = 1; i <= 5; i++) {
            Station station = new Station(url);
            Truth.repeat("station-" + i, () -> {
                if (station.printNext()) {
                    printed.incrementAndGet();
                }
                Thread.sleep(5);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d ordered, %d printed, waited %.2f s%n", ordered.get(), printed.get(),
                          DIARY.waitedSeconds());
        Truth.of("all stations want the same row of a table that is a queue").object("Transaction")
            .culprit("LabelPrinter.print", "Station.printNext").thread("station-*").victims("station-*")
            .share(DIARY.share(0), "the stations' selects").say();
        Runtime.getRuntime().halt(0);
    }
}

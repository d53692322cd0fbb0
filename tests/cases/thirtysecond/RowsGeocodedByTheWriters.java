import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An import of addresses: three readers put rows into a queue of forty; two writers take one at a time and insert
 * it into an H2 in memory.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: of each three rows one has no coordinates, for which a writer asks a service, Geocoder.locate, 10 ms;
 * Store.insert takes 2 ms and a little. Truth: readers wait for room in the queue (ArrayBlockingQueue) because of
 * Geocoder.locate. Measured: the part of the readers' waiting for room during which writers locate, evenly shared
 * with inserting.
 */
final class RowsGeocodedByTheWriters {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Row(int number, boolean located) {
    }

    static final class Geocoder {
        int locate(Row row) {
            Truth.sleep(0.010);
            return row.number() % 180;
        }
    }

    static final class Store {
        private final PreparedStatement insert;

        Store(Connection connection) throws SQLException {
            insert = connection.prepareStatement("INSERT INTO address VALUES (?, ?)");
        }

        void insert(Row row, int place) throws SQLException {
            insert.setInt(1, row.number());
            insert.setInt(2, place);
            insert.executeUpdate();
            Truth.sleep(0.002);
        }
    }

    static final class Writer {
        private final Geocoder geocoder = new Geocoder();
        private final BlockingQueue<Row> rows;
        private final Store store;

        Writer(BlockingQueue<Row> rows, Store store) {
            this.rows = rows;
            this.store = store;
        }

        void next() throws Exception {
            Row row = rows.take();
            long from = System.nanoTime();
            int place = row.located() ? 0 : geocoder.locate(row);
            long then = System.nanoTime();
            DIARY.held(0, from, then);
            store.insert(row, place);
            DIARY.held(1, then, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:h2:mem:addresses;DB_CLOSE_ON_EXIT=FALSE";
        Connection first = DriverManager.getConnection(url);
        try (Statement statement = first.createStatement()) {
            statement.execute("CREATE TABLE address (id INT, place INT)");
        }
        ArrayBlockingQueue<Row> rows = new ArrayBlockingQueue<>(40);
        for (int i = 1; i <= 2; i++) {
            Writer writer = new Writer(rows, new Store(DriverManager.getConnection(url)));
            Truth.repeat("writer-" + i, writer::next);
        }
        AtomicInteger numbers = new AtomicInteger();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("reader-" + i, () -> {
                int number = numbers.incrementAndGet();
                Row row = new Row(number, number % 3 != 0);
                Thread.sleep(2);
                long from = System.nanoTime();
                rows.put(row);
                DIARY.waited(from, System.nanoTime());
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("writers ask a service for coordinates").object("ArrayBlockingQueue", "ConditionObject")
            .culprit("Geocoder.locate").thread("writer-*").victims("reader-*")
            .share(DIARY.share(0), "the readers' waiting for room").say();
        Runtime.getRuntime().halt(0);
    }
}

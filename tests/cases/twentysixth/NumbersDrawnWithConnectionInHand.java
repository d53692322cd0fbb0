import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/**
 * Nine desks of an insurer file claims: each takes a connection (HikariCP's, three there are, to an H2 in memory),
 * draws a number for the claim, and inserts it (4 ms). Numbers come in blocks of twelve, from a service that all
 * offices share. Statistics read for 50 ms now and then.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: when a block is used up, NumberRange.refill asks for the next one for 120 ms, under the range's lock. Who
 * draws meanwhile waits for that lock with an idle connection in hand, so that soon all three are taken. Truth: desks
 * wait for the pool because of NumberRange.refill, one or two steps away. Measured: drawing, inserting and reading
 * with a connection, within the waiting for one.
 */
final class NumbersDrawnWithConnectionInHand {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Hands out numbers one by one, of a block that is fetched as a whole. */
    static final class NumberRange {
        private final ReentrantLock lock = new ReentrantLock();
        private long next, end;

        long next() {
            lock.lock();
            try {
                if (next == end) {
                    refill();
                }
                return next++;
            } finally {
                lock.unlock();
            }
        }

        private void refill() {
            Truth.sleep(0.12);
            end = next + 12;
        }
    }

    record Claims(DataSource source, NumberRange numbers) {
        void file(int cents) throws SQLException {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                long number = numbers.next();
                long drawn = System.nanoTime();
                DIARY.held(0, got, drawn);
                insert(connection, number, cents);
                DIARY.held(1, drawn, System.nanoTime());
            }
        }

        private void insert(Connection connection, long number, int cents) throws SQLException {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO claim VALUES (?, ?)")) {
                insert.setLong(1, number);
                insert.setInt(2, cents);
                Truth.sleep(0.004);
                insert.executeUpdate();
            }
        }

        long total() throws SQLException {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                try (var rows = statement.executeQuery("SELECT SUM(cents) FROM claim")) {
                    Truth.sleep(0.05);
                    return rows.next() ? rows.getLong(1) : 0;
                } finally {
                    DIARY.held(2, got, System.nanoTime());
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:claims;DB_CLOSE_ON_EXIT=FALSE");
        config.setMaximumPoolSize(3);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE claim (id BIGINT PRIMARY KEY, cents INT)");
        }
        Claims claims = new Claims(source, new NumberRange());
        for (int i = 1; i <= 9; i++) {
            int cents = i * 100;
            Truth.repeat("desk-" + i, () -> {
                claims.file(cents);
                Thread.sleep(15);
            });
        }
        Truth.repeat("statistics", () -> {
            claims.total();
            Thread.sleep(150);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("others %.3f %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("whoever draws a number while a block is fetched keeps a connection meanwhile")
            .object("SynchronousQueue", "ConcurrentBag", "HikariPool")
            .culprit("NumberRange.refill", "NumberRange.next").thread("desk-*").victims("desk-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
    }
}

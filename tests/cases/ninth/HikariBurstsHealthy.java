import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Five pages ask an H2 database over a pool of HikariCP with five connections, which watches for leaks. Once a second
 * twelve digests ask too, all at the same time, and wait for each other for some milliseconds.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: a burst is over after a hundredth of the time until the next. Truth: healthy. Measured: the time
 * waited for connections.
 */
final class HikariBurstsHealthy {
    static final AtomicLong WAITED = new AtomicLong();

    static final class Stock {
        private final HikariDataSource source;
        private int sum;

        Stock(HikariDataSource source) {
            this.source = source;
        }

        void ask() throws SQLException {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                WAITED.addAndGet(System.nanoTime() - from);
                try (Statement ask = connection.createStatement();
                        ResultSet row = ask.executeQuery("SELECT amount FROM stock WHERE id = 7")) {
                    sum += row.next() ? row.getInt(1) : 0;
                }
                Truth.sleep(0.002);
            }
        }

        void page() throws Exception {
            ask();
            Thread.sleep(40 + ThreadLocalRandom.current().nextInt(40));
        }

        void digest() throws Exception {
            Truth.sleep(1 - System.nanoTime() % 1_000_000_000 / 1e9);
            ask();
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE");
        config.setMaximumPoolSize(5);
        config.setLeakDetectionThreshold(2000);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE stock(id INT PRIMARY KEY, amount INT) AS SELECT x, x * 3 FROM "
                + "system_range(0, 99)");
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("page-" + i, new Stock(source)::page);
        }
        for (int i = 1; i <= 12; i++) {
            Truth.repeat("digest-" + i, new Stock(source)::digest);
        }
        Truth.sleep(seconds);
        System.out.printf("waited %.2f s in all%n", WAITED.get() / 1e9);
        Truth.healthy("bursts at a pool that are over at once").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}

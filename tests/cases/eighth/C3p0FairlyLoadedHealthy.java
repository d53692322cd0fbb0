import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Eight pages ask an H2 database over c3p0, whose pool of six connections is about a third in use. c3p0 has
 * three helpers and a timer of its own, which wait for work.
 *
 * NEEDS: libc3p0-java libh2-java (c3p0.jar h2.jar)
 *
 * Problem: none: a connection is nearly always free. Truth: healthy. Measured: the time that pages wait for a
 * connection, against the time they run.
 */
final class C3p0FairlyLoadedHealthy {
    static final AtomicLong WAITED = new AtomicLong();

    static final class Page {
        private final ComboPooledDataSource source;
        private int sum;

        Page(ComboPooledDataSource source) {
            this.source = source;
        }

        void show() throws Exception {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                WAITED.addAndGet(System.nanoTime() - from);
                ask(connection);
            }
            Thread.sleep(20 + ThreadLocalRandom.current().nextInt(30));
        }

        private void ask(Connection connection) throws SQLException {
            try (PreparedStatement ask = connection.prepareStatement("SELECT amount FROM stock WHERE id = ?")) {
                ask.setInt(1, ThreadLocalRandom.current().nextInt(100));
                try (ResultSet row = ask.executeQuery()) {
                    sum += row.next() ? row.getInt(1) : 0;
                }
            }
            Truth.sleep(0.008);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Logger.getLogger("com.mchange").setLevel(Level.OFF);
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setDriverClass("org.h2.Driver");
        source.setJdbcUrl("jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE");
        source.setInitialPoolSize(6);
        source.setMinPoolSize(6);
        source.setMaxPoolSize(6);
        try (Connection connection = source.getConnection()) {
            connection.createStatement().execute("CREATE TABLE stock(id INT PRIMARY KEY, amount INT) AS "
                + "SELECT x, x * 3 FROM system_range(0, 99)");
        }
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("page-" + i, new Page(source)::show);
        }
        Truth.sleep(seconds);
        System.out.printf("waited %.2f s in all%n", WAITED.get() / 1e9);
        Truth.healthy("a pool of connections that is a third in use").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.sql.DataSource;

/**
 * Six tellers book in an H2 database over HikariCP's pool of three connections.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: each tenth booking is refused, and Teller.book then throws the connection away instead of giving it back.
 * New ones are made one at a time by the pool's helper, and to log in, BranchSource.getConnection derives a key for
 * some 100 ms. Truth: tellers wait for the pool because of BranchSource.getConnection (or Teller.book, which makes it
 * necessary). Measured: who has a connection or makes one, evenly shared, against the time to get one.
 */
final class TellersThrowConnectionsAway {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int MADE = 0, USED = 1;
    static final String URL = "jdbc:h2:mem:branch;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE";

    static final class BranchSource implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            long from = System.nanoTime();
            try {
                SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(
                    new PBEKeySpec("branch".toCharArray(), new byte[16], 100_000, 256));
                return DriverManager.getConnection(URL);
            } catch (GeneralSecurityException exception) {
                throw new SQLException(exception);
            } finally {
                DIARY.held(MADE, from, System.nanoTime());
            }
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter writer) {
        }

        @Override
        public void setLoginTimeout(int seconds) {
        }

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException();
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }

    static final class Teller {
        private final HikariDataSource source;
        private int bookings;
        private int sum;

        Teller(HikariDataSource source, int first) {
            this.source = source;
            this.bookings = first;
        }

        void book() throws Exception {
            long asked = System.nanoTime();
            Connection connection = source.getConnection();
            long since = System.nanoTime();
            DIARY.waited(asked, since);
            bookings++;
            try (Statement ask = connection.createStatement();
                    ResultSet row = ask.executeQuery("SELECT balance FROM account WHERE id = " + bookings % 50)) {
                sum += row.next() ? row.getInt(1) : 0;
                Thread.sleep(4);
            }
            DIARY.held(USED, since, System.nanoTime());
            if (bookings % 10 == 0) {
                source.evictConnection(connection);
            } else {
                connection.close();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        try (Connection connection = DriverManager.getConnection(URL); Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE account(id INT PRIMARY KEY, balance INT) AS "
                + "SELECT x, x FROM system_range(0, 49)");
        }
        HikariConfig config = new HikariConfig();
        config.setDataSource(new BranchSource());
        config.setMaximumPoolSize(3);
        HikariDataSource source = new HikariDataSource(config);
        for (int i = 1; i <= 6; i++) {
            Teller teller = new Teller(source, i);
            Truth.repeat("teller-" + i, () -> {
                teller.book();
                Thread.sleep(10);
            });
        }
        DIARY.fill(seconds);
        Truth.of("connections are thrown away after each refusal, and are slow to make")
            .object("SynchronousQueue", "TransferQueue", "Transferer", "LinkedTransferQueue", "ConcurrentBag")
            .culprit("BranchSource.getConnection", "Teller.book").thread("HikariPool-* connection adder")
            .victims("teller-*").share(DIARY.share(MADE), "the time to get a connection").say();
        System.exit(0);
    }
}

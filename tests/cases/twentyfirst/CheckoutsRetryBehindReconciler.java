import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six checkouts ask an H2 database over a pool of HikariCP with three connections. Who gets none within 250 ms (the
 * least that the pool allows) rests for 20 ms and tries again, up to twenty times.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: three times in ten seconds the reconciler takes all three connections, one for each ledger, and keeps them
 * for 1.4 s while Reconciler.compare calls the bank for each. Every checkout then times out five times. Truth:
 * checkouts wait for a connection because of Reconciler.compare. Measured: who has connections within the checkouts'
 * waiting, the pauses between tries left out, evenly divided.
 */
final class CheckoutsRetryBehindReconciler {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger TIMEOUTS = new AtomicInteger(), SOLD = new AtomicInteger();

    record Database(HikariDataSource source) {
        Connection connect() throws SQLException {
            for (int attempt = 0; attempt < 20; attempt++) {
                long from = System.nanoTime();
                try {
                    Connection connection = source.getConnection();
                    DIARY.waited(from, System.nanoTime());
                    return connection;
                } catch (SQLTransientConnectionException exception) {
                    DIARY.waited(from, System.nanoTime());
                    TIMEOUTS.incrementAndGet();
                    Truth.sleep(0.02);
                }
            }
            throw new SQLException("no connection");
        }
    }

    record Checkout(Database database) {
        void sell() throws SQLException {
            try (Connection connection = database.connect()) {
                long from = System.nanoTime();
                try (Statement statement = connection.createStatement();
                     ResultSet price = statement.executeQuery("SELECT price FROM goods WHERE id = 3")) {
                    price.next();
                }
                Truth.sleep(0.004);
                DIARY.held(1, from, System.nanoTime());
            }
            SOLD.incrementAndGet();
        }
    }

    record Reconciler(Database database) {
        void compare(String ledger) throws SQLException {
            try (Connection connection = database.connect()) {
                long from = System.nanoTime();
                for (int account = 0; account < 28; account++) {
                    Truth.sleep(0.05); // the bank's answer
                }
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(250);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE goods (id INT PRIMARY KEY, price INT)");
            statement.execute("INSERT INTO goods SELECT x, x FROM SYSTEM_RANGE(1, 20)");
        }
        Database database = new Database(source);
        for (int i = 1; i <= 6; i++) {
            Checkout checkout = new Checkout(database);
            Truth.repeat("checkout-" + i, () -> {
                checkout.sell();
                Thread.sleep(ThreadLocalRandom.current().nextInt(30, 60));
            });
        }
        Reconciler reconciler = new Reconciler(database);
        for (int i = 1; i <= 3; i++) {
            String ledger = "ledger" + i;
            Truth.repeat("reconciler-" + i, () -> {
                Thread.sleep(1300);
                reconciler.compare(ledger);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d sold, %d time-outs, waited %.2f s%n", SOLD.get(), TIMEOUTS.get(), DIARY.waitedSeconds());
        Truth.of("a reconciler keeps all connections while it calls the bank; checkouts time out and try again")
            .object("HikariPool", "SynchronousQueue", "ConcurrentBag").culprit("Reconciler.compare")
            .thread("reconciler-*").victims("checkout-*")
            .share(DIARY.share(0), "the waiting for connections").say();
        Runtime.getRuntime().halt(0);
    }
}

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * A small service with HikariCP (four connections) on H2. Five checkouts ask for a connection, and try again after 900
 * ms, as nobody gets one.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: four listeners for changes of tables have taken a connection each when the service started, and never give it
 * back: TableListener.listen polls with it for ever. Truth: checkouts wait for Hikari's pool because of
 * TableListener.listen. Measured: listening, within the waiting of the checkouts, all of it.
 */
final class ListenersKeepEveryConnection {
    static final Truth.Diary DIARY = new Truth.Diary();

    record TableListener(DataSource source, String table, CountDownLatch ready) {
        void listen() {
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
                ready.countDown();
                while (true) {
                    long from = System.nanoTime();
                    try (ResultSet rows = statement.executeQuery("SELECT " + table.length())) {
                        rows.next();
                    }
                    Truth.sleep(0.1);
                    DIARY.held(0, from, System.nanoTime());
                }
            } catch (SQLException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    record Checkout(DataSource source) implements Truth.Step {
        private boolean pay() {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                return connection.isValid(1);
            } catch (SQLException exception) {
                return false;
            } finally {
                DIARY.waited(from, System.nanoTime());
            }
        }

        @Override
        public void run() throws InterruptedException {
            if (!pay()) {
                Thread.sleep(40);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop");
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(900);
        HikariDataSource source = new HikariDataSource(config);
        CountDownLatch ready = new CountDownLatch(4);
        for (int i = 1; i <= 4; i++) {
            Truth.start("listener-" + i, new TableListener(source, "orders" + i, ready)::listen);
        }
        ready.await();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("checkout-" + i, new Checkout(source));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("listeners have taken all connections at the start, and keep them").object("SynchronousQueue",
            "ConcurrentBag", "TransferStack", "TransferQueue", "LinkedTransferQueue", "HikariPool", "Transferer")
            .culprit("TableListener.listen").thread("listener-*").victims("checkout-*")
            .share(DIARY.share(0), "the checkouts' waiting for a connection").say();
        System.exit(0);
    }
}

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import javax.sql.DataSource;

/**
 * Ten web threads and four mailers share three pooled connections to a database in memory. A web
 * thread needs its connection for 2 ms.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java
 * (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: InvoiceMailer.sendOpenInvoices reads the invoices, hands them to the mail server (150 to
 * 250 ms), and marks them as sent, all with one connection. Truth: the web threads wait for a
 * connection because of it. Measured: who had a connection from when to when, the instants of
 * waiting shared evenly among those.
 */
final class InvoiceMailsInTransaction {
    private static final int MAILER = 0, WEB = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class InvoiceMailer {
        private final DataSource database;
        private final Random random;

        InvoiceMailer(DataSource database, int seed) {
            this.database = database;
            random = new Random(seed);
        }

        void sendOpenInvoices() {
            try (Connection connection = database.getConnection()) {
                long from = System.nanoTime();
                execute(connection, "select * from invoice where sent = false");
                handOver();
                execute(connection, "update invoice set sent = false where id = " + random.nextInt(9));
                DIARY.held(MAILER, from, System.nanoTime());
            } catch (SQLException exception) {
                throw new IllegalStateException(exception);
            }
            Truth.sleep(0.2 + random.nextDouble() * 0.3);
        }

        private void handOver() {
            Truth.sleep(0.15 + random.nextDouble() * 0.1);
        }
    }

    public static void main(String[] arguments) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE");
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(60_000);
        HikariDataSource database = new HikariDataSource(config);
        try (Connection connection = database.getConnection()) {
            execute(connection, "create table invoice (id int primary key, sent boolean)");
            execute(connection, "insert into invoice select x, false from system_range(0, 8)");
        }
        for (int i = 1; i <= 10; i++) {
            Random random = new Random(i);
            Truth.repeat("web-" + i, () -> showInvoice(database, random));
        }
        for (int i = 1; i <= 4; i++) {
            InvoiceMailer mailer = new InvoiceMailer(database, 20 + i);
            Truth.repeat("mailer-" + i, mailer::sendOpenInvoices);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("mailers keep their pooled connections while they talk to the mail server, so web "
            + "threads get none")
            .object("SynchronousQueue", "ConcurrentBag", "HikariPool")
            .culprit("InvoiceMailer.sendOpenInvoices", "InvoiceMailer.handOver")
            .thread("mailer-*").victims("web-*")
            .share(DIARY.share(MAILER), "the web threads' waiting for a connection").say();
        System.exit(0);
    }

    private static void showInvoice(DataSource database, Random random) {
        Truth.sleep(0.01 + random.nextDouble() * 0.02);
        long asked = System.nanoTime();
        try (Connection connection = database.getConnection()) {
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            execute(connection, "select * from invoice where id = " + random.nextInt(9));
            Truth.sleep(0.002);
            DIARY.held(WEB, from, System.nanoTime());
        } catch (SQLException exception) {
            throw new IllegalStateException(exception);
        }
    }

    private static void execute(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.commons.dbcp.BasicDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationAdapter;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Four threads sell tickets in transactions of Spring, four look up what is left, on three connections of DBCP to an
 * H2 in memory.
 *
 * NEEDS: libspring-jdbc-java libspring-transaction-java libcommons-dbcp-java libh2-java (spring3-jdbc.jar
 * spring3-transaction.jar spring3-core.jar spring3-beans.jar commons-logging.jar commons-dbcp.jar commons-pool.jar
 * h2.jar)
 *
 * Problem: ReceiptMail.deliver takes 40 ms. It is registered to run after the commit, but Spring gives the connection
 * back only when that is over. Truth: everybody waits for a connection because of ReceiptMail.deliver, within
 * TicketSale.sell. Measured: how long who sells has a connection, of all that have one.
 */
final class ReceiptsMailedAfterCommit {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Hands connections out, and knows since when the caller has one. */
    static final class Connections extends DelegatingDataSource {
        private final ThreadLocal<Long> since = new ThreadLocal<>();

        Connections(DataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            long from = System.nanoTime();
            Connection connection = super.getConnection();
            since.set(System.nanoTime());
            DIARY.waited(from, since.get());
            return connection;
        }

        void back(int who) {
            DIARY.held(who, since.get(), System.nanoTime());
        }
    }

    static final class ReceiptMail {
        private int sent;

        void sendAfterCommit() {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronizationAdapter() {
                @Override
                public void afterCommit() {
                    deliver();
                }
            });
        }

        private void deliver() {
            Truth.sleep(0.04);
            sent++;
        }
    }

    static final class TicketSale {
        private final TransactionTemplate transaction;
        private final JdbcTemplate database;
        private final ReceiptMail mail = new ReceiptMail();

        TicketSale(Connections connections) {
            transaction = new TransactionTemplate(new DataSourceTransactionManager(connections));
            database = new JdbcTemplate(connections);
        }

        void sell(int ticket) {
            transaction.execute(status -> {
                database.update("insert into sold values (?)", ticket);
                mail.sendAfterCommit();
                return null;
            });
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BasicDataSource pool = new BasicDataSource();
        pool.setUrl("jdbc:h2:mem:tickets;DB_CLOSE_DELAY=-1");
        pool.setMaxActive(3);
        Connections connections = new Connections(pool);
        JdbcTemplate database = new JdbcTemplate(connections);
        database.execute("create table sold (ticket int)");
        TicketSale sale = new TicketSale(connections);
        AtomicInteger tickets = new AtomicInteger(), looks = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("sale-" + i, () -> {
                sale.sell(tickets.incrementAndGet());
                connections.back(0);
                Thread.sleep(20);
            });
            Truth.repeat("enquiry-" + i, () -> {
                database.queryForList("select ticket from sold where ticket = 17");
                connections.back(1);
                looks.incrementAndGet();
                Thread.sleep(5);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d sold, %d enquiries, waited %.2f s%n", tickets.get(), looks.get(), DIARY.waitedSeconds());
        Truth.of("a connection is kept while a receipt is mailed after the commit")
            .object("Latch", "GenericObjectPool")
            .culprit("ReceiptMail.deliver", "TicketSale.sell").thread("sale-*").victims("sale-*", "enquiry-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

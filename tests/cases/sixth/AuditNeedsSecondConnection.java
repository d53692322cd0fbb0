import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/**
 * A shop on a Tomcat connection pool of five. Ten request threads place orders; every order is audited in
 * a transaction of its own, so that the audit stays when the order is rolled back. Two jobs look at stock.
 *
 * NEEDS: libtomcat9-java libh2-java (tomcat9-jdbc.jar tomcat9-juli.jar h2.jar)
 *
 * Problem: AuditTrail.record borrows a second connection while OrderService.place keeps the first. Once
 * five orders have their first one, none gets its second until the pool's 400 ms are over. Truth: waiting
 * for connections is for those of OrderService.place. Measured: who had a connection while others waited.
 */
final class AuditNeedsSecondConnection {
    static final int ORDER = 0, STOCK = 1;
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger PLACED = new AtomicInteger(), TIMED_OUT = new AtomicInteger();

    /** The pool, and how long one waits at it. */
    static final class Connections {
        private final DataSource pool;

        Connections() {
            PoolProperties properties = new PoolProperties();
            properties.setUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
            properties.setDriverClassName("org.h2.Driver");
            properties.setMaxActive(5);
            properties.setInitialSize(5);
            properties.setMaxIdle(5);
            properties.setMinIdle(5);
            properties.setMaxWait(400);
            properties.setJmxEnabled(false);
            pool = new DataSource(properties);
        }

        Connection borrow() throws SQLException {
            long from = System.nanoTime();
            try {
                return pool.getConnection();
            } finally {
                DIARY.waited(from, System.nanoTime());
            }
        }
    }

    record AuditTrail(Connections connections) {
        /** In a transaction of its own. */
        void record(int order, String what) throws SQLException {
            try (Connection own = connections.borrow()) {
                long from = System.nanoTime();
                try (PreparedStatement insert =
                         own.prepareStatement("insert into audit(order_id, what) values (?, ?)")) {
                    insert.setInt(1, order);
                    insert.setString(2, what);
                    insert.executeUpdate();
                } finally {
                    DIARY.held(ORDER, from, System.nanoTime());
                }
            }
        }
    }

    static final class OrderService {
        private final Connections connections;
        private final AuditTrail audit;
        private final AtomicInteger numbers = new AtomicInteger();

        OrderService(Connections connections, AuditTrail audit) {
            this.connections = connections;
            this.audit = audit;
        }

        void place(int article) throws SQLException {
            int order = numbers.incrementAndGet();
            try (Connection connection = connections.borrow()) {
                long from = System.nanoTime();
                try {
                    connection.setAutoCommit(false);
                    insert(connection, order, article);
                    Truth.sleep(0.012); // checks the address
                    audit.record(order, "placed");
                    connection.commit();
                } catch (SQLException exception) {
                    connection.rollback();
                    throw exception;
                } finally {
                    connection.setAutoCommit(true);
                    DIARY.held(ORDER, from, System.nanoTime());
                }
            }
        }

        private void insert(Connection connection, int order, int article) throws SQLException {
            try (PreparedStatement insert =
                     connection.prepareStatement("insert into orders(id, article) values (?, ?)")) {
                insert.setInt(1, order);
                insert.setInt(2, article);
                insert.executeUpdate();
            }
        }
    }

    record OrderController(OrderService service) {
        void handle(int article) {
            try {
                service.place(article);
                PLACED.incrementAndGet();
            } catch (SQLException exception) {
                TIMED_OUT.incrementAndGet();
            }
            Truth.sleep(0.02);
        }
    }

    /** Counts what is left. Never needs more than one connection. */
    record StockJob(Connections connections) {
        void look() throws InterruptedException {
            Thread.sleep(60);
            try (Connection connection = connections.borrow()) {
                long from = System.nanoTime();
                count(connection);
                DIARY.held(STOCK, from, System.nanoTime());
            } catch (SQLException exception) {
                TIMED_OUT.incrementAndGet();
            }
        }

        private int count(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                 ResultSet result = statement.executeQuery("select count(*) from orders")) {
                Truth.sleep(0.008);
                result.next();
                return result.getInt(1);
            }
        }
    }

    public static void main(String[] arguments) throws SQLException {
        double seconds = Truth.seconds(arguments);
        Connections connections = new Connections();
        try (Connection connection = connections.borrow();
             Statement statement = connection.createStatement()) {
            statement.execute("create table orders(id int primary key, article int)");
            statement.execute("create table audit(order_id int, what varchar(40))");
        }
        OrderController controller =
            new OrderController(new OrderService(connections, new AuditTrail(connections)));
        for (int i = 1; i <= 10; i++) {
            int article = i;
            Truth.repeat("http-nio-8080-exec-" + i, () -> controller.handle(article));
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("stock-job-" + i, new StockJob(connections)::look);
        }
        Truth.sleep(seconds);
        System.out.println(PLACED + " placed, " + TIMED_OUT + " without a connection");
        Truth.of("an order keeps a connection while it waits for a second one")
            .object("FairBlockingQueue", "ConnectionPool", "DataSource", "ExchangeCountDownLatch",
                "CountDownLatch")
            .culprit("OrderService.place", "AuditTrail.record").thread("http-nio-*-exec-*")
            .victims("http-nio-*-exec-*")
            .share(DIARY.share(ORDER), "waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.api.Trigger;

/**
 * Five tills sell two articles, each with a connection of its own to an H2 in memory, and take what is sold off the
 * stock, within a transaction.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: a trigger on the stock, in Java, has Warehouse.reorder ask for more, which takes 12 ms, while the row is
 * locked. Truth: tills wait for each other's Transaction, in H2, because of Warehouse.reorder. Measured: when it runs
 * for the same article, within the updates up to their own trigger.
 */
final class StockTriggerAsksTheWarehouse {
    static final Truth.Diary[] DIARIES = {new Truth.Diary(), new Truth.Diary()};

    /** Which article this thread sells, and since when it waits for its row; 0: it does not. */
    static final ThreadLocal<long[]> SELLING = ThreadLocal.withInitial(() -> new long[2]);

    static final class Warehouse {
        static final AtomicInteger ORDERS = new AtomicInteger();

        void reorder(int article) {
            long from = System.nanoTime();
            Truth.sleep(0.012);
            ORDERS.incrementAndGet();
            DIARIES[article].held(0, from, System.nanoTime());
        }
    }

    /** Made by H2. */
    public static final class StockTrigger implements Trigger {
        private final Warehouse warehouse = new Warehouse();

        public StockTrigger() {}

        @Override
        public void fire(Connection connection, Object[] before, Object[] after) {
            long[] selling = SELLING.get();
            DIARIES[(int) selling[0]].waited(selling[1], System.nanoTime());
            warehouse.reorder((Integer) after[0]);
        }
    }

    static final class Till {
        private final Connection connection;
        private final PreparedStatement update;

        Till(String url) throws SQLException {
            connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            update = connection.prepareStatement("update stock set pieces = pieces - 1 where article = ?");
        }

        void sell(int article) throws SQLException {
            long[] selling = SELLING.get();
            selling[0] = article;
            selling[1] = System.nanoTime();
            update.setInt(1, article);
            update.executeUpdate();
            connection.commit();
        }
    }

    public static void main(String[] arguments) throws SQLException {
        double seconds = Truth.seconds(arguments);
        String url = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        try (Connection connection = DriverManager.getConnection(url);
             Statement statement = connection.createStatement()) {
            statement.execute("create table stock (article int primary key, pieces int)");
            statement.execute("insert into stock values (0, 100000), (1, 100000)");
            statement.execute("create trigger reordering after update on stock for each row call '"
                              + StockTrigger.class.getName() + "'");
        }
        AtomicInteger sold = new AtomicInteger();
        for (int i = 1; i <= 5; i++) {
            Till till = new Till(url);
            int article = i % 2;
            Truth.repeat("till-" + i, () -> {
                till.sell(article);
                sold.incrementAndGet();
                Thread.sleep(4);
            });
        }
        Truth.sleep(seconds);
        double[] waited = {DIARIES[0].waitedSeconds(), DIARIES[1].waitedSeconds()};
        System.out.printf("%d sold, waited %.2f and %.2f s%n", sold.get(), waited[0], waited[1]);
        Truth.of("a trigger asks another system while the row is locked").object("Transaction")
            .culprit("Warehouse.reorder", "StockTrigger.fire").thread("till-*").victims("till-*")
            .share((waited[0] * DIARIES[0].share(0) + waited[1] * DIARIES[1].share(0)) / (waited[0] + waited[1]),
                   "the updates up to their trigger").say();
        Runtime.getRuntime().halt(0);
    }
}

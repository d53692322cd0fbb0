import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.commons.dbcp2.BasicDataSource;

/**
 * Six checkout threads and one refund thread use a pool of four connections. A refund of nothing
 * returns early, without closing its connection; from the second second on, there are such.
 *
 * NEEDS: libcommons-dbcp2-java libcommons-pool2-java libcommons-logging-java libh2-java
 * (commons-dbcp2.jar commons-pool2.jar commons-logging.jar h2.jar)
 *
 * Problem: RefundDesk.refund keeps a connection for ever, four times. Truth: stuck; all wait at the
 * pool. Measured: no share; HANG is said when all wait.
 */
final class RefundLeaksConnection {
    static final class RefundDesk {
        static void refund(BasicDataSource pool, int amount) throws SQLException {
            Connection connection = pool.getConnection();
            if (amount == 0) {
                return;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("select " + amount);
            }
            connection.close();
        }
    }

    static final class Checkout {
        static void pay(BasicDataSource pool) throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("select 1");
                Truth.sleep(0.004);
            }
        }
    }

    interface Turn {
        void run() throws SQLException;
    }

    public static void main(String[] arguments) {
        BasicDataSource pool = new BasicDataSource();
        pool.setUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        pool.setMaxTotal(4);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            threads.add(start("checkout-" + i, () -> {
                Checkout.pay(pool);
                Truth.sleep(0.01 + random.nextDouble() * 0.02);
            }));
        }
        long begin = System.nanoTime();
        Random random = new Random(50);
        threads.add(start("refunds", () -> {
            boolean some = System.nanoTime() - begin > 1_000_000_000L;
            RefundDesk.refund(pool, some && random.nextInt(4) == 0 ? 0 : 7);
            Truth.sleep(0.05);
        }));
        Truth.sayAndHalt(Truth.stuck("a refund of nothing does not give its connection back, until the "
            + "pool has none left")
            .object("ConditionObject", "LinkedBlockingDeque", "GenericObjectPool")
            .culprit("RefundDesk.refund")
            .thread("refunds").victims("checkout-*").noShare(), Truth.seconds(arguments));
        Truth.hangsOnce(threads);
    }

    private static Thread start(String name, Turn turn) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    turn.run();
                }
            } catch (SQLException exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.start();
        return thread;
    }
}

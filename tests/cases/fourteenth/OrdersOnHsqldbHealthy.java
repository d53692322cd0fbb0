import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Four counters note orders in HSQLDB, which has table locks here: a transaction of two short statements every 50 ms,
 * and now and then one waits for another one's commit. Each second a report sums up; who wants it waits until it is
 * there, that is for the most part until the next second.
 *
 * NEEDS: libhsqldb-java (hsqldb.jar)
 *
 * Problem: none: transactions seldom meet, and wait for less than a millisecond or two if they do. Truth: healthy.
 * Measured: the counters' time within their transactions.
 */
final class OrdersOnHsqldbHealthy {
    static final String URL = "jdbc:hsqldb:mem:orders;hsqldb.tx=locks";
    static final AtomicLong WITHIN = new AtomicLong();

    static final class Counter {
        private final Connection connection;
        private final PreparedStatement insert, update;
        private final int number;
        private int orders;

        Counter(int number) throws Exception {
            this.number = number;
            connection = DriverManager.getConnection(URL, "SA", "");
            connection.setAutoCommit(false);
            insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)");
            update = connection.prepareStatement("UPDATE stock SET amount = amount - 1 WHERE id = ?");
        }

        void order() throws Exception {
            long from = System.nanoTime();
            insert.setInt(1, number * 1_000_000 + ++orders);
            insert.setInt(2, orders % 9);
            insert.executeUpdate();
            update.setInt(1, orders % 9);
            update.executeUpdate();
            connection.commit();
            WITHIN.addAndGet(System.nanoTime() - from);
            Thread.sleep(40 + ThreadLocalRandom.current().nextInt(20));
        }
    }

    static final class Report {
        private final Object news = new Object();
        private final Connection connection;
        private int written;

        Report() throws Exception {
            connection = DriverManager.getConnection(URL, "SA", "");
        }

        void write() {
            try (Statement query = connection.createStatement()) {
                query.executeQuery("SELECT COUNT(*) FROM orders").close();
            } catch (java.sql.SQLException exception) {
                System.out.println(exception);
            }
            synchronized (news) {
                written++;
                news.notifyAll();
            }
        }

        void read() throws InterruptedException {
            synchronized (news) {
                int seen = written;
                while (written == seen) {
                    news.wait();
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        System.setProperty("hsqldb.reconfig_logging", "false");
        try (Connection connection = DriverManager.getConnection(URL, "SA", "");
                Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE orders (id INT PRIMARY KEY, item INT)");
            make.execute("CREATE TABLE stock (id INT PRIMARY KEY, amount INT)");
            for (int id = 0; id < 9; id++) {
                make.execute("INSERT INTO stock VALUES (" + id + ", 100000)");
            }
        }
        Report report = new Report();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("counter-" + i, new Counter(i)::order);
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("manager-" + i, report::read);
        }
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, work -> {
            Thread thread = new Thread(work, "report");
            thread.setDaemon(true);
            return thread;
        });
        clock.scheduleAtFixedRate(report::write, 1, 1, TimeUnit.SECONDS);
        Truth.sleep(seconds);
        System.out.printf("counters were within transactions for %.2f s in all%n", WITHIN.get() / 1e9);
        Truth.healthy("transactions seldom meet").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}

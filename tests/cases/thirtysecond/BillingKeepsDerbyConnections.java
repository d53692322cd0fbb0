import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;

/**
 * An old service with a pool of its own making: three connections to an embedded Derby in memory, a synchronized
 * get that waits and a synchronized put that notifies. Seven desks look up a customer each, in a few milliseconds.
 *
 * NEEDS: libderby-java (derby.jar)
 *
 * Problem: two billings have a connection while they write letters, Billing.letters, 35 ms, after each 12 ms; a
 * statement is printed from one, StatementPrint.print, 14 ms, after each 30 ms. Truth: desks wait for the
 * ConnectionPool because of Billing.letters. Measured: the part of the waiting for a connection that connections
 * are with billings which write letters, evenly shared with whoever else has one.
 */
final class BillingKeepsDerbyConnections {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class ConnectionPool {
        private final ArrayDeque<Connection> free = new ArrayDeque<>();

        synchronized Connection get() throws InterruptedException {
            long from = System.nanoTime();
            while (free.isEmpty()) {
                wait();
            }
            DIARY.waited(from, System.nanoTime());
            return free.pop();
        }

        synchronized void put(Connection connection) {
            free.push(connection);
            notify();
        }
    }

    static String name(Connection connection, int customer) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
            query.setInt(1, customer);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : "nobody";
            }
        }
    }

    record Billing(ConnectionPool pool) {
        void run() throws Exception {
            Connection connection = pool.get();
            long from = System.nanoTime();
            try {
                String name = name(connection, 3);
                long then = System.nanoTime();
                DIARY.held(2, from, then);
                letters(name);
                DIARY.held(0, then, System.nanoTime());
            } finally {
                pool.put(connection);
            }
        }

        private void letters(String name) {
            for (int i = 0; i < name.length(); i++) {
                Truth.sleep(0.005);
            }
        }
    }

    record StatementPrint(ConnectionPool pool) {
        void print() throws Exception {
            Connection connection = pool.get();
            long from = System.nanoTime();
            try {
                name(connection, 4);
                Truth.sleep(0.014);
                DIARY.held(1, from, System.nanoTime());
            } finally {
                pool.put(connection);
            }
        }
    }

    record Desk(ConnectionPool pool) {
        void find(int customer) throws Exception {
            Connection connection = pool.get();
            long from = System.nanoTime();
            try {
                name(connection, customer);
                Truth.sleep(0.002);
                DIARY.held(2, from, System.nanoTime());
            } finally {
                pool.put(connection);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("derby.stream.error.field", "java.lang.System.err");
        String url = "jdbc:derby:memory:billing;create=true";
        ConnectionPool pool = new ConnectionPool();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(20))");
            for (int i = 0; i < 50; i++) {
                statement.execute("INSERT INTO customer VALUES (" + i + ", 'someone')");
            }
        }
        for (int i = 0; i < 3; i++) {
            pool.put(DriverManager.getConnection(url));
        }
        Billing billing = new Billing(pool);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("billing-" + i, () -> {
                billing.run();
                Thread.sleep(12);
            });
        }
        StatementPrint print = new StatementPrint(pool);
        Truth.repeat("statements", () -> {
            print.print();
            Thread.sleep(30);
        });
        Desk desk = new Desk(pool);
        for (int i = 1; i <= 7; i++) {
            int customer = i;
            Truth.repeat("desk-" + i, () -> {
                desk.find(customer);
                Thread.sleep(9);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("billing writes letters with a connection in hand").object("ConnectionPool")
            .culprit("Billing.letters", "Billing.run").thread("billing-*").victims("desk-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

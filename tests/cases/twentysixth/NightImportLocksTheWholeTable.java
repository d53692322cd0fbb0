import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Six cashiers change balances in a Derby database, each a row and a transaction at a time. An import of payments
 * changes many rows in one transaction, and another desk corrects interest, thirty rows at a time (60 ms).
 *
 * NEEDS: libderby-java (derby.jar)
 *
 * FLAGS: -Dderby.locks.escalationThreshold=100 -Dderby.stream.error.file=/dev/null
 *
 * Problem: the import changes 360 of 400 rows; from the hundredth row on Derby locks the table instead of rows. Before
 * it commits, PaymentImport.reconcile compares with the bank's file, for 170 ms. Truth: cashiers wait for Derby's
 * locks because of PaymentImport.reconcile. Measured: the import from its first row to its commit, and the interest,
 * within the cashiers' waiting; an update that takes less than 1 ms does not count as waiting.
 */
final class NightImportLocksTheWholeTable {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final String URL = "jdbc:derby:memory:savings";
    static final int ROWS = 400;

    /** Changes rows from one to another, each in its turn, and answers when the first was changed. */
    static long change(Connection connection, int first, int last) throws SQLException {
        long began = 0;
        String text = "UPDATE account SET cents = cents + 1 WHERE id = ?";
        try (PreparedStatement update = connection.prepareStatement(text)) {
            for (int id = first; id < last; id++) {
                update.setInt(1, id);
                update.executeUpdate();
                began = began == 0 ? System.nanoTime() : began;
            }
        }
        return began;
    }

    record PaymentImport(Connection connection) implements Truth.Step {
        private int reconcile(int expected) {
            Truth.sleep(0.17);
            return expected;
        }

        @Override
        public void run() throws SQLException, InterruptedException {
            long from = change(connection, 0, 360);
            reconcile(360);
            connection.commit();
            DIARY.held(0, from, System.nanoTime());
            Thread.sleep(300);
        }
    }

    record Interest(Connection connection) implements Truth.Step {
        private void round() {
            Truth.sleep(0.06);
        }

        @Override
        public void run() throws SQLException, InterruptedException {
            long from = change(connection, 320, 350);
            round();
            connection.commit();
            DIARY.held(1, from, System.nanoTime());
            Thread.sleep(200);
        }
    }

    record Cashier(Connection connection) implements Truth.Step {
        @Override
        public void run() throws SQLException, InterruptedException {
            int id = ThreadLocalRandom.current().nextInt(ROWS);
            long from = System.nanoTime();
            change(connection, id, id + 1);
            long to = System.nanoTime();
            connection.commit();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Thread.sleep(15);
        }
    }

    static Connection open() throws SQLException {
        Connection connection = DriverManager.getConnection(URL);
        connection.setAutoCommit(false);
        return connection;
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(URL + ";create=true");
            var make = connection.createStatement()) {
            make.execute("CREATE TABLE account (id INT PRIMARY KEY, cents INT)");
            for (int id = 0; id < ROWS; id++) {
                make.execute("INSERT INTO account VALUES (" + id + ", 100)");
            }
        }
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("cashier-" + i, new Cashier(open()));
        }
        Truth.repeat("interest", new Interest(open()));
        Truth.repeat("import", new PaymentImport(open()));
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("interest %.3f%n", DIARY.share(1));
        Truth.of("an import of many rows locks the table until it has been reconciled").object("ActiveLock")
            .culprit("PaymentImport.reconcile", "PaymentImport.run").thread("import").victims("cashier-*")
            .share(DIARY.share(0), "the cashiers' waiting for rows").say();
        System.exit(0);
    }
}

import java.io.File;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * H2Load THREADS SECONDS [apart]: threads that each add 1 to the balance of a random one of 1000 rows
 * of a table in a file, and commit. With `apart` each has rows of its own.
 */
class H2Load {
    static final int ROWS = 1000;

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        long seconds = Long.parseLong(arguments[1]);
        boolean apart = arguments.length > 2;
        File file = File.createTempFile("h2load", "");
        String url = "jdbc:h2:" + file.getAbsolutePath();
        LongAdder updates = new LongAdder();
        try (Connection connection = DriverManager.getConnection(url)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("create table account(id int primary key, balance int)");
                for (int i = 0; i < ROWS; i++) {
                    statement.execute("insert into account values(" + i + ", 0)");
                }
            }
            long end = System.nanoTime() + seconds * 1_000_000_000L;
            Thread[] threads = new Thread[n];
            for (int i = 0; i < n; i++) {
                int first = apart ? i : 0;
                int step = apart ? n : 1;
                threads[i] = new Thread(() -> update(url, first, step, end, updates), "client-" + i);
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println(updates.sum() / seconds + " updates a second");
        for (String suffix : new String[] {"", ".mv.db", ".trace.db"}) {
            new File(file + suffix).delete();
        }
    }

    static void update(String url, int first, int step, long end, LongAdder updates) {
        String sql = "update account set balance = balance + 1 where id = ?";
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            connection.setAutoCommit(false);
            while (System.nanoTime() < end) {
                int row = ThreadLocalRandom.current().nextInt(ROWS / step) * step + first;
                statement.setInt(1, row);
                statement.executeUpdate();
                connection.commit();
                updates.increment();
            }
        } catch (SQLException exception) {
            exception.printStackTrace();
        }
    }
}

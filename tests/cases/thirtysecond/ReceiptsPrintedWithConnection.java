import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A parking house: twelve gates let cars in and out, with one of four connections of c3p0's to an H2 in memory.
 *
 * NEEDS: libc3p0-java libh2-java (c3p0.jar h2.jar)
 *
 * Problem: one of five cars wants a receipt, which is printed before the connection is given back, Printer.print,
 * 28 ms; one of four has its plate looked up at the police, Police.ask, 9 ms; to book takes 1 ms and a little.
 * Truth: gates wait for the pool (BasicResourcePool) because of Printer.print. Measured: the part of the gates'
 * waiting for a connection during which printers print, evenly shared with asking and booking.
 */
final class ReceiptsPrintedWithConnection {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Printer {
        void print() {
            Truth.sleep(0.028);
        }
    }

    static final class Police {
        void ask() {
            Truth.sleep(0.009);
        }
    }

    record Gate(ComboPooledDataSource source, Random random, Printer printer, Police police) {
        void open() throws SQLException {
            long asked = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                book(connection);
                from = noted(2, from);
                if (random.nextInt(4) == 0) {
                    police.ask();
                    from = noted(1, from);
                }
                if (random.nextInt(5) == 0) {
                    printer.print();
                    noted(0, from);
                }
            }
        }

        private long noted(int who, long from) {
            long to = System.nanoTime();
            DIARY.held(who, from, to);
            return to;
        }

        private void book(Connection connection) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE place SET cars = cars + 1 WHERE id = ?")) {
                update.setInt(1, random.nextInt(20));
                update.executeUpdate();
            }
            Truth.sleep(0.001);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("com.mchange.v2.log.MLog", "com.mchange.v2.log.FallbackMLog");
        System.setProperty("com.mchange.v2.log.FallbackMLog.DEFAULT_CUTOFF_LEVEL", "OFF");
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setDriverClass("org.h2.Driver");
        source.setJdbcUrl("jdbc:h2:mem:parking;DB_CLOSE_ON_EXIT=FALSE");
        source.setInitialPoolSize(4);
        source.setMinPoolSize(4);
        source.setMaxPoolSize(4);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE place (id INT PRIMARY KEY, cars INT)");
            statement.execute("INSERT INTO place SELECT x - 1, 0 FROM SYSTEM_RANGE(1, 20)");
        }
        AtomicInteger threads = new AtomicInteger();
        ExecutorService gates =
            Executors.newFixedThreadPool(12, work -> Truth.daemon("gate-" + threads.incrementAndGet(), work));
        for (int i = 1; i <= 12; i++) {
            Gate gate = new Gate(source, new Random(i), new Printer(), new Police());
            gates.submit(() -> {
                while (true) {
                    gate.open();
                    Thread.sleep(14);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("receipts are printed with a connection in hand").object("BasicResourcePool").culprit("Printer.print")
            .thread("gate-*").victims("gate-*").share(DIARY.share(0), "the gates' waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

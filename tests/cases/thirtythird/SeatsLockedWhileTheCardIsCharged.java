import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Tickets for a concert are sold over an H2 in memory: each of six tills has a connection of its own, counts the seats
 * that are left of a block with "select … for update", and takes one off. A queue of receipts is printed beside.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: two tills on the web charge the card before they commit, Cards.charge, 24 ms; the other four are paid in
 * cash, Drawer.open, 1.5 ms. All sell the same block. Truth: tills wait for the row (a Transaction of H2's) because
 * of Cards.charge. Measured: the part of the waiting for the row during which a card is charged.
 */
final class SeatsLockedWhileTheCardIsCharged {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final String URL = "jdbc:h2:mem:hall;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";

    interface Payment {
        void take(int seat);
    }

    static final class Cards implements Payment {
        @Override
        public void take(int seat) {
            charge(seat);
        }

        private void charge(int seat) {
            long from = System.nanoTime();
            Truth.sleep(0.024);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Drawer implements Payment {
        @Override
        public void take(int seat) {
            open(seat);
        }

        private void open(int seat) {
            long from = System.nanoTime();
            Truth.sleep(0.0015);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static class Till implements Truth.Step {
        private final Connection connection;
        private final Payment payment;
        private final int pause;
        private final LinkedBlockingQueue<Integer> receipts;

        Till(Payment payment, int pause, LinkedBlockingQueue<Integer> receipts) throws SQLException {
            connection = DriverManager.getConnection(URL);
            connection.setAutoCommit(false);
            this.payment = payment;
            this.pause = pause;
            this.receipts = receipts;
        }

        @Override
        public void run() throws Exception {
            int seat = locked(1);
            payment.take(seat);
            try (PreparedStatement statement =
                     connection.prepareStatement("update block set free = free - 1 where id = 1")) {
                statement.executeUpdate();
            }
            connection.commit();
            receipts.add(seat);
            Thread.sleep(pause);
        }

        private int locked(int block) throws SQLException {
            long from = System.nanoTime();
            try (PreparedStatement statement =
                     connection.prepareStatement("select free from block where id = ? for update")) {
                statement.setInt(1, block);
                try (ResultSet rows = statement.executeQuery()) {
                    DIARY.waited(from, System.nanoTime());
                    rows.next();
                    return rows.getInt(1);
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(URL);
             Statement statement = connection.createStatement()) {
            statement.execute("create table block (id int primary key, free int)");
            statement.execute("insert into block values (1, 1000000)");
        }
        LinkedBlockingQueue<Integer> receipts = new LinkedBlockingQueue<>();
        Truth.repeat("receipt-printer", () -> Math.abs(receipts.take()));
        Random random = new Random(1);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("web-" + i, new Till(new Cards(), 45 + random.nextInt(20), receipts));
        }
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("till-" + i, new Till(new Drawer(), 20 + random.nextInt(10), receipts));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a card is charged with the row locked").object("Transaction").culprit("Cards.charge", "Cards.take")
            .thread("web-*").victims("till-*").share(DIARY.share(0), "the tills' waiting for the row").say();
        Runtime.getRuntime().halt(0);
    }
}

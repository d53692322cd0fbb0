import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Five pages get prices from a cache, which asks an HSQLDB database for those it does not have.
 *
 * NEEDS: libhsqldb-java (hsqldb.jar)
 *
 * Problem: PriceCache.price asks the database under the cache's monitor, and Repricing.apply, which begins in the
 * second second, tells the cache what has changed before it commits, while the database keeps its table locked. Each
 * waits for the other. Truth: stuck, pages wait for the PriceCache because of Repricing.apply or PriceCache.price.
 */
final class PriceCacheAgainstPriceTable {
    static final String URL = "jdbc:hsqldb:mem:prices";
    static final int ROWS = 40;

    static final class PriceCache {
        private final Map<Integer, Integer> prices = new HashMap<>();
        private final PreparedStatement ask;

        PriceCache(Connection connection) throws SQLException {
            ask = connection.prepareStatement("SELECT price FROM prices WHERE id = ?");
        }

        synchronized int price(int id) throws SQLException {
            Integer price = prices.get(id);
            if (price == null) {
                ask.setInt(1, id);
                try (ResultSet row = ask.executeQuery()) {
                    price = row.next() ? row.getInt(1) : 0;
                }
                prices.put(id, price);
            }
            return price;
        }

        synchronized void forget(int id) {
            prices.remove(id);
        }
    }

    static final class Repricing {
        private final PriceCache cache;
        private final Connection connection;
        private int next;

        Repricing(PriceCache cache, Connection connection) throws SQLException {
            this.cache = cache;
            this.connection = connection;
            connection.setAutoCommit(false);
        }

        void apply() throws SQLException {
            int first = next;
            next += 5;
            try (PreparedStatement raise = connection.prepareStatement(
                    "UPDATE prices SET price = price + 1 WHERE id = ?")) {
                for (int id = first; id < next; id++) {
                    raise.setInt(1, id % ROWS);
                    raise.executeUpdate();
                    Truth.sleep(0.001);
                }
            }
            for (int id = first; id < next; id++) {
                cache.forget(id % ROWS);
            }
            connection.commit();
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        try (Connection connection = DriverManager.getConnection(URL, "SA", "");
                Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE prices(id INT PRIMARY KEY, price INT)");
            for (int id = 0; id < ROWS; id++) {
                make.execute("INSERT INTO prices VALUES (" + id + ", " + id * 7 + ")");
            }
        }
        PriceCache cache = new PriceCache(DriverManager.getConnection(URL, "SA", ""));
        Repricing repricing = new Repricing(cache, DriverManager.getConnection(URL, "SA", ""));
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            int first = i * 7;
            int[] next = {first};
            threads.add(Truth.repeat("page-" + i, () -> {
                cache.price(next[0]++ % ROWS);
                if (next[0] % 10 == 0) {
                    cache.forget(next[0] % ROWS);
                }
                Thread.sleep(4);
            }));
        }
        long later = System.nanoTime() + 1_300_000_000L;
        threads.add(Truth.repeat("repricing", () -> {
            Thread.sleep(60);
            if (System.nanoTime() > later) {
                repricing.apply();
            }
        }));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a cache's monitor and a table's lock are taken in either order")
            .object("PriceCache", "CountUpDownLatch", "Sync").culprit("Repricing.apply", "PriceCache.price")
            .thread("repricing").victims("page-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import shop.db.Baskets;
import shop.price.PriceEngine;

/**
 * A shop's baskets are in H2, behind a HikariCP pool of two. Seven requests, each on a virtual thread
 * where the JDK has them, read one and have it priced by a single thread (0.7 ms), whose
 * CompletableFuture they join with the connection in hand.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: that thread also builds the promotions anew, Promotions.rebuild, 16 ms, each 30 ms. Truth:
 * requests wait for a connection (and their future) because of Promotions.rebuild. Measured: the part
 * of the waiting for a connection during which promotions are built, of that during which anything is
 * done on that thread.
 */
final class BasketsPricedWithTheConnection {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(2);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE basket (id INT PRIMARY KEY, items INT)");
            for (int i = 1; i <= 9; i++) {
                statement.execute("INSERT INTO basket VALUES (" + i + ", " + i * 3 + ")");
            }
        }
        Baskets baskets = new Baskets(source, DIARY::waited);
        ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(work -> Truth.daemon("price-engine", work));
        PriceEngine engine = new PriceEngine(thread, (from, to) -> DIARY.held(1, from, to),
            (from, to) -> DIARY.held(0, from, to));
        for (int i = 1; i <= 7; i++) {
            int basket = i;
            Truth.virtual("request-" + i, () -> {
                try {
                    while (true) {
                        baskets.total(basket, engine::quote);
                        Thread.sleep(12 + basket);
                    }
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("promotions are built on the thread that those with a connection wait for")
            .object("SynchronousQueue", "ConcurrentBag", "HikariPool", "CompletableFuture", "Signaller")
            .culprit("Promotions.rebuild", "Promotions.read").thread("price-engine").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

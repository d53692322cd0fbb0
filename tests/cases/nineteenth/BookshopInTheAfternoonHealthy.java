import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bookshop with all that a small service has: the JDK's HttpServer with four threads, HikariCP on H2, a cache of
 * Guava, Logback behind an AsyncAppender, a scheduler with two threads for a stocktake and for expired baskets.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java liblogback-java libguava-java (HikariCP.jar h2.jar slf4j-api.jar
 * logback-classic.jar logback-core.jar guava.jar)
 *
 * Problem: none; three customers ask for a page each 100 ms, which takes some milliseconds. Truth: healthy. Measured:
 * how long a page takes, in the mean.
 */
final class BookshopInTheAfternoonHealthy {
    static final AtomicInteger LINES = new AtomicInteger(), PAGES = new AtomicInteger();

    static final class Journal extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            LINES.incrementAndGet();
        }
    }

    static final class Bookshop {
        private final Logger log;
        private final HikariDataSource source;
        private final LoadingCache<Integer, String> titles =
            CacheBuilder.newBuilder().expireAfterWrite(400, TimeUnit.MILLISECONDS).build(
                CacheLoader.from(this::title));

        Bookshop(Logger log) {
            this.log = log;
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl("jdbc:h2:mem:bookshop;DB_CLOSE_DELAY=-1");
            config.setMaximumPoolSize(4);
            source = new HikariDataSource(config);
        }

        private String title(int book) {
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 'book no. ' || " + book)) {
                Truth.sleep(0.002);
                return rows.next() ? rows.getString(1) : "";
            } catch (SQLException exception) {
                throw new IllegalStateException(exception);
            }
        }

        void serve(HttpExchange exchange) throws IOException {
            byte[] page = titles.getUnchecked(PAGES.incrementAndGet() % 12).getBytes();
            log.info("{} bytes", page.length);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        }

        void count() {
            for (int book = 0; book < 6; book++) {
                title(book);
            }
            log.info("counted");
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        LoggerContext context = new LoggerContext();
        Journal journal = new Journal();
        AsyncAppender async = new AsyncAppender();
        async.setContext(context);
        journal.setContext(context);
        journal.start();
        async.addAppender(journal);
        async.start();
        Logger log = context.getLogger("bookshop");
        log.setLevel(Level.INFO);
        log.addAppender(async);
        Bookshop shop = new Bookshop(log);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int[] thread = {0};
        server.setExecutor(Executors.newFixedThreadPool(4, work -> Truth.daemon("page-" + ++thread[0], work)));
        server.createContext("/", shop::serve);
        server.start();
        ScheduledExecutorService clock =
            Executors.newScheduledThreadPool(2, work -> Truth.daemon("clock-" + ++thread[0], work));
        clock.scheduleAtFixedRate(shop::count, 300, 700, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(shop.titles::cleanUp, 200, 200, TimeUnit.MILLISECONDS);
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        Truth.Diary diary = new Truth.Diary();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("customer-" + i, () -> {
                long from = System.nanoTime();
                try (InputStream in = address.toURL().openStream()) {
                    in.readAllBytes();
                }
                diary.waited(from, System.nanoTime());
                Thread.sleep(100);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d pages in %.2f ms, %d lines%n", PAGES.get(),
                          1000 * diary.waitedSeconds() / PAGES.get(), LINES.get());
        Truth.healthy("a service with little to do").say();
        Runtime.getRuntime().halt(0);
    }
}

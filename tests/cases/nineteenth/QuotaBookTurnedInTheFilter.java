import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The JDK's HttpServer serves quotes with eight threads, and a filter counts each client's requests in a book.
 *
 * Problem: every 400 ms, whoever finds the page full turns it, QuotaBook.turnPage, which takes 120 ms within the book's
 * monitor. Truth: the server's threads wait for the QuotaBook because of QuotaBook.turnPage. Measured: when it runs,
 * against counting, within the waiting to count, where that takes more than 1 ms.
 */
final class QuotaBookTurnedInTheFilter {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int TURNS = 0, COUNTS = 1;
    static final AtomicInteger SERVED = new AtomicInteger();

    static final class QuotaBook {
        private final Map<String, Integer> page = new HashMap<>();
        private long turned = System.nanoTime();

        synchronized int count(String client, long asked) {
            long from = System.nanoTime();
            if (from - asked > 1_000_000) {
                DIARY.waited(asked, from);
            }
            if (from - turned > 400_000_000L) {
                turnPage();
                from = System.nanoTime();
            }
            int count = page.merge(client, 1, Integer::sum);
            DIARY.held(COUNTS, from, System.nanoTime());
            return count;
        }

        private void turnPage() {
            long from = System.nanoTime();
            Truth.sleep(0.12);
            page.clear();
            turned = System.nanoTime();
            DIARY.held(TURNS, from, turned);
        }
    }

    static final class QuotaFilter extends Filter {
        private final QuotaBook book = new QuotaBook();

        @Override
        public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
            String client = exchange.getRequestURI().getPath();
            if (book.count(client, System.nanoTime()) > 100_000) {
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            chain.doFilter(exchange);
        }

        @Override
        public String description() {
            return "counts requests";
        }
    }

    static void quote(HttpExchange exchange) throws IOException {
        Truth.sleep(0.002);
        exchange.sendResponseHeaders(200, 2);
        exchange.getResponseBody().write(new byte[] {'o', 'k'});
        exchange.close();
        SERVED.incrementAndGet();
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int[] thread = {0};
        server.setExecutor(Executors.newFixedThreadPool(8, work -> Truth.daemon("http-" + ++thread[0], work)));
        HttpContext context = server.createContext("/", QuotaBookTurnedInTheFilter::quote);
        context.getFilters().add(new QuotaFilter());
        server.start();
        int port = server.getAddress().getPort();
        for (int i = 1; i <= 8; i++) {
            URI address = URI.create("http://127.0.0.1:" + port + "/client-" + i);
            Truth.repeat("client-" + i, () -> {
                try (InputStream in = address.toURL().openStream()) {
                    in.readAllBytes();
                }
                Thread.sleep(12);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d served, waited %.2f s%n", SERVED.get(), DIARY.waitedSeconds());
        Truth.of("a page of the book of quotas is turned within a request").object("QuotaBook")
            .culprit("QuotaBook.turnPage").thread("http-*").victims("http-*")
            .share(DIARY.share(TURNS), "the waiting to count").say();
        Runtime.getRuntime().halt(0);
    }
}

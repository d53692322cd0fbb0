import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.apache.http.HttpClientConnection;
import org.apache.http.HttpException;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.protocol.HttpContext;
import org.apache.http.protocol.HttpRequestExecutor;

/**
 * A shop asks its stock service by Apache's HttpClient, which has two connections for a route as long as nobody
 * says otherwise. Six carts ask whether an article is there; the service is in the same process.
 *
 * NEEDS: libhttpclient-java libhttpcore-java libcommons-logging-java libcommons-codec-java (httpclient.jar
 * httpcore.jar commons-logging.jar commons-codec.jar)
 *
 * FLAGS: -Dsun.net.httpserver.nodelay=true
 *
 * Problem: two reports read the list of all articles, and work line by line on the open stream, StockReport.fold,
 * 30 ms each. Truth: carts wait for a connection (ConditionObject of the pool's lock) because of StockReport.fold.
 * Measured: the part of the carts' waiting until their exchange begins during which reports fold, evenly shared
 * with exchanges.
 */
final class ReportsReadTheirRouteSlowly {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** The only one that knows of HTTP. */
    static final class StockClient {
        /** When the own exchange began, and with it the waiting for a connection ended. */
        static final ThreadLocal<Long> BEGAN = new ThreadLocal<>();
        private final CloseableHttpClient client = HttpClients.custom().disableAutomaticRetries()
            .setRequestExecutor(new HttpRequestExecutor() {
                @Override
                public HttpResponse execute(HttpRequest request, HttpClientConnection connection, HttpContext context)
                    throws IOException, HttpException {
                    BEGAN.set(System.nanoTime());
                    return super.execute(request, connection, context);
                }
            }).build();
        private final String base;

        StockClient(int port) {
            base = "http://127.0.0.1:" + port;
        }

        int ask(String path, ToIntFunction<InputStream> reader) throws IOException {
            try (CloseableHttpResponse response = client.execute(new HttpGet(base + path))) {
                InputStream body = response.getEntity().getContent();
                int value = reader.applyAsInt(body);
                body.close();
                return value;
            }
        }
    }

    record Availability(StockClient client) {
        int of(int article) throws IOException {
            long from = System.nanoTime();
            int answer = client.ask("/one", body -> first(body) + article);
            DIARY.waited(from, StockClient.BEGAN.get());
            return answer;
        }

        private static int first(InputStream body) {
            try {
                return body.readAllBytes().length;
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            } finally {
                Truth.sleep(0.002);
                DIARY.held(1, StockClient.BEGAN.get(), System.nanoTime());
            }
        }
    }

    record StockReport(StockClient client) {
        int write() throws IOException {
            return client.ask("/all", StockReport::fold);
        }

        static int fold(InputStream body) {
            long from = System.nanoTime();
            DIARY.held(1, StockClient.BEGAN.get(), from);
            int sum = 0;
            byte[] line = new byte[64];
            try {
                for (int n = body.read(line); n > 0; n = body.read(line)) {
                    sum += line[0];
                    Truth.sleep(0.002);
                }
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            }
            DIARY.held(0, from, System.nanoTime());
            return sum;
        }
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] one = new byte[8], all = new byte[64 * 15];
        server.createContext("/", exchange -> {
            byte[] answer = exchange.getRequestURI().getPath().equals("/all") ? all : one;
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(6, work -> Truth.daemon("stock-http", work)));
        server.start();
        StockClient client = new StockClient(server.getAddress().getPort());
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, work -> Truth.daemon("clock", work));
        clock.scheduleAtFixedRate(() -> Truth.sleep(0.001), 50, 50, TimeUnit.MILLISECONDS);
        Availability availability = new Availability(client);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("cart-" + i, () -> {
                availability.of(3);
                Thread.sleep(14);
            });
        }
        StockReport report = new StockReport(client);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("report-" + i, () -> {
                report.write();
                Thread.sleep(25);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("reports work on the open stream of one of two connections of a route")
            .object("ConditionObject", "ReentrantLock", "CPool").culprit("StockReport.fold").thread("report-*")
            .victims("cart-*").share(DIARY.share(0), "the carts' waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.http.HttpClientConnection;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.conn.ConnectionPoolTimeoutException;
import org.apache.http.conn.ConnectionRequest;
import org.apache.http.conn.routing.HttpRoute;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;
import org.apache.http.util.EntityUtils;

/**
 * One HTTP client with six connections in all is used for two servers: six shop threads ask the own
 * stock server (2 ms), seven feeds pull from a partner's server (250 to 350 ms).
 *
 * NEEDS: libhttpclient-java libhttpcore-java libcommons-logging-java
 * (httpclient.jar httpcore.jar commons-logging.jar)
 *
 * Problem: PartnerFeed.pull takes all connections, as nothing limits it to some of them. Truth: the
 * shop threads wait at the pool's condition because of it. Measured: who has a connection from its
 * lease to its return, the instants of the shop's waiting shared evenly among those.
 */
final class PartnerTakesAllConnections {
    private static final int FEED = 0, SHOP = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    /** Notes leases and returns, both of which happen on the thread that asks. */
    static final class NotedConnections extends PoolingHttpClientConnectionManager {
        private final ThreadLocal<long[]> leased = ThreadLocal.withInitial(() -> new long[1]);

        @Override
        public ConnectionRequest requestConnection(HttpRoute route, Object state) {
            ConnectionRequest request = super.requestConnection(route, state);
            return new ConnectionRequest() {
                @Override
                public HttpClientConnection get(long timeout, TimeUnit unit)
                        throws InterruptedException, ExecutionException,
                        ConnectionPoolTimeoutException {
                    long asked = System.nanoTime();
                    HttpClientConnection connection = request.get(timeout, unit);
                    leased.get()[0] = System.nanoTime();
                    if (who() == SHOP) {
                        DIARY.waited(asked, leased.get()[0]);
                    }
                    return connection;
                }

                @Override
                public boolean cancel() {
                    return request.cancel();
                }
            };
        }

        @Override
        public void releaseConnection(HttpClientConnection connection, Object state, long keep,
                TimeUnit unit) {
            DIARY.held(who(), leased.get()[0], System.nanoTime());
            super.releaseConnection(connection, state, keep, unit);
        }

        private static int who() {
            return Thread.currentThread().getName().startsWith("feed") ? FEED : SHOP;
        }
    }

    static final class PartnerFeed {
        static void pull(CloseableHttpClient client, String url) {
            get(client, url);
            Truth.sleep(0.01);
        }
    }

    static final class StockClient {
        static void available(CloseableHttpClient client, String url, Random random) {
            Truth.sleep(0.01 + random.nextDouble() * 0.03);
            get(client, url);
        }
    }

    public static void main(String[] arguments) throws IOException {
        System.setProperty("org.apache.commons.logging.Log",
            "org.apache.commons.logging.impl.NoOpLog");
        String partner = serve("partner", 250, 100), stock = serve("stock", 2, 1);
        NotedConnections connections = new NotedConnections();
        connections.setMaxTotal(6);
        connections.setDefaultMaxPerRoute(6);
        CloseableHttpClient client = HttpClients.custom().setConnectionManager(connections).build();
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("feed-" + i, () -> PartnerFeed.pull(client, partner));
        }
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.repeat("shop-" + i, () -> StockClient.available(client, stock, random));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("feeds from a slow partner take all six connections of the client, and the shop's "
            + "quick calls elsewhere wait for one")
            .object("ConditionObject", "CPool", "AbstractConnPool")
            .culprit("PartnerFeed.pull")
            .thread("feed-*").victims("shop-*")
            .share(DIARY.share(FEED), "the shop threads' waiting for a connection").say();
        System.exit(0);
    }

    private static void get(CloseableHttpClient client, String url) {
        try (CloseableHttpResponse response = client.execute(new HttpGet(url))) {
            EntityUtils.consume(response.getEntity());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private static String serve(String name, int millis, int more) throws IOException {
        HttpServer server = HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        AtomicInteger number = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(8, work -> {
            Thread thread = new Thread(work, name + "-server-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }));
        Random random = new Random(5);
        server.createContext("/", exchange -> {
            Truth.sleep((millis + random.nextInt(more)) / 1e3);
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes());
            exchange.close();
        });
        server.start();
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }
}

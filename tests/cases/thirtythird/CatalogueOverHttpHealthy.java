import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A catalogue by the JDK's HttpServer, each request on a thread of its own, a virtual one where the JDK has them; it
 * looks a page up in a map, and renders it (4 ms) with one of sixteen permits. Six readers ask by the JDK's HttpClient,
 * now and then, two pages at a time.
 *
 * FLAGS: -Dsun.net.httpserver.nodelay=true
 *
 * Problem: none: there are permits and threads enough. Truth: healthy. Measured: nothing.
 */
final class CatalogueOverHttpHealthy {
    static final class Catalogue {
        private final Semaphore permits = new Semaphore(16);
        private final ConcurrentHashMap<Integer, String> pages = new ConcurrentHashMap<>();

        String page(int number) throws InterruptedException {
            permits.acquire();
            try {
                Truth.sleep(0.004);
                return pages.computeIfAbsent(number, n -> "page " + n);
            } finally {
                permits.release();
            }
        }
    }

    static final class Reader implements Truth.Step {
        private final HttpClient client;
        private final URI address;
        private final long pause;

        Reader(HttpClient client, URI address, long pause) {
            this.client = client;
            this.address = address;
            this.pause = pause;
        }

        private CompletableFuture<Integer> ask(int page) {
            return client.sendAsync(HttpRequest.newBuilder(address.resolve("/" + page)).build(),
                HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body).thenApply(String::length);
        }

        @Override
        public void run() throws Exception {
            ask(1).thenCombine(ask(2), Integer::sum).get();
            Thread.sleep(pause);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Catalogue catalogue = new Catalogue();
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try {
                byte[] body = catalogue.page(requests.get() % 50).getBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        });
        Executor own = work -> Truth.virtual("request-" + requests.incrementAndGet(), work);
        server.setExecutor(own);
        server.start();
        HttpClient client = HttpClient.newBuilder()
            .executor(Executors.newFixedThreadPool(3, work -> Truth.daemon("http-client", work))).build();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("reader-" + i, new Reader(client, address, 130 + 20 * i));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there is room for all").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * Seven desks ask for feeds over one java.net.http.HttpClient, whose executor has a single thread. The server (in this
 * process, for want of another) has threads enough and answers within 2 ms.
 *
 * Problem: the body is parsed by a mapping subscriber, so FeedParser.parse computes for some 10 ms on the only thread
 * of the client. Truth: desks wait for a CompletableFuture because of FeedParser.parse. Measured: the part of the
 * desks' time in send during which a feed is parsed.
 */
final class FeedsParsedOnTheClientThread {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class FeedParser {
        long parse(String feed) {
            long from = System.nanoTime();
            long sum = 0;
            for (int pass = 0; pass < 2500; pass++) {
                for (int i = 0; i < feed.length(); i++) {
                    sum = sum * 31 + (feed.charAt(i) == ',' ? pass : feed.charAt(i));
                }
            }
            DIARY.held(0, from, System.nanoTime());
            return sum;
        }
    }

    static final class FeedClient {
        private final FeedParser parser = new FeedParser();
        private final HttpClient client = HttpClient.newBuilder().executor(Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "http-callback");
            thread.setDaemon(true);
            return thread;
        })).build();
        private final HttpRequest request;

        FeedClient(int port) {
            request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/feed")).build();
        }

        long fetch() throws IOException, InterruptedException {
            long from = System.nanoTime();
            long sum = client.send(request, head -> HttpResponse.BodySubscribers.mapping(
                HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8), parser::parse)).body();
            DIARY.waited(from, System.nanoTime());
            return sum;
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        byte[] feed = "1.1034,eur,usd,8819".repeat(200).getBytes(StandardCharsets.UTF_8);
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(8, work -> {
            Thread thread = new Thread(work, "server");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/feed", exchange -> {
            Truth.sleep(0.002);
            exchange.sendResponseHeaders(200, feed.length);
            exchange.getResponseBody().write(feed);
            exchange.close();
        });
        server.start();
        FeedClient client = new FeedClient(server.getAddress().getPort());
        long[] sums = new long[8];
        for (int i = 1; i <= 7; i++) {
            int desk = i;
            Truth.repeat("desk-" + i, () -> {
                sums[desk] += client.fetch();
                Thread.sleep(15);
            });
        }
        DIARY.fill(seconds);
        Truth.of("bodies are parsed on the one thread of the HTTP client").object("CompletableFuture")
            .culprit("FeedParser.parse").thread("http-callback").victims("desk-*")
            .share(DIARY.share(0), "the desks' calls of send").say();
        System.exit(0);
    }
}

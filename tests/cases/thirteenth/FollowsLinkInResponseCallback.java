import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.api.Result;
import org.eclipse.jetty.client.util.BufferingResponseListener;
import org.eclipse.jetty.util.log.Log;
import org.eclipse.jetty.util.log.StdErrLog;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Four importers fetch items with Jetty's HTTP client, which keeps one connection to the server, and wait for the
 * future that the response's listener completes.
 *
 * NEEDS: libjetty9-java libjetty9-extra-java (jetty9-client.jar jetty9-http.jar jetty9-io.jar jetty9-util.jar)
 *
 * Problem: since the second second some items refer to another one, and ItemReader.onComplete fetches that with a
 * blocking call. Listeners are called by the thread that reads from the connection, so nobody reads the answer.
 * Truth: stuck, importers wait for a CompletableFuture because of ItemReader.onComplete.
 */
final class FollowsLinkInResponseCallback {
    static final class ItemReader extends BufferingResponseListener {
        private final ItemClient items;
        private final CompletableFuture<String> item;

        ItemReader(ItemClient items, CompletableFuture<String> item) {
            this.items = items;
            this.item = item;
        }

        @Override
        public void onComplete(Result result) {
            String text = getContentAsString();
            if (text != null && text.startsWith("see ")) {
                text = items.fetchNow(text.substring(4));
            }
            item.complete(text);
        }
    }

    static final class ItemClient {
        private final HttpClient client = new HttpClient();
        private final String host;

        ItemClient(int port) throws Exception {
            host = "http://127.0.0.1:" + port;
            QueuedThreadPool threads = new QueuedThreadPool(8);
            threads.setName("http");
            threads.setDaemon(true);
            client.setExecutor(threads);
            client.setMaxConnectionsPerDestination(1);
            client.start();
        }

        CompletableFuture<String> fetch(String path) {
            CompletableFuture<String> item = new CompletableFuture<>();
            client.newRequest(host + path).send(new ItemReader(this, item));
            return item;
        }

        String fetchNow(String path) {
            try {
                return client.GET(host + path).getContentAsString();
            } catch (Exception exception) {
                return exception.toString();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Log.setLog(new StdErrLog());
        ((StdErrLog) Log.getLog()).setLevel(StdErrLog.LEVEL_OFF);
        long later = System.nanoTime() + 1_300_000_000L;
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(4, work -> {
            Thread thread = new Thread(work, "server");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            boolean refers = System.nanoTime() > later && exchange.getRequestURI().getPath().startsWith("/item");
            byte[] text = (refers ? "see /price" : "twelve buttons").getBytes(StandardCharsets.UTF_8);
            Truth.sleep(0.003);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
        ItemClient client = new ItemClient(server.getAddress().getPort());
        List<Thread> importers = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int number = i;
            Thread importer = new Thread(() -> {
                try {
                    while (true) {
                        client.fetch("/item/" + number).get();
                        Thread.sleep(20);
                    }
                } catch (Exception exception) {
                    System.out.println(exception);
                }
            }, "importer-" + i);
            importer.setDaemon(true);
            importer.start();
            importers.add(importer);
        }
        Truth.hangsOnce(importers);
        Truth.sayAndHalt(Truth.stuck("a response's listener waits for another response of the same connection")
            .object("CompletableFuture", "CountDownLatch", "FutureResponseListener").culprit("ItemReader.onComplete")
            .thread("http-*").victims("importer-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

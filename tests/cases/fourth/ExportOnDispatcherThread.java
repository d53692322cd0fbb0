import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Random;

/**
 * A small HTTP server without an executor answers everything on its dispatcher. Four badge threads ask
 * for a status (1 ms) through an HTTP client; an export takes 180 to 250 ms, with pauses of 200 ms.
 *
 * Problem: ExportHandler.export runs on the one dispatcher. Truth: badge threads wait for the client's
 * futures because of it. Measured: the handlers' times, against the badges' time in HttpClient.send.
 */
final class ExportOnDispatcherThread {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class ExportHandler {
        static void export(Random random) {
            long from = System.nanoTime();
            Truth.sleep(0.18 + random.nextDouble() * 0.07);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws IOException {
        HttpServer server = HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        Random random = new Random(3);
        server.createContext("/", exchange -> {
            if (exchange.getRequestURI().getPath().equals("/export")) {
                ExportHandler.export(random);
            } else {
                Truth.sleep(0.001);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 1; i <= 4; i++) {
            Random pause = new Random(i);
            Truth.repeat("badge-" + i, () -> {
                Truth.sleep(0.02 + pause.nextDouble() * 0.02);
                long from = System.nanoTime();
                get(client, url + "/status");
                DIARY.waited(from, System.nanoTime());
            });
        }
        HttpClient other = HttpClient.newHttpClient();
        Truth.repeat("export-clock", () -> {
            get(other, url + "/export");
            Truth.sleep(0.2);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("exports run on the server's only thread, which answers the quick status as well")
            .object("CompletableFuture", "Signaller", "MinimalFuture")
            .culprit("ExportHandler.export")
            .thread("HTTP-Dispatcher").victims("badge-*")
            .share(DIARY.share(0), "the badges' waiting for answers").say();
        System.exit(0);
    }

    private static void get(HttpClient client, String url) {
        try {
            client.send(HttpRequest.newBuilder(URI.create(url)).build(),
                HttpResponse.BodyHandlers.discarding());
        } catch (IOException | InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}

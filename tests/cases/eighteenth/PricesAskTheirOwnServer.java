import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A Jetty server of eight threads that tells prices and taxes. Two customers ask for prices; from the third second on,
 * fourteen.
 *
 * NEEDS: libjetty9-java libservlet-api-java
 * (jetty9-server.jar jetty9-http.jar jetty9-io.jar jetty9-util.jar servlet-api.jar)
 *
 * Problem: Prices.withTax asks for the tax by HTTP, of the same server, without a limit of time. As soon as all its
 * threads tell prices, none is left to tell a tax. Truth: stuck, the server's threads wait for a CompletableFuture of
 * the JDK's client because of Prices.withTax.
 */
final class PricesAskTheirOwnServer {
    static final AtomicInteger ANSWERED = new AtomicInteger();

    static final class Prices {
        private final HttpClient client = HttpClient.newHttpClient();

        String withTax(int port) throws IOException {
            try {
                HttpRequest question = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/tax")).build();
                return "19.90 + " + client.send(question, HttpResponse.BodyHandlers.ofString()).body();
            } catch (InterruptedException exception) {
                throw new IOException(exception);
            }
        }
    }

    static final class Site extends AbstractHandler {
        private final Prices prices = new Prices();

        @Override
        public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
            Truth.sleep(0.003);
            String text = target.equals("/tax") ? "3.78" : prices.withTax(request.getLocalPort());
            response.getWriter().print(text);
            base.setHandled(true);
        }
    }

    static void ask(int port) throws IOException, InterruptedException {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/price").toURL().openConnection();
        try (InputStream answer = connection.getInputStream()) {
            answer.readAllBytes();
        }
        ANSWERED.incrementAndGet();
        Thread.sleep(15);
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        QueuedThreadPool pool = new QueuedThreadPool(8, 8);
        pool.setName("shop");
        Server server = new Server(pool);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Site());
        server.start();
        int port = connector.getLocalPort();
        for (int i = 1; i <= 14; i++) {
            double pause = i <= 2 ? 0 : 2;
            Truth.start("customer-" + i, () -> {
                Truth.sleep(pause);
                try {
                    while (true) {
                        ask(port);
                    }
                } catch (IOException | InterruptedException exception) {
                    System.out.println(exception);
                }
            });
        }
        Truth.start("observer", () -> {
            int before = -1;
            while (ANSWERED.get() != before) {
                before = ANSWERED.get();
                Truth.sleep(1);
            }
            Truth.hangs();
        });
        Truth.sayAndHalt(Truth.stuck("a server's threads ask their own server").object("CompletableFuture")
            .culprit("Prices.withTax").thread("shop-*").victims("shop-*").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A Jetty server at a quiet hour: a pool of sixteen threads, two probes that ask whether it is alive, a
 * visitor now and then.
 *
 * NEEDS: libjetty9-java libservlet-api-java
 * (jetty9-server.jar jetty9-http.jar jetty9-io.jar jetty9-util.jar servlet-api.jar)
 *
 * Problem: none; every request is answered in a few milliseconds. Truth: healthy. Measured: the slowest
 * answer.
 */
final class JettyQuietHealthy {
    /** Answers at once when asked for health, else after a look into a store. */
    static final class Site extends AbstractHandler {
        private final Store store = new Store();

        @Override
        public void handle(String target, Request base, HttpServletRequest request,
            HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.getWriter().println(target.equals("/health") ? "UP" : store.page(target));
            base.setHandled(true);
        }
    }

    static final class Store {
        String page(String path) {
            Truth.sleep(0.005);
            return "This is " + path;
        }
    }

    static final class Client {
        static final AtomicInteger ANSWERS = new AtomicInteger();
        private final String base;
        private final String path;
        private final long pause;

        Client(int port, String path, long pause) {
            base = "http://127.0.0.1:" + port;
            this.path = path;
            this.pause = pause;
        }

        void ask() throws IOException, InterruptedException {
            Thread.sleep(pause);
            read();
            ANSWERS.incrementAndGet();
        }

        private void read() throws IOException {
            HttpURLConnection connection = (HttpURLConnection) new URL(base + path).openConnection();
            try (InputStream in = connection.getInputStream()) {
                in.readAllBytes();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        QueuedThreadPool pool = new QueuedThreadPool(16, 8);
        pool.setName("jetty-http");
        Server server = new Server(pool);
        ServerConnector connector = new ServerConnector(server, 1, 2);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Site());
        server.start();
        int port = connector.getLocalPort();
        Truth.repeat("probe-1", new Client(port, "/health", 100)::ask);
        Truth.repeat("probe-2", new Client(port, "/health", 250)::ask);
        Truth.repeat("visitor", new Client(port, "/about", 400)::ask);
        Truth.sleep(seconds);
        System.out.println(Client.ANSWERS + " answers");
        Truth.healthy("a server at a quiet hour").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

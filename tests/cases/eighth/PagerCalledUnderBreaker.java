import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A circuit breaker guards calls; its state is under a ReentrantLock, and whoever listens is told of changes.
 *
 * Problem: listeners are called under the lock, and Pager.stateChanged posts to a web service 25 ms away. The
 * breaker opens and closes often. Truth: all who want to call wait because of Pager.stateChanged (or Pager.post,
 * which it calls), which itself waits in the HTTP client. Measured: the part of the waiting during which it ran.
 */
final class PagerCalledUnderBreaker {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface StateListener {
        void stateChanged(boolean open);
    }

    static final class Breaker {
        private final ReentrantLock lock = new ReentrantLock();
        private final List<StateListener> listeners = new ArrayList<>();
        private boolean open;
        private int failures;

        boolean allows() {
            long from = System.nanoTime();
            lock.lock();
            DIARY.waited(from, System.nanoTime());
            try {
                return !open;
            } finally {
                lock.unlock();
            }
        }

        void note(boolean failed) {
            long from = System.nanoTime();
            lock.lock();
            DIARY.waited(from, System.nanoTime());
            try {
                failures += failed ? 1 : 0;
                if (failures >= 3) {
                    failures = 0;
                    become(!open);
                }
            } finally {
                lock.unlock();
            }
        }

        private void become(boolean now) {
            open = now;
            for (StateListener listener : listeners) {
                listener.stateChanged(now);
            }
        }
    }

    static final class Pager implements StateListener {
        private final HttpClient client = HttpClient.newHttpClient();
        private final URI uri;

        Pager(URI uri) {
            this.uri = uri;
        }

        @Override
        public void stateChanged(boolean open) {
            long from = System.nanoTime();
            try {
                post("breaker " + open);
            } catch (IOException | InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            DIARY.held(0, from, System.nanoTime());
        }

        private void post(String text) throws IOException, InterruptedException {
            client.send(HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(text)).build(),
                HttpResponse.BodyHandlers.ofString());
        }
    }

    static final class Calls {
        private final Breaker breaker;
        private int number;

        Calls(Breaker breaker, int number) {
            this.breaker = breaker;
            this.number = number;
        }

        void next() throws InterruptedException {
            boolean allowed = breaker.allows();
            Thread.sleep(allowed ? 4 : 2);
            breaker.note(++number % 9 == 0);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        HttpServer pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            Truth.sleep(0.025);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        pages.start();
        Breaker breaker = new Breaker();
        breaker.listeners.add(new Pager(URI.create("http://127.0.0.1:" + pages.getAddress().getPort() + "/")));
        for (int i = 1; i <= 9; i++) {
            Truth.repeat("caller-" + i, new Calls(breaker, i)::next);
        }
        Truth.sleep(seconds);
        Truth.of("listeners of a circuit breaker post to a web service under its lock")
            .object("ReentrantLock", "NonfairSync", "Breaker").culprit("Pager.stateChanged", "Pager.post")
            .thread("caller-*").victims("caller-*").share(DIARY.share(0), "the waiting for the lock").say();
        System.exit(0);
    }
}

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;

/**
 * Nine http threads ask a LicenseClient what a customer may do. It answers from memory in most
 * cases; each twentieth question goes to the license server over a socket.
 *
 * Problem: LicenseClient.verify is synchronized and reads the server's answer (80 to 140 ms) in
 * it, so even those whose answer is in memory wait for somebody else's network.
 *
 * Truth: the client's monitor, the verification. Measured: when verify held the monitor and when
 * the quick methods did, and the waits of http threads for it.
 */
class LicenseSocketReadInMonitor {
    static final Truth.Diary DIARY = new Truth.Diary();
    static volatile boolean over;

    public static void main(String[] args) throws Exception {
        LicenseServer server = new LicenseServer();
        LicenseClient client = new LicenseClient(server.port());
        Thread[] threads = new Thread[9];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(new FeatureEndpoint(client, i), "http-nio-" + (8080 + i));
            threads[i].start();
        }
        Truth.sleep(Truth.seconds(args));
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        client.close();
        server.close();
        Truth.of("LicenseClient.verify reads from the license server's socket while it holds the "
                + "monitor of the client that all requests need")
            .object("LicenseClient")
            .culprit("LicenseClient.verify", "LicenseClient.roundTrip")
            .thread("http-nio-*")
            .victims("http-nio-*")
            .share(DIARY.share(0), "the http threads' waiting for the client's monitor")
            .say();
    }
}

/** Stands for a machine elsewhere. */
class LicenseServer implements Closeable {
    private final ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final Random random = new Random(4);

    LicenseServer() throws IOException {
        Thread thread = new Thread(this::serve, "remote-license-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return socket.getLocalPort();
    }

    private void serve() {
        try (Socket peer = socket.accept()) {
            BufferedReader in = new BufferedReader(new InputStreamReader(peer.getInputStream()));
            PrintWriter out = new PrintWriter(peer.getOutputStream(), true);
            for (String question = in.readLine(); question != null; question = in.readLine()) {
                Truth.sleep((80 + random.nextInt(60)) / 1e3);
                out.println("yes " + question);
            }
        } catch (IOException e) {
            // the client is gone
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

class LicenseClient implements Closeable {
    private final Socket socket;
    private final BufferedReader in;
    private final PrintWriter out;
    private final boolean[] known = new boolean[200];

    LicenseClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        out = new PrintWriter(socket.getOutputStream(), true);
    }

    synchronized boolean allows(int customer, long asked) {
        long got = entered(asked);
        try {
            return known[customer];
        } finally {
            LicenseSocketReadInMonitor.DIARY.held(1, got, System.nanoTime());
        }
    }

    synchronized void verify(int customer, long asked) throws IOException {
        long got = entered(asked);
        try {
            known[customer] = roundTrip("customer " + customer).startsWith("yes");
        } finally {
            LicenseSocketReadInMonitor.DIARY.held(0, got, System.nanoTime());
        }
    }

    private String roundTrip(String question) throws IOException {
        out.println(question);
        return in.readLine();
    }

    private static long entered(long asked) {
        long got = System.nanoTime();
        LicenseSocketReadInMonitor.DIARY.waited(asked, got);
        return got;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

class FeatureEndpoint implements Runnable {
    private final LicenseClient licenses;
    private final Random random;

    FeatureEndpoint(LicenseClient licenses, int seed) {
        this.licenses = licenses;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        try {
            while (!LicenseSocketReadInMonitor.over) {
                features(random.nextInt(200));
                Truth.sleep((4 + random.nextInt(12)) / 1e3);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String features(int customer) throws IOException {
        boolean allowed = licenses.allows(customer, System.nanoTime());
        if (random.nextInt(20) == 0) {
            licenses.verify(customer, System.nanoTime());
        }
        return allowed ? "all" : "some";
    }
}

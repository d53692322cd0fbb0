import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A hub keeps a connection to each of six handsets and sends them what happens; visitors come, are noted, and go.
 *
 * Problem: Hub.broadcast writes to the handsets one by one within the hub's monitor, and one of them, on a bad line,
 * takes 4 kB each 60 ms, so that the write waits until it has. Truth: visitors wait for the Hub because of
 * Handset.send. Measured: the part of the waiting for the monitor during which somebody sends.
 */
final class HubSendsToSlowHandset {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Handset {
        private final Socket socket;

        Handset(ServerSocket server, int pause) throws IOException {
            Socket handset = new Socket();
            handset.setReceiveBufferSize(8192);
            handset.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
            socket = server.accept();
            socket.setSendBufferSize(8192);
            InputStream in = handset.getInputStream();
            byte[] bytes = new byte[4096];
            Truth.repeat("handset", () -> {
                in.read(bytes);
                Thread.sleep(pause);
            });
        }

        void send(byte[] frame) throws IOException {
            long from = System.nanoTime();
            socket.getOutputStream().write(frame);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Hub {
        private final List<Handset> handsets = new ArrayList<>();
        private final Set<Integer> visitors = new HashSet<>();

        void broadcast(byte[] frame) throws IOException {
            long asked = System.nanoTime();
            synchronized (this) {
                DIARY.waited(asked, System.nanoTime());
                for (Handset handset : handsets) {
                    handset.send(frame);
                }
            }
        }

        void enter(int visitor) {
            long asked = System.nanoTime();
            synchronized (this) {
                DIARY.waited(asked, System.nanoTime());
                visitors.add(visitor);
            }
        }

        void leave(int visitor) {
            long asked = System.nanoTime();
            synchronized (this) {
                DIARY.waited(asked, System.nanoTime());
                visitors.remove(visitor);
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        Hub hub = new Hub();
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 6; i++) {
                hub.handsets.add(new Handset(server, i == 4 ? 60 : 0));
            }
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        for (int i = 1; i <= 2; i++) {
            byte[] frame = new byte[6000];
            Truth.repeat("news-" + i, () -> {
                hub.broadcast(frame);
                Thread.sleep(40);
            });
        }
        for (int i = 1; i <= 7; i++) {
            int visitor = i;
            Truth.repeat("visitor-" + i, () -> {
                hub.enter(visitor);
                Thread.sleep(8);
                hub.leave(visitor);
                Thread.sleep(12);
            });
        }
        DIARY.fill(seconds);
        Truth.of("frames are written to a slow handset within the hub's monitor")
            .object("Hub").culprit("Handset.send", "Hub.broadcast").thread("news-*").victims("visitor-*")
            .share(DIARY.share(0), "the waiting for the hub's monitor").say();
    }
}

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Eight threads answer requests and log each of them; the log's handler writes the name of the peer, not
 * its number, and asks a name server for it.
 *
 * Problem: AccessHandler.publish asks PeerNames.nameOf, 6 ms away over UDP, while it keeps its monitor, and
 * no answer is remembered. Truth: all wait for the handler, for nearly the whole time because of the
 * look-up. Measured: the part of the waiting during which somebody was in nameOf.
 */
final class PeerNamesInLogHandler {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Answers with a name, some milliseconds later. */
    static final class NameServer {
        final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());

        NameServer() throws IOException {
        }

        void answerNext() throws Exception {
            DatagramPacket question = new DatagramPacket(new byte[100], 100);
            socket.receive(question);
            Thread.sleep(6);
            byte[] name = ("peer-" + new String(question.getData(), 0, question.getLength(),
                StandardCharsets.UTF_8) + ".example").getBytes(StandardCharsets.UTF_8);
            socket.send(new DatagramPacket(name, name.length, question.getSocketAddress()));
        }
    }

    static final class PeerNames {
        private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        private final int port;

        PeerNames(int port) throws IOException {
            this.port = port;
        }

        String nameOf(int peer) throws IOException {
            long from = System.nanoTime();
            byte[] question = String.valueOf(peer).getBytes(StandardCharsets.UTF_8);
            socket.send(new DatagramPacket(question, question.length, InetAddress.getLoopbackAddress(),
                port));
            DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            socket.receive(answer);
            DIARY.held(0, from, System.nanoTime());
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8);
        }
    }

    static final class AccessHandler extends Handler {
        private final PeerNames names;
        private final StringBuilder page = new StringBuilder();

        AccessHandler(PeerNames names) {
            this.names = names;
        }

        @Override
        public void publish(LogRecord record) {
            long from = System.nanoTime();
            synchronized (this) {
                long entered = System.nanoTime();
                DIARY.waited(from, entered);
                try {
                    write(names.nameOf((Integer) record.getParameters()[0]) + " " + record.getMessage());
                } catch (IOException exception) {
                    write("? " + record.getMessage());
                }
            }
        }

        private void write(String line) {
            page.append(line).append('\n');
            if (page.length() > 8000) {
                page.setLength(0);
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    static final class BookShop {
        private final Logger log;
        private int peer;

        BookShop(Logger log, int peer) {
            this.log = log;
            this.peer = peer;
        }

        void answer() throws InterruptedException {
            Thread.sleep(15);
            peer = (peer + 31) % 65_000;
            log.log(Level.INFO, "GET /books 200", peer);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        NameServer server = new NameServer();
        Truth.repeat("name-server", server::answerNext);
        Logger log = Logger.getLogger("access");
        log.setUseParentHandlers(false);
        log.addHandler(new AccessHandler(new PeerNames(server.socket.getLocalPort())));
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("http-" + i, new BookShop(log, i * 1000)::answer);
        }
        Truth.sleep(seconds);
        Truth.of("names of peers are asked for under the log handler's monitor").object("AccessHandler")
            .culprit("PeerNames.nameOf", "AccessHandler.publish").thread("http-*").victims("http-*")
            .share(DIARY.share(0), "the waiting for the handler").say();
    }
}

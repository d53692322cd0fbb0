import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client with one connection for all: each call notes itself in a map under its number, sends, and waits; one thread
 * reads the replies and finds their calls by that number.
 *
 * Problem: the other side repeats a reply, for which there is no call any more. Connection.dispatch throws, and with it
 * ends the thread that reads. Truth: stuck, callers wait for their PendingCall because of Connection.dispatch.
 */
final class DuplicateReplyEndsTheReader {
    static final class PendingCall {
        private Integer reply;

        synchronized int await() throws InterruptedException {
            while (reply == null) {
                wait();
            }
            return reply;
        }

        synchronized void complete(int value) {
            reply = value;
            notifyAll();
        }
    }

    static final class Connection {
        private final Map<Integer, PendingCall> pending = new ConcurrentHashMap<>();
        private final AtomicInteger numbers = new AtomicInteger();
        private final DataInputStream in;
        private final DataOutputStream out;

        Connection(Socket socket) throws IOException {
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(socket.getOutputStream());
            Thread reader = new Thread(this::readReplies, "rpc-reader");
            reader.setDaemon(true);
            reader.setUncaughtExceptionHandler((thread, exception) -> { });
            reader.start();
        }

        int call(int argument) throws IOException, InterruptedException {
            int number = numbers.incrementAndGet();
            PendingCall call = new PendingCall();
            pending.put(number, call);
            synchronized (out) {
                out.writeLong((long) number << 32 | argument);
            }
            return call.await();
        }

        private void readReplies() {
            try {
                while (true) {
                    dispatch(in.readLong());
                }
            } catch (IOException exception) {
                System.out.println("closed");
            }
        }

        private void dispatch(long frame) {
            PendingCall call = pending.remove((int) (frame >>> 32));
            call.complete((int) frame);
        }
    }

    /** The other side: answers in order, two milliseconds each. */
    static final class Peer {
        private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        volatile boolean repeats;

        Peer() throws IOException {
            Thread thread = new Thread(this::serve, "peer");
            thread.setDaemon(true);
            thread.start();
        }

        private void serve() {
            try (Socket socket = server.accept();
                 DataInputStream in = new DataInputStream(socket.getInputStream());
                 DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
                while (true) {
                    long frame = in.readLong();
                    Thread.sleep(2);
                    out.writeLong(frame);
                    if (repeats) {
                        out.writeLong(frame);
                    }
                }
            } catch (IOException | InterruptedException exception) {
                System.out.println("peer left");
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        Peer peer = new Peer();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), peer.server.getLocalPort());
        Connection connection = new Connection(socket);
        List<Thread> callers = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int argument = i;
            Thread caller = new Thread(() -> {
                try {
                    while (connection.call(argument) == argument) {
                        Thread.sleep(5);
                    }
                } catch (IOException | InterruptedException exception) {
                    System.out.println("cannot call");
                }
            }, "caller-" + i);
            caller.setDaemon(true);
            caller.start();
            callers.add(caller);
        }
        Truth.hangsOnce(callers);
        Truth.sayAndHalt(Truth.stuck("a reply that nobody waits for ends the thread that reads all replies")
            .object("PendingCall").culprit("Connection.dispatch", "Connection.readReplies").thread("rpc-reader")
            .victims("caller-*").noShare(), seconds);
        Thread.sleep(1200);
        peer.repeats = true;
        Thread.sleep((long) (seconds * 2000));
    }
}

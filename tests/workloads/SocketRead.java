import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Clients that share one connection under a lock: each asks and reads the answer, which comes after 20 ms,
 * while it holds the lock. Argument: ms (0 = until killed).
 */
class SocketRead {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static volatile boolean stopped;

    public static void main(String[] arguments) throws Exception {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket here = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket there = listener.accept()) {
            Thread server = new Thread(() -> answer(there), "server-1");
            server.setDaemon(true);
            server.start();
            Witness.watch(millis, () -> stopped = true,
                new Thread(() -> ask(here), "client-1"), new Thread(() -> ask(here), "client-2"),
                new Thread(() -> ask(here), "client-3"));
        }
    }

    static void ask(Socket socket) {
        while (!stopped) {
            LOCK.lock();
            try {
                request(socket);
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            } finally {
                LOCK.unlock();
            }
        }
    }

    static void request(Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream();
        out.write(1);
        if (in.read() != 1) {
            throw new IOException("no answer");
        }
    }

    static void answer(Socket socket) {
        try {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int question = in.read(); question >= 0; question = in.read()) {
                Thread.sleep(20);
                out.write(question);
            }
        } catch (IOException | InterruptedException exception) {
            return; /* the clients have gone */
        }
    }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server answers each line of six clients, a thread for each connection, virtual where the JDK has them, as are the
 * clients; twelve may be answered at once, as a Semaphore allows.
 *
 * Problem: none: an answer takes a millisecond, and a client thinks for 30 ms before it asks again. Truth: healthy.
 * Measured: how many answers there were.
 */
final class EchoesOnVirtualThreadsHealthy {
    static final AtomicInteger ANSWERS = new AtomicInteger();
    static final Semaphore BUSY = new Semaphore(12);

    static void serve(Socket socket) {
        try (socket; InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            for (int letter = in.read(); letter >= 0; letter = in.read()) {
                BUSY.acquireUninterruptibly();
                Truth.sleep(0.001);
                BUSY.release();
                out.write(letter);
            }
        } catch (IOException exception) {
            throw new IllegalStateException(exception);
        }
    }

    static void ask(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                out.write('?');
                in.read();
                ANSWERS.incrementAndGet();
                Truth.sleep(0.03);
            }
        } catch (IOException exception) {
            throw new IllegalStateException(exception);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        AtomicInteger count = new AtomicInteger();
        Truth.virtual("acceptor", () -> {
            try {
                while (true) {
                    Socket socket = server.accept();
                    Truth.virtual("connection-" + count.incrementAndGet(), () -> serve(socket));
                }
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            }
        });
        for (int i = 1; i <= 6; i++) {
            Truth.virtual("client-" + i, () -> ask(server.getLocalPort()));
        }
        Truth.sleep(seconds);
        System.out.printf("%d answers%n", ANSWERS.get());
        Truth.healthy("clients think longer than they are answered").object().culprit().thread().victims().noShare()
            .say();
        System.exit(0);
    }
}

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A server with a thread for each connection (virtual where the JDK has such), which ten clients keep open; a gate
 * admits twenty requests at a time, and a reaper, which is told of each request, looks for connections without any.
 *
 * Problem: none: a client asks once in a second, is answered in two milliseconds, and nobody is short of anything. Two
 * accountants wait for the day's end. Truth: healthy.
 */
final class KeepAliveConnectionsHealthy {
    static final class Server {
        private final ServerSocket socket = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        private final Semaphore gate = new Semaphore(20);
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition used = lock.newCondition();
        private final Condition dayIsOver = lock.newCondition();
        private final AtomicInteger served = new AtomicInteger();

        Server() throws IOException {
            Truth.repeat("acceptor", () -> {
                Socket connection = socket.accept();
                Truth.virtual("connection-" + connection.getPort(), () -> serve(connection));
            });
            Truth.repeat("reaper", this::reap);
        }

        private void serve(Socket connection) {
            try (connection) {
                for (int b = connection.getInputStream().read(); b >= 0; b = connection.getInputStream().read()) {
                    gate.acquire();
                    try {
                        Thread.sleep(2);
                        served.incrementAndGet();
                    } finally {
                        gate.release();
                    }
                    connection.getOutputStream().write(b + 1);
                    lock.lock();
                    try {
                        used.signal();
                    } finally {
                        lock.unlock();
                    }
                }
            } catch (IOException | InterruptedException exception) {
                System.out.println(exception);
            }
        }

        private void reap() throws InterruptedException {
            lock.lock();
            try {
                used.await();
            } finally {
                lock.unlock();
            }
        }

        private void closeBooks() throws InterruptedException {
            lock.lock();
            try {
                dayIsOver.await();
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        Server server = new Server();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("accountant-" + i, server::closeBooks);
        }
        for (int i = 1; i <= 10; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.socket.getLocalPort());
            int pause = 700 + i * 70;
            Truth.repeat("client-" + i, () -> {
                socket.getOutputStream().write(7);
                socket.getInputStream().read();
                Thread.sleep(pause);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.println("served: " + server.served);
        Truth.healthy("connections that are kept open wait for requests").object().culprit().thread().victims()
            .noShare().say();
    }
}

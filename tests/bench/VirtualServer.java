import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A server of virtual threads on a free port, which it prints: `port N`. Each connection has one that
 * reads; each request one more, for which that one waits: it takes one of eight permits, gives way
 * once, formats a page, and takes a lock. JDK 21 and later.
 */
class VirtualServer {
    static final Semaphore PERMITS = new Semaphore(8);
    static final ReentrantLock LOCK = new ReentrantLock();
    static long hits;

    public static void main(String[] arguments) throws Exception {
        ExecutorService threads = (ExecutorService) Executors.class
                .getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try (ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
            System.out.println("port " + server.getLocalPort());
            while (true) {
                Socket socket = server.accept();
                threads.submit(() -> serve(socket, threads));
            }
        }
    }

    static Void serve(Socket socket, ExecutorService threads) throws Exception {
        byte[] bytes = new byte[8192];
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            int n = 0;
            for (int read; (read = in.read(bytes, n, bytes.length - n)) > 0;) {
                n += read;
                if (new String(bytes, 0, n, StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                    n = 0;
                    String page = threads.submit(VirtualServer::page).get();
                    String head = "HTTP/1.1 200 OK\r\nContent-Length: " + page.length() + "\r\n\r\n";
                    socket.getOutputStream().write((head + page).getBytes(StandardCharsets.ISO_8859_1));
                }
            }
        } catch (IOException gone) {
            // it hung up
        }
        return null;
    }

    static String page() throws InterruptedException {
        StringBuilder page = new StringBuilder();
        PERMITS.acquire();
        try {
            Thread.yield();
            for (int i = 0; i < 20; i++) {
                page.append("<p>line ").append(i).append(" of a page</p>");
            }
        } finally {
            PERMITS.release();
        }
        LOCK.lock();
        try {
            hits++;
        } finally {
            LOCK.unlock();
        }
        return page.toString();
    }
}

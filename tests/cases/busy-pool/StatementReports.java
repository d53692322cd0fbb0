import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ten request threads have statements rendered by a pool of four and wait for the futures.
 * Rendering reads its template from a template server over a socket, and that server takes 60 to
 * 140 ms. Every fifth task only counts pages and is quick, yet stands in the same queue.
 *
 * Problem: TemplateClient.read keeps all threads of the pool. Truth: the request threads wait for
 * FutureTasks because of it. Measured: when each thread of the pool was in the read and when in
 * other work, within the request threads' waits.
 */
final class StatementReports {
    static final int READING = 0, OTHER = 1;
    static final Truth.Diary diary = new Truth.Diary();
    static final LinkedBlockingQueue<String> accessLog = new LinkedBlockingQueue<>();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws IOException {
        TemplateServer server = new TemplateServer();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(4,
            task -> Truth.daemon("report-" + number.incrementAndGet(), task));
        ReportService reports = new ReportService(new TemplateClient(server.port()));
        for (int i = 1; i <= 10; i++) {
            Frontend frontend = new Frontend(pool, reports, new Random(i));
            Truth.daemon("http-" + i, frontend::run).start();
        }
        Truth.daemon("access-log", StatementReports::writeLog).start();
        Truth.run(arguments, () -> stopped = true, 0.8);
        Truth.of("all threads of the report pool read from a slow template server, and callers "
            + "wait for their turn in the pool")
            .object("FutureTask")
            .culprit("TemplateClient.read", "ReportService.template", "ReportService.render")
            .thread("report-*").victims("http-*")
            .share(diary.share(READING), "the http threads' waiting for statements").say();
    }

    static void writeLog() {
        try {
            while (!accessLog.take().isEmpty()) {
                Thread.yield();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    record Frontend(ExecutorService pool, ReportService reports, Random random) {
        void run() {
            while (!stopped) {
                Truth.sleep(0.01 * random.nextDouble());
                int customer = random.nextInt(10_000);
                accessLog.add("statement " + customer + " " + statement(customer));
            }
        }

        private int statement(int customer) {
            if (customer % 5 == 0) {
                return resultOf(pool.submit(() -> reports.countPages(customer)));
            }
            return resultOf(pool.submit(() -> reports.render(customer)));
        }

        private static int resultOf(Future<Integer> future) {
            long from = System.nanoTime();
            try {
                return future.get();
            } catch (InterruptedException | ExecutionException exception) {
                throw new IllegalStateException(exception);
            } finally {
                diary.waited(from, System.nanoTime());
            }
        }
    }

    record ReportService(TemplateClient templates) {
        int render(int customer) {
            int length = template(customer % 9);
            return fill(length, 0.003);
        }

        int countPages(int customer) {
            return fill(customer, 0.004);
        }

        private int template(int kind) {
            long from = System.nanoTime();
            int length = templates.read(kind);
            diary.held(READING, from, System.nanoTime());
            return length;
        }

        private int fill(int length, double seconds) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            diary.held(OTHER, from, System.nanoTime());
            return length / 60;
        }
    }

    record TemplateClient(int port) {
        int read(int kind) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write(kind);
                InputStream in = socket.getInputStream();
                return in.readNBytes(600).length;
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }

    static final class TemplateServer {
        private final ServerSocket socket;

        TemplateServer() throws IOException {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            for (int i = 1; i <= 4; i++) {
                Random random = new Random(100 + i);
                Truth.daemon("template-server-" + i, () -> serve(random)).start();
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        private void serve(Random random) {
            while (true) {
                try (Socket client = socket.accept(); OutputStream out = client.getOutputStream()) {
                    client.getInputStream().read();
                    Truth.sleep(0.06 + 0.08 * random.nextDouble());
                    out.write(new byte[600]);
                } catch (IOException exception) {
                    throw new UncheckedIOException(exception);
                }
            }
        }
    }
}

import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Forty visitors, virtual threads where there are any, look up rows over one connection on which six
 * requests may be under way; six export threads scan over the same connection.
 *
 * Problem: a scan (80 ms) counts like a look-up (2 ms), so scans fill the window nearly always; they ought
 * to have a connection of their own. Truth: visitors wait for the window, because of LogExport.scan.
 * Measured: the part of all waiting that fell to scans, shared evenly among those inside.
 */
final class ScansFillTheWindow {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class RequestWindow {
        private final Semaphore free = new Semaphore(6, true);

        void open() throws InterruptedException {
            long from = System.nanoTime();
            free.acquire();
            DIARY.waited(from, System.nanoTime());
        }

        void close() {
            free.release();
        }
    }

    record RowClient(RequestWindow window) {
        int get(int key) throws InterruptedException {
            window.open();
            long from = System.nanoTime();
            try {
                Thread.sleep(2);
                return key * 31;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                window.close();
            }
        }
    }

    static final class LogExport {
        private final RequestWindow window;
        private final Random random;

        LogExport(RequestWindow window, int seed) {
            this.window = window;
            random = new Random(seed);
        }

        void exportNext() throws InterruptedException {
            Thread.sleep(5 + random.nextInt(10));
            scan();
        }

        private void scan() throws InterruptedException {
            window.open();
            long from = System.nanoTime();
            try {
                Thread.sleep(70 + random.nextInt(20));
            } finally {
                DIARY.held(0, from, System.nanoTime());
                window.close();
            }
        }
    }

    static final class Visitor implements Runnable {
        private final RowClient rows;
        private final Random random;

        Visitor(RowClient rows, int seed) {
            this.rows = rows;
            random = new Random(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(40 + random.nextInt(40));
                    rows.get(random.nextInt(10_000));
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        RequestWindow window = new RequestWindow();
        RowClient rows = new RowClient(window);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("log-export-" + i, new LogExport(window, i)::exportNext);
        }
        for (int i = 1; i <= 40; i++) {
            Truth.virtual("visitor-" + i, new Visitor(rows, i));
        }
        Truth.sleep(seconds);
        Truth.of("scans fill the window of a connection that look-ups share").object("Semaphore")
            .culprit("LogExport.scan").thread("log-export-*").victims("visitor-*")
            .share(DIARY.share(0), "the waiting for the window").say();
    }
}

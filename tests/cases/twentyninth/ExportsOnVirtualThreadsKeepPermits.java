import java.util.concurrent.Semaphore;

/**
 * 24 pages, virtual threads where the JDK has them, each take one of four permits to read a database for 4 ms, again
 * and again.
 *
 * Problem: three exports, of the same kind of thread, keep a permit for 160 ms, and pause 40 ms: Export.stream. Truth:
 * pages wait for the Semaphore because of Export.stream. Measured: streaming and reading with a permit, within the
 * pages' waiting, evenly divided.
 */
final class ExportsOnVirtualThreadsKeepPermits {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Export(Semaphore permits) implements Runnable {
        private void stream() {
            long from = System.nanoTime();
            for (int i = 0; i < 8; i++) {
                Truth.sleep(0.02);
            }
            DIARY.held(0, from, System.nanoTime());
        }

        @Override
        public void run() {
            while (true) {
                permits.acquireUninterruptibly();
                try {
                    stream();
                } finally {
                    permits.release();
                }
                Truth.sleep(0.04);
            }
        }
    }

    record Page(Semaphore permits) implements Runnable {
        private void read() {
            long from = System.nanoTime();
            permits.acquireUninterruptibly();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                Truth.sleep(0.004);
            } finally {
                DIARY.held(1, got, System.nanoTime());
                permits.release();
            }
        }

        @Override
        public void run() {
            while (true) {
                read();
                Truth.sleep(0.05);
            }
        }
    }

    public static void main(String[] arguments) {
        Semaphore permits = new Semaphore(4);
        for (int i = 1; i <= 3; i++) {
            Truth.virtual("export-" + i, new Export(permits));
        }
        for (int i = 1; i <= 24; i++) {
            Truth.virtual("page-" + i, new Page(permits));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("pages %.3f%n", DIARY.share(1));
        Truth.of("exports keep most permits").object("Semaphore", "NonfairSync").culprit("Export.stream")
            .thread("export-*").victims("page-*").share(DIARY.share(0), "the pages' waiting for a permit").say();
    }
}

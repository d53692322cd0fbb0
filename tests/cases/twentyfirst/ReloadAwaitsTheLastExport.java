import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Six requests read settings under a read lock, for 0.2 ms. Exports run in two workers of a module, which is replaced
 * as a whole when settings change.
 *
 * Problem: Module.reload shuts its workers down and awaits the end of what they do, all with the settings' write lock;
 * Export.write takes 260 ms, and there is nearly always one. Truth: requests wait for the ReentrantReadWriteLock
 * because of Export.write, which Module.reload awaits: either is to be changed. Measured: the reload within the
 * requests' waiting.
 */
final class ReloadAwaitsTheLastExport {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ReentrantReadWriteLock SETTINGS = new ReentrantReadWriteLock();
    static final AtomicInteger SERVED = new AtomicInteger();

    static final class Export implements Runnable {
        private int rows;

        @Override
        public void run() {
            write();
        }

        private void write() {
            for (int page = 0; page < 26; page++) {
                Truth.sleep(0.01);
                rows += 100;
            }
        }
    }

    static final class Module {
        private final AtomicInteger threads = new AtomicInteger();
        private volatile ExecutorService workers = start();

        private ExecutorService start() {
            return Executors.newFixedThreadPool(2, work ->
                Truth.daemon("export-" + threads.incrementAndGet(), work));
        }

        void submit(Export export) {
            workers.execute(export);
        }

        void reload() throws InterruptedException {
            SETTINGS.writeLock().lock();
            long from = System.nanoTime();
            try {
                workers.shutdown();
                workers.awaitTermination(1, TimeUnit.MINUTES);
                workers = start();
            } finally {
                DIARY.held(0, from, System.nanoTime());
                SETTINGS.writeLock().unlock();
            }
        }
    }

    static int read(int key) {
        SETTINGS.readLock().lock();
        try {
            long until = System.nanoTime() + 200_000;
            int sum = key;
            while (System.nanoTime() < until) {
                sum = sum * 31 + key;
            }
            return sum;
        } finally {
            SETTINGS.readLock().unlock();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Module module = new Module();
        for (int i = 1; i <= 6; i++) {
            int key = i;
            Truth.repeat("request-" + i, () -> {
                long from = System.nanoTime();
                read(key);
                DIARY.waited(from, System.nanoTime());
                SERVED.incrementAndGet();
                Thread.sleep(15);
            });
        }
        Truth.repeat("operator", () -> {
            module.submit(new Export());
            Thread.sleep(60);
            module.submit(new Export());
            Thread.sleep(70);
            module.reload();
            Thread.sleep(500);
        });
        Truth.sleep(seconds);
        System.out.printf("%d served, waited %.2f s%n", SERVED.get(), DIARY.waitedSeconds());
        Truth.of("a module awaits its last export with the settings' write lock")
            .object("ReentrantReadWriteLock").culprit("Export.write", "Module.reload").thread("export-*", "operator")
            .victims("request-*").share(DIARY.share(0), "the requests' waiting for settings").say();
        Runtime.getRuntime().halt(0);
    }
}

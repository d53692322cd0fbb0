import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five import jobs split each file into chunks and have them loaded by invokeAll on one pool of
 * three loaders. Loading a chunk means fetching it from an old file transfer that answers after
 * 40 to 90 ms, and then 2 ms of storing. The loaders never rest; the imports wait.
 *
 * Problem: FileTransfer.fetch, called by ChunkLoader.load. Truth: the import threads wait for
 * FutureTasks because of it. Measured: when the loaders fetched and when they stored, within the
 * imports' time in invokeAll.
 */
class NightlyImport {
    enum Part { FETCH, STORE }

    static final Truth.Diary DIARY = new Truth.Diary();
    static volatile boolean over;

    public static void main(String[] arguments) {
        LoaderPool loaders = new LoaderPool(3);
        AuditQueue audit = new AuditQueue();
        audit.start();
        int number = 0;
        for (String source : List.of("orders", "stock", "prices", "clients", "suppliers")) {
            new ImportJob(++number, source, loaders, audit).start();
        }
        Truth.run(arguments, () -> over = true, 1.5);
        Truth.of("the three loaders spend their time fetching chunks from a slow file transfer, so "
            + "imports wait for the whole of their chunks")
            .object("FutureTask")
            .culprit("FileTransfer.fetch", "FileTransfer.delay", "ChunkLoader.load",
                "ChunkLoader.call")
            .thread("loader-*").victims("import-*")
            .share(DIARY.share(Part.FETCH.ordinal()), "the import threads' time in invokeAll")
            .say();
    }

    static class ImportJob extends Thread {
        private final String source;
        private final LoaderPool loaders;
        private final AuditQueue audit;
        private final Random random;

        ImportJob(int number, String source, LoaderPool loaders, AuditQueue audit) {
            super("import-" + number);
            this.source = source;
            this.loaders = loaders;
            this.audit = audit;
            this.random = new Random(source.hashCode());
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!over) {
                audit.note(source + ": " + importFile(4 + random.nextInt(4)));
                Truth.sleep(0.02);
            }
        }

        private int importFile(int chunks) {
            List<ChunkLoader> tasks = new ArrayList<>();
            for (int i = 0; i < chunks; i++) {
                tasks.add(new ChunkLoader(random.nextInt(50)));
            }
            return loaders.total(tasks);
        }
    }

    static class LoaderPool {
        private final AtomicInteger threads = new AtomicInteger();
        private final ExecutorService pool;

        LoaderPool(int size) {
            pool = new ThreadPoolExecutor(size, size, 1, TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(), this::thread);
        }

        int total(Collection<? extends Callable<Integer>> tasks) {
            int total = 0;
            for (Future<Integer> done : all(tasks)) {
                try {
                    total += done.get();
                } catch (InterruptedException | ExecutionException exception) {
                    throw new IllegalStateException(exception);
                }
            }
            return total;
        }

        private <T> List<Future<T>> all(Collection<? extends Callable<T>> tasks) {
            long from = System.nanoTime();
            try {
                return pool.invokeAll(tasks);
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            } finally {
                DIARY.waited(from, System.nanoTime());
            }
        }

        private Thread thread(Runnable work) {
            Thread thread = new Thread(work, "loader-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }

    record ChunkLoader(int chunk) implements Callable<Integer> {
        @Override
        public Integer call() throws InterruptedException {
            return load(new FileTransfer());
        }

        private int load(FileTransfer transfer) throws InterruptedException {
            long from = System.nanoTime();
            int rows = transfer.fetch(chunk);
            long fetched = System.nanoTime();
            Thread.sleep(2);
            DIARY.held(Part.FETCH.ordinal(), from, fetched);
            DIARY.held(Part.STORE.ordinal(), fetched, System.nanoTime());
            return rows;
        }
    }

    static class FileTransfer {
        int fetch(int chunk) throws InterruptedException {
            delay(40 + chunk);
            return chunk * 10;
        }

        private void delay(int millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    }

    static class AuditQueue extends Thread {
        private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

        AuditQueue() {
            super("audit");
            setDaemon(true);
        }

        void note(String line) {
            lines.add(line);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    lines.take();
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }
}

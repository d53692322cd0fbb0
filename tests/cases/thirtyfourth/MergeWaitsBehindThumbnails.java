import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A shop's catalogue: a pool of three takes its tasks by priority. Five searches use the only segment (a permit) for
 * 0.5 ms each. A compactor takes the segment each 40 ms, scans it (3 ms), has it merged by the pool (4 ms), with the
 * lowest priority, and gives it back.
 *
 * Problem: uploads bring twelve thumbnails each 100 ms, Thumbnails.render, 20 ms each, which go before a merge: the
 * compactor waits for them, and the searches for the compactor. Truth: searches wait for the Semaphore because of
 * Thumbnails.render. Measured: the part of the waiting for the segment during which a merge is queued behind
 * thumbnails.
 */
final class MergeWaitsBehindThumbnails {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Task implements Runnable, Comparable<Task> {
        private static final AtomicLong NUMBERS = new AtomicLong();
        private final int priority;
        private final long number = NUMBERS.incrementAndGet();
        private final Runnable work;

        Task(int priority, Runnable work) {
            this.priority = priority;
            this.work = work;
        }

        @Override
        public void run() {
            work.run();
        }

        @Override
        public int compareTo(Task other) {
            int by = Integer.compare(other.priority, priority);
            return by != 0 ? by : Long.compare(number, other.number);
        }
    }

    static final class Thumbnails {
        private long rendered;

        void render() {
            Truth.sleep(0.020);
            rendered++;
        }
    }

    static final class Segment {
        final Semaphore permit = new Semaphore(1, true);

        void search() throws InterruptedException {
            permit.acquire();
            long from = System.nanoTime();
            Truth.sleep(0.0005);
            DIARY.held(1, from, System.nanoTime());
            permit.release();
        }
    }

    static final class Compactor {
        private final Segment segment;
        private final ThreadPoolExecutor pool;

        Compactor(Segment segment, ThreadPoolExecutor pool) {
            this.segment = segment;
            this.pool = pool;
        }

        void compact() throws InterruptedException {
            segment.permit.acquire();
            try {
                scan();
                long queued = System.nanoTime();
                CompletableFuture<Void> merged = new CompletableFuture<>();
                pool.execute(new Task(0, () -> {
                    DIARY.held(0, queued, System.nanoTime());
                    merge();
                    merged.complete(null);
                }));
                merged.join();
            } finally {
                segment.permit.release();
            }
        }

        private void scan() {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
        }

        private void merge() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(3, 3, 1, TimeUnit.MINUTES, new PriorityBlockingQueue<>(),
            work -> Truth.daemon("media-worker", work));
        Segment segment = new Segment();
        Thumbnails thumbnails = new Thumbnails();
        Compactor compactor = new Compactor(segment, pool);
        Truth.repeat("uploads", () -> {
            for (int i = 0; i < 12; i++) {
                pool.execute(new Task(5, thumbnails::render));
            }
            Thread.sleep(100);
        });
        Truth.repeat("compactor", () -> {
            compactor.compact();
            Thread.sleep(40);
        });
        DIARY.clients("search", 5, 9, segment::search);
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who has a segment waits for a task that others go before").object("Semaphore", "FairSync")
            .culprit("Thumbnails.render").thread("media-worker").victims("search-*")
            .share(DIARY.share(0), "the searches' waiting for the segment").say();
    }
}

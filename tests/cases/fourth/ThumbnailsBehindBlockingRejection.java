import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five gallery threads give a pool of two small tasks (1 ms), and one in eight makes a thumbnail of 25 to
 * 40 ms. When its queue of eight is full the pool's handler puts the task in it and waits for room.
 *
 * Problem: Thumbnail.scale takes the pool's time. Truth: galleries wait for room in the queue because of
 * it. Measured: what the workers run, evenly shared, against the time in execute.
 */
final class ThumbnailsBehindBlockingRejection {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Thumbnail {
        static void scale(double seconds) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Caption {
        static void set() {
            long from = System.nanoTime();
            Truth.sleep(0.001);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(8), work -> {
                Thread thread = new Thread(work, "picture-" + number.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }, (task, full) -> {
                try {
                    full.getQueue().put(task);
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Truth.repeat("gallery-" + i, () -> {
                Truth.sleep(0.002 + random.nextDouble() * 0.004);
                double seconds = 0.025 + random.nextDouble() * 0.015;
                Runnable task = random.nextInt(8) == 0 ? () -> Thumbnail.scale(seconds)
                    : Caption::set;
                long from = System.nanoTime();
                pool.execute(task);
                long to = System.nanoTime();
                if (to - from > 200_000) {
                    DIARY.waited(from, to);
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("thumbnails keep both workers busy, so that the full queue holds up the galleries")
            .object("ConditionObject", "ArrayBlockingQueue", "ThreadPoolExecutor")
            .culprit("Thumbnail.scale")
            .thread("picture-*").victims("gallery-*")
            .share(DIARY.share(0), "the galleries' waiting for room").say();
    }
}

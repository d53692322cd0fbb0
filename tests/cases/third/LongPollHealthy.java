import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Twelve poll threads wait for news, each up to 1.5 s, and answer their client with the news or with
 * nothing. An editor publishes something every second or so, which takes no time; a statistics thread
 * looks at the board now and then.
 *
 * Problem: none; a long poll waits for news that do not exist yet. Truth: healthy. Measured: nothing.
 */
final class LongPollHealthy {
    static final class NewsBoard {
        private final Lock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long edition;

        long next(long seen, long millis) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            lock.lock();
            try {
                while (edition == seen && left > 0) {
                    left = changed.awaitNanos(left);
                }
                return edition;
            } finally {
                lock.unlock();
            }
        }

        long edition() {
            lock.lock();
            try {
                return edition;
            } finally {
                lock.unlock();
            }
        }

        void publish() {
            lock.lock();
            try {
                edition++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        NewsBoard board = new NewsBoard();
        AtomicLong answered = new AtomicLong();
        for (int i = 1; i <= 12; i++) {
            Random random = new Random(i);
            Truth.start("poll-" + i, () -> poll(board, answered, random));
        }
        Random random = new Random(50);
        Truth.start("editor", () -> {
            while (true) {
                Truth.sleep(0.5 + random.nextDouble());
                board.publish();
            }
        });
        Truth.start("statistics", () -> {
            while (board.edition() + answered.get() >= 0) {
                Truth.sleep(0.1);
            }
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("long polls wait for news that do not exist yet, as they are meant to")
            .object().culprit().thread().victims().noShare().say();
    }

    private static void poll(NewsBoard board, AtomicLong answered, Random random) {
        try {
            long seen = 0;
            while (true) {
                seen = board.next(seen, 1500);
                Truth.sleep(0.001 + random.nextDouble() * 0.004);
                answered.incrementAndGet();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Commits wait until the next flush, which a timer does every ten milliseconds for all of them.
 *
 * Problem: the same timer's only thread compacts segments, for about a tenth of a second, three times a second; flushes
 * are late by as much. Truth: committers wait for a condition because of Segments.compact. Measured: the part of their
 * waiting during which it compacts.
 */
final class CompactionOnTheFlushTimer {
    static final Truth.Diary DIARY = new Truth.Diary();

    static class CommitLog {
        private final Lock lock = new ReentrantLock();
        private final Condition flushed = lock.newCondition();
        private long written, durable;

        void commit() throws InterruptedException {
            lock.lock();
            try {
                long own = ++written;
                long from = System.nanoTime();
                while (durable < own) {
                    flushed.await();
                }
                DIARY.waited(from, System.nanoTime());
            } finally {
                lock.unlock();
            }
        }

        void flush() {
            long from = System.nanoTime();
            lock.lock();
            try {
                durable = written;
                flushed.signalAll();
            } finally {
                lock.unlock();
            }
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static class Segments {
        private final byte[] segment = new byte[1 << 20];
        private byte sum;

        void compact() {
            long from = System.nanoTime();
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                while (System.nanoTime() - from < 110_000_000) {
                    digest.update(segment);
                    sum ^= digest.digest()[0];
                }
            } catch (NoSuchAlgorithmException exception) {
                throw new IllegalStateException(exception);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        CommitLog log = new CommitLog();
        Segments segments = new Segments();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, work -> {
            Thread thread = new Thread(work, "storage-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.scheduleAtFixedRate(log::flush, 0, 10, TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(segments::compact, 100, 200, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("committer-" + i, () -> {
                log.commit();
                Thread.sleep(2);
            });
        }
        DIARY.fill(seconds);
        Truth.of("a long task delays a frequent one on a timer with one thread").object("ConditionObject")
            .culprit("Segments.compact").thread("storage-timer").victims("committer-*")
            .share(DIARY.share(0), "the committers' waiting for the flush").say();
    }
}

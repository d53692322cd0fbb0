import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An editor changes a tariff under the write lock and goes on with a read lock, so that what he tells the branches is
 * what he has written. Two clerks correct single prices, which takes the write lock for some microseconds; four
 * visitors read prices.
 *
 * Problem: Editor.tellBranches takes 60 ms, and all the while the editor has the read lock. Truth: clerks, and visitors
 * behind them, wait for the ReentrantReadWriteLock because of Editor.tellBranches. Measured: when the editor tells,
 * within the clerks' and visitors' waits of more than 1 ms.
 */
final class TariffIsToldAfterDowngrade {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();
    static final int[] PRICES = new int[100];
    static final AtomicInteger READ = new AtomicInteger();

    static final class Editor {
        private int edition;

        void publish() throws InterruptedException {
            LOCK.writeLock().lock();
            try {
                PRICES[++edition % 100]++;
                LOCK.readLock().lock();
            } finally {
                LOCK.writeLock().unlock();
            }
            try {
                tellBranches();
            } finally {
                LOCK.readLock().unlock();
            }
            Thread.sleep(25);
        }

        private void tellBranches() {
            long from = System.nanoTime();
            Truth.sleep(0.06);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static void lockAndNote(java.util.concurrent.locks.Lock lock) {
        long from = System.nanoTime();
        lock.lock();
        long to = System.nanoTime();
        if (to - from > 1_000_000) {
            DIARY.waited(from, to);
        }
    }

    static void correct() throws InterruptedException {
        lockAndNote(LOCK.writeLock());
        PRICES[7]++;
        LOCK.writeLock().unlock();
        Thread.sleep(8);
    }

    static void read() throws InterruptedException {
        lockAndNote(LOCK.readLock());
        READ.addAndGet(PRICES[7] & 1 | 1);
        LOCK.readLock().unlock();
        Thread.sleep(5);
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Truth.repeat("editor", new Editor()::publish);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("visitor-" + i, TariffIsToldAfterDowngrade::read);
            if (i <= 2) {
                Truth.repeat("clerk-" + i, TariffIsToldAfterDowngrade::correct);
            }
        }
        Truth.sleep(seconds);
        System.out.printf("%d read, waited %.2f s in all%n", READ.get(), DIARY.waitedSeconds());
        Truth.of("a read lock is kept after a downgrade while branches are told").object("ReentrantReadWriteLock")
            .culprit("Editor.tellBranches", "Editor.publish").thread("editor").victims("visitor-*", "clerk-*")
            .share(DIARY.share(0), "the clerks' and visitors' waiting").say();
        System.exit(0);
    }
}

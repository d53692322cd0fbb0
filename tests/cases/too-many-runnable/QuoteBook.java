import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four quoting threads keep a book under a lock: 5 ms of computing with the lock, then they rest
 * for twenty. That would be no trouble, were there not sixteen threads rebuilding an index at
 * full speed on the same few cores: whoever holds the lock is taken off its core in the middle of
 * it.
 *
 * Problem: Reindexer.stem, on far more threads than there are cores. Truth: the quoting threads
 * wait for the ReentrantLock because its holders do not get a core. Measured: each hold's time on
 * a core against its whole time; what of the waits was not a holder's time on a core, is the
 * index's.
 */
final class QuoteBook {
    private static final int RUNNING = 1;
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    private static final Truth.Diary diary = new Truth.Diary();
    private static volatile boolean stopped;

    private final ReentrantLock lock = new ReentrantLock();
    private double spread;

    public static void main(String[] arguments) {
        QuoteBook book = new QuoteBook();
        for (int i = 1; i <= 16; i++) {
            Truth.start("reindex-" + i, new Reindexer(i));
        }
        for (int i = 1; i <= 4; i++) {
            Random random = new Random(i);
            Truth.start("quote-" + i, () -> book.quote(random));
        }
        Truth.run(arguments, () -> stopped = true, 0.5);
        Truth.of("sixteen threads that rebuild an index take the cores away from whoever holds the "
            + "book's lock")
            .object("ReentrantLock", "NonfairSync")
            .culprit("Reindexer.stem", "Reindexer.run", "Reindexer.rebuild")
            .thread("reindex-*").victims("quote-*")
            .share(1 - diary.share(RUNNING), "the quoting threads' waiting for the lock").say();
    }

    private void quote(Random random) {
        while (!stopped) {
            Truth.sleep(0.015 + 0.01 * random.nextDouble());
            update(random.nextDouble());
        }
    }

    private void update(double price) {
        long asked = System.nanoTime();
        lock.lock();
        try {
            long from = System.nanoTime(), cpu = CPU.getCurrentThreadCpuTime();
            diary.waited(asked, from);
            reprice(price);
            cpu = CPU.getCurrentThreadCpuTime() - cpu;
            long to = System.nanoTime();
            diary.held(RUNNING, Math.max(from, to - cpu), to);
        } finally {
            lock.unlock();
        }
    }

    /** So many steps as take 5 ms of a core. */
    private void reprice(double price) {
        long until = CPU.getCurrentThreadCpuTime() + 5_000_000;
        while (CPU.getCurrentThreadCpuTime() < until) {
            for (int i = 0; i < 10_000; i++) {
                spread = (spread + Math.sqrt(price + i)) / 2;
            }
        }
    }

    private static final class Reindexer implements Runnable {
        private long hash;

        Reindexer(int part) {
            hash = part;
        }

        @Override
        public void run() {
            while (!stopped) {
                rebuild();
            }
        }

        private void rebuild() {
            for (int word = 0; word < 1000; word++) {
                hash ^= stem(word);
            }
        }

        private long stem(int word) {
            long stem = hash + word;
            for (int i = 0; i < 500; i++) {
                stem = stem * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            }
            return stem;
        }
    }
}

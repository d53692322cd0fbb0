import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A baker puts loaves on a shelf for one, a seller takes them; both wait for the same Condition, and signal once for
 * each loaf.
 *
 * Problem: after two fifths of the time three auditors wait for the same Condition until 100 000 are sold, and get a
 * signal that was meant for the seller. Truth: stuck; all wait for the Condition, in Shelf.put, Shelf.take and
 * Shelf.audit.
 */
final class SignalReachesTheAuditor {
    static final class Shelf {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<Integer> loaves = new ArrayDeque<>();
        private int sold;

        void put(int loaf) throws InterruptedException {
            lock.lock();
            try {
                while (!loaves.isEmpty()) {
                    changed.await();
                }
                loaves.add(loaf);
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        int take() throws InterruptedException {
            lock.lock();
            try {
                while (loaves.isEmpty()) {
                    changed.await();
                }
                sold++;
                int loaf = loaves.remove();
                changed.signal();
                return loaf;
            } finally {
                lock.unlock();
            }
        }

        void audit() throws InterruptedException {
            lock.lock();
            try {
                while (sold < 100_000) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Shelf shelf = new Shelf();
        List<Thread> all = new ArrayList<>();
        all.add(Truth.repeat("baker", () -> {
            Thread.sleep(6);
            shelf.put(1);
        }));
        all.add(Truth.repeat("seller", () -> {
            shelf.take();
            Thread.sleep(1);
        }));
        Truth.repeat("oven", () -> Truth.sleep(0.2));
        Truth.sayAndHalt(Truth.stuck("a signal reaches somebody for whom it was not meant")
            .object("ConditionObject", "ReentrantLock").culprit("Shelf.put", "Shelf.take", "Shelf.audit")
            .thread("baker", "seller", "auditor-*").victims("baker", "seller", "auditor-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        for (int i = 1; i <= 3; i++) {
            all.add(Truth.start("auditor-" + i, () -> {
                try {
                    shelf.audit();
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        Truth.hangsOnce(all);
        Truth.sleep(seconds + 2);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four clerks post to a ledger, and a journalist writes what was posted, together with the balance, of which he reads
 * the ledger.
 *
 * Problem: Ledger.post puts the entry into the journal's queue of eight while it has the ledger's lock, which the
 * journalist needs for the next entry. Until the second second clerks are slower than the journalist; then the queue
 * fills. Truth: stuck, clerks wait for the ledger's ReentrantLock and for room in an ArrayBlockingQueue because of
 * Ledger.post.
 */
final class JournalPutsUnderTheLedgerLock {
    static final class Ledger {
        private final ReentrantLock lock = new ReentrantLock();
        private final BlockingQueue<Integer> journal = new ArrayBlockingQueue<>(8);
        private long balance;

        void post(int amount) throws InterruptedException {
            lock.lock();
            try {
                balance += amount;
                journal.put(amount);
            } finally {
                lock.unlock();
            }
        }

        long balance() {
            lock.lock();
            try {
                return balance;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Journalist {
        private final Ledger ledger;
        private long lines;

        Journalist(Ledger ledger) {
            this.ledger = ledger;
        }

        void write() throws InterruptedException {
            int amount = ledger.journal.take();
            lines += (ledger.balance() + amount) % 2 + 1;
            Thread.sleep(3);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        long later = System.nanoTime() + 1_300_000_000L;
        Ledger ledger = new Ledger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("clerk-" + i, () -> {
                ledger.post(1);
                Thread.sleep(System.nanoTime() < later ? 25 : 3);
            });
        }
        Truth.repeat("journalist", new Journalist(ledger)::write);
        List<Thread> threads = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("clerk-.*|journalist")) {
                threads.add(thread);
            }
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a queue is waited for under the lock that its reader needs")
            .object("ReentrantLock", "ArrayBlockingQueue", "ConditionObject").culprit("Ledger.post").thread("clerk-*")
            .victims("clerk-*", "journalist").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

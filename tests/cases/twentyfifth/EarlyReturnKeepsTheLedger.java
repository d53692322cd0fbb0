import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Clerks book into a ledger of accounts; each quarter of a second the night's thread settles it. Settling takes the
 * ledger's lock, and so does each of the steps that it calls.
 *
 * Problem: one of the steps, Settlement.round, returns early where there is nothing to round, and does not unlock: the
 * lock was taken twice and is given back once. After two fifths of the time there is nothing to round. Its owner lives
 * on and sleeps. Truth: clerks wait for ever for the ledger's lock because of Settlement.round, Settlement.settle.
 */
final class EarlyReturnKeepsTheLedger {
    static final class Ledger {
        final ReentrantLock lock = new ReentrantLock();
        final AtomicInteger odd = new AtomicInteger(3);
        private long sum;

        void book(long cents) {
            lock.lock();
            try {
                sum += cents;
                Truth.sleep(0.002);
            } finally {
                lock.unlock();
            }
        }

        long sum() {
            return sum;
        }
    }

    record Settlement(Ledger ledger) {
        void settle() {
            ledger.lock.lock();
            try {
                long before = interest();
                round();
                if (before > ledger.sum()) {
                    throw new IllegalStateException("money is lost");
                }
            } finally {
                ledger.lock.unlock();
            }
        }

        private long interest() {
            ledger.lock.lock();
            try {
                Truth.sleep(0.004);
                return ledger.sum();
            } finally {
                ledger.lock.unlock();
            }
        }

        private void round() {
            ledger.lock.lock();
            if (ledger.odd.get() == 0) {
                return;
            }
            Truth.sleep(0.003);
            ledger.lock.unlock();
        }
    }

    record Night(Settlement settlement, boolean[] over) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            settlement.settle();
            Thread.sleep(over[0] ? 600_000 : 250);
        }
    }

    record Clerk(Ledger ledger) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            ledger.book(5);
            Thread.sleep(12);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Ledger ledger = new Ledger();
        boolean[] over = {false};
        List<Thread> clerks = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            clerks.add(Truth.repeat("clerk-" + i, new Clerk(ledger)));
        }
        Truth.repeat("night", new Night(new Settlement(ledger), over));
        Truth.hangsOnce(clerks);
        Truth.sayAndHalt(Truth.stuck("a step that returns early does not give the lock back, whose owner sleeps")
            .object("ReentrantLock", "NonfairSync", "Ledger").culprit("Settlement.round", "Settlement.settle")
            .thread("night").victims("clerk-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        ledger.odd.set(0);
        Truth.sleep(seconds + 2);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four tellers book under a ReentrantLock (1 ms); a pool of three threads works out balances without it.
 *
 * Problem: after two fifths of the time a closing begins, Closing.close, which locks the book and waits for a balance
 * that is worked out by the pool; since then balances are worked out under the lock, too, Balances.total. Truth: stuck;
 * tellers wait for the lock, which Closing.close keeps, which waits for Balances.total, which waits for the lock.
 */
final class BalanceAskedWithTheBookLocked {
    static final ReentrantLock BOOK = new ReentrantLock();

    static final class Balances {
        static volatile boolean exact;

        long total(int account) {
            if (!exact) {
                return account;
            }
            BOOK.lock();
            try {
                return account * 10L;
            } finally {
                BOOK.unlock();
            }
        }
    }

    record Closing(ExecutorService pool, Balances balances) implements Truth.Step {
        private long close() {
            BOOK.lock();
            try {
                return CompletableFuture.supplyAsync(() -> balances.total(7), pool).join();
            } finally {
                BOOK.unlock();
            }
        }

        @Override
        public void run() throws InterruptedException {
            Thread.sleep(40);
            close();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ExecutorService pool = Executors.newFixedThreadPool(3, work -> Truth.daemon("balances", work));
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            threads.add(Truth.repeat("teller-" + i, () -> {
                BOOK.lock();
                try {
                    Truth.sleep(0.001);
                } finally {
                    BOOK.unlock();
                }
                Thread.sleep(15);
            }));
        }
        threads.add(Truth.repeat("closing", new Closing(pool, new Balances())));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a balance is awaited under the lock that it needs")
            .object("ReentrantLock", "NonfairSync", "CompletableFuture", "Signaller")
            .culprit("Closing.close", "Balances.total").thread("closing", "balances").victims("teller-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        Balances.exact = true;
        Truth.sleep(seconds + 2);
    }
}

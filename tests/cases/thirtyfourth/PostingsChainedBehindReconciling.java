import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * What is done with a merchant's account is kept in order by a chain of futures: each operation is a stage after the
 * last, run by a pool of four, without any lock. Five tills post a payment each (Ledger.post, 2 ms) and join.
 *
 * Problem: each 70 ms the account is compared with the bank's statement in the same chain, Reconciler.compare, 40 ms.
 * Truth: tills wait for the CompletableFuture because of Reconciler.compare. Measured: the part of the waiting for
 * postings during which it compares.
 */
final class PostingsChainedBehindReconciling {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Account {
        private final ExecutorService pool;
        private CompletableFuture<?> tail = CompletableFuture.completedFuture(null);

        Account(ExecutorService pool) {
            this.pool = pool;
        }

        synchronized <T> CompletableFuture<T> then(Supplier<T> operation) {
            CompletableFuture<T> next = tail.handleAsync((result, failure) -> operation.get(), pool);
            tail = next;
            return next;
        }
    }

    static final class Ledger {
        private long balance;

        Long post(long amount) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            balance += amount;
            DIARY.held(1, from, System.nanoTime());
            return balance;
        }
    }

    static final class Reconciler {
        Boolean compare(Ledger ledger) {
            long from = System.nanoTime();
            for (int page = 0; page < 4; page++) {
                Truth.sleep(0.010);
            }
            DIARY.held(0, from, System.nanoTime());
            return ledger.balance >= 0;
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(4, work -> Truth.daemon("ledger-worker", work));
        Account account = new Account(pool);
        Account other = new Account(pool);
        Ledger ledger = new Ledger(), others = new Ledger();
        Reconciler reconciler = new Reconciler();
        Truth.repeat("reconcile-timer", () -> {
            Thread.sleep(70);
            account.then(() -> reconciler.compare(ledger));
        });
        Truth.repeat("kiosk", () -> {
            other.then(() -> {
                Truth.sleep(0.001);
                return others.balance++;
            }).join();
            Thread.sleep(30);
        });
        DIARY.clients("till", 5, 12, () -> account.then(() -> ledger.post(5)).join());
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an account is reconciled in the chain of its postings").object("CompletableFuture", "Signaller")
            .culprit("Reconciler.compare").thread("ledger-worker").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for postings").say();
    }
}

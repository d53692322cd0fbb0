import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Each account of a bank has a lock of its own, so that transfers do not meet.
 *
 * Problem: each transfer books a fee for the house, whose account is one, and forces the journal to disk, 3 ms,
 * while it has that account's lock. Truth: tellers wait for one ReentrantLock of two hundred because of
 * FeePosting.book. Measured: the part of their waiting during which a fee is booked.
 */
final class HouseAccountInEveryTransfer {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Accounts {
        private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();

        void with(String account, Runnable posting) {
            ReentrantLock lock = locks.computeIfAbsent(account, name -> new ReentrantLock());
            long from = System.nanoTime();
            lock.lock();
            try {
                DIARY.waited(from, System.nanoTime());
                posting.run();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class FeePosting {
        private long fees;

        void book() {
            long from = System.nanoTime();
            fees += 1;
            Truth.sleep(0.003); // forces the journal
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Teller {
        private final Accounts accounts;
        private final FeePosting fee;
        private int posted;

        Teller(Accounts accounts, FeePosting fee) {
            this.accounts = accounts;
            this.fee = fee;
        }

        void transfer() throws InterruptedException {
            accounts.with("customer-" + ThreadLocalRandom.current().nextInt(200), this::post);
            accounts.with("customer-" + ThreadLocalRandom.current().nextInt(200), this::post);
            accounts.with("house", fee::book);
            Thread.sleep(6);
        }

        private void post() {
            posted += 1;
            Truth.sleep(0.0003);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Accounts accounts = new Accounts();
        FeePosting fee = new FeePosting();
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("teller-" + i, new Teller(accounts, fee)::transfer);
        }
        DIARY.fill(seconds);
        Truth.of("every transfer needs the lock of the same account, and keeps it while it writes")
            .object("ReentrantLock", "NonfairSync").culprit("FeePosting.book").thread("teller-*").victims("teller-*")
            .share(DIARY.share(0), "the tellers' waiting for accounts").say();
    }
}

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The healthy twin of the deadlocks: four tellers transfer between six accounts and lock both in
 * any order, but the second one with tryLock only. Who does not get it lets the first go, waits
 * for a few milliseconds by chance, and begins anew.
 *
 * Truth: nothing to be found; every transfer ends within milliseconds.
 */
class TryLockBacksOffHealthy {
    static class Account {
        final ReentrantLock lock = new ReentrantLock();
        long cents = 100_000;
    }

    private final Account[] accounts = new Account[6];
    private final AtomicInteger retries = new AtomicInteger();
    private volatile boolean open = true;

    private TryLockBacksOffHealthy() {
        for (int i = 0; i < accounts.length; i++) {
            accounts[i] = new Account();
        }
    }

    private void transfer(Account from, Account to, int cents, Random random)
            throws InterruptedException {
        while (!tryTransfer(from, to, cents)) {
            retries.incrementAndGet();
            Thread.sleep(1 + random.nextInt(4));
        }
    }

    private boolean tryTransfer(Account from, Account to, int cents) throws InterruptedException {
        if (!from.lock.tryLock(2, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            return to.lock.tryLock() && book(from, to, cents);
        } finally {
            from.lock.unlock();
        }
    }

    private boolean book(Account from, Account to, int cents) {
        try {
            from.cents -= cents;
            to.cents += cents;
            return true;
        } finally {
            to.lock.unlock();
        }
    }

    private void serve(int seed) {
        Random random = new Random(seed);
        try {
            while (open) {
                int from = random.nextInt(accounts.length);
                int to = (from + 1 + random.nextInt(accounts.length - 1)) % accounts.length;
                transfer(accounts[from], accounts[to], random.nextInt(1000), random);
                Thread.sleep(2 + random.nextInt(8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        TryLockBacksOffHealthy bank = new TryLockBacksOffHealthy();
        Thread[] tellers = new Thread[4];
        for (int i = 0; i < tellers.length; i++) {
            int seed = i;
            tellers[i] = new Thread(() -> bank.serve(seed), "teller-" + i);
            tellers[i].start();
        }
        Truth.sleep(Truth.seconds(args));
        bank.open = false;
        for (Thread teller : tellers) {
            teller.join();
        }
        Truth.healthy("locks are tried and given back if the second is taken; no wait is long")
            .object().culprit().thread().victims().noShare().say();
    }
}

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two transfers that take the same two accounts in opposite order, for ever. Argument: bystanders
 * (0), threads that want the first account and stand behind the deadlock.
 */
class Deadlock {
    static final ReentrantLock SAVINGS = new ReentrantLock();
    static final ReentrantLock CREDIT = new ReentrantLock();
    static final CountDownLatch BOTH_HOLD_ONE = new CountDownLatch(2);

    public static void main(String[] arguments) throws InterruptedException {
        int bystanders = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        new Thread(() -> debit(SAVINGS, CREDIT), "transfer-1").start();
        new Thread(() -> credit(CREDIT, SAVINGS), "transfer-2").start();
        BOTH_HOLD_ONE.await();
        for (int i = 0; i < bystanders; i++) {
            new Thread(Deadlock::balance, "reader-" + (i + 1)).start();
        }
        System.out.println("ready");
    }

    static void debit(ReentrantLock mine, ReentrantLock other) {
        take(mine, other);
    }

    static void credit(ReentrantLock mine, ReentrantLock other) {
        take(mine, other);
    }

    static void take(ReentrantLock mine, ReentrantLock other) {
        mine.lock();
        try {
            BOTH_HOLD_ONE.countDown();
            BOTH_HOLD_ONE.await();
            other.lock();
            other.unlock();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            mine.unlock();
        }
    }

    static void balance() {
        SAVINGS.lock();
        SAVINGS.unlock();
    }
}

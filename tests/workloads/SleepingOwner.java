import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** A lock held in Thread.sleep for a minute; argument: waiters (1). */
class SleepingOwner {
    static final ReentrantLock LOCK = new ReentrantLock();
    static final CountDownLatch HELD = new CountDownLatch(1);

    public static void main(String[] arguments) throws InterruptedException {
        int waiters = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        new Thread(SleepingOwner::own, "owner-1").start();
        HELD.await();
        for (int i = 0; i < waiters; i++) {
            new Thread(SleepingOwner::want, "waiter-" + (i + 1)).start();
        }
        System.out.println("ready");
    }

    static void own() {
        LOCK.lock();
        try {
            HELD.countDown();
            doze();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            LOCK.unlock();
        }
    }

    static void doze() throws InterruptedException {
        Thread.sleep(60_000);
    }

    static void want() {
        LOCK.lock();
        LOCK.unlock();
    }
}

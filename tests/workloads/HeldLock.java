import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is held for so many ms each time, as a {@link ReentrantLock} or as a monitor, and what its
 * holders saw of that. Who takes it calls {@link #hold} while holding it.
 */
class HeldLock {
    final String name;
    final ReentrantLock lock = new ReentrantLock();
    final Object monitor = new Object();
    long millis;

    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong heldNs = new AtomicLong();
    private final AtomicLong contended = new AtomicLong();
    private final AtomicLong contendedNs = new AtomicLong();

    HeldLock(String name, long millis) {
        this.name = name;
        this.millis = millis;
    }

    /** `waited`: who holds it now has waited for it. */
    void hold(boolean waited) {
        boolean waitedFor = waited && lock.hasQueuedThreads();
        long begin = System.nanoTime();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        long held = System.nanoTime() - begin;
        heldNs.addAndGet(held);
        taken.incrementAndGet();
        if (waitedFor) {
            contended.incrementAndGet();
            contendedNs.addAndGet(held);
        }
    }

    /** What was seen so far is not of all holds. */
    void forget() {
        taken.set(0);
        heldNs.set(0);
    }

    /** Its name, how often it was released and for how long on average in ns it was held. */
    void print() {
        print(name, taken.get(), heldNs.get());
    }

    /** The same of the holds that were waited for and during which others waited from begin to end. */
    void printContended() {
        print("contended " + name, contended.get(), contendedNs.get());
    }

    private static void print(String name, long holds, long ns) {
        System.out.println(name + " " + holds + " " + ns / Math.max(holds, 1));
    }
}

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that never stand in the queue of a lock but take it whenever they find it free, before the
 * woken heads of the queue can. Argument: ms (0 = until killed).
 */
class Barging {
    static final ReentrantLock LOCK = new ReentrantLock();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Witness.watch(millis, () -> stopped = true,
            new Thread(Barging::barge, "barger-1"), new Thread(Barging::barge, "barger-2"),
            new Thread(Barging::barge, "barger-3"), new Thread(Barging::queue, "patient-1"),
            new Thread(Barging::queue, "patient-2"));
    }

    static void barge() {
        while (!stopped) {
            long asked = Witness.now();
            if (LOCK.tryLock()) {
                hold(asked, ThreadLocalRandom.current().nextInt(1, 5));
            } else {
                Thread.yield();
            }
        }
    }

    static void queue() {
        while (!stopped) {
            long asked = Witness.now();
            LOCK.lock();
            hold(asked, 1);
        }
    }

    static void hold(long asked, long millis) {
        long begin = Witness.now();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            Witness.held("lock", asked, begin, Witness.now());
            LOCK.unlock();
        }
    }
}

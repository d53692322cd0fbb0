import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Objects that are parked on once and then are garbage; in the second half, after every hundredth of
 * them, one that lasts. Arguments: how many (5000000), threads (2). A thread gives itself the permit
 * first, so its park returns at once. Prints `parks N` of the short-lived and `lasting N`.
 */
class ManyBlockers {
    public static void main(String[] arguments) throws InterruptedException {
        int blockers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5_000_000;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
        System.out.println("ready");
        Thread[] parkers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            parkers[i] = new Thread(() -> work(blockers / threads), "parker-" + (i + 1));
            parkers[i].start();
        }
        for (Thread parker : parkers) {
            parker.join();
        }
        System.out.println("lasting " + LASTING_PARKS.sum());
        System.out.println("parks " + (long) (blockers / threads) * threads);
    }

    static void work(int blockers) {
        Thread me = Thread.currentThread();
        for (int i = 0; i < blockers; i++) {
            LockSupport.unpark(me);
            LockSupport.park(new Brief());
            if (i > blockers / 2 && i % 100 == 0) {
                LockSupport.unpark(me);
                LockSupport.park(LASTING);
                LASTING_PARKS.increment();
            }
        }
    }

    static final Lasting LASTING = new Lasting();
    static final LongAdder LASTING_PARKS = new LongAdder();

    static class Lasting {
    }

    static class Brief {
    }
}

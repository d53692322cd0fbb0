import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;

/**
 * Six threads park on objects that nothing but Thread.parkBlocker refers to, and another thread
 * clears that field meanwhile, so that a collection takes the object at any instant of a park.
 * Arguments: seconds (3). A thread gives itself the permit first, so its park returns at once. Needs
 * --add-opens=java.base/java.lang=ALL-UNNAMED. Prints `parks N`.
 */
class TakenBlockers {
    static final int PARKERS = 6, PARKS = 300;

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        VarHandle field = MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
            .findVarHandle(Thread.class, "parkBlocker", Object.class);
        Thread[] parkers = new Thread[PARKERS];
        long[] parks = new long[PARKERS];
        for (int i = 0; i < PARKERS; i++) {
            int number = i;
            parkers[i] = new Thread(() -> parks[number] = park(end), "parker-" + (i + 1));
            parkers[i].start();
        }
        Thread collector = new Thread(() -> collect(end), "collector");
        collector.start();
        while (System.nanoTime() < end) {
            for (Thread parker : parkers) {
                field.setVolatile(parker, null);
            }
            for (int i = 0; i < 300; i++) {
                Thread.onSpinWait();
            }
        }
        long sum = 0;
        for (int i = 0; i < PARKERS; i++) {
            parkers[i].join();
            sum += parks[i];
        }
        collector.join();
        System.out.println("parks " + sum);
    }

    static long park(long end) {
        Thread me = Thread.currentThread();
        long parks = 0;
        while (System.nanoTime() < end) {
            LockSupport.setCurrentBlocker(new Blocker());
            for (int i = 0; i < PARKS; i++) {
                LockSupport.unpark(me);
                LockSupport.park();
            }
            parks += PARKS;
        }
        return parks;
    }

    static void collect(long end) {
        while (System.nanoTime() < end) {
            for (int i = 0; i < 2000; i++) {
                garbage = new byte[2000];
            }
        }
    }

    static final class Blocker extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;
    }

    static volatile byte[] garbage;
}

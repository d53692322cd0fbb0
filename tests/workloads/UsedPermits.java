import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * The virtual thread `sleeper` parks on a Cot, and prints `ready`. Once the file that is the argument is
 * there, the thread `first` unparks it; it parks on a Bed, and the thread `second` unparks it there.
 */
class UsedPermits {
    static class Cot {
    }

    static class Bed {
    }

    static final Cot COT = new Cot();
    static final Bed BED = new Bed();

    public static void main(String[] arguments) throws Exception {
        Thread sleeper = Virtual.start("sleeper", () -> {
            LockSupport.park(COT);
            LockSupport.park(BED);
        });
        awaitParked(sleeper, COT);
        System.out.println("ready");
        while (!new File(arguments[0]).exists()) {
            Thread.sleep(10);
        }
        unpark("first", sleeper);
        awaitParked(sleeper, BED);
        unpark("second", sleeper);
        while (sleeper.isAlive()) {
            Thread.sleep(1); // no wait of ours
        }
    }

    static void awaitParked(Thread thread, Object blocker) throws Exception {
        while (LockSupport.getBlocker(thread) != blocker || thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
    }

    static void unpark(String name, Thread thread) throws Exception {
        Thread waker = new Thread(() -> LockSupport.unpark(thread), name);
        waker.start();
        waker.join();
    }
}

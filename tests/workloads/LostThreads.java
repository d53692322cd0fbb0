import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * As many virtual threads as the argument says park for ever, each on a Cot, and nothing refers to them: with
 * -Djdk.trackAllThreads=false they are collected. Prints `ready` when all have parked, and collects garbage
 * until it is killed.
 */
class LostThreads {
    static class Cot {
    }

    static final AtomicInteger parked = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        for (int i = 0; i < n; i++) {
            Virtual.start("", () -> {
                Object cot = new Cot();
                parked.incrementAndGet();
                LockSupport.park(cot);
            });
        }
        while (parked.get() < n) {
            Thread.sleep(10);
        }
        Thread.sleep(200);
        System.out.println("ready");
        while (true) {
            System.gc();
            Thread.sleep(200);
        }
    }
}

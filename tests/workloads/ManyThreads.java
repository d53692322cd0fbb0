import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Many threads that park at random. Arguments: threads (2000), seconds (0 = until killed), pause between
 * two parks at most in ms (100; 0: each thread parks once and stays). Prints `ready` when all live and at
 * the end `parks N`, how often park was called.
 */
class ManyThreads {
    static final AtomicLong PARKS = new AtomicLong();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2000;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        int pause = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 100;
        Thread[] parkers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            parkers[i] = new Thread(null, () -> work(pause), "parker-" + (i + 1), 256 << 10);
            parkers[i].start();
        }
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Thread.sleep(seconds * 1000);
        stopped = true;
        for (Thread parker : parkers) {
            LockSupport.unpark(parker);
        }
        for (Thread parker : parkers) {
            parker.join();
        }
        System.out.println("parks " + PARKS.get());
    }

    static void work(int pause) {
        Object blocker = new Parker();
        while (!stopped) {
            PARKS.incrementAndGet();
            if (pause == 0) {
                LockSupport.park(blocker);
            } else {
                LockSupport.parkNanos(blocker, 1 + ThreadLocalRandom.current().nextLong(pause * 1_000_000L));
            }
        }
    }

    static class Parker {
    }
}

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Impatient threads give up after 10 ms; giving up, a thread that never owned the lock wakes the next
 * one. Arguments: seconds (0 = until killed). Prints `timed out N`.
 */
class TimedTryLock {
    static final ReentrantLock LOCK = new ReentrantLock();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        int[] timedOut = new int[3];
        Thread[] threads = new Thread[timedOut.length + 1];
        threads[0] = new Thread(TimedTryLock::own, "owner-1");
        for (int i = 0; i < timedOut.length; i++) {
            int me = i;
            threads[i + 1] = new Thread(() -> timedOut[me] = hurry(), "hurried-" + (i + 1));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            TimeUnit.SECONDS.sleep(seconds);
            stopped = true;
        }
        int sum = 0;
        for (Thread thread : threads) {
            thread.join();
        }
        for (int count : timedOut) {
            sum += count;
        }
        System.out.println("timed out " + sum);
    }

    static void own() {
        while (!stopped) {
            LOCK.lock();
            try {
                Thread.sleep(30);
            } catch (InterruptedException exception) {
                return;
            } finally {
                LOCK.unlock();
            }
        }
    }

    static int hurry() {
        int timedOut = 0;
        while (!stopped) {
            try {
                if (LOCK.tryLock(10, TimeUnit.MILLISECONDS)) {
                    LOCK.unlock();
                } else {
                    timedOut++;
                }
            } catch (InterruptedException exception) {
                return timedOut;
            }
        }
        return timedOut;
    }
}

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * As many waits as a machine can make, of several kinds: some hundred thousand a second. For how long the
 * viewer takes with a recording that is not synthetic: its conditions are signalled, its locks handed over.
 * The argument is the number of seconds.
 */
public class ManyWaits {
    interface Step {
        void take() throws Exception;
    }

    /** Two threads that wake each other by turns. */
    static class Pair {
        volatile int next;
        final Thread[] threads = new Thread[2];

        void start(String name) {
            for (int i = 0; i < 2; i++) {
                int own = i;
                threads[i] = repeat(name + (i == 0 ? "-a" : "-b"), () -> exchange(own));
            }
            for (Thread thread : threads) thread.start();
        }

        void exchange(int own) {
            while (next != own) LockSupport.park(this);
            next = 1 - own;
            LockSupport.unpark(threads[1 - own]);
        }
    }

    static final ReentrantLock fair = new ReentrantLock(true);
    static long price;

    static Thread repeat(String name, Step step) {
        Thread thread = new Thread(() -> {
            try {
                while (true) step.take();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }, name);
        thread.setDaemon(true);
        return thread;
    }

    static void reprice() {
        fair.lock();
        try {
            for (int i = 0; i < 50; i++) price += i;
        } finally {
            fair.unlock();
        }
    }

    static void pass(String name, BlockingQueue<Integer> queue, int n) {
        for (int i = 0; i < n; i++) {
            repeat(name + "-giver-" + i, () -> queue.put(1)).start();
            repeat(name + "-taker-" + i, () -> queue.take()).start();
        }
    }

    static void speak(Object monitor, int[] next, int own) throws InterruptedException {
        synchronized (monitor) {
            while (next[0] != own) monitor.wait();
            next[0] = 1 - own;
            monitor.notifyAll();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 6; i++) new Pair().start("exchange-" + i);
        for (int i = 0; i < 4; i++) repeat("pricer-" + i, ManyWaits::reprice).start();
        pass("hand", new SynchronousQueue<>(), 2);
        pass("queue", new ArrayBlockingQueue<>(2), 1);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        repeat("asker", () -> pool.submit(() -> 1).get()).start();
        Object monitor = new Object();
        int[] next = {0};
        for (int i = 0; i < 2; i++) {
            int own = i;
            repeat("speaker-" + i, () -> speak(monitor, next, own)).start();
        }
        Thread.sleep(Long.parseLong(args[0]) * 1000);
        System.exit(0);
    }
}

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * N threads that want one lock and work inside and outside of it. Arguments: seconds to measure,
 * seconds to warm up (1), threads (8), spins of work outside of
 * the lock (500) and inside (500), whether the lock is `fair` (each of them then waits for its turn)
 * or not. Prints `pairs N wall_ns N cpu_ns N`; a pair is one lock and unlock.
 */
class ContendedLock {
    static ReentrantLock lock;
    static final AtomicLong DONE = new AtomicLong();
    static volatile boolean stopped;
    static long guarded;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = Long.parseLong(arguments[0]);
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        int threads = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 8;
        int spins = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 500;
        int inside = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 500;
        lock = new ReentrantLock(arguments.length > 5 && arguments[5].equals("fair"));
        for (int i = 0; i < threads; i++) {
            new Thread(() -> work(spins, inside), "worker-" + (i + 1)).start();
        }
        System.out.println("ready");
        Thread.sleep(warmUp * 1000);
        var system = (com.sun.management.OperatingSystemMXBean)
                ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long wall = System.nanoTime();
        long before = DONE.get();
        Thread.sleep(seconds * 1000);
        long done = DONE.get() - before;
        wall = System.nanoTime() - wall;
        cpu = system.getProcessCpuTime() - cpu;
        stopped = true;
        System.out.println("pairs " + done + " wall_ns " + wall + " cpu_ns " + cpu);
    }

    static void work(int spins, int inside) {
        while (!stopped) {
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            lock.lock();
            try {
                for (int i = 0; i < inside; i++) {
                    guarded += i;
                    Thread.onSpinWait();
                }
            } finally {
                lock.unlock();
            }
            DONE.incrementAndGet();
        }
    }
}

import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair lock held for 30 microseconds by many threads that want it all the time: each waits for all the
 * others though nobody holds it long. Arguments: ms (0 = until killed), threads (16).
 */
class Convoy {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static volatile boolean stopped;
    static long guarded;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Thread[] threads = new Thread[arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(millis > 0), "worker-" + (i + 1));
        }
        Witness.watch(millis, () -> stopped = true, threads);
    }

    static void work(boolean told) {
        while (!stopped) {
            long asked = Witness.now();
            LOCK.lock();
            try {
                long begin = Witness.now();
                guarded++;
                while (Witness.now() - begin < 30_000) {
                    Thread.onSpinWait();
                }
                if (told) {
                    Witness.held("lock", asked, begin, Witness.now());
                }
            } finally {
                LOCK.unlock();
            }
        }
    }
}

import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair lock held for microseconds by many threads that want it all the time: each waits for all the
 * others though nobody holds it long. Arguments: seconds (0 = until killed), threads (16).
 */
class Convoy {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static volatile boolean stopped;
    static long guarded;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16;
        for (int i = 0; i < threads; i++) {
            new Thread(Convoy::work, "worker-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            Thread.sleep(seconds * 1000);
            stopped = true;
        }
    }

    static void work() {
        while (!stopped) {
            LOCK.lock();
            try {
                guarded++;
            } finally {
                LOCK.unlock();
            }
        }
    }
}

import java.util.concurrent.Semaphore;

/**
 * Two permits for six threads: four want them for 1 ms, two give them back late, after 50 ms.
 * Arguments: ms (0 = until killed).
 */
class StarvedSemaphore {
    static final Semaphore PERMITS = new Semaphore(2);
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Thread[] threads = new Thread[6];
        for (int i = 0; i < 4; i++) {
            threads[i] = new Thread(StarvedSemaphore::quick, "quick-" + (i + 1));
        }
        for (int i = 0; i < 2; i++) {
            threads[4 + i] = new Thread(StarvedSemaphore::late, "late-" + (i + 1));
        }
        Witness.watch(millis, () -> stopped = true, threads);
    }

    static void quick() {
        while (!stopped) {
            use(1);
        }
    }

    static void late() {
        while (!stopped) {
            use(50);
        }
    }

    static void use(long millis) {
        long asked = Witness.now();
        PERMITS.acquireUninterruptibly();
        long had = Witness.now();
        Witness.wanted("permit", asked, had);
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            long giving = Witness.now();
            PERMITS.release();
            Witness.kept("permit", had, giving);
        }
    }
}

import java.util.concurrent.Semaphore;

/**
 * Two permits for six threads: four want them for 1 ms, two give them back late, after 50 ms.
 * Arguments: seconds (0 = until killed).
 */
class StarvedSemaphore {
    static final Semaphore PERMITS = new Semaphore(2);
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        for (int i = 0; i < 4; i++) {
            new Thread(StarvedSemaphore::quick, "quick-" + (i + 1)).start();
        }
        for (int i = 0; i < 2; i++) {
            new Thread(StarvedSemaphore::late, "late-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            Thread.sleep(seconds * 1000);
            stopped = true;
        }
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
        PERMITS.acquireUninterruptibly();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            PERMITS.release();
        }
    }
}

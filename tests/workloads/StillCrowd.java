import java.util.concurrent.CountDownLatch;

/**
 * As many threads as the first argument says sleep: in nothing that is recorded, and blocked inside the
 * JVM. Prints `ready` when all do, and stays until killed.
 */
class StillCrowd {
    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        CountDownLatch begun = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            Thread thread = new Thread(null, () -> sleep(begun), "still-" + i, 64 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        begun.await();
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void sleep(CountDownLatch begun) {
        begun.countDown();
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}

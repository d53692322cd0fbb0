import java.util.concurrent.ThreadLocalRandom;

/**
 * Native threads that attach to the JVM and leave it again, over and over, and now and then enter a
 * monitor in between, while Java threads contend for the same monitors, some of them fresh. Arguments:
 * the library, seconds. Prints `entered N by natives`, then ends.
 */
class NativeThreads {
    static final int LOCKS = 4, CONTENDERS = 4, NATIVES = 3;
    static final Object[] locks = new Object[LOCKS];
    static volatile boolean over;

    /** Attaches, enters and detaches until the time is up; how often it entered. */
    static native long comeAndGo(Object[] locks, int threads, long millis);

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        long millis = (long) (Double.parseDouble(arguments[1]) * 1000);
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
        Thread[] contenders = new Thread[CONTENDERS];
        for (int i = 0; i < CONTENDERS; i++) {
            contenders[i] = new Thread(NativeThreads::contend, "contender-" + i);
            contenders[i].start();
        }
        System.out.println("ready");
        long entered = comeAndGo(locks, NATIVES, millis);
        over = true;
        for (Thread contender : contenders) {
            contender.join();
        }
        System.out.println("entered " + entered + " by natives");
    }

    static void contend() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (!over) {
            int at = random.nextInt(LOCKS + 1);
            synchronized (at == LOCKS ? NativeThreads.class : locks[at]) {
                hold(random.nextInt(20) == 0);
            }
            // one that was never contended before
            Object fresh = new Object();
            if (at < LOCKS && random.nextInt(50) == 0) {
                locks[at] = fresh;
            }
        }
    }

    static void hold(boolean sleeps) {
        if (sleeps) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
            return;
        }
        long until = System.nanoTime() + 30_000;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }
}

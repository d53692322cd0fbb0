import java.util.concurrent.locks.LockSupport;

/**
 * As many pairs of threads as the first argument says wake each other without a pause, which takes all
 * processors, until the program ends, after as many milliseconds as the second one says.
 */
class Overload {
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Thread[] pair = new Thread[2];
            for (int k = 0; k < 2; k++) {
                int other = 1 - k;
                pair[k] = new Thread(() -> handOver(pair, other), "hand-" + i + "-" + k);
                pair[k].setDaemon(true);
            }
            pair[0].start();
            pair[1].start();
        }
        Thread.sleep(Long.parseLong(arguments[1]));
    }

    static void handOver(Thread[] pair, int other) {
        while (true) {
            LockSupport.unpark(pair[other]);
            LockSupport.park(pair);
        }
    }
}

import java.util.concurrent.locks.LockSupport;

/**
 * Parks that are counted by the program itself, in stretches of a tenth of a second: after each it
 * prints `stretch NUMBER PARKS TIME_NS`, PARKS so far in all and the clock's reading after the last of
 * them (CLOCK_MONOTONIC, as System.nanoTime is on Linux). What a recording holds of a killed JVM can be
 * compared with it. Arguments: stretches (0 = until killed), parks a stretch (50).
 */
class Stretches {
    public static void main(String[] arguments) throws InterruptedException {
        long stretches = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        int parks = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
        System.out.println("ready");
        Object blocker = new Stretch();
        long done = 0;
        for (long i = 1; stretches == 0 || i <= stretches; i++) {
            for (int j = 0; j < parks; j++) {
                LockSupport.parkNanos(blocker, 1_000_000);
                done++;
            }
            System.out.println("stretch " + i + " " + done + " " + System.nanoTime());
            Thread.sleep(50);
        }
    }

    static class Stretch {
    }
}

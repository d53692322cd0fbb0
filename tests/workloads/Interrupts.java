import java.util.concurrent.locks.LockSupport;

/** Parks that end by an interrupt, which sends no unpark. Arguments: parks (0 = until killed). */
class Interrupts {
    public static void main(String[] arguments) throws InterruptedException {
        long parks = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Thread sleeper = new Thread(() -> rest(parks), "sleeper-1");
        sleeper.start();
        System.out.println("ready");
        while (sleeper.isAlive()) {
            Thread.sleep(5);
            sleeper.interrupt();
        }
    }

    static void rest(long parks) {
        Object blocker = new Rest();
        for (long i = 0; parks == 0 || i < parks; i++) {
            while (!Thread.interrupted()) {
                LockSupport.park(blocker);
            }
        }
    }

    static class Rest {
    }
}

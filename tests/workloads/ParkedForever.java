import java.util.concurrent.locks.LockSupport;

/** Threads parked for ever on one object; argument: how many (1). */
class ParkedForever {
    static final Object BLOCKER = new ParkedForever();

    public static void main(String[] arguments) {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        for (int i = 0; i < threads; i++) {
            new Thread(ParkedForever::standStill, "still-" + (i + 1)).start();
        }
        System.out.println("ready");
    }

    static void standStill() {
        while (true) {
            LockSupport.park(BLOCKER);
        }
    }
}

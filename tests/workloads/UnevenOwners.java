import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock, three owners that hold it for 70, 20 and 10 parts of a hundred, each from a method of its own,
 * while one thread waits for it again and again: its waiting is theirs as they held. Arguments: ms (0 =
 * until killed), then the lock: "fair", "unfair" or "monitor".
 */
class UnevenOwners {
    static final ReentrantLock FAIR = new ReentrantLock(true);
    static final ReentrantLock UNFAIR = new ReentrantLock();
    static final Object MONITOR = new Object();
    static ReentrantLock lock;
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        String kind = arguments.length > 1 ? arguments[1] : "fair";
        lock = kind.equals("fair") ? FAIR : kind.equals("unfair") ? UNFAIR : null;
        Witness.watch(millis, () -> stopped = true,
            new Thread(UnevenOwners::most, "most-1"), new Thread(UnevenOwners::some, "some-1"),
            new Thread(UnevenOwners::little, "little-1"), new Thread(UnevenOwners::want, "waiter-1"));
    }

    static void most() {
        while (!stopped) {
            hold(28);
        }
    }

    static void some() {
        while (!stopped) {
            hold(8);
        }
    }

    static void little() {
        while (!stopped) {
            hold(4);
        }
    }

    static void want() {
        while (!stopped) {
            hold(0);
        }
    }

    static void hold(long millis) {
        long asked = Witness.now();
        if (lock == null) {
            synchronized (MONITOR) {
                rest(asked, millis);
            }
        } else {
            lock.lock();
            try {
                rest(asked, millis);
            } finally {
                lock.unlock();
            }
        }
        pause(lock == FAIR ? 0 : 1);
    }

    static void rest(long asked, long millis) {
        long begin = Witness.now();
        pause(millis);
        Witness.held("lock", asked, begin, Witness.now());
    }

    static void pause(long millis) {
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

import java.util.concurrent.locks.ReentrantLock;

/**
 * A chain of locks A, B, C: who wants the outer one waits for a thread that holds it and itself waits for
 * the middle one, whose owner waits for the inner one, which one thread holds for 20 ms at a time. All are
 * fair, so that nobody takes what he just gave back while others wait.
 * Argument: ms (0 = until killed).
 */
class NestedLocks {
    static final ReentrantLock OUTER = new ReentrantLock(true);
    static final ReentrantLock MIDDLE = new ReentrantLock(true);
    static final ReentrantLock INNER = new ReentrantLock(true);
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Witness.watch(millis, () -> stopped = true,
            new Thread(NestedLocks::root, "root-1"), new Thread(NestedLocks::second, "second-1"),
            new Thread(NestedLocks::first, "first-1"), new Thread(NestedLocks::leaf, "leaf-1"),
            new Thread(NestedLocks::leaf, "leaf-2"));
    }

    static void root() {
        while (!stopped) {
            within(INNER, "inner", () -> rest(20));
        }
    }

    static void second() {
        while (!stopped) {
            within(MIDDLE, "middle", () -> within(INNER, "inner", () -> rest(1)));
        }
    }

    static void first() {
        while (!stopped) {
            within(OUTER, "outer", () -> within(MIDDLE, "middle", () -> rest(1)));
        }
    }

    static void leaf() {
        while (!stopped) {
            within(OUTER, "outer", () -> rest(1));
        }
    }

    static void within(ReentrantLock lock, String name, Runnable body) {
        long asked = Witness.now();
        lock.lock();
        try {
            long begin = Witness.now();
            body.run();
            Witness.held(name, asked, begin, Witness.now());
        } finally {
            lock.unlock();
        }
    }

    static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

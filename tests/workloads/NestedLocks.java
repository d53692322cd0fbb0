import java.util.concurrent.locks.ReentrantLock;

/**
 * A chain of locks: who wants the outer one waits for a thread that holds it and itself waits for the
 * inner one, which a third thread holds for 40 ms at a time. Arguments: seconds (0 = until killed).
 */
class NestedLocks {
    static final ReentrantLock OUTER = new ReentrantLock();
    static final ReentrantLock INNER = new ReentrantLock();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        new Thread(NestedLocks::root, "root-1").start();
        new Thread(NestedLocks::middle, "middle-1").start();
        for (int i = 0; i < 4; i++) {
            new Thread(NestedLocks::leaf, "leaf-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            Thread.sleep(seconds * 1000);
            stopped = true;
        }
    }

    static void root() {
        while (!stopped) {
            INNER.lock();
            try {
                Thread.sleep(40);
            } catch (InterruptedException exception) {
                return;
            } finally {
                INNER.unlock();
            }
            Thread.yield();
        }
    }

    static void middle() {
        while (!stopped) {
            OUTER.lock();
            try {
                INNER.lock();
                INNER.unlock();
            } finally {
                OUTER.unlock();
            }
        }
    }

    static void leaf() {
        while (!stopped) {
            OUTER.lock();
            OUTER.unlock();
        }
    }
}

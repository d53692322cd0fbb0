import java.util.concurrent.locks.LockSupport;

/**
 * "stopper" holds the feed and waits for the end of "reader", who wants the feed. "waiter" waits with a
 * timeout of three hundred years. main waits for its own end, which is no deadlock. "ready" once all wait.
 */
final class JoinDeadlock {
    private static final Object FEED = new Object();

    private static Thread start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(Thread thread, Thread.State state) {
        while (thread.getState() != state)
            Thread.onSpinWait();
    }

    private static void stop(Thread reader) {
        synchronized (FEED) {
            try {
                await(reader, Thread.State.BLOCKED);
                reader.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void read() {
        while (!Thread.interrupted())
            synchronized (FEED) {
                Thread.onSpinWait();
            }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread reader = start("reader", JoinDeadlock::read);
        Thread stopper = start("stopper", () -> stop(reader));
        Thread waiter = start("waiter", () -> LockSupport.parkNanos(FEED, Long.MAX_VALUE));
        await(stopper, Thread.State.WAITING);
        await(waiter, Thread.State.TIMED_WAITING);
        System.out.println("ready");
        Thread.currentThread().join();
    }
}

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A listener waits for a condition. The signaller lets it wait for 15 ms, takes the lock, signals, and
 * keeps the lock for 10 ms; meanwhile a passer-by has queued for the lock to hold it for 3 ms, before the
 * signal or, every second time, after it. Arguments: ms (0 = until killed), then "lock" or "monitor".
 */
class SlowSignaller {
    static final Door LOCK = new LockDoor();
    static final Door MONITOR = new MonitorDoor();
    static Door door;
    static volatile boolean stopped;
    static int letters;
    static int round;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        door = arguments.length > 1 && arguments[1].equals("monitor") ? MONITOR : LOCK;
        Witness.watch(millis, () -> stopped = true,
            new Thread(() -> repeat(SlowSignaller::listen), "listener-1"),
            new Thread(() -> repeat(SlowSignaller::signal), "signaller-1"));
    }

    static void repeat(Runnable action) {
        while (!stopped) {
            action.run();
        }
        door.within(door::signal);
    }

    static void listen() {
        door.within(() -> {
            long asked = Witness.now();
            while (letters == 0 && !stopped) {
                door.await();
            }
            letters = 0;
            Witness.wanted("news", asked, Witness.now());
        });
    }

    static void signal() {
        rest(15);
        boolean before = round++ % 2 == 0;
        Thread passer = new Thread(SlowSignaller::pass, before ? "passer-before" : "passer-after");
        door.within(() -> {
            long begin = Witness.now();
            if (before) {
                queue(passer);
            }
            long signalling = Witness.now();
            letters++;
            door.signal();
            Witness.gave("news", signalling, Witness.now());
            if (!before) {
                queue(passer);
            }
            rest(10);
            Witness.held("news", begin, begin, Witness.now());
        });
        join(passer);
    }

    static void queue(Thread passer) {
        passer.start();
        while (passer.getState() != Thread.State.WAITING && passer.getState() != Thread.State.BLOCKED) {
            rest(1);
        }
    }

    static void pass() {
        door.within(() -> {
            long begin = Witness.now();
            rest(3);
            Witness.held("news", begin, begin, Witness.now());
        });
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    interface Door {
        void within(Runnable action);

        void await();

        void signal();
    }

    static class LockDoor implements Door {
        final ReentrantLock lock = new ReentrantLock();
        final Condition news = lock.newCondition();

        @Override
        public void within(Runnable action) {
            lock.lock();
            try {
                action.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void await() {
            news.awaitUninterruptibly();
        }

        @Override
        public void signal() {
            news.signal();
        }
    }

    static class MonitorDoor implements Door {
        @Override
        public void within(Runnable action) {
            synchronized (this) {
                action.run();
            }
        }

        @Override
        public void await() {
            try {
                wait();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void signal() {
            notify();
        }
    }
}

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls of Object.wait that throw at once: not the owner, a negative time, too many nanoseconds,
 * interrupted before; between them waits, parks and entries that are counted. Four threads do ROUNDS
 * (argument) rounds of each and then stay parked; a fifth throws as the last thing that it does, a
 * sixth throws and then runs on without ever waiting. Prints `parks N waits N interrupted N`, then
 * `ready`, and stays until killed.
 */
class ThrownWaits {
    static final Object mine = new Object();
    static final AtomicInteger parks = new AtomicInteger();
    static final AtomicInteger over = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Thread[] throwers = new Thread[4];
        for (int i = 0; i < throwers.length; i++) {
            throwers[i] = new Thread(() -> {
                go(rounds);
                over.incrementAndGet();
                while (true) {
                    parks.incrementAndGet(); // an interrupt leaves a permit, so one may be in vain
                    LockSupport.park(ThrownWaits.class);
                }
            }, "thrower-" + i);
            throwers[i].setDaemon(true);
            throwers[i].start();
        }
        Thread last = new Thread(ThrownWaits::throwNotOwner, "last-word");
        last.start();
        last.join();
        Thread runner = new Thread(() -> {
            throwNotOwner();
            for (long i = 0;; i++) {
                spun = i;
            }
        }, "runner");
        runner.setDaemon(true);
        runner.start();
        for (Thread thrower : throwers) {
            while (over.get() < throwers.length || thrower.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        Thread.sleep(200); // all of them are at their last park
        int n = throwers.length * rounds;
        System.out.println("parks " + parks + " waits " + n + " interrupted " + n);
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static volatile long spun;

    static void go(int rounds) {
        Object lock = new Object();
        for (int i = 0; i < rounds; i++) {
            throwNotOwner();
            parks.incrementAndGet();
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park(mine);
            throwNegative(lock);
            await(lock);
            throwNanos(lock);
            throwInterrupted(lock);
        }
    }

    static void throwNotOwner() {
        try {
            mine.wait();
        } catch (IllegalMonitorStateException exception) {
            return;
        } catch (InterruptedException exception) {
            throw new AssertionError(exception);
        }
        throw new AssertionError("the wait did not throw");
    }

    static void throwNegative(Object lock) {
        synchronized (lock) {
            try {
                lock.wait(-1);
            } catch (IllegalArgumentException exception) {
                return;
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
        }
        throw new AssertionError("the wait did not throw");
    }

    static void throwNanos(Object lock) {
        synchronized (lock) {
            try {
                lock.wait(0, 1_000_000);
            } catch (IllegalArgumentException exception) {
                return;
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
        }
        throw new AssertionError("the wait did not throw");
    }

    static void throwInterrupted(Object lock) {
        Thread.currentThread().interrupt();
        synchronized (lock) {
            try {
                lock.wait();
            } catch (InterruptedException exception) {
                return;
            }
        }
        throw new AssertionError("the wait did not throw");
    }

    static void await(Object lock) {
        synchronized (lock) {
            try {
                lock.wait(1);
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
        }
    }
}

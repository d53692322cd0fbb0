import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends of Object.wait, each of a known kind, 10 times each, by threads named for it: `notified` within a
 * timeout, `late`, notified in time but let in after its deadline, `timed` out while another that waits
 * there is notified, `interrupted` while it waits, `flagged`, interrupted before it does, `joined` a
 * thread that ends; `throws` waits without the monitor and for a negative time; `twice` is notified by
 * two methods before it is let in. Prints `done`.
 */
class WaitEnds {
    static final int ROUNDS = 10;

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            notified(10_000, 0, "notified");
            notified(40, 80, "late");
            timed();
            interrupted();
            run("flagged", WaitEnds::flagged);
            joined();
            run("throws", WaitEnds::misuse);
            notifiedTwice();
        }
        System.out.println("done");
    }

    static void notified(long timeout, long held, String name) throws InterruptedException {
        Object mail = new Object();
        Thread waiter = new Thread(() -> await(mail, timeout), name);
        waiter.start();
        awaitWaiting(waiter);
        synchronized (mail) {
            mail.notify();
            pause(held);
        }
        waiter.join();
    }

    static void joined() throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        Thread ends = new Thread(() -> {
            while (!ended.get()) {
                pause(1);
            }
        }, "ends");
        ends.start();
        Thread joins = new Thread(() -> join(ends), "joined");
        joins.start();
        awaitWaiting(joins);
        ended.set(true);
        joins.join();
    }

    static void notifiedTwice() throws InterruptedException {
        Object mail = new Object();
        Thread waiter = new Thread(() -> await(mail, 10_000), "twice");
        waiter.start();
        awaitWaiting(waiter);
        synchronized (mail) {
            first(mail);
            second(mail);
        }
        waiter.join();
    }

    static void first(Object mail) {
        mail.notifyAll();
    }

    static void second(Object mail) {
        mail.notifyAll();
    }

    static void timed() throws InterruptedException {
        Object mail = new Object();
        Thread first = new Thread(() -> await(mail, 0), "notified");
        first.start();
        awaitWaiting(first);
        Thread second = new Thread(() -> await(mail, 30), "timed");
        second.start();
        awaitWaiting(second);
        synchronized (mail) {
            mail.notify(); // the first that came, as HotSpot does
        }
        first.join();
        second.join();
    }

    static void interrupted() throws InterruptedException {
        Object mail = new Object();
        Thread waiter = new Thread(() -> await(mail, 10_000), "interrupted");
        waiter.start();
        awaitWaiting(waiter);
        waiter.interrupt();
        waiter.join();
    }

    static void flagged() {
        Thread.currentThread().interrupt();
        await(new Object(), 10_000);
    }

    static void join(Thread other) {
        try {
            other.join(10_000);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }

    static void misuse() {
        Object mail = new Object();
        try {
            mail.wait(1000);
            throw new IllegalStateException("waited for what it does not own");
        } catch (IllegalMonitorStateException | InterruptedException exception) {
            // as it should
        }
        synchronized (mail) {
            try {
                mail.wait(-1);
                throw new IllegalStateException("waited less than nothing");
            } catch (IllegalArgumentException | InterruptedException exception) {
                // as it should
            }
        }
    }

    static void await(Object mail, long timeout) {
        synchronized (mail) {
            try {
                mail.wait(timeout);
            } catch (InterruptedException exception) {
                // its end
            }
        }
    }

    static void run(String name, Runnable body) throws InterruptedException {
        Thread thread = new Thread(body, name);
        thread.start();
        thread.join();
    }

    static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING
                && thread.isAlive()) { // its time may be over already
            Thread.onSpinWait();
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}

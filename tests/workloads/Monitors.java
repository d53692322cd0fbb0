import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for monitors whose number is known. Argument: rounds (20), or "deadlock". Each round the holder
 * keeps a monitor until the entrant is blocked on it; a listener waits for a notify; a dozer waits for a
 * time-out. "deadlock": one thread owns a monitor and wants a ReentrantLock, the other the reverse.
 */
class Monitors {
    static final Object GATE = new Object();
    static final Object MAIL = new Object();
    static final Object NAP = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final CountDownLatch BOTH_HOLD_ONE = new CountDownLatch(2);
    static int letters;

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0 && arguments[0].equals("deadlock")) {
            new Thread(Monitors::monitorFirst, "monitor-first").start();
            new Thread(Monitors::lockFirst, "lock-first").start();
            BOTH_HOLD_ONE.await();
            System.out.println("ready");
            return;
        }
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        System.out.println("ready");
        for (int i = 0; i < rounds; i++) {
            contend(i);
            correspond(i);
        }
        Thread dozer = new Thread(() -> doze(rounds), "dozer");
        dozer.start();
        dozer.join();
        System.out.println("done");
    }

    static void contend(int round) throws InterruptedException {
        Thread entrant = new Thread(Monitors::enter, "entrant-" + round);
        Thread holder = new Thread(() -> hold(entrant), "holder-" + round);
        holder.start();
        holder.join();
        entrant.join();
    }

    static void hold(Thread entrant) {
        synchronized (GATE) {
            entrant.start();
            awaitState(entrant, Thread.State.BLOCKED);
        }
    }

    static void enter() {
        synchronized (GATE) {
            letters += 0;
        }
    }

    static void correspond(int round) throws InterruptedException {
        Thread listener = new Thread(Monitors::listen, "listener-" + round);
        Thread writer = new Thread(() -> write(listener), "writer-" + round);
        listener.start();
        writer.start();
        writer.join();
        listener.join();
    }

    static void listen() {
        synchronized (MAIL) {
            while (letters == 0) {
                try {
                    MAIL.wait();
                } catch (InterruptedException exception) {
                    return;
                }
            }
            letters--;
        }
    }

    static void write(Thread listener) {
        awaitState(listener, Thread.State.WAITING);
        synchronized (MAIL) {
            letters++;
            MAIL.notify();
        }
    }

    static void doze(int rounds) {
        synchronized (NAP) {
            for (int i = 0; i < rounds; i++) {
                try {
                    NAP.wait(2);
                } catch (InterruptedException exception) {
                    return;
                }
            }
        }
    }

    static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException exception) {
                return;
            }
        }
    }

    static void monitorFirst() {
        synchronized (GATE) {
            meet();
            LOCK.lock();
        }
    }

    static void lockFirst() {
        LOCK.lock();
        meet();
        synchronized (GATE) {
            LOCK.unlock();
        }
    }

    static void meet() {
        try {
            BOTH_HOLD_ONE.countDown();
            BOTH_HOLD_ONE.await();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

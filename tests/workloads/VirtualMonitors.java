import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * Virtual threads that stand at monitors, until a file is there: "sender" holds the outbox and waits at a
 * latch, while "adder" (a platform thread) and "poster" want the outbox; "taker" waits to be notified. For
 * ever, "left" (virtual) and "right" (a platform thread) each hold what the other one wants. Argument: the
 * file.
 */
class VirtualMonitors {
    static final Object outbox = new Object(), mail = new Object(), ledger = new Object(), journal = new Object();
    static final CountDownLatch sent = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        Thread[] threads = {
            Virtual.start("sender", VirtualMonitors::send),
            Virtual.start("taker", VirtualMonitors::take),
            new Thread(VirtualMonitors::add, "adder"),
            Virtual.unstarted("poster", VirtualMonitors::add),
        };
        Virtual.start("left", () -> book(ledger, journal, both));
        Thread right = new Thread(() -> book(journal, ledger, both), "right");
        right.setDaemon(true);
        right.start();
        Thread.sleep(300);
        threads[2].start();
        threads[3].start();
        Thread.sleep(300);
        System.out.println("ready");
        while (!new File(arguments[0]).exists()) {
            Thread.sleep(10);
        }
        sent.countDown();
        synchronized (mail) {
            mail.notify();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("released");
        Thread.sleep(60_000);
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void send() {
        synchronized (outbox) {
            await(sent);
        }
    }

    static void add() {
        synchronized (outbox) {
        }
    }

    static void take() {
        synchronized (mail) {
            try {
                mail.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void book(Object first, Object second, CountDownLatch both) {
        synchronized (first) {
            both.countDown();
            await(both);
            synchronized (second) {
            }
        }
    }
}

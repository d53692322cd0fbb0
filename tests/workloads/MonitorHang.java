/* Threads that wait for monitors before anybody looks: two that hold what the other enters, two that
 * do so with a monitor and a ReentrantLock, one in Object.wait, which is notified once a
 * file exists (argument), and one that waits with a time-out. */
import java.io.File;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

public class MonitorHang {
    private static final Object ledger = new Object(), journal = new Object(), cache = new Object();
    private static final Object bell = new Object();
    private static final ReentrantLock region = new ReentrantLock();
    private static final CountDownLatch held = new CountDownLatch(4);

    private static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void meet() {
        held.countDown();
        try {
            held.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void both(Object first, Object second) {
        synchronized (first) {
            meet();
            synchronized (second) {
                System.out.println("no deadlock");
            }
        }
    }

    private static void evict() {
        region.lock();
        meet();
        synchronized (cache) {
            System.out.println("no deadlock");
        }
    }

    private static void refresh() {
        synchronized (cache) {
            meet();
            region.lock();
        }
    }

    private static void listen(long timeOut) {
        synchronized (bell) {
            try {
                bell.wait(timeOut);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state)
            Thread.sleep(5);
    }

    public static void main(String[] arguments) throws Exception {
        Thread listener = start("listener", () -> listen(0));
        Thread patient = start("patient", () -> listen(3600000));
        awaitState(listener, Thread.State.WAITING);
        awaitState(patient, Thread.State.TIMED_WAITING);
        awaitState(start("booker", () -> both(ledger, journal)), Thread.State.WAITING);
        awaitState(start("auditor", () -> both(journal, ledger)), Thread.State.WAITING);
        Thread evictor = start("evictor", MonitorHang::evict);
        Thread refresher = start("refresher", MonitorHang::refresh);
        awaitState(evictor, Thread.State.BLOCKED);
        held.await();
        awaitState(refresher, Thread.State.WAITING);
        Thread.sleep(500);
        System.out.println("ready");
        while (!new File(arguments[0]).exists())
            Thread.sleep(100);
        synchronized (bell) {
            bell.notifyAll();
        }
        System.out.println("rung");
        Thread.sleep(3600000);
    }
}

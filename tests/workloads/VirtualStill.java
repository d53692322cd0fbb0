import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that wait before anybody looks, until a file is there: one that holds a lock and waits at a
 * latch, some that want the lock, some of two executors at the latch, and some that sleep, which is no wait.
 * Arguments: how many of each, the file.
 */
class VirtualStill {
    static final ReentrantLock lock = new ReentrantLock();
    static final CountDownLatch latch = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        List<Thread> threads = new ArrayList<>();
        threads.add(Virtual.start("keeper", VirtualStill::keep));
        while (!lock.isLocked()) {
            Thread.sleep(1);
        }
        for (int i = 0; i < n; i++) {
            threads.add(Virtual.start("wants-" + i, VirtualStill::want));
            Virtual.start("asleep-" + i, VirtualStill::sleep);
        }
        ExecutorService each = (ExecutorService) Executors.class.getMethod(
                "newVirtualThreadPerTaskExecutor").invoke(null);
        ExecutorService pool = Executors.newFixedThreadPool(n, VirtualStill::pooled);
        for (int i = 0; i < n; i++) {
            each.execute(VirtualStill::await);
            pool.execute(VirtualStill::await);
        }
        Thread.sleep(300);
        System.out.println("ready");
        while (!new File(arguments[1]).exists()) {
            Thread.sleep(10);
        }
        latch.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("released");
        Thread.sleep(60_000);
    }

    static Thread pooled(Runnable task) {
        return Virtual.unstarted("pooled", task);
    }

    static void keep() {
        lock.lock();
        try {
            await();
        } finally {
            lock.unlock();
        }
    }

    static void want() {
        lock.lock();
        lock.unlock();
    }

    static void await() {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void sleep() {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

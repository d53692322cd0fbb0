import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Eight virtual threads, the clients, each woken by `main` every 5 ms. Meanwhile, by the first argument,
 * nothing else runs (`idle`), four virtual threads compute for 20 ms at a time (`busy`), or a virtual
 * thread waits for most of the time in a class initialiser, and so keeps its carrier (`pinned`, or a
 * hundred frames above it, `deep`; of one carrier, by -Djdk.virtualThreadScheduler.parallelism=1). Second argument: seconds.
 *
 * `owner`, `monitor`: nothing of that, but see there.
 *
 * `handed`, of one carrier: two virtual threads wait for a lock of `main`, the second in a class
 * initialiser. Then `main` gives the lock back, which wakes the first; no carrier is left to run it.
 */
class BusyCarriers {
    static volatile boolean stopped;
    static volatile long sum;

    public static void main(String[] arguments) throws Exception {
        String mode = arguments[0];
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[1]));
        if (mode.equals("handed")) {
            hand();
            System.out.println("ready");
            Thread.sleep(TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
            return;
        }
        if (mode.equals("owner")) {
            own(end);
            return;
        }
        if (mode.equals("monitor")) {
            share(end);
            return;
        }
        Thread[] clients = new Thread[8];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = Virtual.start("client-" + i, BusyCarriers::serve);
        }
        for (int i = 0; i < 4 && mode.equals("busy"); i++) {
            Virtual.start("computer-" + i, BusyCarriers::compute);
        }
        if (mode.equals("pinned")) {
            Virtual.start("pinner", Slow::touch);
        }
        if (mode.equals("deep")) {
            Virtual.start("pinner", Deep::touch);
        }
        while (System.nanoTime() < end) {
            for (Thread client : clients) {
                LockSupport.unpark(client);
            }
            Thread.sleep(5);
        }
        Pins.LATCH.countDown();
        stopped = true;
        for (Thread client : clients) {
            LockSupport.unpark(client);
            client.join();
        }
    }

    static void audit() {
        long until = System.nanoTime() + 50_000_000;
        while (System.nanoTime() < until) {
            sum++;
        }
    }

    /* A virtual thread computes most of the time while it owns a lock that `main` wants. */
    static void own(long end) {
        Virtual.start("owner", () -> {
            while (!stopped) {
                Keeper.LOCK.lock();
                audit();
                Keeper.LOCK.unlock();
                Thread.yield();
            }
        });
        while (System.nanoTime() < end) {
            Keeper.LOCK.lock();
            Keeper.LOCK.unlock();
        }
        stopped = true;
    }

    static synchronized void render() throws InterruptedException {
        Thread.sleep(8);
    }

    static synchronized void peek() throws InterruptedException {
        Thread.sleep(1);
    }

    /* Eight virtual threads that sleep while they hold a monitor: a third of the times, but four
     * fifths of the time in `render`, else in `peek`. */
    static void share(long end) throws InterruptedException {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Virtual.start("sharer-" + i, () -> {
                try {
                    for (int n = 0; System.nanoTime() < end; n++) {
                        if (n % 3 == 0) {
                            render();
                        } else {
                            peek();
                        }
                        Thread.sleep(n % 7);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void hand() throws InterruptedException {
        Keeper.LOCK.lock();
        Thread successor = Virtual.start("successor", Keeper.LOCK::lock);
        while (!Keeper.LOCK.hasQueuedThread(successor)) {
            Thread.sleep(1);
        }
        Virtual.start("keeper", Keeper.Locked::touch);
        while (Keeper.LOCK.getQueueLength() < 2) {
            Thread.sleep(1);
        }
        Thread.sleep(50); /* both are parked */
        Keeper.LOCK.unlock();
    }

    static void serve() {
        while (!stopped) {
            LockSupport.park(BusyCarriers.class);
        }
    }

    static void compute() {
        while (!stopped) {
            long until = System.nanoTime() + 20_000_000;
            while (System.nanoTime() < until) {
                sum++;
            }
            LockSupport.parkNanos(1); /* a yield may put it before clients that have long been woken */
        }
    }

    static class Keeper {
        static final ReentrantLock LOCK = new ReentrantLock();

        static class Locked {
            static {
                LOCK.lock();
            }

            static void touch() {
            }
        }
    }

    static class Pins {
        static final CountDownLatch LATCH = new CountDownLatch(1);

        static int await(int frames) throws InterruptedException {
            if (frames > 0) {
                return await(frames - 1) + 1;
            }
            LATCH.await();
            return 0;
        }
    }

    static class Deep {
        static {
            try {
                Pins.await(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        static void touch() {
        }
    }

    static class Slow {
        static {
            try {
                Pins.LATCH.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        static void touch() {
        }
    }
}

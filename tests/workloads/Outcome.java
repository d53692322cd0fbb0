import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * A short program with a known outcome: lines on stdout and on stderr, and exit status 3. It waits in
 * several ways, so a recorder that changes what a program does or prints is seen. With "alone" first, it
 * ends once it has no other thread left, as Thread.activeCount tells.
 */
class Outcome {
    public static void main(String[] arguments) throws Exception {
        System.out.println("out: begin " + arguments.length);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        CyclicBarrier barrier = new CyclicBarrier(4);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            futures.add(pool.submit(() -> {
                for (int round = 0; round < 50; round++) {
                    barrier.await();
                }
                return number;
            }));
        }
        int sum = 0;
        for (Future<Integer> future : futures) {
            sum += future.get();
        }
        sum += CompletableFuture.supplyAsync(() -> 36, pool).join();
        Thread.currentThread().interrupt();
        LockSupport.park();
        System.err.println("err: interrupted " + Thread.interrupted());
        LockSupport.parkNanos(1_000_000);
        try {
            throw new IllegalStateException("expected");
        } catch (IllegalStateException exception) {
            System.err.println("err: " + exception.getMessage());
        }
        pool.shutdown();
        if (arguments.length > 0 && arguments[0].equals("alone")) {
            contend();
            long until = System.nanoTime() + 5_000_000_000L;
            while (Thread.activeCount() > 1 && System.nanoTime() < until) {
                Thread.sleep(1);
            }
            System.out.println("out: threads " + Thread.activeCount());
        }
        System.out.println("out: sum " + sum);
        System.exit(3);
    }

    /** Long enough for who holds the monitor to be looked at. */
    private static void contend() throws InterruptedException {
        Thread other;
        synchronized (Outcome.class) {
            other = new Thread(() -> {
                synchronized (Outcome.class) {
                    Thread.yield();
                }
            });
            other.start();
            Thread.sleep(300);
        }
        other.join();
    }
}

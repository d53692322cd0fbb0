import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A small service with nothing wrong: a pool with more threads than work, a queue with a consumer, a timer,
 * a lock and a monitor held for an instant, and a main thread that waits for the end. Argument: ms (0 =
 * until killed).
 */
class Healthy {
    static final ReentrantLock LOCK = new ReentrantLock();
    static final BlockingQueue<Integer> ORDERS = new ArrayBlockingQueue<>(100);
    static int sold;
    static int booked;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        Thread consumer = new Thread(Healthy::book, "consumer-1");
        consumer.start();
        timer.scheduleAtFixedRate(() -> serve(pool), 10, 10, TimeUnit.MILLISECONDS);
        if (millis > 0) {
            timer.schedule(end::countDown, millis, TimeUnit.MILLISECONDS);
        }
        System.out.println("ready");
        end.await();
        timer.shutdownNow();
        timer.awaitTermination(1, TimeUnit.MINUTES);
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        ORDERS.put(-1);
        consumer.join();
    }

    static void serve(ExecutorService pool) {
        for (int i = 0; i < 4; i++) {
            CompletableFuture.supplyAsync(Healthy::sell, pool).thenAccept(ORDERS::offer);
        }
    }

    static int sell() {
        LOCK.lock();
        try {
            sold++;
        } finally {
            LOCK.unlock();
        }
        synchronized (Healthy.class) {
            return ++booked;
        }
    }

    static void book() {
        try {
            while (ORDERS.take() >= 0) {
                Thread.onSpinWait();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

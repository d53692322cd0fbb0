import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Forty couriers (virtual threads where the JDK has them) each wait at a box of their own, up to two seconds at a
 * time, for the next tour. A planner plans ten tours a second: it asks three maps by invokeAll and drops the tour into
 * one box. Couriers at the gate are let in six at a time. main awaits the end of the day.
 *
 * Problem: none; a map answers within 2 to 6 ms, a courier stays at the gate for 5 ms. Truth: healthy. Measured: how
 * many tours were made.
 */
final class CouriersBetweenToursHealthy {
    static final AtomicInteger TOURS = new AtomicInteger();

    record Courier(LinkedBlockingQueue<Integer> box, Semaphore gate) implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    Integer tour = box.poll(2, TimeUnit.SECONDS);
                    if (tour != null) {
                        gate.acquire();
                        Truth.sleep(0.005);
                        gate.release();
                        TOURS.incrementAndGet();
                    }
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static ExecutorService threads() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException exception) {
            return Executors.newCachedThreadPool(work -> Truth.daemon("map", work));
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Semaphore gate = new Semaphore(6);
        List<LinkedBlockingQueue<Integer>> boxes = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            boxes.add(new LinkedBlockingQueue<>());
            Truth.virtual("courier-" + i, new Courier(boxes.get(i - 1), gate));
        }
        ExecutorService maps = threads();
        Truth.repeat("planner", () -> {
            List<Callable<Integer>> questions = new ArrayList<>();
            for (int map = 0; map < 3; map++) {
                questions.add(() -> {
                    Truth.sleep(ThreadLocalRandom.current().nextDouble(0.002, 0.006));
                    return 1;
                });
            }
            boxes.get(ThreadLocalRandom.current().nextInt(40)).put(maps.invokeAll(questions).size());
            Thread.sleep(90);
        });
        ExecutorService day = Executors.newSingleThreadExecutor(work -> Truth.daemon("day", work));
        day.execute(() -> Truth.sleep(seconds));
        day.shutdown();
        day.awaitTermination(1, TimeUnit.HOURS);
        System.out.printf("%d tours%n", TOURS.get());
        Truth.healthy("couriers wait for tours, of which there are few").object().culprit().thread().victims()
            .noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service runs its requests on a pool of four threads; when maintenance is due, the pool is closed, and four
 * callers wait on a latch until the service is back with a new one.
 *
 * Problem: after two fifths of the time maintenance comes as one of the pool's own tasks: Maintenance.restart asks the
 * pool to shut down, and awaits its termination, of which that task is a part. Truth: stuck; callers wait for the
 * CountDownLatch, the task for the pool's condition, because of Maintenance.restart.
 */
final class MaintenanceAwaitsItsOwnPool {
    static final class Service {
        private final AtomicInteger threads = new AtomicInteger();
        private volatile ExecutorService pool = pool();
        private volatile CountDownLatch back = new CountDownLatch(0);

        private ExecutorService pool() {
            return Executors.newFixedThreadPool(4, work -> Truth.daemon("handler-" + threads.incrementAndGet(), work));
        }

        int call(int number) throws Exception {
            back.await();
            return pool.submit(() -> {
                Truth.sleep(0.003);
                return number + 1;
            }).get();
        }

        void submit(Runnable task) {
            pool.execute(task);
        }

        CountDownLatch close() {
            CountDownLatch latch = new CountDownLatch(1);
            back = latch;
            pool.shutdown();
            return latch;
        }

        void open() {
            pool = pool();
        }
    }

    static final class Maintenance implements Runnable {
        private final Service service;

        Maintenance(Service service) {
            this.service = service;
        }

        @Override
        public void run() {
            try {
                restart();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void restart() throws InterruptedException {
            CountDownLatch latch = service.close();
            if (service.pool.awaitTermination(1, TimeUnit.DAYS)) {
                service.open();
            }
            latch.countDown();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Service service = new Service();
        List<Thread> callers = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int own = i;
            callers.add(Truth.start("caller-" + i, () -> {
                while (true) {
                    try {
                        service.call(own);
                        Thread.sleep(15);
                    } catch (java.util.concurrent.RejectedExecutionException closed) {
                        Truth.sleep(0.001);
                    } catch (Exception exception) {
                        throw new IllegalStateException(exception);
                    }
                }
            }));
        }
        Truth.repeat("clock", () -> Thread.sleep(250));
        Truth.hangsOnce(callers);
        Truth.sayAndHalt(Truth.stuck("a task of a pool awaits the end of that pool")
            .object("CountDownLatch", "ConditionObject").culprit("Maintenance.restart").thread("handler-*")
            .victims("caller-*", "handler-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        service.submit(new Maintenance(service));
        Truth.sleep(seconds + 2);
    }
}

import com.google.common.util.concurrent.AbstractExecutionThreadService;
import com.google.common.util.concurrent.AbstractScheduledService;
import com.google.common.util.concurrent.RateLimiter;
import com.google.common.util.concurrent.Service;
import com.google.common.util.concurrent.ServiceManager;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Guava's services: one listens to a queue into which twice a second something is put, one looks after the time each
 * second, one writes three lines a second and uses a RateLimiter for that. Two threads await that all are stopped.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: none; all is as it was meant to be, and there is hardly anything to do. Truth: healthy. Measured: what was
 * done.
 */
final class GuavaServicesAtRestHealthy {
    static final AtomicInteger HEARD = new AtomicInteger(), LOOKED = new AtomicInteger(), WRITTEN = new AtomicInteger();

    static final class Listener extends AbstractExecutionThreadService {
        private final BlockingQueue<Integer> letters;

        Listener(BlockingQueue<Integer> letters) {
            this.letters = letters;
        }

        @Override
        protected void run() throws InterruptedException {
            while (isRunning()) {
                letters.take();
                Truth.sleep(0.002);
                HEARD.incrementAndGet();
            }
        }
    }

    static final class Clock extends AbstractScheduledService {
        @Override
        protected void runOneIteration() {
            LOOKED.incrementAndGet();
        }

        @Override
        protected Scheduler scheduler() {
            return Scheduler.newFixedDelaySchedule(0, 1, TimeUnit.SECONDS);
        }
    }

    static final class Writer extends AbstractExecutionThreadService {
        private final RateLimiter lines = RateLimiter.create(3);

        @Override
        protected void run() {
            while (isRunning()) {
                lines.acquire();
                WRITTEN.incrementAndGet();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Integer> letters = new LinkedBlockingQueue<>();
        List<Service> services = List.of(new Listener(letters), new Clock(), new Writer());
        ServiceManager manager = new ServiceManager(services);
        manager.startAsync().awaitHealthy();
        Truth.start("until-stopped", manager::awaitStopped);
        Truth.start("listener-watch", services.get(0)::awaitTerminated);
        Truth.repeat("postman", () -> {
            letters.put(1);
            Thread.sleep(500);
        });
        Truth.sleep(seconds);
        System.out.printf("%d heard, %d looked, %d written%n", HEARD.get(), LOOKED.get(), WRITTEN.get());
        Truth.healthy("services that have little to do, and who awaits their end").object().culprit().thread().victims()
            .noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

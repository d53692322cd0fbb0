import com.codahale.metrics.ConsoleReporter;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.SlidingTimeWindowReservoir;
import com.codahale.metrics.Timer;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Six requests are timed with the metrics library, two reporters write its registry once and twice a second. A
 * housekeeper is rung by a semaphore now and then.
 *
 * NEEDS: libdropwizard-metrics-java libslf4j-java
 * (metrics-core.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: everybody waits for the next second, or for the bell. Truth: healthy.
 */
final class MetricsReportersHealthy {
    static final class Request {
        private final Timer timer;
        private final Meter meter;
        private final Semaphore bell;

        Request(MetricRegistry registry, Semaphore bell) {
            timer = registry.timer("requests");
            meter = registry.meter("rung");
            this.bell = bell;
        }

        void serve() throws InterruptedException {
            try (Timer.Context ignored = timer.time()) {
                Thread.sleep(8);
            }
            if (ThreadLocalRandom.current().nextInt(40) == 0) {
                meter.mark();
                bell.release();
            }
            Thread.sleep(10 + ThreadLocalRandom.current().nextInt(20));
        }
    }

    static final class Housekeeper {
        private final Semaphore bell;
        private int swept;

        Housekeeper(Semaphore bell) {
            this.bell = bell;
        }

        void sweep() throws InterruptedException {
            bell.acquire();
            Thread.sleep(3);
            swept += 1;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        MetricRegistry registry = new MetricRegistry();
        registry.register("requests", new Timer(new SlidingTimeWindowReservoir(5, TimeUnit.SECONDS)));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        ConsoleReporter.forRegistry(registry).outputTo(nowhere).build().start(1, TimeUnit.SECONDS);
        ConsoleReporter.forRegistry(registry).outputTo(nowhere).build().start(500, TimeUnit.MILLISECONDS);
        Semaphore bell = new Semaphore(0);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("request-" + i, new Request(registry, bell)::serve);
        }
        Truth.repeat("housekeeper", new Housekeeper(bell)::sweep);
        Truth.sleep(seconds);
        System.out.println(registry.timer("requests").getCount() + " requests");
        Truth.healthy("reporters that wait for the next second, and a bell").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}

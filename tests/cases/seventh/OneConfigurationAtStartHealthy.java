import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ten workers start together, and all need the configuration, which the first one reads within 120 ms;
 * from then on they work for themselves, and now and then one reads the shared settings.
 *
 * Problem: none. At the start everybody waits once, an eighth of a second. Truth: healthy. Measured: jobs.
 */
final class OneConfigurationAtStartHealthy {
    /** Read once, by whom needs it first. */
    static final class Configuration {
        private final FutureTask<Map<String, Integer>> settings = new FutureTask<>(this::read);

        int get(String name) throws InterruptedException, ExecutionException {
            settings.run();
            return settings.get().get(name);
        }

        private Map<String, Integer> read() throws InterruptedException {
            Thread.sleep(120);
            return Map.of("size", 200, "pause", 9);
        }
    }

    static final class Worker {
        static final AtomicInteger JOBS = new AtomicInteger();
        private final Configuration configuration;
        private long sum;

        Worker(Configuration configuration) {
            this.configuration = configuration;
        }

        void work() throws InterruptedException, ExecutionException {
            int size = configuration.get("size");
            for (int i = 0; i < size * 100; i++) {
                sum = sum * 31 + i;
            }
            Thread.sleep(configuration.get("pause"));
            JOBS.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Configuration configuration = new Configuration();
        for (int i = 1; i <= 10; i++) {
            Truth.repeat("worker-" + i, new Worker(configuration)::work);
        }
        Truth.sleep(seconds);
        System.out.println(Worker.JOBS.get() + " jobs");
        Truth.healthy("all wait once, at the start, for an eighth of a second").object().culprit().thread()
            .victims().noShare().say();
    }
}

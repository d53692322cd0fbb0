import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Ten threads answer requests of 3 to 6 ms and count each step in one synchronized table of hits. There
 * are fifty thousand entries into that monitor each second, and some of them meet; counting, with all
 * waiting for it, takes less than a hundredth of the time.
 *
 * Problem: none; the table costs nothing to speak of. Truth: healthy. Measured: the time spent counting,
 * of all.
 */
final class HitCountersHealthy {
    /** Hits by name, printed each second. */
    static final class HitTable {
        private final Map<String, Long> hits = new HashMap<>();

        synchronized void count(String name) {
            hits.merge(name, 1L, Long::sum);
        }

        synchronized long sum() {
            long sum = 0;
            for (long value : hits.values()) {
                sum += value;
            }
            return sum;
        }
    }

    record Metrics(HitTable table, String prefix) {
        void step(String name) {
            table.count(prefix + name);
        }
    }

    static final class Handler {
        private static final String[] STEPS = {"parse", "authorise", "route", "load", "render", "send"};
        private final Metrics metrics;
        private final Random random;
        long counting, requests;

        Handler(Metrics metrics, int seed) {
            this.metrics = metrics;
            random = new Random(seed);
        }

        void handle() throws InterruptedException {
            Thread.sleep(3 + random.nextInt(4));
            for (String step : STEPS) {
                pass(step);
            }
            requests++;
        }

        private void pass(String step) {
            long from = System.nanoTime();
            for (int i = 0; i < 4; i++) {
                metrics.step(step + i);
            }
            counting += System.nanoTime() - from;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        HitTable table = new HitTable();
        Handler[] handlers = new Handler[10];
        for (int i = 0; i < handlers.length; i++) {
            handlers[i] = new Handler(new Metrics(table, "node" + i % 3 + "."), i);
            Truth.repeat("handler-" + (i + 1), handlers[i]::handle);
        }
        Truth.repeat("metrics-printer", () -> {
            Thread.sleep(1000);
            table.sum();
        });
        Truth.sleep(seconds);
        long counting = 0, requests = 0;
        for (Handler handler : handlers) {
            counting += handler.counting;
            requests += handler.requests;
        }
        System.out.printf("%d requests, %d hits, counting took %.3f %% of the time%n", requests, table.sum(),
            counting / 1e7 / seconds / handlers.length);
        Truth.healthy("a monitor that is often entered and hardly waited for").object().culprit().thread()
            .victims().noShare().say();
    }
}

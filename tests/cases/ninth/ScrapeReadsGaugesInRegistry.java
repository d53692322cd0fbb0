import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A registry of metrics: requests count in it, a scraper reads all of it four times a second.
 *
 * Problem: the registry's monitor is held while gauges are read, and the one of open orders counts rows in a
 * database, 60 ms. Truth: requests wait for the Registry because of OpenOrdersGauge.read. Measured: the part of
 * their waiting during which it reads.
 */
final class ScrapeReadsGaugesInRegistry {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Gauge {
        double read();
    }

    static final class OpenOrdersGauge implements Gauge {
        @Override
        public double read() {
            long from = System.nanoTime();
            Truth.sleep(0.06);
            DIARY.held(0, from, System.nanoTime());
            return ThreadLocalRandom.current().nextInt(100);
        }
    }

    static final class HeapGauge implements Gauge {
        @Override
        public double read() {
            return Runtime.getRuntime().freeMemory();
        }
    }

    static final class Registry {
        private final Map<String, Gauge> gauges = new LinkedHashMap<>();
        private final Map<String, Integer> counters = new LinkedHashMap<>();

        void count(String name) {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                counters.merge(name, 1, Integer::sum);
            }
        }

        synchronized void register(String name, Gauge gauge) {
            gauges.put(name, gauge);
        }

        synchronized Map<String, Double> scrape() {
            Map<String, Double> values = new LinkedHashMap<>();
            counters.forEach((name, value) -> values.put(name, value.doubleValue()));
            gauges.forEach((name, gauge) -> values.put(name, gauge.read()));
            return values;
        }
    }

    record Request(Registry registry) {
        void serve() throws InterruptedException {
            registry.count("started");
            Thread.sleep(6);
            registry.count("done");
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Registry registry = new Registry();
        registry.register("heap", new HeapGauge());
        registry.register("orders.open", new OpenOrdersGauge());
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("request-" + i, new Request(registry)::serve);
        }
        Truth.repeat("scraper", () -> {
            registry.scrape();
            Thread.sleep(250);
        });
        DIARY.fill(seconds);
        Truth.of("gauges are read within the registry's monitor, one asks a database").object("Registry")
            .culprit("OpenOrdersGauge.read", "Registry.scrape").thread("scraper").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for the registry").say();
    }
}

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Sixteen request threads count everything they do in one registry: eight histograms per request,
 * all under the registry's one monitor, some 40 microseconds each.
 *
 * Problem: MetricsRegistry.count is much too hot. Each hold is short, but together they want the
 * monitor all of the time; threads queue and each hand-over costs a wake-up. Nobody keeps the
 * monitor.
 *
 * Truth: the registry's monitor and count. Measured: who had or was about to get the monitor (the
 * hand-over counts as its receiver's; the other user is a scrape for the monitoring, each 100 ms)
 * and the waits of the request threads.
 */
class MetricsRegistryTooHot {
    private static final int THREADS = 16;

    public static void main(String[] args) throws InterruptedException {
        MetricsRegistry registry = new MetricsRegistry();
        CountDownLatch done = new CountDownLatch(THREADS + 1);
        long end = System.nanoTime() + (long) (Truth.seconds(args) * 1e9);
        for (int i = 1; i <= THREADS; i++) {
            RequestHandler handler = new RequestHandler(registry, new Random(i));
            new Thread(() -> {
                while (System.nanoTime() < end) {
                    handler.handle();
                }
                done.countDown();
            }, "exec-" + i).start();
        }
        new Thread(() -> {
            while (System.nanoTime() < end) {
                registry.scrape();
                Truth.sleep(0.1);
            }
            done.countDown();
        }, "scraper").start();
        done.await();
        Truth.of("all requests count eight times in MetricsRegistry.count under one monitor; "
                + "each hold is short, but together they saturate it")
            .object("MetricsRegistry")
            .culprit("MetricsRegistry.count", "MetricsRegistry.bucket", "RequestHandler.handle")
            .thread("exec-*")
            .victims("exec-*")
            .share(registry.diary.share(0), "the request threads' waiting with hand-overs")
            .say();
    }
}

class MetricsRegistry {
    final Truth.Diary diary = new Truth.Diary();
    private final long[][] buckets = new long[8][64];
    private long freed = System.nanoTime();

    synchronized void count(int histogram, double value, long asked) {
        diary.waited(asked, System.nanoTime());
        buckets[histogram][bucket(value)]++;
        left(0);
    }

    synchronized long scrape() {
        long sum = 0;
        for (long[] histogram : buckets) {
            for (long each : histogram) {
                sum += each;
            }
        }
        left(1);
        return sum;
    }

    private int bucket(double value) {
        double bound = 1e-9;
        int at = 0;
        for (int i = 0; i < 2000; i++) {
            bound += Math.sqrt(bound + i) * 1e-6;
            at += value > bound ? 1 : 0;
        }
        return at % 64;
    }

    private void left(int who) {
        long now = System.nanoTime();
        diary.held(who, freed, now);
        freed = now;
    }
}

record RequestHandler(MetricsRegistry registry, Random random) {
    void handle() {
        for (int histogram = 0; histogram < 8; histogram++) {
            registry.count(histogram, random.nextDouble(), System.nanoTime());
        }
        LockSupport.parkNanos(300_000 + random.nextInt(500_000));
    }
}

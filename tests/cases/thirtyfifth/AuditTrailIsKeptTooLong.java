import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A shop's agents ask a small pool for prices and wait for the Future, a fraction of a millisecond.
 * Each price asked is noted in an audit trail with all that led to it.
 *
 * FLAGS: -XX:+UseSerialGC -Xmx200m -Xmn40m
 *
 * Problem: AuditTrail.note keeps the last half a million steps, each of some small objects, so that
 * each collection has to copy what the next throws away, and the old generation is full again and
 * again. Truth: the program loses its time to the collector. Measured: the time of collections, as the
 * JVM tells it, against the time of the run.
 */
final class AuditTrailIsKeptTooLong {
    record Step(Integer customer, Long price, StringBuilder reason) {
    }

    static final class AuditTrail {
        private static final int LENGTH = 800_000;
        private final ConcurrentLinkedQueue<Step> steps = new ConcurrentLinkedQueue<>();

        void note(int customer, long price) {
            steps.add(new Step(100_000 + customer, 1_000_000 + price, new StringBuilder(4)));
        }

        void trim(int count) {
            for (int i = 0; i < count && full; i++) {
                steps.poll();
            }
            kept += count;
            full = kept > LENGTH;
        }

        private int kept;
        private boolean full;
    }

    static final class PriceDesk {
        private final AuditTrail trail = new AuditTrail();
        private final ConcurrentHashMap<Integer, Long> prices = new ConcurrentHashMap<>();

        long price(int customer, Random random) {
            long price = prices.computeIfAbsent(customer % 50, key -> 100L + key);
            for (int rule = 0; rule < 2000; rule++) {
                trail.note(customer, price + random.nextInt(9));
            }
            synchronized (trail) {
                trail.trim(2000);
            }
            return price;
        }
    }

    static long collectingMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(bean -> bean.getCollectionTime()).sum();
    }

    public static void main(String[] arguments) {
        PriceDesk desk = new PriceDesk();
        int[] number = new int[1];
        ExecutorService pricing = Executors.newFixedThreadPool(2, work -> Truth.daemon("pricing-" + ++number[0], work));
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.repeat("agent-" + i, () -> {
                Future<Long> price = pricing.submit(() -> desk.price(random.nextInt(900), random));
                price.get();
                Thread.sleep(4);
            });
        }
        long begin = System.nanoTime(), before = collectingMillis();
        Truth.sleep(Truth.seconds(arguments));
        double millis = (System.nanoTime() - begin) / 1e6;
        Truth.of("an audit trail keeps so much that collections take most of the time")
            .object("GC", "garbage collection", "safepoint", "AuditTrail")
            .culprit("AuditTrail.note", "PriceDesk.price").thread("pricing-*").victims("agent-*", "pricing-*")
            .share((collectingMillis() - before) / millis, "the run's time, in stop-the-world collections").say();
        Runtime.getRuntime().halt(0);
    }
}

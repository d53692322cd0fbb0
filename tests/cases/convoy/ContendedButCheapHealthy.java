import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * The healthy twin of the convoys: eight threads share a synchronized map of counters, take it a
 * few hundred times a second each, and hold it for less than a microsecond. They meet sometimes;
 * then one waits for some microseconds.
 *
 * Truth: nothing to be found.
 */
class ContendedButCheapHealthy {
    static final class HitCounter {
        private final Map<String, Integer> hits = new HashMap<>();

        synchronized int hit(String page) {
            return hits.merge(page, 1, Integer::sum);
        }
    }

    static final class Visitor extends Thread {
        private final HitCounter counter;
        private final Random random;
        private final long end;

        Visitor(HitCounter counter, int number, long end) {
            super("visitor-" + number);
            this.counter = counter;
            this.random = new Random(number);
            this.end = end;
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                visit();
            }
        }

        private void visit() {
            counter.hit("page " + random.nextInt(50));
            Truth.sleep(0.001 + random.nextInt(2000) / 1e6);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + (long) (Truth.seconds(args) * 1e9);
        HitCounter counter = new HitCounter();
        Visitor[] visitors = new Visitor[8];
        for (int i = 0; i < visitors.length; i++) {
            visitors[i] = new Visitor(counter, i, end);
            visitors[i].start();
        }
        for (Visitor visitor : visitors) {
            visitor.join();
        }
        Truth.healthy("the monitor is taken often, but held for less than a microsecond")
            .object().culprit().thread().victims().noShare().say();
    }
}

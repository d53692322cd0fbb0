import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;

/**
 * A tile server with a large index in its heap, most of it unused. A janitor calls System.gc()
 * ten times a second "to keep memory tidy". Four clients of two encoders hand tiles over; nothing
 * there is slow of itself.
 *
 * FLAGS: -XX:+UseSerialGC -Xmx600m
 *
 * Problem: Janitor.tidy collects the whole heap again and again. Truth: everybody stands still in
 * the pauses. Measured: the time of collections, as the JVM tells it, against the time of the
 * run.
 */
class MemoryJanitor {
    static final Map<Integer, List<String>> INDEX = new HashMap<>();
    static final SynchronousQueue<Integer> TILES = new SynchronousQueue<>();
    static final Semaphore ENCODERS = new Semaphore(2);

    public static void main(String[] arguments) {
        for (int i = 0; i < 300_000; i++) {
            List<String> streets = new ArrayList<>(4);
            streets.add("street " + i);
            streets.add("lane " + i);
            INDEX.put(i, streets);
        }
        List<Thread> threads = new ArrayList<>(List.of(new Janitor()));
        for (int i = 1; i <= 4; i++) {
            Random random = new Random(i);
            threads.add(new Thread(() -> draw(random), "client-" + i));
            threads.add(new Thread(MemoryJanitor::encode, "encoder-" + i));
        }
        threads.forEach(thread -> thread.setDaemon(true));
        threads.forEach(Thread::start);
        long begin = System.nanoTime();
        double before = pauses();
        Truth.sleep(Truth.seconds(arguments));
        double share = (pauses() - before) * 1e6 / (System.nanoTime() - begin);
        Truth.of("a janitor calls System.gc() all the time, and each call stops the program for a "
            + "collection of the whole heap")
            .object("GC", "garbage collection", "safepoint", "SynchronousQueue", "Semaphore")
            .culprit("Janitor.tidy", "Janitor.run").thread("janitor")
            .victims("client-*", "encoder-*")
            .share(share, "the run's time, in stop-the-world collections").say();
    }

    static double pauses() {
        double millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += bean.getCollectionTime();
        }
        return millis;
    }

    static void draw(Random random) {
        try {
            while (true) {
                Thread.sleep(3 + random.nextInt(5));
                TILES.put(INDEX.get(random.nextInt(INDEX.size())).size());
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static void encode() {
        try {
            while (true) {
                int tile = TILES.take();
                ENCODERS.acquire();
                try {
                    Thread.sleep(1 + tile / 2);
                } finally {
                    ENCODERS.release();
                }
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static class Janitor extends Thread {
        Janitor() {
            super("janitor");
        }

        @Override
        public void run() {
            while (true) {
                Truth.sleep(0.1);
                tidy();
            }
        }

        private void tidy() {
            System.gc();
        }
    }
}

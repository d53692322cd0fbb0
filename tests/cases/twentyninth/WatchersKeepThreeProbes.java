import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Four probes lie in an ArrayBlockingQueue; five surveys each take one, measure for 5 ms, and put it back.
 *
 * Problem: three watchers took one each when the program started, and keep it as long as it runs: Watcher.observe.
 * Truth: surveys wait for the queue because of Watcher.observe. Measured: observing and measuring, within the surveys'
 * waiting, evenly divided.
 */
final class WatchersKeepThreeProbes {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Probe {
        int readings;

        int read(double seconds) {
            Truth.sleep(seconds);
            return ++readings;
        }
    }

    record Watcher(BlockingQueue<Probe> probes, CountDownLatch ready) {
        private void observe(Probe probe) {
            while (probe.readings >= 0) {
                long from = System.nanoTime();
                probe.read(0.04);
                DIARY.held(0, from, System.nanoTime());
            }
        }

        void run() {
            try {
                Probe probe = probes.take();
                ready.countDown();
                observe(probe);
                probes.put(probe);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    record Survey(BlockingQueue<Probe> probes, int[] sum) implements Truth.Step {
        private void measure() throws InterruptedException {
            long from = System.nanoTime();
            Probe probe = probes.take();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                sum[0] += probe.read(0.005);
            } finally {
                DIARY.held(1, got, System.nanoTime());
                probes.put(probe);
            }
        }

        @Override
        public void run() throws InterruptedException {
            measure();
            Thread.sleep(8);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        BlockingQueue<Probe> probes = new ArrayBlockingQueue<>(4);
        for (int i = 0; i < 4; i++) {
            probes.put(new Probe());
        }
        CountDownLatch ready = new CountDownLatch(3);
        for (int i = 1; i <= 3; i++) {
            Truth.start("watcher-" + i, new Watcher(probes, ready)::run);
        }
        ready.await();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("survey-" + i, new Survey(probes, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("surveys %.3f%n", DIARY.share(1));
        Truth.of("three of four elements of a pool in a queue are kept as long as the program runs")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("Watcher.observe").thread("watcher-*")
            .victims("survey-*").share(DIARY.share(0), "the surveys' waiting for a probe").say();
    }
}

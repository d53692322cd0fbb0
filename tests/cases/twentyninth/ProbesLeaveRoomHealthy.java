import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Eight probes lie in an ArrayBlockingQueue. Three watchers keep one each from the start; four surveys each take one
 * for 5 ms every 40 ms, and once in a while three inspections take one each for 25 ms.
 *
 * Problem: none; five probes are more than enough. Truth: healthy.
 */
final class ProbesLeaveRoomHealthy {
    record Probe(int[] readings) {
        int read(double seconds) {
            Truth.sleep(seconds);
            return ++readings[0];
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        BlockingQueue<Probe> probes = new ArrayBlockingQueue<>(8);
        for (int i = 0; i < 8; i++) {
            probes.put(new Probe(new int[1]));
        }
        CountDownLatch ready = new CountDownLatch(3);
        for (int i = 1; i <= 3; i++) {
            Truth.start("watcher-" + i, () -> {
                Probe probe = probes.remove();
                ready.countDown();
                while (probe.read(0.04) > 0) {
                    Thread.onSpinWait();
                }
            });
        }
        ready.await();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("survey-" + i, () -> {
                Probe probe = probes.take();
                try {
                    probe.read(0.005);
                } finally {
                    probes.put(probe);
                }
                Thread.sleep(40);
            });
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("inspection-" + i, () -> {
                Thread.sleep(450);
                Probe probe = probes.take();
                try {
                    probe.read(0.025);
                } finally {
                    probes.put(probe);
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there are more elements than anybody needs").say();
    }
}

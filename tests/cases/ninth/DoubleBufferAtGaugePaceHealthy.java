import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two gauges of a river, each with a thread that reads it forty times a second and one that writes what was read;
 * they swap buffers, and who writes looks once a second whether the gauge still lives.
 *
 * Problem: none: who writes waits for values, which come when the river has some. Truth: healthy. Measured: the time
 * that readers wait for their writers.
 */
final class DoubleBufferAtGaugePaceHealthy {
    static final class Gauge {
        private final Exchanger<List<Integer>> swap = new Exchanger<>();
        private List<Integer> filling = new ArrayList<>(), emptying = new ArrayList<>();
        private volatile long kept, delayed;

        void read() throws InterruptedException {
            Thread.sleep(25);
            filling.add(filling.size());
            if (filling.size() == 24) {
                long from = System.nanoTime();
                filling = swap.exchange(filling);
                delayed += System.nanoTime() - from;
            }
        }

        void write() throws InterruptedException {
            try {
                emptying = swap.exchange(emptying, 1, TimeUnit.SECONDS);
                Thread.sleep(2);
                kept += emptying.size();
                emptying.clear();
            } catch (TimeoutException exception) {
                System.out.println("gauge is silent");
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Gauge> gauges = List.of(new Gauge(), new Gauge());
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("gauge-" + i, gauges.get(i - 1)::read);
            Truth.repeat("writer-" + i, gauges.get(i - 1)::write);
        }
        Truth.sleep(seconds);
        System.out.printf("readers delayed by %.3f s%n", gauges.stream().mapToLong(gauge -> gauge.delayed).sum() / 1e9);
        Truth.healthy("who writes waits for what a river's gauge says").object().culprit().thread().victims().noShare()
            .say();
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A collector asks eight machines for their numbers, all at the same time, each 30 to 40 ms away, adds them up
 * and rests for 600 ms.
 *
 * Problem: none: it waits for the machines for as long as they take, a twentieth of its time. The eight threads
 * wait for the next round. Truth: healthy.
 */
final class GatherEveryMinuteHealthy {
    record Machine(int number) implements Callable<Integer> {
        @Override
        public Integer call() {
            Truth.sleep(0.030 + number % 3 * 0.005);
            return number;
        }
    }

    static final class Collector {
        private final ExecutorService threads = Executors.newFixedThreadPool(8, work -> {
            Thread thread = new Thread(work, "ask");
            thread.setDaemon(true);
            return thread;
        });
        private final List<Machine> machines = new ArrayList<>();
        private long sum;

        Collector() {
            for (int i = 0; i < 8; i++) {
                machines.add(new Machine(i));
            }
        }

        void gather() throws Exception {
            for (Future<Integer> number : threads.invokeAll(machines)) {
                sum += number.get();
            }
            Thread.sleep(600);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Truth.repeat("collector", new Collector()::gather);
        Truth.sleep(seconds);
        Truth.healthy("a collector waits for answers that come in parallel, and rests").object().culprit()
            .thread().victims().noShare().say();
    }
}

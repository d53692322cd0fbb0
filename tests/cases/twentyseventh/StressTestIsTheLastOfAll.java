import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Three risk desks value their books by four kinds of figures, all at once: invokeAll on a pool of twelve threads.
 *
 * Problem: StressTest.run takes 65 ms, the others 4, 6 and 8 ms. Truth: desks wait for a FutureTask because of
 * StressTest.run. Measured: which of the figures are worked out, evenly divided, within the desks' invokeAll.
 */
final class StressTestIsTheLastOfAll {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Quick(int who, double seconds) implements Callable<Double> {
        @Override
        public Double call() {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(who, from, System.nanoTime());
            return seconds;
        }
    }

    static final class StressTest implements Callable<Double> {
        double run() {
            long from = System.nanoTime();
            Truth.sleep(0.065);
            DIARY.held(0, from, System.nanoTime());
            return 0.99;
        }

        @Override
        public Double call() {
            return run();
        }
    }

    record Desk(ExecutorService pool, List<Callable<Double>> figures, double[] sum) implements Truth.Step {
        private void value() throws Exception {
            for (Future<Double> figure : pool.invokeAll(figures)) {
                sum[0] += figure.get();
            }
        }

        @Override
        public void run() throws Exception {
            long from = System.nanoTime();
            value();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(40);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(12, work -> Truth.daemon("figures", work));
        List<Callable<Double>> figures = List.of(new Quick(1, 0.004), new StressTest(), new Quick(2, 0.006),
            new Quick(3, 0.008));
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("desk-" + i, new Desk(pool, figures, new double[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one of the tasks given to invokeAll takes ten times as long as the others").object("FutureTask")
            .culprit("StressTest.run", "StressTest.call").thread("figures").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for their figures").say();
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Risk of 200 portfolios is computed by night: a coordinator hands each portfolio's scenarios to two
 * workers, one for each processor, in even parts, and waits for both. So it waits nearly all the time, and
 * the workers work nearly all the time.
 *
 * Problem: none; nobody wants the coordinator to compute. Truth: healthy. Measured: how much of the time
 * the workers worked.
 */
final class EvenGridHealthy {
    /** One half of a portfolio's scenarios. */
    static final class ScenarioTask implements Callable<Double> {
        static final AtomicInteger DONE = new AtomicInteger();
        private final int portfolio;
        private final int half;

        ScenarioTask(int portfolio, int half) {
            this.portfolio = portfolio;
            this.half = half;
        }

        @Override
        public Double call() {
            double worst = worstOf(1_500_000);
            DONE.incrementAndGet();
            return worst;
        }

        private double worstOf(int scenarios) {
            long state = 88172645463325252L + portfolio * 2L + half;
            double worst = 0;
            for (int i = 0; i < scenarios; i++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
                worst = Math.min(worst, revalue(state));
            }
            return worst;
        }

        private double revalue(long state) {
            double move = (state >>> 11) / (double) (1L << 53) - 0.5;
            return move * (100 + portfolio) + move * move * 3;
        }
    }

    static final class RiskGrid {
        private final ExecutorService workers;

        RiskGrid() {
            AtomicInteger numbers = new AtomicInteger();
            workers = Executors.newFixedThreadPool(2, work -> {
                Thread thread = new Thread(work, "risk-worker-" + numbers.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        }

        double compute(int portfolio) throws InterruptedException {
            List<ScenarioTask> halves = new ArrayList<>();
            for (int half = 0; half < 2; half++) {
                halves.add(new ScenarioTask(portfolio, half));
            }
            return worst(workers.invokeAll(halves));
        }

        private double worst(List<Future<Double>> results) throws InterruptedException {
            double worst = 0;
            for (Future<Double> result : results) {
                worst = Math.min(worst, value(result));
            }
            return worst;
        }

        private double value(Future<Double> result) throws InterruptedException {
            try {
                return result.get();
            } catch (ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static final class NightRun {
        private final RiskGrid grid = new RiskGrid();
        private int portfolio;

        void next() throws InterruptedException {
            if (grid.compute(portfolio++ % 200) > 0) {
                throw new IllegalStateException("no loss at all");
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Truth.repeat("risk-coordinator", new NightRun()::next);
        Truth.sleep(seconds);
        System.out.println(ScenarioTask.DONE + " halves of portfolios");
        Truth.healthy("a coordinator that waits for workers that work").object().culprit().thread().victims()
            .noShare().say();
    }
}

import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * Three reports have their parts made by a pool that has threads for all, and take them from an
 * ExecutorCompletionService as they come: four tables, 4 to 10 ms, and a chart.
 *
 * Problem: the chart needs 45 ms, Chart.draw. Truth: reports wait for the service's queue because of Chart.draw.
 * Measured: the part of the reports' waiting that a chart ended.
 */
final class PartsTakenAsTheyCome {
    static final LongAdder FOR_CHART = new LongAdder(), FOR_TABLE = new LongAdder();

    static final class Chart {
        String draw() {
            Truth.sleep(0.045);
            return "chart";
        }
    }

    record Table(int number) {
        String fill() {
            Truth.sleep(0.002 + 0.002 * number);
            return "table";
        }
    }

    record Report(ExecutorService pool) implements Truth.Step {
        private void build() throws Exception {
            ExecutorCompletionService<String> parts = new ExecutorCompletionService<>(pool);
            parts.submit(new Chart()::draw);
            for (int i = 1; i <= 4; i++) {
                parts.submit(new Table(i)::fill);
            }
            for (int i = 0; i < 5; i++) {
                long from = System.nanoTime();
                String part = parts.take().get();
                (part.equals("chart") ? FOR_CHART : FOR_TABLE).add(System.nanoTime() - from);
            }
        }

        @Override
        public void run() throws Exception {
            build();
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newCachedThreadPool(work -> Truth.daemon("maker", work));
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("report-" + i, new Report(pool));
        }
        Truth.sleep(Truth.seconds(arguments));
        double chart = FOR_CHART.sum(), table = FOR_TABLE.sum();
        System.out.printf("waited %.2f s%n", (chart + table) / 1e9);
        Truth.of("one of five parts is slow").object("ConditionObject", "LinkedBlockingQueue",
            "ExecutorCompletionService").culprit("Chart.draw").thread("maker").victims("report-*")
            .share(chart / (chart + table), "the reports' waiting for parts").say();
    }
}

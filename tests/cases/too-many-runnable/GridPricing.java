import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pricing grid on sixteen threads that all compute: 4 ms for a path without a lock, then 1 ms
 * to add it to the totals under their monitor. There are a few cores only, so the owner of the
 * monitor is often off its core, and nearly all others pile up behind it.
 *
 * Problem: sixteen threads of PathTask.simulate where the cores are few. Truth: the grid's
 * threads wait for the monitor of Totals because its owner does not get a core. Measured: each
 * hold's time on a core against its whole time; what of the waits was no owner's time on a core.
 */
final class GridPricing {
    static final int RUNNING = 1, THREADS = 16;
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static final Truth.Diary diary = new Truth.Diary();
    static volatile boolean stopped;

    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService grid = Executors.newFixedThreadPool(THREADS, work -> {
            Thread thread = new Thread(work, "grid-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        Totals totals = new Totals();
        for (int i = 0; i < THREADS; i++) {
            grid.execute(new PathTask(totals, new Random(i)));
        }
        Truth.run(arguments, () -> stopped = true, 0.7);
        Truth.of("sixteen threads compute on a few cores and share one hot monitor, whose owner is "
            + "often not running")
            .object("Totals")
            .culprit("PathTask.simulate", "PathTask.run", "PathTask.step")
            .thread("grid-*").victims("grid-*")
            .share(1 - diary.share(RUNNING), "the grid threads' waiting for the monitor").say();
    }

    record PathTask(Totals totals, Random random) implements Runnable {
        @Override
        public void run() {
            while (!stopped) {
                totals.add(simulate());
            }
        }

        private double simulate() {
            long until = CPU.getCurrentThreadCpuTime() + 4_000_000;
            double value = random.nextDouble();
            for (int i = 0; CPU.getCurrentThreadCpuTime() < until; i++) {
                value = step(value, i);
            }
            return value;
        }

        private static double step(double value, int i) {
            return (value + Math.sqrt(value * i + 1)) / 2;
        }
    }

    static final class Totals {
        private double sum, squares;

        void add(double value) {
            long asked = System.nanoTime();
            synchronized (this) {
                long from = System.nanoTime(), cpu = CPU.getCurrentThreadCpuTime();
                if (from - asked > 50_000) { // less is no wait
                    diary.waited(asked, from);
                }
                merge(value);
                cpu = CPU.getCurrentThreadCpuTime() - cpu;
                long to = System.nanoTime();
                diary.held(RUNNING, Math.max(from, to - cpu), to);
            }
        }

        private void merge(double value) {
            long until = CPU.getCurrentThreadCpuTime() + 1_000_000;
            while (CPU.getCurrentThreadCpuTime() < until) {
                squares = (squares + Math.sqrt(value + squares)) / 2;
            }
            sum += squares;
        }
    }
}

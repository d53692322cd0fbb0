import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.DoubleUnaryOperator;

/**
 * Five order gates update a book in its monitor, for which they need 3 ms of a processor, and rest for
 * 25 ms.
 *
 * Problem: a pool, made at home, has twelve threads for strategies, which are tried on old prices
 * without a rest (Backtest.simulate). Whoever has the book's monitor has to share two processors with
 * them. Truth: gates wait for the OrderBook's monitor because of Backtest.simulate. Measured: each
 * hold's time on a processor against its whole time; what of the waiting was not a holder's time on a
 * processor, is the strategies'.
 */
final class OrdersLoseTheirCoreToBacktests {
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class CrewPool {
        private final Deque<Runnable> work = new ArrayDeque<>();

        CrewPool(int threads) {
            for (int i = 1; i <= threads; i++) {
                Truth.repeat("crew-" + i, () -> next().run());
            }
        }

        synchronized void add(Runnable one) {
            work.add(one);
            notify();
        }

        private synchronized Runnable next() throws InterruptedException {
            while (work.isEmpty()) {
                wait();
            }
            return work.poll();
        }
    }

    static final class Backtest implements Runnable {
        private final CrewPool pool;
        private final DoubleUnaryOperator strategy;
        private double profit = 1;

        Backtest(CrewPool pool, DoubleUnaryOperator strategy) {
            this.pool = pool;
            this.strategy = strategy;
        }

        @Override
        public void run() {
            simulate(2_000_000);
            pool.add(this);
        }

        private void simulate(int days) {
            for (int day = 0; day < days; day++) {
                profit = strategy.applyAsDouble(profit + day % 7);
            }
        }
    }

    static final class OrderBook {
        private double spread = 1;

        void place(int order) {
            long asked = System.nanoTime();
            synchronized (this) {
                long from = System.nanoTime(), cpu = CPU.getCurrentThreadCpuTime();
                DIARY.waited(asked, from);
                match(order, cpu + 3_000_000);
                cpu = CPU.getCurrentThreadCpuTime() - cpu;
                long to = System.nanoTime();
                DIARY.held(1, Math.max(from, to - cpu), to);
            }
        }

        private void match(int order, long until) {
            while (CPU.getCurrentThreadCpuTime() < until) {
                for (int level = 0; level < 5000; level++) {
                    spread = (spread + Math.sqrt(order + level)) / 2;
                }
            }
        }
    }

    public static void main(String[] arguments) {
        CrewPool pool = new CrewPool(12);
        for (int i = 1; i <= 14; i++) {
            double factor = 0.3 + 0.01 * i;
            pool.add(new Backtest(pool, profit -> Math.sin(profit) * factor + Math.cos(profit * 3)));
        }
        OrderBook book = new OrderBook();
        for (int i = 1; i <= 5; i++) {
            int own = i;
            Truth.repeat("gate-" + i, () -> {
                book.place(own);
                Thread.sleep(20 + own);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("strategies tried on twelve threads take the processors away from whoever has the book")
            .object("OrderBook").culprit("Backtest.simulate", "Backtest.run").thread("crew-*").victims("gate-*")
            .share(1 - DIARY.share(1), "the gates' waiting for the book").say();
        Runtime.getRuntime().halt(0);
    }
}

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/**
 * A ForkJoinPool of six workers in its mode for events; three clients sum something up with it four times a second,
 * a ticker leaves it a task now and then.
 *
 * Problem: none: the workers have nearly nothing to do, and no client waits for more than some milliseconds. Truth:
 * healthy.
 */
final class WorkStealersAtRestHealthy {
    static final class Sum extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;
        private final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from < 5000) {
                long sum = 0;
                for (int i = from; i < to; i++) {
                    sum += i % 7;
                }
                return sum;
            }
            int middle = (from + to) / 2;
            Sum left = new Sum(from, middle);
            left.fork();
            return new Sum(middle, to).compute() + left.join();
        }
    }

    static final class Client {
        private final ForkJoinPool pool;
        private long sum;

        Client(ForkJoinPool pool) {
            this.pool = pool;
        }

        void ask() throws InterruptedException {
            sum += pool.invoke(new Sum(0, 20_000));
            Thread.sleep(250);
        }
    }

    static final class Ticker {
        private final ForkJoinPool pool;
        private volatile long ticks;

        Ticker(ForkJoinPool pool) {
            this.pool = pool;
        }

        void tick() throws InterruptedException {
            Thread.sleep(100);
            pool.execute(() -> ticks += 1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ForkJoinPool pool = new ForkJoinPool(6, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("client-" + i, new Client(pool)::ask);
        }
        Truth.repeat("ticker", new Ticker(pool)::tick);
        Truth.sleep(seconds);
        Truth.healthy("a pool of six workers with little to do").object().culprit().thread().victims().noShare().say();
    }
}

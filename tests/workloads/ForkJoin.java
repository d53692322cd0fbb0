import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/**
 * Many small trees of tasks in a ForkJoinPool. Arguments: seconds to measure (0 = until killed), seconds
 * to warm up (1), parallelism (4). Prints `pairs N wall_ns N cpu_ns N`; a pair is one tree.
 */
class ForkJoin {
    static volatile long trees;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        int parallelism = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4;
        ForkJoinPool pool = new ForkJoinPool(parallelism);
        Thread asker = new Thread(() -> ask(pool), "asker-1");
        asker.setDaemon(seconds > 0);
        asker.start();
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Measure.pairs(warmUp, seconds, () -> trees);
    }

    static void ask(ForkJoinPool pool) {
        while (true) {
            if (pool.invoke(new Fibonacci(12)) != 144) {
                throw new AssertionError();
            }
            trees++;
        }
    }

    static class Fibonacci extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        final int n;

        Fibonacci(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2) {
                return n;
            }
            Fibonacci left = new Fibonacci(n - 1);
            left.fork();
            return new Fibonacci(n - 2).compute() + left.join();
        }
    }
}

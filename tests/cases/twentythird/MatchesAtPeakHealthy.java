import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An exchange at its peak: a feed brings orders by the clock, four matchers take them from a queue, compute for a
 * while, enter the order's book by one of sixteen locks, and leave the trades to a journal without waiting for it. Three
 * times a second the risk of all is computed by a fork-join pool.
 *
 * Truth: healthy. The queue is nearly always empty, locks are held for microseconds, the journal keeps up.
 */
final class MatchesAtPeakHealthy {
    record Book(ReentrantLock lock, long[] depth) {
        int enter(int order) {
            lock.lock();
            try {
                return (int) (depth[order % depth.length] += order);
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Risk extends RecursiveTask<Long> {
        private final int from, to;

        Risk(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from > 20_000) {
                Risk left = new Risk(from, (from + to) / 2), right = new Risk((from + to) / 2, to);
                left.fork();
                return right.compute() + left.join();
            }
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += Integer.bitCount(i * 31) % 7;
            }
            return sum;
        }
    }

    static long priced(int order) {
        long sum = 0;
        for (int i = 0; i < 30_000; i++) {
            sum += (order ^ i) % 13;
        }
        return sum;
    }

    public static void main(String[] arguments) {
        BlockingQueue<Integer> orders = new ArrayBlockingQueue<>(4000);
        Book[] books = new Book[16];
        ExecutorService journal = Executors.newSingleThreadExecutor(work -> Truth.daemon("journal", work));
        ForkJoinPool risks = new ForkJoinPool(2);
        long[] written = {0};
        for (int i = 0; i < 16; i++) {
            books[i] = new Book(new ReentrantLock(), new long[100]);
        }
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("matcher-" + i, () -> {
                int order = orders.take();
                long price = priced(order) + books[order % 16].enter(order);
                if (price % 10 == 0) {
                    journal.execute(() -> written[0] += price);
                }
            });
        }
        int[] number = {0};
        Truth.repeat("feed", () -> {
            for (int i = 0; i < 3; i++) {
                orders.put(++number[0]);
            }
            Thread.sleep(2);
        });
        Truth.repeat("risk", () -> {
            risks.invoke(new Risk(0, 400_000));
            Thread.sleep(330);
        });
        Truth.sleep(Truth.seconds(arguments));
        System.out.printf("%d orders, %d left%n", number[0], orders.size());
        Truth.healthy("an exchange at its peak, with all in time").say();
    }
}

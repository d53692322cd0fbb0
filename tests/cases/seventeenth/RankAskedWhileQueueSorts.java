import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A dispatcher takes the most urgent of forty orders out of a PriorityBlockingQueue, serves it and puts another one in.
 * Three boards show, every few milliseconds, which order is next.
 *
 * Problem: the queue compares orders under its lock, and Order.compareTo asks Directory.rankOf for a customer's rank,
 * which takes 3 ms. Truth: boards wait for the queue's ReentrantLock because of Directory.rankOf. Measured: when the
 * dispatcher asks for a rank, within the boards' looks.
 */
final class RankAskedWhileQueueSorts {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger SHOWN = new AtomicInteger();

    static final class Directory {
        static int rankOf(int customer) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(0, from, System.nanoTime());
            return customer * 7919 % 101;
        }
    }

    record Order(int customer) implements Comparable<Order> {
        @Override
        public int compareTo(Order other) {
            return Integer.compare(Directory.rankOf(customer), other.customer * 7919 % 101);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PriorityBlockingQueue<Order> orders = new PriorityBlockingQueue<>();
        for (int i = 0; i < 40; i++) {
            orders.put(new Order(i));
        }
        AtomicInteger served = new AtomicInteger();
        Truth.repeat("dispatcher", () -> {
            orders.take();
            Thread.sleep(2);
            orders.put(new Order(served.incrementAndGet()));
        });
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("board-" + i, () -> {
                long from = System.nanoTime();
                orders.peek();
                DIARY.waited(from, System.nanoTime());
                SHOWN.incrementAndGet();
                Thread.sleep(4);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d served, %d shown, waited %.2f s in all%n", served.get(), SHOWN.get(),
            DIARY.waitedSeconds());
        Truth.of("orders are compared by a slow question, under a lock").object("NonfairSync", "ReentrantLock")
            .culprit("Directory.rankOf", "Order.compareTo").thread("dispatcher").victims("board-*")
            .share(DIARY.share(0), "the boards' looks").say();
        System.exit(0);
    }
}

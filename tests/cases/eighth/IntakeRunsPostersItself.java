import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Orders of prints go into a queue of ten; one thread, `intake`, gives them to a pool of two.
 *
 * Problem: the pool's policy is that the caller runs what it refuses: intake prints posters itself, 110 ms each,
 * and meanwhile no order is taken in, though the two presses are idle again soon. Truth: counters wait for room
 * in the queue because of Poster.print, run by intake. Measured: the part of the waiting during which intake ran
 * it.
 */
final class IntakeRunsPostersItself {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Order {
        void print();
    }

    static final class Card implements Order {
        @Override
        public void print() {
            Truth.sleep(0.012);
        }
    }

    static final class Poster implements Order {
        @Override
        public void print() {
            long from = System.nanoTime();
            Truth.sleep(0.11);
            if (Thread.currentThread().getName().equals("intake")) {
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    static final class Shop {
        private final ArrayBlockingQueue<Order> orders = new ArrayBlockingQueue<>(10);
        private final ThreadPoolExecutor presses;
        private int threads;

        Shop() {
            presses = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), work -> {
                Thread thread = new Thread(work, "press-" + ++threads);
                thread.setDaemon(true);
                return thread;
            }, new ThreadPoolExecutor.CallerRunsPolicy());
        }

        void takeIn() throws InterruptedException {
            presses.execute(orders.take()::print);
        }

        void order(Order order) throws InterruptedException {
            long from = System.nanoTime();
            orders.put(order);
            long to = System.nanoTime();
            if (to - from > 50_000) {
                DIARY.waited(from, to);
            }
        }
    }

    static final class Counter {
        private final Shop shop;
        private int number;

        Counter(Shop shop, int number) {
            this.shop = shop;
            this.number = number;
        }

        void next() throws InterruptedException {
            shop.order(++number % 7 == 0 ? new Poster() : new Card());
            Thread.sleep(25);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Shop shop = new Shop();
        Truth.repeat("intake", shop::takeIn);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("counter-" + i, new Counter(shop, i)::next);
        }
        Truth.sleep(seconds);
        Truth.of("who gives orders to the pool prints posters itself, and takes no orders meanwhile")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("Poster.print").thread("intake")
            .victims("counter-*").share(DIARY.share(0), "the waiting for room").say();
    }
}

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One matcher thread serves five order threads, each of which waits for its answer at a queue of
 * its own. Matching takes 4 ms of a core. Beside it fourteen feed pollers spin on a counter that
 * changes a few times a second, "for latency", and so take the cores from the matcher.
 *
 * Problem: FeedPoller.spin. Truth: the order threads wait at their ArrayBlockingQueues because
 * the matcher does not get a core. Measured: each answer's time on a core against its whole time;
 * what of the order threads' waits was not the matcher's time on a core, is the pollers'.
 */
class SpinningFeeds {
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static final Truth.Diary DIARY = new Truth.Diary();
    static volatile boolean stopped;

    record Order(double limit, BlockingQueue<Double> reply) {
    }

    public static void main(String[] arguments) {
        AtomicLong ticks = new AtomicLong();
        Exchange exchange = new Exchange();
        daemon("matcher", exchange::match);
        daemon("ticker", () -> tick(ticks));
        for (int i = 1; i <= 14; i++) {
            daemon("feed-poller-" + i, new FeedPoller(ticks)::run);
        }
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            daemon("order-" + i, () -> trade(exchange, random));
        }
        Truth.run(arguments, () -> stopped = true, 0.5);
        Truth.of("fourteen pollers spin and take the cores away from the one thread that answers orders")
            .object("ArrayBlockingQueue", "ConditionObject")
            .culprit("FeedPoller.spin", "FeedPoller.run", "FeedPoller.onTick")
            .thread("feed-poller-*").victims("order-*")
            .share(1 - DIARY.share(0), "the order threads' waiting for answers").say();
    }

    static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void tick(AtomicLong ticks) {
        while (!stopped) {
            Truth.sleep(0.2);
            ticks.incrementAndGet();
        }
    }

    static void trade(Exchange exchange, Random random) {
        BlockingQueue<Double> reply = new ArrayBlockingQueue<>(1);
        try {
            while (!stopped) {
                Thread.sleep(25 + random.nextInt(20));
                exchange.execute(new Order(random.nextDouble(), reply));
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static class Exchange {
        private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();
        private double last;

        double execute(Order order) throws InterruptedException {
            orders.put(order);
            return answer(order.reply());
        }

        private double answer(BlockingQueue<Double> reply) throws InterruptedException {
            long from = System.nanoTime();
            double price = reply.take();
            DIARY.waited(from, System.nanoTime());
            return price;
        }

        void match() {
            try {
                while (true) {
                    Order order = orders.take();
                    long from = System.nanoTime(), cpu = CPU.getCurrentThreadCpuTime();
                    double price = cross(order.limit());
                    cpu = CPU.getCurrentThreadCpuTime() - cpu;
                    long to = System.nanoTime();
                    DIARY.held(0, Math.max(from, to - cpu), to);
                    order.reply().put(price);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private double cross(double limit) {
            long until = CPU.getCurrentThreadCpuTime() + 4_000_000;
            while (CPU.getCurrentThreadCpuTime() < until) {
                last = (last + Math.sqrt(limit * last)) / 2;
            }
            return last;
        }
    }

    static class FeedPoller {
        private final AtomicLong ticks;
        private long seen;

        FeedPoller(AtomicLong ticks) {
            this.ticks = ticks;
        }

        void run() {
            while (!stopped) {
                onTick(spin());
            }
        }

        private long spin() {
            while (ticks.get() == seen && !stopped) {
                Thread.onSpinWait();
            }
            return ticks.get();
        }

        private void onTick(long tick) {
            seen = tick;
        }
    }
}

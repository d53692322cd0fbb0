import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Feeds book every trade of a sliding window in a deque, a small object with three more in it;
 * desks ask for a valuation and join the future. The window is so long that each trade survives a
 * few young collections, is copied each time, gets old and dies then: the young pauses are long,
 * and full ones come on top.
 *
 * FLAGS: -XX:+UseParallelGC -XX:ParallelGCThreads=2 -XX:-UseAdaptiveSizePolicy -Xmx180m -Xmn50m
 *
 * Problem: TradeWindow.book retains trades for too long. Truth: desks and feeds lose their time
 * to the collector. Measured: the time of collections, as the JVM tells it, against the time of
 * the run.
 */
final class TradeWindow {
    private static final int LENGTH = 700_000;

    private final Deque<Trade> window = new ArrayDeque<>();
    private final ExecutorService valuations = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "valuation");
        thread.setDaemon(true);
        return thread;
    });

    static final class Trade {
        final Long price, volume;
        final StringBuilder note;

        Trade(long price, long volume) {
            this.price = 1_000_000 + price;
            this.volume = 1_000_000 + volume;
            this.note = new StringBuilder(4);
        }
    }

    public static void main(String[] arguments) {
        TradeWindow trades = new TradeWindow();
        trades.feed(new Random(0), LENGTH);
        for (int i = 1; i <= 3; i++) {
            Random random = new Random(i);
            Truth.start("feed-" + i, () -> trades.follow(random));
        }
        for (int i = 1; i <= 5; i++) {
            Truth.start("desk-" + i, trades::trade);
        }
        long begin = System.nanoTime(), before = collectingMillis();
        Truth.sleep(Truth.seconds(arguments));
        double millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        Truth.of("trades are kept for longer than the heap can bear, and copying them stops the "
            + "program for much of its time")
            .object("GC", "garbage collection", "safepoint", "TradeWindow")
            .culprit("TradeWindow.book", "TradeWindow.feed", "TradeWindow.follow", "Trade.<init>")
            .thread("feed-*").victims("desk-*", "feed-*")
            .share((collectingMillis() - before) / millis,
                "the run's time, in stop-the-world collections").say();
    }

    private static long collectingMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(bean -> bean.getCollectionTime()).sum();
    }

    private void follow(Random random) {
        while (true) {
            Truth.sleep(0.003);
            feed(random, 2500);
        }
    }

    private void feed(Random random, int count) {
        for (int i = 0; i < count; i++) {
            book(new Trade(random.nextInt(1000), random.nextInt(50)));
        }
    }

    private synchronized void book(Trade trade) {
        window.add(trade);
        if (window.size() > LENGTH) {
            window.remove();
        }
    }

    private void trade() {
        while (true) {
            Truth.sleep(0.01);
            CompletableFuture.supplyAsync(this::valuation, valuations).join();
        }
    }

    private synchronized long valuation() {
        return window.getLast().price * window.getFirst().volume;
    }
}

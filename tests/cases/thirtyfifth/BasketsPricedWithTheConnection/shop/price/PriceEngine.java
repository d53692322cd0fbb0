package shop.price;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import shop.db.Probe;

/** Prices and promotions, on a thread of their own. */
public final class PriceEngine {
    private final ScheduledExecutorService thread;
    private final Promotions promotions = new Promotions();
    private final Probe quoting;

    public PriceEngine(ScheduledExecutorService thread, Probe quoting, Probe rebuilding) {
        this.thread = thread;
        this.quoting = quoting;
        thread.scheduleWithFixedDelay(() -> {
            long from = System.nanoTime();
            promotions.rebuild();
            rebuilding.tell(from, System.nanoTime());
        }, 50, 13, TimeUnit.MILLISECONDS);
    }

    public long quote(int items) {
        return CompletableFuture.supplyAsync(() -> sum(items), thread).thenApply(sum -> sum - sum / 50).join();
    }

    private long sum(int items) {
        long from = System.nanoTime();
        long sum = 0;
        while (System.nanoTime() - from < 700_000) {
            sum = 100L * items - promotions.rebate(items);
        }
        quoting.tell(from, System.nanoTime());
        return sum;
    }
}

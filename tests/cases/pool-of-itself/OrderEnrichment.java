import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Orders are enriched by tasks that wait for two short tasks of their own pool. It looks like
 * trouble but is none: there are five threads that ask, one order each at a time, so that never
 * more than fifteen of the pool's twenty-four threads are wanted.
 *
 * Problem: none; the pool has room for every task and each takes a few milliseconds. Truth:
 * healthy. Measured: nothing.
 */
final class OrderEnrichment {
    private static final LinkedBlockingQueue<Long> shipped = new LinkedBlockingQueue<>();
    private final ExecutorService pool;

    private OrderEnrichment(ExecutorService pool) {
        this.pool = pool;
    }

    public static void main(String[] arguments) {
        ThreadFactory threads = new ThreadFactory() {
            private int number;

            @Override
            public synchronized Thread newThread(Runnable task) {
                return Truth.daemon("enrich-" + ++number, task);
            }
        };
        OrderEnrichment service = new OrderEnrichment(Executors.newFixedThreadPool(24, threads));
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(5 * i);
            Truth.daemon("intake-" + i, () -> service.takeIn(random)).start();
        }
        Truth.daemon("shipper", OrderEnrichment::ship).start();
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("the pool is large enough for tasks that wait for tasks of their own pool, "
            + "and all are short")
            .object().culprit().thread().victims().noShare().say();
    }

    private void takeIn(Random random) {
        while (true) {
            Truth.sleep(0.06 + 0.08 * random.nextDouble());
            shipped.add(accept(random.nextInt(500)));
        }
    }

    private long accept(int order) {
        return ask(() -> enrich(order)).join();
    }

    private long enrich(int order) {
        CompletableFuture<Integer> customer = ask(() -> lookUp(order, 3));
        CompletableFuture<Integer> address = ask(() -> lookUp(order, 4));
        return customer.join() + address.join();
    }

    private int lookUp(int order, int millis) {
        Truth.sleep(millis / 1000.0);
        return order + millis;
    }

    private <T> CompletableFuture<T> ask(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, pool);
    }

    private static void ship() {
        try {
            while (true) {
                Long order = shipped.poll(2, TimeUnit.SECONDS);
                if (order != null && order < 0) {
                    return;
                }
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}

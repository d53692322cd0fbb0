import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A shop whose services are called through an interceptor: it lets a call in if the gate is open, and counts it as
 * long as it is on its way. Maintenance closes the gate each half second, waits until nobody is on his way, works for
 * 5 ms, and opens it again.
 *
 * Problem: after two fifths of the time orders of bundles are taken, and such an order asks for a quote, through the
 * interceptor. If the gate was closed in between, the order waits for the gate, and maintenance for the order; nobody
 * holds a lock. Truth: orders wait for ever for the gate's CompletableFuture because of Lifecycle.quiesce and
 * Orders.place.
 */
final class MaintenanceAwaitsNestedOrders {
    interface Interceptor {
        <T> T around(Callable<T> call) throws Exception;
    }

    static final class Lifecycle implements Interceptor {
        private final Phaser underWay = new Phaser(1);
        private final AtomicReference<CompletableFuture<Void>> gate =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

        @Override
        public <T> T around(Callable<T> call) throws Exception {
            gate.get().join();
            underWay.register();
            try {
                return call.call();
            } finally {
                underWay.arriveAndDeregister();
            }
        }

        void quiesce(Runnable work) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            gate.set(closed);
            underWay.arriveAndAwaitAdvance();
            work.run();
            closed.complete(null);
        }
    }

    record Quotes(Interceptor interceptor) {
        int price(String article) throws Exception {
            return interceptor.around(() -> article.length() * 100);
        }
    }

    record Orders(Interceptor interceptor, Quotes quotes, AtomicBoolean bundles) {
        int place(String article) throws Exception {
            return interceptor.around(() -> {
                Truth.sleep(0.012);
                return bundles.get() ? quotes.price(article) + quotes.price("box") : 100;
            });
        }
    }

    record Maintenance(Lifecycle lifecycle) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            Thread.sleep(500);
            lifecycle.quiesce(() -> Truth.sleep(0.005));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lifecycle lifecycle = new Lifecycle();
        AtomicBoolean bundles = new AtomicBoolean();
        Orders orders = new Orders(lifecycle, new Quotes(lifecycle), bundles);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            threads.add(Truth.repeat("order-" + i, () -> {
                orders.place("lamp");
                Thread.sleep(8);
            }));
        }
        threads.add(Truth.repeat("maintenance", new Maintenance(lifecycle)));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("maintenance awaits orders under way, and those the gate that it has closed")
            .object("CompletableFuture", "Signaller", "Phaser", "QNode")
            .culprit("Lifecycle.quiesce", "Maintenance.run", "Orders.place", "Quotes.price")
            .thread("maintenance", "order-*").victims("order-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        bundles.set(true);
        Truth.sleep(seconds + 2);
    }
}

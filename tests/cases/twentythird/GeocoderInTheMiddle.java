import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Eight checkouts have a label made by a chain of futures: the order is fetched (2 ms, four threads), its address
 * resolved, and the label drawn (2 ms, the four threads again).
 *
 * Problem: addresses are resolved on an executor with one thread, 9 ms each. Truth: checkouts wait for a
 * CompletableFuture because of Geocoder.resolve. Measured: of the checkouts' waiting, what passes from the order's being
 * fetched to its address's being resolved.
 */
final class GeocoderInTheMiddle {
    static final LongAdder ALL = new LongAdder(), MIDDLE = new LongAdder();

    record Order(int number, long fetched) {
        static Order fetch(int number) {
            Truth.sleep(0.002);
            return new Order(number, System.nanoTime());
        }
    }

    record Address(String street) {
        String draw() {
            Truth.sleep(0.002);
            return "to: " + street;
        }
    }

    static final class Geocoder {
        Address resolve(Order order) {
            Truth.sleep(0.009);
            MIDDLE.add(System.nanoTime() - order.fetched());
            return new Address("street " + order.number());
        }
    }

    static Executor pool(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(threads, work -> Truth.daemon(name + "-" + number.incrementAndGet(), work));
    }

    public static void main(String[] arguments) {
        Executor quick = pool("quick", 4), geo = pool("geo", 1);
        Geocoder geocoder = new Geocoder();
        for (int i = 1; i <= 8; i++) {
            int number = i;
            Truth.repeat("checkout-" + i, () -> {
                long from = System.nanoTime();
                CompletableFuture.supplyAsync(() -> Order.fetch(number), quick)
                    .thenApplyAsync(geocoder::resolve, geo).thenApplyAsync(Address::draw, quick).join();
                ALL.add(System.nanoTime() - from);
                Thread.sleep(20);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the middle of a chain has one slow thread").object("CompletableFuture", "Signaller")
            .culprit("Geocoder.resolve").thread("geo-*").victims("checkout-*")
            .share((double) MIDDLE.sum() / ALL.sum(), "the checkouts' waiting for their label").say();
    }
}

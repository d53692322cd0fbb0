import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Seven shop threads put into and get from a synchronized map of carts. Each half second a report walks
 * through all of it, under its monitor as it has to be, and writes 2 ms for each of some 60 carts.
 *
 * Problem: CartReport.write does its writing within the walk. Truth: the shop waits for the map's
 * monitor because of it. Measured: who has the monitor, against the shop's time to get it.
 */
final class CartReportWalksSynchronizedMap {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class CartReport {
        static void write(Map<Integer, Integer> carts) {
            synchronized (carts) {
                long from = System.nanoTime();
                for (Integer cart : carts.keySet()) {
                    Truth.sleep(0.002);
                }
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    static final class Shop {
        static void change(Map<Integer, Integer> carts, Random random) {
            long from = System.nanoTime();
            carts.merge(random.nextInt(60), 1, Integer::sum);
            long to = System.nanoTime();
            if (to - from > 20_000) {
                DIARY.waited(from, to);
            }
        }
    }

    public static void main(String[] arguments) {
        Map<Integer, Integer> carts = Collections.synchronizedMap(new HashMap<>());
        for (int i = 1; i <= 7; i++) {
            Random random = new Random(i);
            Truth.repeat("shop-" + i, () -> {
                Truth.sleep(0.003 + random.nextDouble() * 0.004);
                Shop.change(carts, random);
            });
        }
        Truth.repeat("cart-report", () -> {
            Truth.sleep(0.35);
            CartReport.write(carts);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a report writes while it walks through the map, whose monitor all others need")
            .object("SynchronizedMap", "Collections")
            .culprit("CartReport.write")
            .thread("cart-report").victims("shop-*")
            .share(DIARY.share(0), "the shop's waiting for the map").say();
    }
}

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Eight carts ask a price book, a ConcurrentHashMap whose entries are refreshed in compute(). A key's
 * hash is made of the vendor only, so that all products of one vendor are in one bin.
 *
 * Problem: PriceBook.askVendor (30 to 60 ms) is called within compute(), about eight times a second,
 * under the monitor of the bin; whoever looks at any product of this vendor waits. Truth: the bin's
 * first node, the call. Measured: when a compute was with a call and when without, within the carts'
 * time from compute() until its function runs.
 */
final class VendorCallInMapBin {
    private static final int ASK = 0, LOOK = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Product {
        final String vendor;
        final int number;

        Product(String vendor, int number) {
            this.vendor = vendor;
            this.number = number;
        }

        @Override
        public int hashCode() {
            return vendor.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Product && ((Product) other).vendor.equals(vendor)
                && ((Product) other).number == number;
        }
    }

    static final class Price {
        final long goodUntil = System.nanoTime() + 600_000_000L;
        final double amount;

        Price(double amount) {
            this.amount = amount;
        }
    }

    static final class PriceBook {
        private final Map<Product, Price> prices = new ConcurrentHashMap<>();
        private final Random random = new Random(4);

        double price(Product product) {
            long asked = System.nanoTime();
            return prices.compute(product, (key, old) -> {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                boolean good = old != null && old.goodUntil > from;
                Price price = good ? old : askVendor(key);
                DIARY.held(good ? LOOK : ASK, from, System.nanoTime());
                return price;
            }).amount;
        }

        private Price askVendor(Product product) {
            Truth.sleep(0.03 + random.nextDouble() * 0.03);
            return new Price(product.number * 1.19);
        }
    }

    public static void main(String[] arguments) {
        PriceBook book = new PriceBook();
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Thread thread = new Thread(() -> {
                while (true) {
                    Truth.sleep(0.005 + random.nextDouble() * 0.02);
                    book.price(new Product("acme", random.nextInt(5)));
                }
            }, "cart-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a vendor is asked within compute(), with the monitor of the map's bin, in which all "
            + "products of the vendor are")
            .object("ConcurrentHashMap", "Node")
            .culprit("PriceBook.askVendor", "PriceBook.price", "PriceBook.lambda.price.0")
            .thread("cart-*").victims("cart-*")
            .share(DIARY.share(ASK), "the carts' waiting for the bin").say();
    }
}

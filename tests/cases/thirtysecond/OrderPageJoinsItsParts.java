import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page of orders is made of three parts, each asked of a service by a task of its own, on a pool with threads
 * enough; five browsers join prices, stock and reviews, one after the other.
 *
 * Problem: the parts begin together; prices take 5 ms (Prices.load), stock 5 or, one of three, 17 ms (Stock.load),
 * reviews 24 ms (Reviews.load). Truth: browsers wait for a CompletableFuture because of Reviews.load. Measured: the
 * part of the browsers' waiting that they wait for the reviews' future.
 */
final class OrderPageJoinsItsParts {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Prices {
        int load() {
            Truth.sleep(0.005);
            return 5;
        }
    }

    static final class Stock {
        private final Random random = new Random(1);

        int load() {
            Truth.sleep(random.nextInt(3) == 0 ? 0.017 : 0.005);
            return 7;
        }
    }

    static final class Reviews {
        int load() {
            int stars = 0;
            for (int i = 0; i < 4; i++) {
                Truth.sleep(0.006);
                stars += i;
            }
            return stars;
        }
    }

    static final class OrderPage {
        private final ExecutorService pool;
        private final Prices prices = new Prices();
        private final Stock stock = new Stock();
        private final Reviews reviews = new Reviews();

        OrderPage(ExecutorService pool) {
            this.pool = pool;
        }

        int render() {
            CompletableFuture<Integer> price = CompletableFuture.supplyAsync(prices::load, pool);
            CompletableFuture<Integer> pieces = CompletableFuture.supplyAsync(stock::load, pool);
            CompletableFuture<Integer> stars = CompletableFuture.supplyAsync(reviews::load, pool);
            return joined(price, 1) + joined(pieces, 2) + joined(stars, 0);
        }

        private int joined(CompletableFuture<Integer> part, int who) {
            long from = System.nanoTime();
            int value = part.join();
            long to = System.nanoTime();
            DIARY.waited(from, to);
            WAITED[who].addAndGet((int) ((to - from) / 1000));
            return value;
        }
    }

    static final AtomicInteger[] WAITED = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};

    public static void main(String[] arguments) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        OrderPage page = new OrderPage(
            Executors.newFixedThreadPool(15, work -> Truth.daemon("part-" + threads.incrementAndGet(), work)));
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("browser-" + i, () -> {
                page.render();
                Thread.sleep(13);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        double whole = WAITED[0].get() + WAITED[1].get() + (double) WAITED[2].get();
        Truth.of("reviews take longest of three parts").object("CompletableFuture", "Signaller").culprit("Reviews.load")
            .thread("part-*").victims("browser-*").share(WAITED[0].get() / whole, "the browsers' waiting for parts").say();
        Runtime.getRuntime().halt(0);
    }
}

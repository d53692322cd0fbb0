import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.log4j.FileAppender;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;

/**
 * A checkout that logs with log4j 1.2. Six threads confirm baskets, three search; each says so in the log.
 *
 * NEEDS: liblog4j1.2-java (log4j-1.2.jar)
 *
 * Problem: CheckoutFlow.confirm logs the basket itself, and Basket.toString asks the price service for
 * what it has not got yet, 10 to 20 ms; log4j makes the text within the appender's and the logger's
 * monitor, so everyone who logs waits. Truth: waiting to log is for Basket.toString. Measured: who made
 * texts while others waited.
 */
final class BasketPrintsItselfInLog {
    static final int BASKET = 0, PLAIN = 1;
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> LOGGING_SINCE = new ThreadLocal<>();

    /** Far away. */
    static final class PriceClient {
        private final Random random = new Random(3);

        int total(List<Integer> articles) {
            int extra;
            synchronized (random) {
                extra = random.nextInt(10);
            }
            Truth.sleep(0.010 + extra * 0.001);
            return articles.size() * 1999 + extra;
        }
    }

    /** Knows its price once somebody has asked for it. */
    static final class Basket {
        private final List<Integer> articles = new ArrayList<>();
        private final PriceClient prices;
        private Integer total;

        Basket(PriceClient prices) {
            this.prices = prices;
        }

        void add(int article) {
            articles.add(article);
            total = null;
        }

        int total() {
            if (total == null) {
                total = prices.total(articles);
            }
            return total;
        }

        @Override
        public String toString() {
            long from = System.nanoTime();
            DIARY.waited(LOGGING_SINCE.get(), from);
            String text = "Basket of " + articles.size() + ", " + total() / 100.0 + " EUR";
            DIARY.held(BASKET, from, System.nanoTime());
            return text;
        }
    }

    static final class CheckoutFlow {
        private static final Logger LOG = Logger.getLogger("shop.checkout.CheckoutFlow");
        private final PriceClient prices;
        private int step;

        CheckoutFlow(PriceClient prices) {
            this.prices = prices;
        }

        void run() throws InterruptedException {
            Basket basket = fill();
            Thread.sleep(30);
            confirm(basket);
        }

        private Basket fill() {
            Basket basket = new Basket(prices);
            for (int i = 0; i <= step % 4; i++) {
                basket.add(step + i);
            }
            step++;
            return basket;
        }

        private void confirm(Basket basket) {
            LOGGING_SINCE.set(System.nanoTime());
            LOG.info(basket);
        }
    }

    static final class SearchPage {
        private static final Logger LOG = Logger.getLogger("shop.search.SearchPage");
        private int hits;

        void show() throws InterruptedException {
            Thread.sleep(8);
            hits = (hits * 31 + 7) % 1000;
            note("search for shoes: " + hits + " hits");
        }

        private void note(String text) {
            long from = System.nanoTime();
            LOG.info(text);
            long to = System.nanoTime();
            DIARY.waited(from, to);
            DIARY.held(PLAIN, Math.max(from, to - 30_000), to);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Logger.getRootLogger().addAppender(new FileAppender(new PatternLayout("%d %-5p [%t] %c: %m%n"),
            System.getProperty("java.io.tmpdir") + "/basket-prints-itself.log", false));
        PriceClient prices = new PriceClient();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("checkout-" + i, new CheckoutFlow(prices)::run);
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("search-" + i, new SearchPage()::show);
        }
        Truth.sleep(seconds);
        Truth.of("a basket asks for its price while the log is locked")
            .object("RootLogger", "Logger", "FileAppender").culprit("Basket.toString", "CheckoutFlow.confirm")
            .thread("checkout-*").victims("checkout-*", "search-*")
            .share(DIARY.share(BASKET), "waiting to log").say();
    }
}

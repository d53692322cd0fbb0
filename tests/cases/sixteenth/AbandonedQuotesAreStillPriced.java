import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ten customers ask two pricers for a quote, wait for at most 150 ms and ask again at once if there is none.
 *
 * Problem: a retry storm: Pricer.price takes 25 ms, so eighty quotes a second are possible; what a customer has given
 * up stays in the queue and is priced all the same, and once the queue is longer than 150 ms everything that is priced
 * is for nobody. Truth: customers wait for the FutureTask because of Pricer.price. Measured: when a pricer prices,
 * within the customers' waiting.
 */
final class AbandonedQuotesAreStillPriced {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger QUOTED = new AtomicInteger(), GIVEN_UP = new AtomicInteger();

    static final class Pricer {
        Integer price(int number) {
            long from = System.nanoTime();
            Truth.sleep(0.025);
            DIARY.held(0, from, System.nanoTime());
            return number * 3;
        }
    }

    static final class Customer {
        private final ExecutorService pricers;
        private final Pricer pricer;
        private int number;

        Customer(ExecutorService pricers, Pricer pricer) {
            this.pricers = pricers;
            this.pricer = pricer;
        }

        void ask() throws InterruptedException, ExecutionException {
            int article = ++number;
            Future<Integer> quote = pricers.submit(() -> pricer.price(article));
            long from = System.nanoTime();
            try {
                quote.get(150, TimeUnit.MILLISECONDS);
                QUOTED.incrementAndGet();
            } catch (TimeoutException exception) {
                GIVEN_UP.incrementAndGet();
            }
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pricers = Executors.newFixedThreadPool(2,
            work -> new Thread(work, "pricer-" + threads.incrementAndGet()));
        Pricer pricer = new Pricer();
        for (int i = 0; i < 12; i++) { // a short rush
            pricers.submit(() -> pricer.price(0));
        }
        for (int i = 1; i <= 10; i++) {
            Truth.repeat("customer-" + i, new Customer(pricers, pricer)::ask);
        }
        Truth.sleep(seconds);
        System.out.printf("%d quoted, %d given up, waited %.2f s in all%n", QUOTED.get(), GIVEN_UP.get(),
            DIARY.waitedSeconds());
        Truth.of("quotes that nobody waits for any more are priced").object("FutureTask")
            .culprit("Pricer.price", "Customer.ask").thread("pricer-*").victims("customer-*")
            .share(DIARY.share(0), "the customers' waiting").say();
        System.exit(0);
    }
}

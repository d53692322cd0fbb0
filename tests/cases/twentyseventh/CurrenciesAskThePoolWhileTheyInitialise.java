import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Four checkouts price baskets; two threads of a pool look things up for others.
 *
 * Problem: after two fifths of the time a basket in a foreign currency comes, and Currencies is initialised: its static
 * initialiser has the rates looked up by the pool, through a lambda of its own, which needs the class to be initialised.
 * Truth: stuck; the checkout that initialises waits for a CompletableFuture in Currencies.load, the pool's thread and
 * the other checkouts for the class.
 */
final class CurrenciesAskThePoolWhileTheyInitialise {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2, work -> Truth.daemon("lookup", work));

    static final class Currencies {
        private static final Map<String, Double> RATES = load();

        private static Map<String, Double> load() {
            return CompletableFuture.supplyAsync(() -> Map.of("CHF", rate(2), "USD", rate(3)), POOL).join();
        }

        private static double rate(int basis) {
            return 1 + basis / 10.0;
        }

        static double convert(double amount, String currency) {
            return amount * RATES.getOrDefault(currency, 1.0);
        }
    }

    static volatile boolean foreign;

    record Checkout(double[] sum) implements Truth.Step {
        private double price() {
            double amount = CompletableFuture.supplyAsync(() -> 12.5, POOL).join();
            return foreign ? Currencies.convert(amount, "CHF") : amount;
        }

        @Override
        public void run() throws InterruptedException {
            sum[0] += price();
            Thread.sleep(15);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Thread> checkouts = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            checkouts.add(Truth.repeat("checkout-" + i, new Checkout(new double[1])));
        }
        Truth.sayAndHalt(Truth.stuck("a static initialiser waits for a task that needs the class")
            .object("CompletableFuture", "Signaller", "Currencies")
            .culprit("Currencies.load", "Currencies.<clinit>").thread("checkout-*", "lookup").victims("checkout-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        foreign = true;
        Truth.sleep(seconds + 2);
    }
}

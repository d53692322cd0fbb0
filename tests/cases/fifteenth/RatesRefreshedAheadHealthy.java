import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Four readers take rates from a cache of Caffeine, which asks a slow exchange for each of five rates again when it is
 * 400 ms old; that takes 60 ms on one of two refreshers, and readers get the old rate meanwhile.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: none: all rates are loaded before the first reader comes, and nobody waits for a refresh. Truth: healthy.
 * Measured: the longest look-up.
 */
final class RatesRefreshedAheadHealthy {
    static final class Exchange implements CacheLoader<String, Double> {
        @Override
        public Double load(String currency) {
            Truth.sleep(0.06);
            return currency.hashCode() / 1e3;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<String> currencies = List.of("EUR", "CHF", "NOK", "SEK", "DKK");
        ExecutorService refreshers = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "refresher");
            thread.setDaemon(true);
            return thread;
        });
        LoadingCache<String, Double> rates = Caffeine.newBuilder().executor(refreshers)
            .refreshAfterWrite(400, TimeUnit.MILLISECONDS).build(new Exchange());
        rates.getAll(currencies);
        AtomicLong longest = new AtomicLong();
        for (int i = 1; i <= 4; i++) {
            int[] number = {i};
            Truth.repeat("reader-" + i, () -> {
                long from = System.nanoTime();
                rates.get(currencies.get(++number[0] % 5));
                longest.accumulateAndGet(System.nanoTime() - from, Math::max);
                Thread.sleep(8);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("at most %.1f ms for a rate%n", longest.get() / 1e6);
        Truth.healthy("readers get the old rate while the new one is fetched").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}

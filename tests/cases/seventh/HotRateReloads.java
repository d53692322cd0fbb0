import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Eight checkout threads need exchange rates, nearly always the same one; the cache forgets a rate after
 * 150 ms and fetches it again.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: the cache expires (`expireAfterWrite`) where it should refresh, so that all wait for the one
 * that happens to load the rate: 80 ms of each 230. Truth: all wait for the loading value, because of
 * RateLoader.load. Measured: the part of the waiting during which somebody was in load.
 */
final class HotRateReloads {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Boolean> LOADED = ThreadLocal.withInitial(() -> false);

    static final class RateLoader extends CacheLoader<String, Double> {
        @Override
        public Double load(String currency) throws InterruptedException {
            LOADED.set(true);
            long from = System.nanoTime();
            Thread.sleep(80);
            DIARY.held(0, from, System.nanoTime());
            return 1 + currency.hashCode() % 100 / 1000.0;
        }
    }

    static final class Rates {
        private final LoadingCache<String, Double> cache = CacheBuilder.newBuilder()
            .expireAfterWrite(150, TimeUnit.MILLISECONDS).build(new RateLoader());

        double of(String currency) throws ExecutionException {
            LOADED.set(false);
            long from = System.nanoTime();
            double rate = cache.get(currency);
            if (!LOADED.get()) {
                DIARY.waited(from, System.nanoTime());
            }
            return rate;
        }
    }

    static final class Checkout {
        private final Rates rates;
        private final Random random;
        private double sum;

        Checkout(Rates rates, int seed) {
            this.rates = rates;
            random = new Random(seed);
        }

        void pay() throws InterruptedException, ExecutionException {
            Thread.sleep(4 + random.nextInt(6));
            sum += random.nextInt(100) * rates.of("EUR/USD");
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Rates rates = new Rates();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("checkout-" + i, new Checkout(rates, i)::pay);
        }
        Truth.sleep(seconds);
        Truth.of("everybody waits whenever the hot rate is loaded anew")
            .object("SettableFuture", "LoadingValueReference", "LoadingCache", "LocalCache")
            .culprit("RateLoader.load").thread("checkout-*").victims("checkout-*")
            .share(DIARY.share(0), "the waiting for the rate").say();
    }
}

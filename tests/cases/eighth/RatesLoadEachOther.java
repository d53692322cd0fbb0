import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.ArrayList;
import java.util.List;

/**
 * Exchange rates in a cache of Guava that loads them: a rate that is not quoted is derived from that of the
 * opposite direction, through the same cache.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: after the rates expire, eur-usd is loaded from usd-eur and usd-eur from eur-usd at the same
 * time; each load waits for the other's, and all who want one of the two wait with them. No lock is held.
 * Truth: stuck, because of RateLoader.load.
 */
final class RatesLoadEachOther {
    static final class RateLoader extends CacheLoader<String, Double> {
        LoadingCache<String, Double> rates;
        volatile boolean quoted = true;

        @Override
        public Double load(String pair) {
            Truth.sleep(0.03);
            return quoted ? Double.valueOf(1.1) : Double.valueOf(1 / opposite(pair));
        }

        private double opposite(String pair) {
            return rates.getUnchecked(pair.substring(4) + "-" + pair.substring(0, 3));
        }
    }

    static final class Pricer {
        private final LoadingCache<String, Double> rates;
        private final String pair;
        private double sum;

        Pricer(LoadingCache<String, Double> rates, String pair) {
            this.rates = rates;
            this.pair = pair;
        }

        void price() {
            while (true) {
                sum += rates.getUnchecked(pair);
                Truth.sleep(0.005);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        RateLoader loader = new RateLoader();
        loader.rates = CacheBuilder.newBuilder().maximumSize(1000).build(loader);
        List<Thread> pricers = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Pricer pricer = new Pricer(loader.rates, i % 2 == 0 ? "eur-usd" : "usd-eur");
            Thread thread = new Thread(pricer::price, "pricer-" + i);
            thread.setDaemon(true);
            thread.start();
            pricers.add(thread);
        }
        Truth.hangsOnce(pricers);
        Truth.sayAndHalt(Truth.stuck("two loads of a cache wait for each other's value")
            .object("SettableFuture", "LoadingValueReference", "AbstractFuture").culprit("RateLoader.load",
            "RateLoader.opposite").thread("pricer-*").victims("pricer-*").noShare(), seconds);
        Truth.sleep(0.8);
        loader.quoted = false;
        loader.rates.invalidateAll();
        Truth.sleep(seconds);
    }
}

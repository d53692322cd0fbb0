import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cache of exchange rates in which each rate is loaded once, by whoever asks first; all others wait for that load. It
 * is emptied ten times a second.
 *
 * Problem: since a second after the start the feed lacks some rates, and FxRates.triangulate computes them from others,
 * which are computed from them: a load waits for itself, or for a load that waits for it. Truth: stuck, quotes wait for
 * a CompletableFuture because of FxRates.triangulate.
 */
final class CrossRatesLoadEachOther {
    private static final List<String> PAIRS = List.of("EURUSD", "USDCHF", "CHFEUR", "GBPUSD", "USDJPY");
    private static volatile boolean feedIsIncomplete;

    static class SingleFlight {
        private final Map<String, CompletableFuture<Double>> flights = new ConcurrentHashMap<>();

        double get(String key, FxRates loader) {
            CompletableFuture<Double> own = new CompletableFuture<>();
            CompletableFuture<Double> theirs = flights.putIfAbsent(key, own);
            if (theirs != null) {
                return theirs.join();
            }
            own.complete(loader.load(key));
            return own.join();
        }

        void invalidateAll() {
            flights.values().removeIf(CompletableFuture::isDone);
        }
    }

    static class FxRates {
        private final SingleFlight cache = new SingleFlight();

        double rate(String pair) {
            return cache.get(pair, this);
        }

        double load(String pair) {
            pause(8);
            return feedIsIncomplete && pair.contains("CHF") ? triangulate(pair) : 1 + pair.hashCode() % 100 / 1000.0;
        }

        private double triangulate(String pair) {
            String from = pair.substring(0, 3), to = pair.substring(3);
            String base = from.equals("EUR") || to.equals("EUR") ? "USDCHF" : "CHFEUR";
            return rate(base) * rate("EURUSD");
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        FxRates rates = new FxRates();
        List<Thread> quotes = new ArrayList<>();
        for (int i = 1; i <= 7; i++) {
            Thread quote = new Thread(() -> {
                double sum = 0;
                while (sum < 1e12) {
                    sum += rates.rate(PAIRS.get(ThreadLocalRandom.current().nextInt(PAIRS.size())));
                    pause(2);
                }
            }, "quote-" + i);
            quote.setDaemon(true);
            quote.start();
            quotes.add(quote);
        }
        Truth.repeat("expiry", () -> {
            Thread.sleep(100);
            rates.cache.invalidateAll();
        });
        Truth.hangsOnce(quotes);
        Truth.sayAndHalt(Truth.stuck("rates are computed from each other, and each load waits for the other's")
            .object("CompletableFuture", "Signaller").culprit("FxRates.triangulate").thread("quote-*")
            .victims("quote-*").noShare(), seconds);
        pause(1000);
        feedIsIncomplete = true;
        pause((long) (seconds * 2000));
    }
}

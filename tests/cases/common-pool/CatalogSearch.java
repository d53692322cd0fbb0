import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A shop searches its catalog with supplyAsync, that is on the common pool (three workers), and
 * joins. A search takes 3 ms. A thread that keeps exchange rates fresh uses the same pool for
 * three downloads at a time, each of which blocks its worker for 200 to 400 ms.
 *
 * Problem: ExchangeRates.download blocks the workers of the common pool. Truth: the shop threads
 * wait for CompletableFutures because of it. Measured: when workers were downloading and when
 * searching, within the shop threads' waits.
 */
final class CatalogSearch {
    private static final Truth.Diary diary = new Truth.Diary();
    private static volatile boolean stopped;

    private final ExchangeRates rates = new ExchangeRates();
    private final Random random = new Random(8);

    public static void main(String[] arguments) {
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "3");
        CatalogSearch shop = new CatalogSearch();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(2, work ->
            Truth.daemon("cart-timer", work));
        timer.scheduleWithFixedDelay(shop::expireCarts, 300, 300, TimeUnit.MILLISECONDS);
        Truth.daemon("rates", shop.rates::keepFresh).start();
        for (int i = 1; i <= 6; i++) {
            Truth.daemon("shop-" + i, shop::serve).start();
        }
        Truth.run(arguments, () -> stopped = true, 1);
        Truth.of("downloads of exchange rates block the workers of the common pool, on which the "
            + "shop's short searches are run, too")
            .object("CompletableFuture", "Signaller")
            .culprit("ExchangeRates.download", "ExchangeRates.fetch", "ExchangeRates.keepFresh")
            .thread("ForkJoinPool.commonPool-worker-*").victims("shop-*")
            .share(diary.share(0), "the shop threads' waiting for searches").say();
    }

    private void serve() {
        while (!stopped) {
            Truth.sleep(0.02 + nextWait());
            results("shoes");
        }
    }

    private double nextWait() {
        synchronized (random) {
            return random.nextDouble() * 0.04;
        }
    }

    private int results(String words) {
        CompletableFuture<Integer> exact = CompletableFuture.supplyAsync(() -> search(words));
        CompletableFuture<Integer> fuzzy = CompletableFuture.supplyAsync(() -> search(words + "?"));
        return waitFor(exact.thenCombine(fuzzy, Integer::sum));
    }

    private static <T> T waitFor(CompletableFuture<T> answer) {
        long from = System.nanoTime();
        T value = answer.join();
        diary.waited(from, System.nanoTime());
        return value;
    }

    private int search(String words) {
        return timed(1, () -> {
            pause(3);
            return words.length();
        });
    }

    private void expireCarts() {
        nextWait();
    }

    private static <T> T timed(int what, Supplier<T> work) {
        long from = System.nanoTime();
        T result = work.get();
        diary.held(what, from, System.nanoTime());
        return result;
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class ExchangeRates {
        private final Random bank = new Random(31);

        void keepFresh() {
            while (!stopped) {
                List<CompletableFuture<Double>> all = new ArrayList<>();
                for (String currency : List.of("CHF", "SEK", "USD")) {
                    all.add(CompletableFuture.supplyAsync(() -> fetch(currency)));
                }
                CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).join();
                pause(40);
            }
        }

        private double fetch(String currency) {
            return timed(0, () -> download(currency));
        }

        private double download(String currency) {
            int millis;
            synchronized (bank) {
                millis = 200 + bank.nextInt(200);
            }
            try {
                Thread.sleep(millis);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            return currency.length() / 3.0;
        }
    }
}

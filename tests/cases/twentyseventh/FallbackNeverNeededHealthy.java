import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Six pages show a fare, and a default one if the airline has not answered within 120 ms. Two watchers ask the same
 * service for news twice a second, and give up after 400 ms; there are none.
 *
 * Problem: none; a fare is there after 2 ms, and a page is asked for each 70 ms. That there is no news keeps nobody.
 * Truth: healthy.
 */
final class FallbackNeverNeededHealthy {
    static final class Airline {
        int fare(String route) {
            Truth.sleep(0.002);
            return route.length() * 70;
        }

        CompletableFuture<String> news() {
            return new CompletableFuture<>();
        }
    }

    record Fares(Airline airline, ExecutorService pool) {
        int ask(String route) {
            return CompletableFuture.supplyAsync(() -> airline.fare(route), pool)
                .completeOnTimeout(199, 120, TimeUnit.MILLISECONDS).join();
        }
    }

    public static void main(String[] arguments) {
        Airline airline = new Airline();
        Fares fares = new Fares(airline, Executors.newFixedThreadPool(8, work -> Truth.daemon("airline", work)));
        int[] sums = new int[8];
        for (int i = 1; i <= 6; i++) {
            int page = i;
            Truth.repeat("page-" + i, () -> {
                sums[page] += fares.ask("LNZ-VIE");
                Thread.sleep(70);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("watcher-" + i, () -> {
                airline.news().completeOnTimeout("none", 400, TimeUnit.MILLISECONDS).join();
                Thread.sleep(100);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("fares come at once, and no news is good news").say();
    }
}

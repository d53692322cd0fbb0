import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Six pages show a fare, and a default one if the airline has not answered within 120 ms: the call goes to a pool of
 * eight threads, and the page joins its future, completed on timeout.
 *
 * Problem: since the airline's service is slow, nearly every fare is the default one, after 120 ms; the calls go on for
 * 250 ms. Truth: pages wait for a CompletableFuture because of Airline.fare. Measured: calls within the pages' waiting.
 */
final class FaresFallBackOnTimeout {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Airline {
        int fare(String route) {
            long from = System.nanoTime();
            Truth.sleep(0.25);
            DIARY.held(0, from, System.nanoTime());
            return route.length() * 70;
        }
    }

    record Fares(Airline airline, ExecutorService pool) {
        int ask(String route) {
            return CompletableFuture.supplyAsync(() -> airline.fare(route), pool)
                .completeOnTimeout(199, 120, TimeUnit.MILLISECONDS).join();
        }
    }

    record Page(Fares fares, int[] sum) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            sum[0] += fares.ask("LNZ-VIE");
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(200);
        }
    }

    public static void main(String[] arguments) {
        Fares fares = new Fares(new Airline(), Executors.newFixedThreadPool(8, work -> Truth.daemon("airline", work)));
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("page-" + i, new Page(fares, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an airline's service is slower than the timeout of those who ask it")
            .object("CompletableFuture", "Signaller").culprit("Airline.fare").thread("airline").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for a fare").say();
    }
}

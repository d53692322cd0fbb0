import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Eight pages show an offer, and go without it if there is none within 100 ms: orTimeout, and exceptionally none. Three
 * threads make offers.
 *
 * Problem: Recommender.rank takes 70 ms, so that three threads make far fewer than are asked for, and always have some
 * to do that nobody wants any more. Truth: pages wait for a CompletableFuture because of Recommender.rank. Measured:
 * ranking within the pages' waiting.
 */
final class OffersGivenUpInAFullPool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Recommender {
        int rank(int page) {
            long from = System.nanoTime();
            Truth.sleep(0.07);
            DIARY.held(0, from, System.nanoTime());
            return page * 3;
        }
    }

    record Page(Recommender recommender, ExecutorService pool, int number, int[] sum) implements Truth.Step {
        private int offer() {
            return CompletableFuture.supplyAsync(() -> recommender.rank(number), pool)
                .orTimeout(100, TimeUnit.MILLISECONDS).exceptionally(problem -> 0).join();
        }

        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            sum[0] += offer();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(90);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(3, work -> Truth.daemon("offers", work));
        Recommender recommender = new Recommender();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("page-" + i, new Page(recommender, pool, i, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("three threads rank far slower than pages ask").object("CompletableFuture", "Signaller")
            .culprit("Recommender.rank").thread("offers").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for an offer").say();
    }
}

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six pages are fetched by an executor of their own (four threads, 3 ms), and then rendered (2 ms).
 *
 * FLAGS: -Djava.util.concurrent.ForkJoinPool.common.parallelism=2
 *
 * Problem: PageService gives its executor to supplyAsync, but thenApplyAsync was left without one, so that pages are
 * rendered by the common pool, of two threads. There CatalogueSync.push sends two catalogues to a partner, 180 ms
 * each, and again after 200 ms. Truth: pages wait for their CompletableFuture because of CatalogueSync.push. Measured:
 * when both threads push, and when pages are fetched or rendered, within the pages' waiting, evenly divided.
 */
final class RenderingLandsOnTheCommonPool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PageService {
        private final ExecutorService fetchers;
        private final AtomicInteger rendered = new AtomicInteger();

        PageService(ExecutorService fetchers) {
            this.fetchers = fetchers;
        }

        CompletableFuture<String> page(String name) {
            return CompletableFuture.supplyAsync(() -> fetch(name), fetchers).thenApplyAsync(this::render);
        }

        private String fetch(String name) {
            return timed(1, 0.003, name);
        }

        private String render(String text) {
            return timed(2, 0.002, text + rendered.incrementAndGet());
        }
    }

    static final class CatalogueSync {
        void push(String catalogue) {
            timed(0, 0.18, catalogue);
        }
    }

    private static String timed(int who, double seconds, String result) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        return result;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger number = new AtomicInteger();
        PageService pages = new PageService(Executors.newFixedThreadPool(4, work ->
            Truth.daemon("fetcher-" + number.incrementAndGet(), work)));
        DIARY.clients("page", 6, 25, () -> pages.page("home").get(5, TimeUnit.SECONDS));
        CatalogueSync sync = new CatalogueSync();
        Truth.repeat("sync", () -> {
            CompletableFuture.allOf(CompletableFuture.runAsync(() -> sync.push("spring")),
                CompletableFuture.runAsync(() -> sync.push("autumn"))).get();
            Thread.sleep(200);
        });
        Truth.sleep(seconds);
        System.out.printf("waited %.2f s%n", DIARY.waitedSeconds());
        Truth.of("a stage without an executor is run by the common pool, which is busy").object("CompletableFuture")
            .culprit("CatalogueSync.push").thread("ForkJoinPool.commonPool-worker-*").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting").say();
        Runtime.getRuntime().halt(0);
    }
}

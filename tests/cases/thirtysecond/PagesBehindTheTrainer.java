import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A shop has its pages in a cache of Caffeine's, which loads them on a pool of two threads, and forgets them after
 * 80 ms. Ten requests, virtual threads where the JDK has them, wait for a page each.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: recommendations are trained on the same pool, Trainer.train, 40 ms, after each 70 ms; a page takes 4 ms,
 * PageStore.load. Truth: requests wait for a CompletableFuture because of Trainer.train. Measured: the part of the
 * requests' waiting during which the pool trains, evenly shared with loading.
 */
final class PagesBehindTheTrainer {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PageStore {
        String load(Integer page) {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return "page " + page;
        }
    }

    static final class Trainer {
        private final byte[] weights = new byte[64 * 1024];

        void train() {
            long from = System.nanoTime();
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                while (System.nanoTime() - from < 40_000_000) {
                    System.arraycopy(digest.digest(weights), 0, weights, 0, 32);
                    Thread.sleep(2);
                }
            } catch (NoSuchAlgorithmException | InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static void browse(AsyncLoadingCache<Integer, String> pages, int number) {
        Random random = new Random(number);
        try {
            while (true) {
                int page = random.nextInt(16);
                long from = System.nanoTime();
                pages.get(page).get();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(9);
            }
        } catch (Exception exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pool =
            Executors.newFixedThreadPool(2, work -> Truth.daemon("background-" + threads.incrementAndGet(), work));
        PageStore store = new PageStore();
        AsyncLoadingCache<Integer, String> pages = Caffeine.newBuilder().maximumSize(100)
            .expireAfterWrite(80, TimeUnit.MILLISECONDS).executor(pool).buildAsync(store::load);
        for (int i = 1; i <= 2; i++) {
            Trainer trainer = new Trainer();
            Truth.repeat("model-" + i, () -> {
                pool.execute(trainer::train);
                Thread.sleep(70);
            });
        }
        for (int i = 1; i <= 10; i++) {
            int number = i;
            Truth.virtual("request-" + i, () -> browse(pages, number));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a model is trained on the pool that loads pages").object("CompletableFuture", "Signaller")
            .culprit("Trainer.train").thread("background-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for pages").say();
        Runtime.getRuntime().halt(0);
    }
}

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four threads show pages of six thumbnails each, of which an asynchronous Caffeine cache keeps five hundred of a
 * thousand; one that leaves it is forgotten by a removal listener.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: none; thumbnails are drawn, and forgotten, in threads of the common pool, in some tenths of a millisecond,
 * and nobody holds a lock meanwhile. Truth: healthy. Measured: how long pages took, in the mean.
 */
final class ThumbnailsEvictedAsideHealthy {
    static final AtomicInteger FORGOTTEN = new AtomicInteger();

    static final class Thumbnails {
        private final AsyncLoadingCache<Integer, String> drawn =
            Caffeine.newBuilder().maximumSize(500)
                .removalListener((Integer number, String image, RemovalCause cause) -> FORGOTTEN.incrementAndGet())
                .buildAsync(this::draw);

        CompletableFuture<String> thumbnail(int number) {
            return drawn.get(number);
        }

        private String draw(int number) {
            long end = System.nanoTime() + 150_000;
            int checks = 0;
            while (System.nanoTime() < end) {
                checks++;
            }
            return number + " " + checks;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Thumbnails thumbnails = new Thumbnails();
        Truth.Diary diary = new Truth.Diary();
        AtomicInteger pages = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("page-" + i, () -> {
                long from = System.nanoTime();
                CompletableFuture<?>[] images =
                    ThreadLocalRandom.current().ints(6, 0, 1000).mapToObj(thumbnails::thumbnail)
                        .toArray(CompletableFuture<?>[]::new);
                CompletableFuture.allOf(images).thenRun(pages::incrementAndGet).join();
                diary.waited(from, System.nanoTime());
                Thread.sleep(150);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d pages of %.2f ms, %d forgotten%n", pages.get(),
                          1000 * diary.waitedSeconds() / pages.get(), FORGOTTEN.get());
        Truth.healthy("thumbnails are drawn and forgotten aside").say();
        Runtime.getRuntime().halt(0);
    }
}

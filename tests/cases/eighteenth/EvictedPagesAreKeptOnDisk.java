import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six threads show pages, of which a Caffeine cache keeps two hundred of two thousand.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: a page that leaves the cache is written to disk by its removal listener, PageStore.keep, in 1 ms; and the
 * cache's executor runs it in the thread that maintains the cache, under the cache's own lock. Soon the buffer of what
 * was written to the cache is full, and everybody waits for that lock. Truth: pages wait for a ReentrantLock because of
 * PageStore.keep. Measured: when it runs, within the time that asking the cache takes beside rendering.
 */
final class EvictedPagesAreKeptOnDisk {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Since when this thread asks for no more than to be let go by the cache; 0: it does not. */
    static final ThreadLocal<long[]> ASKING = ThreadLocal.withInitial(() -> new long[1]);

    static final class PageStore {
        final AtomicInteger kept = new AtomicInteger();

        void keep(String page) {
            over();
            long from = System.nanoTime();
            Truth.sleep(0.001);
            kept.addAndGet(page.isEmpty() ? 0 : 1);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Site {
        private final Cache<Integer, String> pages;

        Site(PageStore store) {
            pages = Caffeine.newBuilder().maximumSize(200).executor(Runnable::run)
                        .removalListener((Integer number, String page, RemovalCause cause) -> store.keep(page)).build();
        }

        String page(int number) {
            try {
                return pages.get(number, this::render);
            } finally {
                over();
            }
        }

        private String render(int number) {
            long end = System.nanoTime() + 200_000;
            int checks = 0;
            while (System.nanoTime() < end) {
                checks++;
            }
            ASKING.get()[0] = System.nanoTime();
            return number + " " + checks;
        }
    }

    static void over() {
        long[] asking = ASKING.get();
        if (asking[0] != 0) {
            DIARY.waited(asking[0], System.nanoTime());
            asking[0] = 0;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PageStore store = new PageStore();
        Site site = new Site(store);
        AtomicInteger shown = new AtomicInteger();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("page-" + i, () -> {
                site.page(ThreadLocalRandom.current().nextInt(2000));
                shown.incrementAndGet();
                Thread.sleep(1);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d shown, %d kept, waited %.2f s%n", shown.get(), store.kept.get(), DIARY.waitedSeconds());
        Truth.of("pages that leave the cache are written under its lock").object("ReentrantLock")
            .culprit("PageStore.keep").thread("page-*").victims("page-*")
            .share(DIARY.share(0), "the waiting for the cache").say();
        Runtime.getRuntime().halt(0);
    }
}

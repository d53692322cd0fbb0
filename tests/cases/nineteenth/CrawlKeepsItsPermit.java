import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three crawlers walk folders, each folder in a thread of its own (a virtual one where the JDK has them), and four may
 * be read at a time.
 *
 * Problem: Crawler.crawl keeps its permit while it waits for the folders within. Three crawlers with folders one in the
 * other need at most one more; after three seconds one finds folders that are six deep. Truth: stuck; folders wait for
 * the Semaphore, whose permits those above them keep, which wait for them. Measured: no share; HANG is said when all
 * crawlers have waited for half a second.
 */
final class CrawlKeepsItsPermit {
    static final AtomicInteger READ = new AtomicInteger();

    static final class Crawler {
        private final Semaphore readers = new Semaphore(4);
        private final AtomicInteger number = new AtomicInteger();

        void crawl(int depth) throws InterruptedException {
            readers.acquire();
            try {
                Truth.sleep(0.004);
                READ.incrementAndGet();
                if (depth > 1) {
                    within(depth - 1).join();
                }
            } finally {
                readers.release();
            }
        }

        private Thread within(int depth) {
            return Truth.virtual("folder-" + number.incrementAndGet(), () -> {
                try {
                    crawl(depth);
                } catch (InterruptedException exception) {
                    throw new IllegalStateException(exception);
                }
            });
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Crawler crawler = new Crawler();
        long begin = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            boolean deep = i == 3;
            threads.add(Truth.repeat("crawl-" + i, () -> {
                crawler.crawl(deep && System.nanoTime() - begin > 3_000_000_000L ? 6 : 2);
                Thread.sleep(5);
            }));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("who reads a folder keeps its permit while those within it wait for one")
            .object("Semaphore").culprit("Crawler.crawl").thread("folder-*", "crawl-*")
            .victims("folder-*", "crawl-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}

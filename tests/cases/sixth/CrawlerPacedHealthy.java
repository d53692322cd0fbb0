import com.google.common.util.concurrent.RateLimiter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A polite crawler: six threads share a limit of 40 pages a second, which the site's owner asked for, and
 * so wait nearly all the time. There is always more to crawl.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: none; the limit is what is wanted. Truth: healthy. Measured: pages a second.
 */
final class CrawlerPacedHealthy {
    record Page(int url, int[] links) {
    }

    /** What is to be fetched next. */
    static final class Frontier {
        private final Deque<Integer> urls = new ArrayDeque<>();
        private final Set<Integer> seen = new HashSet<>();

        Frontier() {
            for (int url = 0; url < 100; url++) {
                offer(url);
            }
        }

        synchronized int next() {
            return urls.isEmpty() ? 0 : urls.poll();
        }

        synchronized void offer(int url) {
            if (seen.add(url)) {
                urls.add(url);
            }
        }
    }

    static final class Fetcher {
        private final Random random;

        Fetcher(int seed) {
            random = new Random(seed);
        }

        Page fetch(int url) throws InterruptedException {
            Thread.sleep(4 + random.nextInt(4));
            return new Page(url, random.ints(5, 0, 1_000_000).toArray());
        }
    }

    static final class Politeness {
        private final RateLimiter limiter = RateLimiter.create(40);

        void pause() {
            limiter.acquire();
        }
    }

    static final class Crawler {
        static final AtomicInteger PAGES = new AtomicInteger();
        private final Frontier frontier;
        private final Politeness politeness;
        private final Fetcher fetcher;

        Crawler(Frontier frontier, Politeness politeness, int seed) {
            this.frontier = frontier;
            this.politeness = politeness;
            fetcher = new Fetcher(seed);
        }

        void crawlNext() throws InterruptedException {
            politeness.pause();
            follow(fetcher.fetch(frontier.next()));
            PAGES.incrementAndGet();
        }

        private void follow(Page page) {
            for (int link : page.links()) {
                frontier.offer(link);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Frontier frontier = new Frontier();
        Politeness politeness = new Politeness();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("crawl-" + i, new Crawler(frontier, politeness, i)::crawlNext);
        }
        Truth.sleep(seconds);
        System.out.println(Crawler.PAGES.get() / seconds + " pages a second");
        Truth.healthy("a crawler that keeps to its limit").object().culprit().thread().victims().noShare()
            .say();
    }
}

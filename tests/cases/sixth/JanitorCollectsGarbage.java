import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A catalogue of 900 000 articles in memory, with a janitor that shrinks its caches each 300 ms, and four
 * threads that answer requests.
 *
 * FLAGS: -XX:+UseSerialGC -Xmx400m -Xms400m
 *
 * Problem: HeapJanitor.tidy ends with MemoryPressure.relieve, which calls System.gc(): everybody stops
 * for a full collection of a heap that has room enough. Truth: the stops are for System.gc(). Measured:
 * full collections, as the JVM counts them, beside calls of relieve.
 */
final class JanitorCollectsGarbage {
    record Article(int number, String name) {
    }

    static final class Catalogue {
        private final Map<Integer, Article> articles = new HashMap<>();

        Catalogue() {
            for (int number = 0; number < 900_000; number++) {
                articles.put(number, new Article(number, "article " + number));
            }
        }

        Article find(int number) {
            return articles.get(number % articles.size());
        }
    }

    /** Somebody once read that this helps. */
    static final class MemoryPressure {
        static volatile int calls;

        void relieve() {
            calls++;
            System.gc();
        }
    }

    static final class HeapJanitor {
        private final MemoryPressure pressure = new MemoryPressure();
        private final Map<Integer, byte[]> thumbnails = new HashMap<>();

        void tidy() {
            for (int i = 0; i < 50; i++) {
                thumbnails.put(i, new byte[10_000]);
            }
            shrink();
            pressure.relieve();
        }

        private void shrink() {
            thumbnails.keySet().removeIf(number -> number % 2 == 0);
        }
    }

    record Request(int article) {
    }

    static final class Front {
        private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
        private int next;

        void arrive() throws InterruptedException {
            Thread.sleep(3);
            requests.put(new Request(next += 7919));
        }

        Request take() throws InterruptedException {
            return requests.take();
        }
    }

    record ArticleApi(Catalogue catalogue, Front front) {
        void serve() throws InterruptedException {
            render(catalogue.find(Math.abs(front.take().article())));
        }

        private String render(Article article) throws InterruptedException {
            Thread.sleep(2);
            return "<h1>" + article.name() + "</h1>";
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Catalogue catalogue = new Catalogue();
        Front front = new Front();
        Truth.repeat("http-acceptor", front::arrive);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("article-api-" + i, new ArticleApi(catalogue, front)::serve);
        }
        ScheduledExecutorService janitor = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "heap-janitor");
            thread.setDaemon(true);
            return thread;
        });
        janitor.scheduleWithFixedDelay(new HeapJanitor()::tidy, 300, 300, TimeUnit.MILLISECONDS);
        Truth.sleep(seconds);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.println(collector.getName() + ": " + collector.getCollectionCount() + " in "
                + collector.getCollectionTime() + " ms; relieved " + MemoryPressure.calls + " times");
        }
        Truth.of("a janitor calls System.gc()").object().culprit("MemoryPressure.relieve", "HeapJanitor.tidy")
            .thread("heap-janitor").victims().noShare().say();
    }
}

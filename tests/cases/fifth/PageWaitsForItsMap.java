import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A page is built of eight parts, all of them tasks of one pool that is big enough. Seven take 4 ms, the
 * map takes 150.
 *
 * Problem: MapPart.locate is slow. Truth: who builds a page waits for it; the pool's own code, which
 * completes the task, takes no time. Measured: nothing but that.
 */
final class PageWaitsForItsMap {
    static final class MapPart implements Callable<String> {
        @Override
        public String call() throws InterruptedException {
            return locate();
        }

        private String locate() throws InterruptedException {
            Thread.sleep(150);
            return "map";
        }
    }

    static final class TextPart implements Callable<String> {
        @Override
        public String call() throws InterruptedException {
            Thread.sleep(4);
            return "text";
        }
    }

    record PageBuilder(ExecutorService pool) {
        void build() throws InterruptedException {
            List<Callable<String>> parts = new ArrayList<>();
            parts.add(new MapPart());
            for (int i = 0; i < 7; i++) {
                parts.add(new TextPart());
            }
            pool.invokeAll(parts);
        }
    }

    public static void main(String[] arguments) {
        PageBuilder builder = new PageBuilder(Executors.newFixedThreadPool(40, work -> {
            Thread thread = new Thread(work, "part");
            thread.setDaemon(true);
            return thread;
        }));
        for (int i = 0; i < 4; i++) {
            Truth.repeat("page-" + i, () -> {
                builder.build();
                Thread.sleep(5);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("one part of the page is slow").object("FutureTask")
            .culprit("MapPart.locate", "MapPart.call").thread("part").victims("page-*").noShare().say();
    }
}

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Documents go through three stages with bounded queues between them: three readers, two that enrich, one that
 * stores them in an index.
 *
 * Problem: after every sixty documents the index commits, 120 ms, on the thread that stores; both queues are full
 * and everybody before waits, the readers behind a stage that has nothing to do with it. Truth: readers wait for an
 * ArrayBlockingQueue because of SearchIndex.commit. Measured: the part of their waiting during which it commits.
 */
final class CommitStallsThePipeline {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class SearchIndex {
        private int added;

        void add(String document) {
            long from = System.nanoTime();
            Truth.sleep(0.0003 + document.length() * 1e-9);
            added += 1;
            long to = System.nanoTime();
            DIARY.held(1, from, to);
            if (added % 60 == 0) {
                commit();
                DIARY.held(0, to, System.nanoTime());
            }
        }

        private void commit() {
            Truth.sleep(0.12);
        }
    }

    static final class Reader {
        private final BlockingQueue<String> to;
        private int read;

        Reader(BlockingQueue<String> to) {
            this.to = to;
        }

        void read() throws InterruptedException {
            Thread.sleep(1);
            read += 1;
            String document = "document " + read;
            long from = System.nanoTime();
            to.put(document);
            DIARY.waited(from, System.nanoTime());
        }
    }

    static final class Enricher {
        private final BlockingQueue<String> from, to;

        Enricher(BlockingQueue<String> from, BlockingQueue<String> to) {
            this.from = from;
            this.to = to;
        }

        void enrich() throws InterruptedException {
            String document = from.take();
            Thread.sleep(1);
            to.put(document + " (en)");
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<String> read = new ArrayBlockingQueue<>(20), enriched = new ArrayBlockingQueue<>(20);
        SearchIndex index = new SearchIndex();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("reader-" + i, new Reader(read)::read);
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("enricher-" + i, new Enricher(read, enriched)::enrich);
        }
        Truth.repeat("storer-1", () -> index.add(enriched.take()));
        DIARY.fill(seconds);
        Truth.of("commits on the last stage's thread fill the queues of all stages before it")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("SearchIndex.commit").thread("storer-1")
            .victims("reader-*").share(DIARY.share(0), "the readers' waiting for room").say();
    }
}

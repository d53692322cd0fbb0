import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/**
 * A travel agency's search: an index of Lucene's of four segments, which an IndexSearcher searches side by side, by two
 * threads and by whoever asks. Five guests look for hotels (2 ms a segment).
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: the page of filters counts facets by the same searcher, 45 ms a segment, and the two threads are busy with
 * it. Truth: guests wait for a FutureTask because of FacetCounter.count. Measured: counting and looking on the
 * searcher's threads within the guests' waiting, once they are done with the segment that is theirs.
 */
final class FacetsTakeTheSearchersThreads {
    static final Truth.Diary DIARY = new Truth.Diary();

    static void held(int kind, long from) {
        if (Thread.currentThread().getName().startsWith("searcher")) {
            DIARY.held(kind, from, System.nanoTime());
        }
    }

    abstract static class SegmentCollector extends SimpleCollector {
        /** All of a segment at once, of so many documents. */
        abstract void segment(int documents);

        @Override
        protected void doSetNextReader(LeafReaderContext context) {
            segment(context.reader().maxDoc());
        }

        @Override
        public void collect(int document) {
        }

        @Override
        public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
        }
    }

    static final class FacetCounter extends SegmentCollector {
        private int found;

        private int count(int documents) {
            Truth.sleep(0.045);
            return documents;
        }

        @Override
        void segment(int documents) {
            long from = System.nanoTime();
            found += count(documents);
            held(0, from);
        }
    }

    static final class Facets implements CollectorManager<FacetCounter, Integer> {
        @Override
        public FacetCounter newCollector() {
            return new FacetCounter();
        }

        @Override
        public Integer reduce(Collection<FacetCounter> parts) {
            return parts.stream().mapToInt(part -> part.found).sum();
        }
    }

    static final class HotelFinder extends SegmentCollector {
        private final long[] ownDone;
        private final Thread guest;
        private int found;

        HotelFinder(long[] ownDone, Thread guest) {
            this.ownDone = ownDone;
            this.guest = guest;
        }

        @Override
        void segment(int documents) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            found += documents;
            held(1, from);
            if (Thread.currentThread() == guest) {
                ownDone[0] = System.nanoTime();
            }
        }
    }

    static final class Hotels implements CollectorManager<HotelFinder, Integer> {
        private final long[] ownDone = new long[1];
        private final Thread guest = Thread.currentThread();

        @Override
        public HotelFinder newCollector() {
            return new HotelFinder(ownDone, guest);
        }

        @Override
        public Integer reduce(Collection<HotelFinder> parts) {
            DIARY.waited(ownDone[0], System.nanoTime());
            return parts.stream().mapToInt(part -> part.found).sum();
        }
    }

    /** A slice for each segment, however small. */
    static final class Searcher extends IndexSearcher {
        Searcher(DirectoryReader reader, ExecutorService threads) {
            super(reader, threads);
        }

        @Override
        protected LeafSlice[] slices(List<LeafReaderContext> leaves) {
            return leaves.stream().map(LeafSlice::new).toArray(LeafSlice[]::new);
        }
    }

    static DirectoryReader index() throws IOException {
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
        config.setMergePolicy(NoMergePolicy.INSTANCE);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int segment = 0; segment < 4; segment++) {
                for (int i = 0; i < 200; i++) {
                    Document document = new Document();
                    document.add(new StringField("town", "town" + i % 7, Field.Store.NO));
                    writer.addDocument(document);
                }
                writer.commit();
            }
        }
        return DirectoryReader.open(directory);
    }

    public static void main(String[] arguments) throws IOException {
        int[] number = {0};
        ExecutorService threads = Executors.newFixedThreadPool(2, work ->
            Truth.daemon("searcher-" + ++number[0], work));
        Searcher searcher = new Searcher(index(), threads);
        Query all = new MatchAllDocsQuery();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("guest-" + i, () -> {
                searcher.search(all, new Hotels());
                Thread.sleep(20);
            });
        }
        Truth.repeat("filters", () -> {
            searcher.search(all, new Facets());
            Thread.sleep(60);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("looking %.3f%n", DIARY.share(1));
        Truth.of("facets are counted by the two threads that searches need").object("FutureTask")
            .culprit("FacetCounter.count", "FacetCounter.segment").thread("searcher-*").victims("guest-*")
            .share(DIARY.share(0), "the guests' waiting for the other segments").say();
    }
}

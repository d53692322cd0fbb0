import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Five threads search articles in a Lucene index, to which another one adds one every 5 ms.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: every search first has the index opened again if it has changed, and each time WarmSearchers.newSearcher
 * reads what is sorted by, for 80 ms, under the lock of Lucene's SearcherManager. Truth: searches wait for that
 * ReentrantLock because of WarmSearchers.newSearcher. Measured: when it runs, within the searches' opening.
 */
final class IndexWarmedForEachSearch {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Since when this thread has waited until the index is open; 0: it does not. */
    static final ThreadLocal<long[]> OPENING = ThreadLocal.withInitial(() -> new long[1]);

    static final class WarmSearchers extends SearcherFactory {
        private long values;

        @Override
        public IndexSearcher newSearcher(IndexReader reader, IndexReader previous) throws IOException {
            over();
            long from = System.nanoTime();
            values += reader.numDocs();
            Truth.sleep(0.08);
            DIARY.held(0, from, System.nanoTime());
            return new IndexSearcher(reader);
        }
    }

    static final class Catalogue {
        private final IndexWriter writer;
        private final SearcherManager searchers;

        Catalogue() throws IOException {
            writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(new KeywordAnalyzer()));
            searchers = new SearcherManager(writer, new WarmSearchers());
        }

        void add(int number) throws IOException {
            Document article = new Document();
            article.add(new StringField("colour", "colour " + number % 7, Field.Store.NO));
            writer.addDocument(article);
        }

        int count(String colour) throws IOException {
            OPENING.get()[0] = System.nanoTime();
            searchers.maybeRefreshBlocking();
            over();
            IndexSearcher searcher = searchers.acquire();
            try {
                return searcher.count(new TermQuery(new Term("colour", colour)));
            } finally {
                searchers.release(searcher);
            }
        }
    }

    static void over() {
        long[] opening = OPENING.get();
        if (opening[0] != 0) {
            DIARY.waited(opening[0], System.nanoTime());
            opening[0] = 0;
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Catalogue catalogue = new Catalogue();
        AtomicInteger articles = new AtomicInteger(), searches = new AtomicInteger();
        Truth.repeat("supplier", () -> {
            catalogue.add(articles.incrementAndGet());
            Thread.sleep(5);
        });
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("search-" + i, () -> {
                catalogue.count("colour 3");
                searches.incrementAndGet();
                Thread.sleep(10);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d articles, %d searches, waited %.2f s%n", articles.get(), searches.get(),
                          DIARY.waitedSeconds());
        Truth.of("each search opens the index again, and warms it").object("ReentrantLock")
            .culprit("WarmSearchers.newSearcher").thread("search-*").victims("search-*")
            .share(DIARY.share(0), "the searches' opening").say();
        Runtime.getRuntime().halt(0);
    }
}

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.ControlledRealTimeReopenThread;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Four threads search articles in a Lucene index, to which another one adds one every 5 ms.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: none; a thread of Lucene's own opens the index again, at most ten times a second and at least each second,
 * and nobody waits for that. Truth: healthy. Measured: how long searches took, in the mean.
 */
final class SearchersReopenedAsideHealthy {
    static final class Catalogue {
        private final IndexWriter writer;
        private final SearcherManager searchers;

        Catalogue() throws IOException {
            writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(new KeywordAnalyzer()));
            searchers = new SearcherManager(writer, new SearcherFactory());
            ControlledRealTimeReopenThread<IndexSearcher> reopening =
                new ControlledRealTimeReopenThread<>(writer, searchers, 1, 0.1);
            reopening.setName("reopening");
            reopening.setDaemon(true);
            reopening.start();
        }

        void add(int number) throws IOException {
            Document article = new Document();
            article.add(new StringField("colour", "colour " + number % 7, Field.Store.NO));
            writer.addDocument(article);
        }

        int count(String colour) throws IOException {
            IndexSearcher searcher = searchers.acquire();
            try {
                return searcher.count(new TermQuery(new Term("colour", colour)));
            } finally {
                searchers.release(searcher);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Catalogue catalogue = new Catalogue();
        Truth.Diary diary = new Truth.Diary();
        AtomicInteger articles = new AtomicInteger(), searches = new AtomicInteger();
        Truth.repeat("supplier", () -> {
            catalogue.add(articles.incrementAndGet());
            Thread.sleep(5);
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("search-" + i, () -> {
                long from = System.nanoTime();
                catalogue.count("colour 3");
                diary.waited(from, System.nanoTime());
                searches.incrementAndGet();
                Thread.sleep(10);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d articles, %d searches of %.2f ms%n", articles.get(), searches.get(),
                          1000 * diary.waitedSeconds() / searches.get());
        Truth.healthy("the index is opened again aside").say();
        Runtime.getRuntime().halt(0);
    }
}

import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.ControlledRealTimeReopenThread;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Five editors put news into a Lucene index, and go on once it can be found: waitForGeneration of the thread that opens
 * the index again as soon as somebody waits.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: each new searcher is warmed up before it is handed out, Warmer.newSearcher, for 60 ms. Truth: editors wait for
 * the ControlledRealTimeReopenThread because of Warmer.newSearcher. Measured: warming up within the editors' waiting.
 */
final class NewsAwaitsTheWarmSearcher {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Warmer extends SearcherFactory {
        @Override
        public IndexSearcher newSearcher(IndexReader reader, IndexReader previous) throws java.io.IOException {
            IndexSearcher searcher = new IndexSearcher(reader);
            long from = System.nanoTime();
            Truth.sleep(0.06);
            searcher.count(new MatchAllDocsQuery());
            DIARY.held(0, from, System.nanoTime());
            return searcher;
        }
    }

    record Editor(IndexWriter writer, ControlledRealTimeReopenThread<IndexSearcher> reopen, int number)
        implements Truth.Step {
        private void publish() throws Exception {
            Document document = new Document();
            document.add(new StringField("editor", "e" + number, Field.Store.YES));
            long generation = writer.addDocument(document);
            long from = System.nanoTime();
            reopen.waitForGeneration(generation);
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() throws Exception {
            publish();
            Thread.sleep(35);
        }
    }

    public static void main(String[] arguments) throws Exception {
        IndexWriter writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(new StandardAnalyzer()));
        SearcherManager manager = new SearcherManager(writer, new Warmer());
        ControlledRealTimeReopenThread<IndexSearcher> reopen =
            new ControlledRealTimeReopenThread<>(writer, manager, 5, 0.001);
        reopen.setName("reopen");
        reopen.setDaemon(true);
        reopen.start();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("editor-" + i, new Editor(writer, reopen, i));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("each searcher is warmed up before news can be found").object("ControlledRealTimeReopenThread")
            .culprit("Warmer.newSearcher").thread("reopen").victims("editor-*")
            .share(DIARY.share(0), "the editors' waiting until news can be found").say();
        System.exit(0);
    }
}

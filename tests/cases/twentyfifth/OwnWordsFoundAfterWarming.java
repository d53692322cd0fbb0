import java.io.IOException;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexReader;
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
 * A forum: who posts sees the own post on the next page. So the page waits until Lucene's thread has opened the index
 * anew, at the latest 5 ms after somebody wants it; readers that want nothing new search what there is.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: each searcher is warmed by the thread that opens the index, 120 ms. Truth: posters wait for the reopening
 * thread because of Warmer.newSearcher. Measured: warming within the waiting for a generation.
 */
final class OwnWordsFoundAfterWarming {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Warmer extends SearcherFactory {
        @Override
        public IndexSearcher newSearcher(IndexReader reader, IndexReader previous) {
            long from = System.nanoTime();
            IndexSearcher searcher = new IndexSearcher(reader);
            if (previous != null) {
                Truth.sleep(0.12);
                DIARY.held(0, from, System.nanoTime());
            }
            return searcher;
        }
    }

    static final class Forum {
        private final IndexWriter writer;
        private final SearcherManager searchers;
        private final ControlledRealTimeReopenThread<IndexSearcher> opener;

        Forum() throws IOException {
            writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(new WhitespaceAnalyzer()));
            searchers = new SearcherManager(writer, new Warmer());
            opener = new ControlledRealTimeReopenThread<>(writer, searchers, 0.4, 0.005);
            opener.setName("opener");
            opener.setDaemon(true);
            opener.start();
        }

        long post(String author) throws IOException {
            Document document = new Document();
            document.add(new StringField("author", author, Field.Store.NO));
            return writer.addDocument(document);
        }

        int ownPosts(String author, long generation) throws IOException, InterruptedException {
            long from = System.nanoTime();
            opener.waitForGeneration(generation);
            DIARY.waited(from, System.nanoTime());
            return posts(author);
        }

        int posts(String author) throws IOException {
            IndexSearcher searcher = searchers.acquire();
            try {
                return searcher.count(new TermQuery(new Term("author", author)));
            } finally {
                searchers.release(searcher);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Forum forum = new Forum();
        for (int i = 1; i <= 4; i++) {
            String author = "author" + i;
            Truth.repeat("poster-" + i, () -> {
                forum.ownPosts(author, forum.post(author));
                Thread.sleep(80);
            });
        }
        Truth.repeat("visitor", () -> {
            forum.posts("author1");
            Thread.sleep(50);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the thread that opens the index anew warms each searcher while posters wait for it")
            .object("ControlledRealTimeReopenThread").culprit("Warmer.newSearcher").thread("opener").victims("poster-*")
            .share(DIARY.share(0), "the posters' waiting for their generation").say();
        System.exit(0);
    }
}

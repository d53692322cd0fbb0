import java.io.IOException;
import java.util.Random;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ReferenceManager;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * A help desk keeps notes in a Lucene index. Five agents save a note every 150 ms, and have the index opened anew at
 * once (maybeRefreshBlocking), so that their own note is found; two search.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: for each new searcher the suggestions are built, Suggestions.build, 36 ms, while Lucene's lock for
 * refreshing is held; three usual queries are made as well, Warmer.query. Truth: agents wait for that lock (a
 * ReentrantLock) because of Suggestions.build. Measured: the part of the agents' waiting until it is
 * their turn to refresh, during which suggestions are built.
 */
final class SuggestionsRefreshedByEachSave {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> OWN = ThreadLocal.withInitial(() -> 0L);

    static final class Suggestions {
        int build(IndexSearcher searcher) {
            int sum = 0;
            for (int i = 0; i < 18; i++) {
                sum += searcher.getIndexReader().numDocs();
                Truth.sleep(0.002);
            }
            return sum;
        }
    }

    static final class Warmer extends SearcherFactory {
        private final Suggestions suggestions = new Suggestions();

        @Override
        public IndexSearcher newSearcher(IndexReader reader, IndexReader previous) throws IOException {
            IndexSearcher searcher = new IndexSearcher(reader);
            query(searcher);
            long then = System.nanoTime();
            suggestions.build(searcher);
            long to = System.nanoTime();
            DIARY.held(1, OWN.get(), then);
            DIARY.held(0, then, to);
            return searcher;
        }

        private static void query(IndexSearcher searcher) throws IOException {
            for (String word : new String[] {"printer", "password", "network"}) {
                searcher.count(new TermQuery(new Term("text", word)));
                Truth.sleep(0.0005);
            }
        }
    }

    static final class Notes {
        private final IndexWriter writer;
        private final SearcherManager searchers;

        Notes() throws IOException {
            writer = new IndexWriter(new ByteBuffersDirectory(), new IndexWriterConfig(new WhitespaceAnalyzer()));
            searchers = new SearcherManager(writer, new Warmer());
            searchers.addListener(new ReferenceManager.RefreshListener() {
                @Override
                public void beforeRefresh() {
                    OWN.set(System.nanoTime());
                }

                @Override
                public void afterRefresh(boolean refreshed) {
                }
            });
        }

        void save(String text) throws IOException {
            Document document = new Document();
            document.add(new TextField("text", text, Field.Store.NO));
            writer.addDocument(document);
            long from = System.nanoTime();
            searchers.maybeRefreshBlocking();
            DIARY.waited(from, OWN.get());
        }

        int find(String word) throws IOException {
            IndexSearcher searcher = searchers.acquire();
            try {
                return searcher.count(new TermQuery(new Term("text", word)));
            } finally {
                searchers.release(searcher);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Notes notes = new Notes();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Truth.repeat("agent-" + i, () -> {
                notes.save("printer " + random.nextInt(1000));
                Thread.sleep(150);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("search-" + i, () -> {
                notes.find("password");
                Thread.sleep(20);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("suggestions are built for each searcher, with the lock for refreshing in hand")
            .object("ReentrantLock", "NonfairSync").culprit("Suggestions.build").thread("agent-*").victims("agent-*")
            .share(DIARY.share(0), "the agents' waiting to refresh").say();
        Runtime.getRuntime().halt(0);
    }
}

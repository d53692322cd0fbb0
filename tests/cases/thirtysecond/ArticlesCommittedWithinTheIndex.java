import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.FSDirectory;

/**
 * An editorial office saves articles: seven editors, each every 40 ms, and its search index, of Lucene's, is
 * written by one synchronized class.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: ArticleIndex.save strips the article of its markup (ArticleIndex.extract, a regular expression), updates
 * it, and each fourth time commits, which forces files to disk (ArticleIndex.commit), all within its monitor.
 * Truth: editors wait to enter the ArticleIndex because of ArticleIndex.commit. Measured: the part of the editors'
 * waiting during which it commits, against extracting and updating.
 */
final class ArticlesCommittedWithinTheIndex {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class ArticleIndex {
        private static final Pattern MARKUP = Pattern.compile("<(/?)([a-z]+)(\\s+[a-z]+='[^']*')*\\s*>");
        private final IndexWriter writer;
        private int saved;

        ArticleIndex(IndexWriter writer) {
            this.writer = writer;
        }

        synchronized void save(String key, String page, long asked) throws IOException {
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            String text = extract(page);
            long then = System.nanoTime();
            DIARY.held(1, from, then);
            Document document = new Document();
            document.add(new StringField("key", key, Field.Store.YES));
            document.add(new TextField("text", text.substring(0, 2000), Field.Store.NO));
            writer.updateDocument(new Term("key", key), document);
            from = System.nanoTime();
            DIARY.held(2, then, from);
            if (++saved % 4 == 0) {
                commit();
                DIARY.held(0, from, System.nanoTime());
            }
        }

        private String extract(String page) {
            return MARKUP.matcher(page).replaceAll(" ");
        }

        private void commit() throws IOException {
            writer.commit();
        }
    }

    public static void main(String[] arguments) throws Exception {
        IndexWriter writer = new IndexWriter(FSDirectory.open(Files.createTempDirectory("articles")),
            new IndexWriterConfig(new StandardAnalyzer()));
        ArticleIndex index = new ArticleIndex(writer);
        String page = "<p class='lead'>some words of an article</p><b id='a' lang='de'>and more of them</b>\n".repeat(400);
        AtomicInteger threads = new AtomicInteger();
        ExecutorService editors =
            Executors.newFixedThreadPool(7, work -> Truth.daemon("editor-" + threads.incrementAndGet(), work));
        for (int i = 1; i <= 7; i++) {
            String key = "article" + i;
            editors.submit(() -> {
                while (true) {
                    index.save(key, page, System.nanoTime());
                    Thread.sleep(40);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the index is committed again and again within its monitor").object("ArticleIndex")
            .culprit("ArticleIndex.commit").thread("editor-*").victims("editor-*")
            .share(DIARY.share(0), "the editors' waiting for the index").say();
        Runtime.getRuntime().halt(0);
    }
}

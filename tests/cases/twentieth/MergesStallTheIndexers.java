import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;

/**
 * Four threads put letters into a Lucene index, which merges its segments in threads of its own.
 *
 * NEEDS: liblucene8-java (lucene-core-8.7.0.jar lucene-analyzers-common-8.7.0.jar)
 *
 * Problem: the files of a merge are mirrored to another site as they are begun, and Mirror.announce takes 30 ms for
 * each; Lucene stops those who index until merges have caught up. Truth: indexers wait for the merge scheduler because
 * of Mirror.announce (called by MirroredDirectory.createOutput). Measured: when it runs, within what takes an indexer
 * longer than 5 ms.
 */
final class MergesStallTheIndexers {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Mirror {
        private int files;

        void announce(String name) {
            long from = System.nanoTime();
            files += name.length() > 0 ? 1 : 0;
            Truth.sleep(0.03);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class MirroredDirectory extends FilterDirectory {
        private final Mirror mirror = new Mirror();

        MirroredDirectory(Directory directory) {
            super(directory);
        }

        @Override
        public IndexOutput createOutput(String name, IOContext context) throws IOException {
            if (context.context == IOContext.Context.MERGE) {
                mirror.announce(name);
            }
            return super.createOutput(name, context);
        }
    }

    static final class Letters {
        private final IndexWriter writer;

        Letters() throws IOException {
            ConcurrentMergeScheduler scheduler = new ConcurrentMergeScheduler();
            scheduler.setMaxMergesAndThreads(2, 2);
            scheduler.disableAutoIOThrottle();
            TieredMergePolicy policy = new TieredMergePolicy();
            policy.setSegmentsPerTier(3);
            policy.setMaxMergeAtOnce(3);
            writer = new IndexWriter(new MirroredDirectory(new ByteBuffersDirectory()),
                new IndexWriterConfig(new KeywordAnalyzer()).setMaxBufferedDocs(8).setMergeScheduler(scheduler)
                    .setMergePolicy(policy).setUseCompoundFile(false));
        }

        void file(int number) throws IOException {
            Document letter = new Document();
            letter.add(new StringField("sender", "sender " + number % 97, Field.Store.YES));
            long from = System.nanoTime();
            writer.addDocument(letter);
            long to = System.nanoTime();
            if (to - from > 5_000_000) {
                DIARY.waited(from, to);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Letters letters = new Letters();
        AtomicInteger filed = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("indexer-" + i, () -> {
                letters.file(filed.incrementAndGet());
                Thread.sleep(2);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d filed, waited %.2f s%n", filed.get(), DIARY.waitedSeconds());
        Truth.of("each file of a merge is announced to another site, and merges fall behind")
            .object("ConcurrentMergeScheduler").culprit("Mirror.announce", "MirroredDirectory.createOutput")
            .thread("Lucene Merge Thread #*").victims("indexer-*")
            .share(DIARY.share(0), "what takes indexers longer than 5 ms").say();
        Runtime.getRuntime().halt(0);
    }
}

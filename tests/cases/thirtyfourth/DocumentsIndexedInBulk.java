import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Five crawlers put documents into a LinkedBlockingQueue of 40. One indexer takes what there is at once (take, then
 * drainTo), looks up where each comes from, and writes the batch.
 *
 * Problem: IndexClient.bulk takes 30 ms, while the queue is full again after 15; Enricher.resolve takes 6 ms. Truth:
 * crawlers wait for room in the queue because of IndexClient.bulk. Measured: the part of the waiting to put during
 * which a batch is written.
 */
final class DocumentsIndexedInBulk {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Document(String url) {
    }

    static final class IndexClient {
        private int written;

        void bulk(List<Document> batch) {
            long from = System.nanoTime();
            Truth.sleep(0.030);
            written += batch.size();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Enricher {
        int resolve(List<Document> batch) {
            long from = System.nanoTime();
            int hosts = 0;
            for (Document document : batch) {
                hosts += document.url().hashCode() & 1;
            }
            Truth.sleep(0.006);
            DIARY.held(1, from, System.nanoTime());
            return hosts;
        }
    }

    static final class Indexer implements Truth.Step {
        private final BlockingQueue<Document> queue;
        private final IndexClient client = new IndexClient();
        private final Enricher enricher = new Enricher();

        Indexer(BlockingQueue<Document> queue) {
            this.queue = queue;
        }

        @Override
        public void run() throws Exception {
            List<Document> batch = new ArrayList<>();
            batch.add(queue.take());
            queue.drainTo(batch, 39);
            enricher.resolve(batch);
            client.bulk(batch);
        }
    }

    static final class Crawler {
        private final BlockingQueue<Document> queue;

        Crawler(BlockingQueue<Document> queue) {
            this.queue = queue;
        }

        void offer(String url) throws InterruptedException {
            Document document = new Document(url);
            long from = System.nanoTime();
            queue.put(document);
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Document> queue = new LinkedBlockingQueue<>(40);
        Truth.repeat("indexer", new Indexer(queue));
        for (int i = 1; i <= 5; i++) {
            Crawler crawler = new Crawler(queue);
            String host = "http://host" + i + "/";
            Truth.repeat("crawler-" + i, () -> {
                crawler.offer(host);
                Thread.sleep(2);
            });
        }
        Truth.repeat("robots-refresh", () -> Thread.sleep(120));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("batches are written more slowly than the queue fills")
            .object("ConditionObject", "LinkedBlockingQueue").culprit("IndexClient.bulk").thread("indexer")
            .victims("crawler-*").share(DIARY.share(0), "the crawlers' waiting for room").say();
    }
}

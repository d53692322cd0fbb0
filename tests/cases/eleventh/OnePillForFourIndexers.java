import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Documents are indexed by four workers that take them from a queue; sessions add documents and look some up. When the
 * configuration changes the index is reopened: the workers end, and new ones begin.
 *
 * Problem: Index.reopen puts one pill into the queue, which the first worker swallows; the others wait for documents,
 * reopen joins them, and does so with the index's monitor, so that there are no documents any more. Truth: stuck,
 * sessions wait for the Index because of Index.reopen (or Worker.work, which does not pass the pill on).
 */
final class OnePillForFourIndexers {
    private static final String PILL = "";

    static final class Worker extends Thread {
        private final BlockingQueue<String> documents;
        private int words;

        Worker(BlockingQueue<String> documents, int number) {
            super("indexer-" + number);
            setDaemon(true);
            this.documents = documents;
        }

        @Override
        public void run() {
            try {
                work();
            } catch (InterruptedException exception) {
                interrupt();
            }
        }

        private void work() throws InterruptedException {
            String document = documents.take();
            while (!document.equals(PILL)) {
                words += document.split(" ").length;
                Thread.sleep(2);
                document = documents.take();
            }
        }
    }

    static final class Index {
        private final BlockingQueue<String> documents = new LinkedBlockingQueue<>();
        private final List<Worker> workers = new ArrayList<>();

        Index() {
            open();
        }

        private void open() {
            for (int i = 1; i <= 4; i++) {
                Worker worker = new Worker(documents, i);
                worker.start();
                workers.add(worker);
            }
        }

        synchronized void add(String document) {
            documents.add(document);
        }

        synchronized int words() {
            return workers.stream().mapToInt(worker -> worker.words).sum();
        }

        synchronized void reopen() throws InterruptedException {
            documents.add(PILL);
            for (Worker worker : workers) {
                worker.join();
            }
            workers.clear();
            open();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Index index = new Index();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int session = i;
            Thread thread = new Thread(() -> {
                for (int n = 0; index.words() >= 0; n++) {
                    index.add("document " + n + " of session " + session);
                    Truth.sleep(0.008);
                }
            }, "session-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        Thread configuration = new Thread(() -> {
            Truth.sleep(1.6);
            try {
                index.reopen();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }, "configuration");
        configuration.setDaemon(true);
        configuration.start();
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("one pill for four workers, all of whom are joined within the index's monitor")
            .object("Index", "Worker", "LinkedBlockingQueue", "ConditionObject")
            .culprit("Index.reopen", "Worker.work").thread("configuration").victims("session-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

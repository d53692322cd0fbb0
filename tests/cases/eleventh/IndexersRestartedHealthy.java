import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Documents are indexed by four workers that take them from a queue; sessions add some forty documents a second, which
 * take 3 ms each. Each 1.5 s the index is reopened: a pill for each worker, all are joined, and new ones begin.
 *
 * Problem: none: the workers end within milliseconds, and else wait for documents. Truth: healthy.
 */
final class IndexersRestartedHealthy {
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
                for (String text = documents.take(); !text.equals(PILL); text = documents.take()) {
                    words += text.split(" ").length;
                    Thread.sleep(3);
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }

    static final class Index {
        private final BlockingQueue<String> documents = new LinkedBlockingQueue<>();
        private final List<Worker> workers = new ArrayList<>();
        private int words;

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

        synchronized void reopen() throws InterruptedException {
            for (int i = 0; i < workers.size(); i++) {
                documents.add(PILL);
            }
            for (Worker worker : workers) {
                worker.join();
                words += worker.words;
            }
            workers.clear();
            open();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Index index = new Index();
        for (int i = 1; i <= 6; i++) {
            int session = i;
            Truth.repeat("session-" + i, () -> {
                index.add("a document of session " + session);
                Thread.sleep(130 + session * 7);
            });
        }
        Truth.repeat("configuration", () -> {
            Thread.sleep(1500);
            index.reopen();
        });
        Thread.sleep((long) (seconds * 1000));
        System.out.println("words: " + index.words);
        Truth.healthy("workers wait for documents, and end when they are told to").object().culprit().thread().victims()
            .noShare().say();
    }
}

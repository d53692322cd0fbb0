import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;

/**
 * Three feeds submit documents to a publisher with room for eight, whose subscriber indexes them in 2 ms each and asks
 * for the next one.
 *
 * Problem: Indexer.onNext leaves early at an empty document and does not ask for another one; the first such document
 * comes in the second second. The room is full soon, and whoever submits waits for ever. Truth: stuck, feeds wait for
 * the SubmissionPublisher and its BufferedSubscription because of Indexer.onNext.
 */
final class SubscriberAsksForNoMore {
    static final class Indexer implements Flow.Subscriber<String> {
        private Flow.Subscription subscription;
        private int words;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            subscription.request(1);
        }

        @Override
        public void onNext(String document) {
            if (document.isEmpty()) {
                return;
            }
            words += document.split(" ").length;
            Truth.sleep(0.002);
            subscription.request(1);
        }

        @Override
        public void onError(Throwable reason) {
            System.out.println(reason);
        }

        @Override
        public void onComplete() {
            System.out.println(words);
        }
    }

    static final class Feed {
        private final SubmissionPublisher<String> publisher;
        private final long emptyAt;
        private int number;

        Feed(SubmissionPublisher<String> publisher, long emptyAt) {
            this.publisher = publisher;
            this.emptyAt = emptyAt;
        }

        void publish() throws InterruptedException {
            publisher.submit(System.nanoTime() < emptyAt ? "document number " + ++number : "");
            Thread.sleep(number % 4 == 0 ? 20 : 0);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        long later = System.nanoTime() + 1_300_000_000L;
        ExecutorService indexers = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "indexer");
            thread.setDaemon(true);
            return thread;
        });
        SubmissionPublisher<String> publisher = new SubmissionPublisher<>(indexers, 8);
        publisher.subscribe(new Indexer());
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("feed-" + i, new Feed(publisher, later)::publish);
        }
        List<Thread> threads = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("feed-")) {
                threads.add(thread);
            }
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a subscriber does not ask for the next document")
            .object("SubmissionPublisher", "BufferedSubscription", "ReentrantLock").culprit("Indexer.onNext")
            .thread("indexer").victims("feed-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

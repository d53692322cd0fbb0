import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three feed threads publish ticks to two subscribers with room for 64. The screen takes 0.1 ms for a
 * tick; the digest 3 ms.
 *
 * Problem: Digest.onNext is slower than the feeds. Truth: feeds wait for room in its buffer, and for
 * each other's turn to submit meanwhile. Measured: when the digest works, against the feeds' time in
 * submit.
 */
final class DigestSubscriberTooSlow {
    private static final Truth.Diary DIARY = new Truth.Diary();

    abstract static class Each implements Flow.Subscriber<Integer> {
        private Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription made) {
            subscription = made;
            made.request(1);
        }

        void more() {
            subscription.request(1);
        }

        @Override
        public void onError(Throwable error) {
        }

        @Override
        public void onComplete() {
        }
    }

    static final class Digest extends Each {
        @Override
        public void onNext(Integer tick) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(0, from, System.nanoTime());
            more();
        }
    }

    static final class Screen extends Each {
        @Override
        public void onNext(Integer tick) {
            Truth.sleep(0.0001);
            more();
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        SubmissionPublisher<Integer> ticks = new SubmissionPublisher<>(
            Executors.newFixedThreadPool(2, work -> {
                Thread thread = new Thread(work, "subscriber-" + number.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }), 64);
        ticks.subscribe(new Screen());
        ticks.subscribe(new Digest());
        for (int i = 1; i <= 3; i++) {
            Random random = new Random(i);
            Truth.repeat("feed-" + i, () -> {
                Truth.sleep(0.002 + random.nextDouble() * 0.002);
                long from = System.nanoTime();
                ticks.submit(random.nextInt());
                long to = System.nanoTime();
                if (to - from > 100_000) {
                    DIARY.waited(from, to);
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("one subscriber is slower than the feeds, whose submit waits for room in its buffer")
            .object("BufferedSubscription", "SubmissionPublisher", "ReentrantLock", "NonfairSync")
            .culprit("Digest.onNext")
            .thread("subscriber-*").victims("feed-*")
            .share(DIARY.share(0), "the feeds' time in submit").say();
    }
}

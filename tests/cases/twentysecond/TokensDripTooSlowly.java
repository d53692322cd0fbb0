import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six workers send text messages and take a token for each, of a bucket that a timer fills: 5 ms for a message.
 *
 * Problem: the bucket gets one token every 50 ms, where the workers could send a thousand a second: a limit that was
 * set for a trial, and stayed. Truth: senders wait for the Semaphore of TokenBucket because of TokenBucket.refill,
 * that is, of its limit. Measured: no share; nobody does anything meanwhile.
 */
final class TokensDripTooSlowly {
    static final class TokenBucket {
        private final Semaphore tokens = new Semaphore(0);
        private final int most;

        TokenBucket(int perRefill, long millis, int most, ScheduledExecutorService timer) {
            this.most = most;
            timer.scheduleAtFixedRate(() -> refill(perRefill), 0, millis, TimeUnit.MILLISECONDS);
        }

        void take() throws InterruptedException {
            tokens.acquire();
        }

        private void refill(int more) {
            tokens.release(Math.min(more, most - tokens.availablePermits()));
        }
    }

    static final class Messages {
        private final TokenBucket bucket;
        final AtomicInteger sent = new AtomicInteger();

        Messages(TokenBucket bucket) {
            this.bucket = bucket;
        }

        void send(String text) throws InterruptedException {
            bucket.take();
            Truth.sleep(0.005);
            sent.addAndGet(text.isEmpty() ? 0 : 1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work ->
            Truth.daemon("refill", work));
        Messages messages = new Messages(new TokenBucket(1, 50, 20, timer));
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("sender-" + i, () -> messages.send("your parcel has arrived"));
        }
        Truth.sleep(seconds);
        System.out.printf("%d sent%n", messages.sent.get());
        Truth.of("a rate limit that is far too low").object("Semaphore", "TokenBucket")
            .culprit("TokenBucket.refill", "TokenBucket.take").thread("refill").victims("sender-*").noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

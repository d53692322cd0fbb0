import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A mailing to all customers, by two senders, at 30 mails a second, as the provider wants it: a bucket of
 * tokens that fills by the clock. Senders wait on a condition until their token is due.
 *
 * Problem: none; the pace is what is wanted, and nobody waits for the senders. Truth: healthy. Measured:
 * mails a second.
 */
final class MailingPacedHealthy {
    static final class TokenBucket {
        private static final long EACH = 1_000_000_000L / 30;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition closed = lock.newCondition();
        private long next = System.nanoTime();
        private boolean stopped;

        /** False once the mailing is stopped. */
        boolean take() throws InterruptedException {
            lock.lock();
            try {
                next = Math.max(next + EACH, System.nanoTime());
                long due = next;
                while (!stopped && due > System.nanoTime()) {
                    closed.awaitNanos(due - System.nanoTime());
                }
                return !stopped;
            } finally {
                lock.unlock();
            }
        }

        void stop() {
            lock.lock();
            try {
                stopped = true;
                closed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Sender {
        static final AtomicInteger MAILS = new AtomicInteger();
        private final TokenBucket bucket;

        Sender(TokenBucket bucket) {
            this.bucket = bucket;
        }

        void sendNext() throws InterruptedException {
            if (bucket.take()) {
                Thread.sleep(2);
                MAILS.incrementAndGet();
            } else {
                throw new InterruptedException("stopped");
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        TokenBucket bucket = new TokenBucket();
        Truth.repeat("mailing-1", new Sender(bucket)::sendNext);
        Truth.repeat("mailing-2", new Sender(bucket)::sendNext);
        Truth.sleep(seconds);
        bucket.stop();
        System.out.println(Sender.MAILS.get() / seconds + " mails a second");
        Truth.healthy("a mailing that keeps to its pace").object().culprit().thread().victims().noShare()
            .say();
    }
}

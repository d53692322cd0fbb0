import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Customers have quotes calculated by a pool of two threads, a millisecond each; the same pool replays old quotes for
 * the auditors, 20 ms each. Who is more urgent goes first.
 *
 * Problem: the comparison is the wrong way round, so a replay passes all customers that wait, and replays come sixteen
 * at a time. Truth: customers wait for their CompletableFuture because of Replay.calculate. Measured: the part of their
 * waiting that fell to replays, evenly shared among what the pool does.
 */
final class ReplaysGoBeforeCustomers {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicLong NUMBERS = new AtomicLong();

    abstract static class Job implements Runnable, Comparable<Job> {
        final CompletableFuture<Double> result = new CompletableFuture<>();
        private final long number = NUMBERS.incrementAndGet();

        abstract int urgency();

        abstract double calculate() throws InterruptedException;

        @Override
        public int compareTo(Job other) {
            int first = Integer.compare(urgency(), other.urgency());
            return first != 0 ? first : Long.compare(number, other.number);
        }

        @Override
        public void run() {
            long from = System.nanoTime();
            try {
                result.complete(calculate());
            } catch (InterruptedException exception) {
                result.completeExceptionally(exception);
            }
            DIARY.held(urgency() == 1 ? 0 : 1, from, System.nanoTime());
        }
    }

    static final class Quote extends Job {
        @Override
        int urgency() {
            return 9;
        }

        @Override
        double calculate() throws InterruptedException {
            Thread.sleep(1);
            return Math.random();
        }
    }

    static final class Replay extends Job {
        @Override
        int urgency() {
            return 1;
        }

        @Override
        double calculate() throws InterruptedException {
            double sum = 0;
            for (int day = 0; day < 5; day++) {
                Thread.sleep(4);
                sum += Math.random();
            }
            return sum;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.SECONDS, new PriorityBlockingQueue<>(),
            work -> {
                Thread thread = new Thread(work, "quote-worker-" + NUMBERS.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        Truth.repeat("auditor", () -> {
            Job[] replays = new Job[16];
            for (int i = 0; i < replays.length; i++) {
                replays[i] = new Replay();
                pool.execute(replays[i]);
            }
            for (Job replay : replays) {
                replay.result.join();
            }
            Thread.sleep(110);
        });
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("customer-" + i, () -> {
                Job quote = new Quote();
                long from = System.nanoTime();
                pool.execute(quote);
                quote.result.join();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(15);
            });
        }
        DIARY.fill(seconds);
        Truth.of("replays for auditors go before what customers wait for")
            .object("CompletableFuture").culprit("Replay.calculate").thread("quote-worker-*").victims("customer-*")
            .share(DIARY.share(0), "the customers' waiting for quotes").say();
    }
}

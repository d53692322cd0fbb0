import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two workers take jobs from a PriorityBlockingQueue. Four customers ask for a statement, 5 ms, and wait for it.
 *
 * Problem: thumbnails have a higher priority, and an uploader brings them in bursts: Thumbnails.render, 18 ms each.
 * Statements wait until there is none left. Truth: customers wait for a FutureTask because of Thumbnails.render.
 * Measured: thumbnails and statements, evenly divided, within the customers' waiting.
 */
final class ThumbnailsGoBeforeStatements {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Job extends FutureTask<Integer> implements Comparable<Job> {
        private static final AtomicLong COUNT = new AtomicLong();
        private final int priority;
        private final long number = COUNT.incrementAndGet();

        Job(int priority, java.util.concurrent.Callable<Integer> work) {
            super(work);
            this.priority = priority;
        }

        @Override
        public int compareTo(Job other) {
            return priority != other.priority ? priority - other.priority : Long.compare(number, other.number);
        }
    }

    static final class Thumbnails {
        int render() {
            long from = System.nanoTime();
            Truth.sleep(0.018);
            DIARY.held(0, from, System.nanoTime());
            return 64;
        }
    }

    static final class Statements {
        int write() {
            long from = System.nanoTime();
            Truth.sleep(0.005);
            DIARY.held(1, from, System.nanoTime());
            return 12;
        }
    }

    record Customer(PriorityBlockingQueue<Job> queue, Statements statements) implements Truth.Step {
        @Override
        public void run() throws Exception {
            Job job = new Job(5, statements::write);
            long from = System.nanoTime();
            queue.add(job);
            job.get();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        PriorityBlockingQueue<Job> queue = new PriorityBlockingQueue<>();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("worker-" + i, () -> queue.take().run());
        }
        Statements statements = new Statements();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("customer-" + i, new Customer(queue, statements));
        }
        Thumbnails thumbnails = new Thumbnails();
        Truth.repeat("uploader", () -> {
            for (int i = 0; i < 14; i++) {
                queue.add(new Job(1, thumbnails::render));
            }
            Thread.sleep(180);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("statements %.3f%n", DIARY.share(1));
        Truth.of("jobs of a higher priority keep the workers").object("Job", "FutureTask")
            .culprit("Thumbnails.render").thread("worker-*").victims("customer-*")
            .share(DIARY.share(0), "the customers' waiting for a statement").say();
    }
}

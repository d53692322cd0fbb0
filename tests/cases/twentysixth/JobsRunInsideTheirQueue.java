import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Eight forms of a municipal web site leave jobs in a queue made at home, of synchronized, wait and notifyAll, for
 * three workers: confirmations (3 ms), entries for the audit (9 ms), thumbnails of what was attached (26 ms).
 *
 * Problem: JobQueue.runNext runs the job before it leaves the queue's monitor, so that one runs at a time, and nobody
 * can put meanwhile; the longest are thumbnails. Truth: forms wait for the monitor of JobQueue because of
 * ThumbnailJob.run. Measured: the three kinds within the waiting to enter the queue, to put and to take.
 */
final class JobsRunInsideTheirQueue {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Job {
        int kind();

        void run();
    }

    record ThumbnailJob(String file) implements Job {
        @Override
        public int kind() {
            return 0;
        }

        @Override
        public void run() {
            Truth.sleep(0.026);
        }
    }

    record AuditJob(String entry) implements Job {
        @Override
        public int kind() {
            return 1;
        }

        @Override
        public void run() {
            Truth.sleep(0.009);
        }
    }

    record ConfirmationJob(String address) implements Job {
        @Override
        public int kind() {
            return 2;
        }

        @Override
        public void run() {
            Truth.sleep(0.003);
        }
    }

    static final class JobQueue {
        private final Deque<Job> jobs = new ArrayDeque<>();

        void put(Job job) {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                jobs.add(job);
                notifyAll();
            }
        }

        void runNext() throws InterruptedException {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                while (jobs.isEmpty()) {
                    wait();
                }
                Job job = jobs.remove();
                long began = System.nanoTime();
                job.run();
                DIARY.held(job.kind(), began, System.nanoTime());
            }
        }
    }

    record Form(JobQueue queue, int number) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            switch (ThreadLocalRandom.current().nextInt(3)) {
                case 0 -> queue.put(new ThumbnailJob("plan.png"));
                case 1 -> queue.put(new AuditJob("form " + number));
                default -> queue.put(new ConfirmationJob("citizen"));
            }
            Thread.sleep(40);
        }
    }

    public static void main(String[] arguments) {
        JobQueue queue = new JobQueue();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("worker-" + i, () -> {
                queue.runNext();
                Thread.sleep(5);
            });
        }
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("form-" + i, new Form(queue, i));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("audit %.3f confirmations %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("jobs are run within the monitor of the queue they are taken from").object("JobQueue")
            .culprit("ThumbnailJob.run").thread("worker-*").victims("form-*")
            .share(DIARY.share(0), "the waiting for the queue's monitor").say();
    }
}

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * A scheduler with a thread of its own and a pool of four workers: it takes the next job that is due, waits until a
 * worker is free, 50 ms at a time, and hands the job over. A worker looks twice a second whether the pool still runs.
 *
 * Problem: there is a Reindex for each of sixteen shards, which takes 500 ms, so that all four workers nearly always do
 * that and small jobs are late. Truth: the scheduler waits for the WorkerPool because of Reindex.run. Measured: what
 * the workers run, evenly shared, against the scheduler's time to get a free one.
 */
final class ReindexTakesAllWorkers {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Job {
        void run() throws InterruptedException;

        int kind();
    }

    record Trigger(Job job, long due, int everyMillis) {
    }

    static final class Reindex implements Job {
        private int documents;

        @Override
        public void run() throws InterruptedException {
            for (int part = 0; part < 20; part++) {
                Thread.sleep(25);
                documents += 500;
            }
        }

        @Override
        public int kind() {
            return 0;
        }
    }

    static final class Reminder implements Job {
        private int sent;

        @Override
        public void run() throws InterruptedException {
            Thread.sleep(2);
            sent++;
        }

        @Override
        public int kind() {
            return 1;
        }
    }

    static final class Worker extends Thread {
        private final WorkerPool pool;
        private final Object bell = new Object();
        private Job job;

        Worker(WorkerPool pool, int number) {
            super("worker-" + number);
            setDaemon(true);
            this.pool = pool;
        }

        void hand(Job next) {
            synchronized (bell) {
                job = next;
                bell.notifyAll();
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Job next;
                    synchronized (bell) {
                        while (job == null) {
                            bell.wait(500);
                        }
                        next = job;
                        job = null;
                    }
                    long from = System.nanoTime();
                    next.run();
                    DIARY.held(next.kind(), from, System.nanoTime());
                    pool.release(this);
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }

    static final class WorkerPool {
        private final Deque<Worker> free = new ArrayDeque<>();

        WorkerPool() {
            for (int number = 1; number <= 4; number++) {
                Worker worker = new Worker(this, number);
                worker.start();
                free.add(worker);
            }
        }

        synchronized Worker awaitFree() throws InterruptedException {
            while (free.isEmpty()) {
                wait(50);
            }
            return free.poll();
        }

        synchronized void release(Worker worker) {
            free.add(worker);
            notifyAll();
        }
    }

    static final class Scheduler {
        private final WorkerPool pool = new WorkerPool();
        private final Queue<Trigger> triggers = new PriorityQueue<>(Comparator.comparingLong(Trigger::due));

        synchronized void schedule(Job job, int everyMillis) {
            triggers.add(new Trigger(job, System.nanoTime() + everyMillis * 1_000_000L, everyMillis));
            notifyAll();
        }

        private synchronized Trigger next() throws InterruptedException {
            while (true) {
                Trigger trigger = triggers.peek();
                long left = trigger == null ? 1000 : (trigger.due() - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return triggers.poll();
                }
                wait(left);
            }
        }

        void runOne() throws InterruptedException {
            Trigger trigger = next();
            long asked = System.nanoTime();
            Worker worker = pool.awaitFree();
            DIARY.waited(asked, System.nanoTime());
            worker.hand(trigger.job());
            schedule(trigger.job(), trigger.everyMillis());
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Scheduler scheduler = new Scheduler();
        for (int shard = 0; shard < 16; shard++) {
            scheduler.schedule(new Reindex(), 1000 + shard * 10);
        }
        for (int i = 0; i < 3; i++) {
            scheduler.schedule(new Reminder(), 150 + i * 40);
        }
        Truth.repeat("scheduler", scheduler::runOne);
        DIARY.fill(seconds);
        Truth.of("long jobs have all workers of a scheduler, which waits for a free one most of the time")
            .object("WorkerPool").culprit("Reindex.run").thread("worker-*").victims("scheduler")
            .share(DIARY.share(0), "the scheduler's waiting for a free worker").say();
    }
}

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * A scheduler with a thread of its own and a pool of four workers: it waits for the next job to be due, takes a free
 * worker and hands the job over. A worker waits half a second at a time for a job.
 *
 * Problem: none: some twenty small jobs a second and one of 150 ms every second; there is always a free worker, and
 * everybody waits for the clock. Truth: healthy.
 */
final class SchedulerHasFreeWorkersHealthy {
    record Trigger(int workMillis, long due, int everyMillis) {
    }

    static final class Worker extends Thread {
        private final WorkerPool pool;
        private final Object bell = new Object();
        private Trigger job;
        private int done;

        Worker(WorkerPool pool, int number) {
            super("worker-" + number);
            setDaemon(true);
            this.pool = pool;
        }

        void hand(Trigger next) {
            synchronized (bell) {
                job = next;
                bell.notifyAll();
            }
        }

        private Trigger next() throws InterruptedException {
            synchronized (bell) {
                while (job == null) {
                    bell.wait(500);
                }
                Trigger next = job;
                job = null;
                return next;
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(next().workMillis());
                    done++;
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

        synchronized void schedule(int workMillis, int everyMillis) {
            triggers.add(new Trigger(workMillis, System.nanoTime() + everyMillis * 1_000_000L, everyMillis));
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
            pool.awaitFree().hand(trigger);
            schedule(trigger.workMillis(), trigger.everyMillis());
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Scheduler scheduler = new Scheduler();
        scheduler.schedule(150, 1000);
        for (int i = 0; i < 4; i++) {
            scheduler.schedule(2 + i * 2, 160 + i * 50);
        }
        Truth.repeat("scheduler", scheduler::runOne);
        Thread.sleep((long) (seconds * 1000));
        Truth.healthy("workers wait for jobs and the scheduler for the clock").object().culprit().thread().victims()
            .noShare().say();
    }
}

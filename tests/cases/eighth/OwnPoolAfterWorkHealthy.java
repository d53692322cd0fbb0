import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A pool made at home: each worker has a deque of its own, steals from others, and parks itself on a list of
 * idle workers, from which whoever brings work takes one and unparks it. Lots of small tasks come for a second
 * and a half; then nothing any more.
 *
 * Problem: none; the work is done. Truth: healthy. Measured: tasks brought and done.
 */
final class OwnPoolAfterWorkHealthy {
    static final class Worker extends Thread {
        private final ConcurrentLinkedDeque<Runnable> own = new ConcurrentLinkedDeque<>();
        private final Pool pool;

        Worker(Pool pool, String name) {
            super(name);
            this.pool = pool;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                Runnable task = pool.find(this);
                if (task != null) {
                    task.run();
                } else {
                    rest();
                }
            }
        }

        private void rest() {
            pool.idle.add(this);
            Runnable late = pool.find(this);
            if (late != null) {
                pool.idle.remove(this);
                late.run();
            } else {
                LockSupport.park(pool);
                pool.idle.remove(this);
            }
        }
    }

    static final class Pool {
        final ConcurrentLinkedQueue<Worker> idle = new ConcurrentLinkedQueue<>();
        private final List<Worker> workers = new ArrayList<>();
        private int next;

        Pool(int size) {
            for (int i = 1; i <= size; i++) {
                workers.add(new Worker(this, "own-worker-" + i));
            }
            workers.forEach(Thread::start);
        }

        Runnable find(Worker worker) {
            Runnable task = worker.own.pollFirst();
            for (int i = 0; task == null && i < workers.size(); i++) {
                task = workers.get(i).own.pollLast();
            }
            return task;
        }

        synchronized void bring(Runnable task) {
            next = (next + 1) % workers.size();
            workers.get(next).own.addLast(task);
            Worker resting = idle.poll();
            if (resting != null) {
                LockSupport.unpark(resting);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger brought = new AtomicInteger(), done = new AtomicInteger();
        Pool pool = new Pool(5);
        long end = System.nanoTime() + 1_500_000_000L;
        while (System.nanoTime() < end) {
            brought.incrementAndGet();
            pool.bring(() -> {
                Truth.sleep(0.001);
                done.incrementAndGet();
            });
            Truth.sleep(0.0008);
        }
        Truth.sleep(seconds - 1.5);
        System.out.println(brought + " tasks brought, " + done + " done");
        Truth.healthy("a pool made at home rests after its work").object().culprit().thread().victims().noShare()
            .say();
    }
}

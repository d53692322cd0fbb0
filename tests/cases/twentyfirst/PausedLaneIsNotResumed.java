import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four desks have claims assessed by three workers, of an executor that can be paused: as its documentation shows,
 * each worker looks before a task whether it is, and waits until it is not.
 *
 * Problem: upkeep pauses the lane, compacts its archive and resumes it. The fourth time the archive is full: what is
 * thrown passes by Lane.resume, and is caught and counted by who called. Truth: stuck; the workers wait in
 * Lane.beforeExecute, the desks for their FutureTask; Upkeep.compact is to be changed. Measured: no share; HANG is
 * said when all desks have waited for half a second.
 */
final class PausedLaneIsNotResumed {
    static final AtomicInteger FAILURES = new AtomicInteger();

    static final class Lane extends ThreadPoolExecutor {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition open = lock.newCondition();
        private boolean paused;

        Lane(AtomicInteger number) {
            super(3, 3, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
                work -> Truth.daemon("assessor-" + number.incrementAndGet(), work));
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
            super.beforeExecute(thread, task);
            lock.lock();
            try {
                while (paused) {
                    open.await();
                }
            } catch (InterruptedException exception) {
                thread.interrupt();
            } finally {
                lock.unlock();
            }
        }

        void pause() {
            lock.lock();
            paused = true;
            lock.unlock();
        }

        void resume() {
            lock.lock();
            paused = false;
            open.signalAll();
            lock.unlock();
        }
    }

    static final class Upkeep {
        private int archived;

        void compact(Lane lane) {
            lane.pause();
            Truth.sleep(0.03);
            if (++archived == 4) {
                throw new IllegalStateException("archive is full");
            }
            lane.resume();
        }
    }

    static int assess(int claim) {
        Truth.sleep(0.006);
        return claim * 3;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lane lane = new Lane(new AtomicInteger());
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int claim = i;
            desks.add(Truth.repeat("desk-" + i, () -> {
                lane.submit(() -> assess(claim)).get();
                Thread.sleep(40);
            }));
        }
        Upkeep upkeep = new Upkeep();
        Truth.repeat("upkeep", () -> {
            Thread.sleep(600);
            try {
                upkeep.compact(lane);
            } catch (IllegalStateException exception) {
                FAILURES.incrementAndGet();
                Thread.sleep(1_000_000);
            }
        });
        Truth.hangsOnce(desks);
        Truth.sayAndHalt(Truth.stuck("upkeep fails between pause and resume; nobody resumes the executor")
            .object("ConditionObject", "FutureTask", "Lane")
            .culprit("Upkeep.compact", "Lane.beforeExecute", "Lane.resume").thread("assessor-*", "upkeep")
            .victims("desk-*", "assessor-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A solver cuts its grid into blocks, which are computed on a pool of three threads and meet at a barrier after each
 * round.
 *
 * Problem: when the grid grows it is cut into four blocks; three of them fill the pool and wait at the barrier for
 * the fourth, which is queued behind them. Truth: stuck, because of Block.meet.
 */
final class BarrierLargerThanPool {
    static final class Block {
        private final CyclicBarrier barrier;
        private double heat = 1;

        Block(CyclicBarrier barrier) {
            this.barrier = barrier;
        }

        double rounds() {
            for (int i = 0; i < 5; i++) {
                Truth.sleep(0.003);
                heat *= 0.99;
                meet();
            }
            return heat;
        }

        private void meet() {
            try {
                barrier.await();
            } catch (InterruptedException | BrokenBarrierException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static final class Solver {
        private final AtomicInteger threads = new AtomicInteger();
        private final ExecutorService pool = Executors.newFixedThreadPool(3, work -> {
            Thread thread = new Thread(work, "block-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        private volatile int blocks = 3;
        private double sum;

        void solve() {
            try {
                while (true) {
                    CyclicBarrier barrier = new CyclicBarrier(blocks);
                    List<Future<Double>> results = new ArrayList<>();
                    for (int i = 0; i < barrier.getParties(); i++) {
                        results.add(pool.submit(new Block(barrier)::rounds));
                    }
                    for (Future<Double> result : results) {
                        sum += result.get();
                    }
                    Thread.sleep(10);
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Solver solver = new Solver();
        Thread thread = new Thread(solver::solve, "solver");
        thread.setDaemon(true);
        thread.start();
        Truth.hangsOnce(List.of(thread));
        Truth.sayAndHalt(Truth.stuck("four tasks meet at a barrier on a pool of three threads")
            .object("CyclicBarrier", "ConditionObject", "FutureTask").culprit("Block.meet").thread("block-*")
            .victims("block-*", "solver").noShare(), seconds);
        Truth.sleep(1.2);
        solver.blocks = 4;
        Truth.sleep(seconds);
    }
}

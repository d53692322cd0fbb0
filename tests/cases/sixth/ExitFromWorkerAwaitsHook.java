import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Orders are settled by a pool of four. A ledger that does not add up is fatal: the process is to end,
 * and a shutdown hook lets the pool finish what it has begun.
 *
 * Problem: FatalErrors.terminate calls System.exit on a worker of the pool whose end GracefulStop.drain
 * awaits. The worker waits in exit for the hook, the hook for the worker, and who asked for that
 * settlement waits for its result. Truth: stuck since 1.5 s. Measured: nothing else.
 */
final class ExitFromWorkerAwaitsHook {
    /** What cannot go on. */
    static final class FatalErrors {
        void terminate(String reason) {
            System.err.println("fatal: " + reason + ", stopping");
            Truth.hangsOnce(List.of(Thread.currentThread()));
            System.exit(70);
        }
    }

    /** The books. After 1.5 s one of them does not add up. */
    static final class Ledger {
        private final AtomicInteger posted = new AtomicInteger();
        private final long brokenFrom = System.nanoTime() + 1_500_000_000L;
        private final FatalErrors fatal;
        private boolean broken;

        Ledger(FatalErrors fatal) {
            this.fatal = fatal;
        }

        int post(int order) {
            Truth.sleep(0.004 + order % 5 * 0.001);
            verify(order);
            return posted.incrementAndGet();
        }

        private void verify(int order) {
            if (System.nanoTime() > brokenFrom && firstToSee()) {
                fatal.terminate("ledger of order " + order + " does not add up");
            }
        }

        private synchronized boolean firstToSee() {
            boolean first = !broken;
            broken = true;
            return first;
        }
    }

    static final class Settlement {
        final ExecutorService pool;
        private Ledger ledger;

        Settlement() {
            AtomicInteger numbers = new AtomicInteger();
            pool = Executors.newFixedThreadPool(4, work ->
                new Thread(work, "settlement-" + numbers.incrementAndGet()));
        }

        void open(Ledger books) {
            ledger = books;
        }

        Future<Integer> settle(int order) {
            return pool.submit(() -> ledger.post(order));
        }
    }

    /** What the process does before it ends. */
    record GracefulStop(Settlement settlement) implements Runnable {
        @Override
        public void run() {
            try {
                drain(settlement.pool);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void drain(ExecutorService pool) throws InterruptedException {
            pool.shutdown();
            pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }
    }

    /** A session that takes orders in. */
    static final class Intake {
        private final Settlement settlement;
        private int order;

        Intake(Settlement settlement) {
            this.settlement = settlement;
        }

        void takeNext() throws InterruptedException {
            Thread.sleep(6);
            try {
                confirm(settlement.settle(order++));
            } catch (RejectedExecutionException exception) {
                Thread.sleep(250); // "closing, come again"
            }
        }

        private void confirm(Future<Integer> settled) throws InterruptedException {
            try {
                settled.get();
            } catch (ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Settlement settlement = new Settlement();
        Thread hook = new Thread(new GracefulStop(settlement), "graceful-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        settlement.open(new Ledger(new FatalErrors()));
        for (int i = 1; i <= 3; i++) {
            Intake intake = new Intake(settlement);
            Truth.repeat("order-intake-" + i, intake::takeNext);
        }
        Truth.sayAndHalt(Truth.stuck("System.exit on a worker waits for the hook that waits for the worker")
            .object("Thread", "ThreadPoolExecutor", "ConditionObject", "FutureTask")
            .culprit("FatalErrors.terminate", "GracefulStop.drain").thread("settlement-*", "graceful-stop")
            .victims("graceful-stop", "settlement-*", "order-intake-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}

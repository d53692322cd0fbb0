import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Each quote and each simulation of risk is a virtual thread of its own, and there is one carrier for them, which a
 * container of one processor gives; where the JDK has no virtual threads, one worker runs them. Five tills ask for a
 * quote, which takes 1 ms, and wait for it; a simulation is begun every 60 ms, and nobody waits for it.
 *
 * FLAGS: -Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1
 *
 * Problem: RiskModel.simulate computes for 40 ms, and a virtual thread that computes leaves its carrier to nobody.
 * Truth: tills wait for a CompletableFuture because of RiskModel.simulate. Measured: what runs while tills wait.
 */
final class SimulationsHoldTheCarrier {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int SIMULATION = 0, QUOTE = 1;
    static final ExecutorService WORKER = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "worker");
        thread.setDaemon(true);
        return thread;
    });

    static void start(String name, Runnable work) {
        if (Runtime.version().feature() >= 21) {
            Truth.virtual(name, work);
        } else {
            WORKER.execute(work);
        }
    }

    static final class RiskModel implements Runnable {
        static volatile double risk;

        private static void simulate(long nanos) {
            long from = System.nanoTime();
            double sum = 0;
            for (int i = 1; System.nanoTime() - from < nanos; i++) {
                sum += Math.sin(i) / i;
            }
            risk = sum;
            DIARY.held(SIMULATION, from, System.nanoTime());
        }

        @Override
        public void run() {
            simulate(40_000_000);
        }
    }

    static final class Quote implements Runnable {
        private final CompletableFuture<Integer> price = new CompletableFuture<>();

        @Override
        public void run() {
            long from = System.nanoTime();
            Truth.sleep(0.001);
            DIARY.held(QUOTE, from, System.nanoTime());
            price.complete(48);
        }
    }

    static final class Till {
        private int number;
        private long sum;

        void sell() throws InterruptedException, ExecutionException {
            Quote quote = new Quote();
            long from = System.nanoTime();
            start("quote-" + ++number, quote);
            sum += quote.price.get();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("till-" + i, new Till()::sell);
        }
        int[] number = {0};
        Truth.repeat("market", () -> {
            start("simulation-" + ++number[0], new RiskModel());
            Thread.sleep(60);
        });
        DIARY.fill(seconds);
        Truth.of("simulations compute where quotes should run").object("CompletableFuture")
            .culprit("RiskModel.simulate", "RiskModel.run").thread("simulation-*", "worker").victims("till-*")
            .share(DIARY.share(SIMULATION), "the tills' waiting for quotes").say();
        System.exit(0);
    }
}

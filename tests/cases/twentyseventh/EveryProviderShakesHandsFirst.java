import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Five tills have a payment approved by whichever of three providers answers first: invokeAny on a pool of fifteen
 * threads.
 *
 * Problem: each call makes a connection of its own, Channel.shakeHands, 45 ms; the answer takes 7, 9 or 11 ms. Truth:
 * tills wait at the queue of invokeAny because of Channel.shakeHands. Measured: shaking hands and answering, evenly
 * divided, within the tills' invokeAny.
 */
final class EveryProviderShakesHandsFirst {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Channel {
        Channel shakeHands() throws InterruptedException {
            long from = System.nanoTime();
            try {
                Thread.sleep(45);
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
            return this;
        }

        int approve(int cents, int millis) throws InterruptedException {
            long from = System.nanoTime();
            try {
                Thread.sleep(millis);
            } finally {
                DIARY.held(1, from, System.nanoTime());
            }
            return cents;
        }
    }

    record Till(ExecutorService pool, int[] sum) implements Truth.Step {
        private int pay(int cents) throws Exception {
            List<Callable<Integer>> providers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int millis = 7 + 2 * i;
                providers.add(() -> new Channel().shakeHands().approve(cents, millis));
            }
            return pool.invokeAny(providers);
        }

        @Override
        public void run() throws Exception {
            long from = System.nanoTime();
            sum[0] += pay(1250);
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(60);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(15, work -> Truth.daemon("provider", work));
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("till-" + i, new Till(pool, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("each call of invokeAny makes a connection first").object("ConditionObject", "LinkedBlockingQueue",
            "FutureTask", "CompletableFuture", "ExecutorCompletionService")
            .culprit("Channel.shakeHands").thread("provider").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for an approval").say();
    }
}

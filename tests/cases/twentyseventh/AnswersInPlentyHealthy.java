import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Four desks ask four sources for each quote, every 120 ms: by invokeAll, by invokeAny, or by an
 * ExecutorCompletionService, in turn. Each source answers within 1 ms and lets six in at a time, which are enough.
 *
 * Problem: none; a quote takes less than a thirtieth of a desk's time. Truth: healthy.
 */
final class AnswersInPlentyHealthy {
    record Source(Semaphore doors) implements Callable<Integer> {
        @Override
        public Integer call() throws InterruptedException {
            doors.acquire();
            try {
                Thread.sleep(1);
                return 42;
            } finally {
                doors.release();
            }
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(16, work -> Truth.daemon("source", work));
        Semaphore doors = new Semaphore(6);
        List<Callable<Integer>> sources = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sources.add(new Source(doors));
        }
        for (int i = 1; i <= 4; i++) {
            int[] turn = {i};
            Truth.repeat("desk-" + i, () -> {
                switch (turn[0]++ % 3) {
                    case 0 -> pool.invokeAll(sources);
                    case 1 -> pool.invokeAny(sources);
                    default -> {
                        ExecutorCompletionService<Integer> answers = new ExecutorCompletionService<>(pool);
                        sources.forEach(answers::submit);
                        for (int j = 0; j < 4; j++) {
                            answers.take().get();
                        }
                    }
                }
                Thread.sleep(120);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("answers come within a millisecond").say();
    }
}

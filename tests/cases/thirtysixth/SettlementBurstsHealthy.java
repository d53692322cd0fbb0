import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A clearing house settles in a burst, each 1.2 s: eight even parts of 12 ms on a pool of eight, whose
 * sum a coordinator takes as they come; then all rest. Beside that, a pool of six for requests gets
 * one each 35 ms, of 1 ms; a cached pool sends notes; a scheduler beats.
 *
 * Problem: none: pools are idle for most of the time, as there is nothing to do. Truth: healthy.
 * Measured: nothing.
 */
final class SettlementBurstsHealthy {
    static final class Ledger {
        private long settled;

        synchronized void add(long amount) {
            settled += amount;
        }
    }

    static ExecutorService pool(String name, int threads) {
        int[] number = new int[1];
        return Executors.newFixedThreadPool(threads, work -> Truth.daemon(name + "-thread-" + ++number[0], work));
    }

    static long settle(int part) {
        Truth.sleep(0.012);
        return part * 1000L;
    }

    public static void main(String[] arguments) {
        Ledger ledger = new Ledger();
        CompletionService<Long> parts = new ExecutorCompletionService<>(pool("settlement", 8));
        ExecutorService requests = pool("request", 6);
        ExecutorService notes = Executors.newCachedThreadPool(work -> Truth.daemon("note", work));
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, work -> Truth.daemon("heartbeat", work));
        clock.scheduleAtFixedRate(() -> ledger.add(0), 50, 50, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(() -> notes.execute(() -> ledger.add(1)), 300, 300, TimeUnit.MILLISECONDS);
        Truth.repeat("coordinator", () -> {
            Thread.sleep(1200 - System.nanoTime() / 1_000_000 % 1200);
            for (int part = 0; part < 8; part++) {
                int own = part;
                parts.submit(() -> settle(own));
            }
            for (int part = 0; part < 8; part++) {
                ledger.add(parts.take().get());
            }
        });
        Random random = new Random(8);
        Truth.repeat("front-desk", () -> {
            List<Callable<Integer>> asked = new ArrayList<>();
            asked.add(() -> {
                Truth.sleep(0.001);
                return random.nextInt(9);
            });
            Future<Integer> answer = requests.submit(asked.get(0));
            ledger.add(answer.get());
            Thread.sleep(35);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("bursts are short and even, and all wait for the clock or for work").object().culprit().thread()
            .victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

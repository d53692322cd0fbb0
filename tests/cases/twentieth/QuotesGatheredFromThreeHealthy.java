import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Four desks sell insurance: now and then each asks three insurers, each in a thread of its own (a virtual one where
 * the JDK has them), joins them, and then talks with its customer.
 *
 * Problem: none; an insurer answers within 4 to 9 ms, and a desk asks each 150 ms. Truth: healthy. Measured: how long
 * quotes took, in the mean.
 */
final class QuotesGatheredFromThreeHealthy {
    static final AtomicInteger QUOTED = new AtomicInteger();
    static final AtomicLong TOOK = new AtomicLong();

    static final class Insurer {
        int quote(int risk) {
            Truth.sleep(ThreadLocalRandom.current().nextDouble(0.004, 0.009));
            return risk * 3;
        }
    }

    static final class Desk {
        private final Insurer[] insurers = {new Insurer(), new Insurer(), new Insurer()};

        int best(int risk) throws InterruptedException {
            int[] quotes = new int[insurers.length];
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < insurers.length; i++) {
                int insurer = i;
                threads.add(Truth.virtual("insurer-" + i, () -> quotes[insurer] = insurers[insurer].quote(risk)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            return Math.min(quotes[0], Math.min(quotes[1], quotes[2]));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 4; i++) {
            Desk desk = new Desk();
            Truth.repeat("desk-" + i, () -> {
                long from = System.nanoTime();
                desk.best(QUOTED.incrementAndGet() % 100);
                TOOK.addAndGet(System.nanoTime() - from);
                Thread.sleep(ThreadLocalRandom.current().nextInt(120, 180));
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d quoted, %.2f ms each%n", QUOTED.get(), TOOK.get() / 1e6 / QUOTED.get());
        Truth.healthy("insurers answer within some milliseconds, and desks mostly talk").object().culprit().thread()
            .victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}

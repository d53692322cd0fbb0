import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three desks track a parcel each 150 ms, with four carriers at the same time, each in a thread of its own (a virtual
 * one where the JDK has them), and take the answers from an ExecutorCompletionService as they come.
 *
 * Problem: none; each carrier answers within 3 ms. Truth: healthy. Measured: how long a parcel takes, in the mean.
 */
final class ParcelsTrackedAtEaseHealthy {
    static final AtomicInteger TRACKED = new AtomicInteger(), ASKED = new AtomicInteger();

    static final class Tracking {
        private final Executor eachItsOwn = work -> Truth.virtual("carrier-" + ASKED.incrementAndGet(), work);

        int track(int parcel) throws Exception {
            ExecutorCompletionService<Integer> answers = new ExecutorCompletionService<>(eachItsOwn);
            for (int carrier = 1; carrier <= 4; carrier++) {
                int number = carrier;
                answers.submit(() -> ask(number, parcel));
            }
            int place = 0;
            for (int carrier = 1; carrier <= 4; carrier++) {
                place += answers.take().get();
            }
            return place;
        }

        private int ask(int carrier, int parcel) {
            Truth.sleep(0.003);
            return parcel % carrier;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Tracking tracking = new Tracking();
        Truth.Diary diary = new Truth.Diary();
        for (int i = 1; i <= 3; i++) {
            int[] parcel = {i};
            Truth.repeat("desk-" + i, () -> {
                long from = System.nanoTime();
                tracking.track(parcel[0]++);
                diary.waited(from, System.nanoTime());
                TRACKED.incrementAndGet();
                Thread.sleep(150);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d tracked in %.2f ms%n", TRACKED.get(), 1000 * diary.waitedSeconds() / TRACKED.get());
        Truth.healthy("carriers answer at once").say();
        Runtime.getRuntime().halt(0);
    }
}

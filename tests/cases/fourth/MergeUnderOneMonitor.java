import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

/**
 * A pool of eight counts the words of documents by halves, and halves again; a leaf reads for 3 to 5 ms
 * and then merges its counts into the tally for 2 ms.
 *
 * Problem: Tally.merge takes the one monitor of the tally for each leaf. Truth: the pool's workers wait
 * for it because of the merges of others. Measured: who has the monitor, against the time to get it.
 */
final class MergeUnderOneMonitor {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Tally {
        private long words;

        void merge(int more) {
            long asked = System.nanoTime();
            long got;
            synchronized (this) {
                got = System.nanoTime();
                Truth.sleep(0.002);
                words += more;
                DIARY.held(0, got, System.nanoTime());
            }
            if (got - asked > 20_000) {
                DIARY.waited(asked, got);
            }
        }
    }

    static final class Count extends RecursiveAction {
        private final Tally tally;
        private final int from, to;

        Count(Tally tally, int from, int to) {
            this.tally = tally;
            this.from = from;
            this.to = to;
        }

        @Override
        protected void compute() {
            if (to - from == 1) {
                Truth.sleep(0.003 + new Random(from).nextDouble() * 0.002);
                tally.merge(from);
                return;
            }
            int middle = (from + to) / 2;
            invokeAll(new Count(tally, from, middle), new Count(tally, middle, to));
        }
    }

    public static void main(String[] arguments) {
        ForkJoinPool pool = new ForkJoinPool(8);
        Tally tally = new Tally();
        Truth.repeat("documents", () -> pool.invoke(new Count(tally, 0, 256)));
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("all workers merge into one tally, under its monitor, for each small part")
            .object("Tally")
            .culprit("Tally.merge")
            .thread("ForkJoinPool-*-worker-*").victims("ForkJoinPool-*-worker-*")
            .share(DIARY.share(0), "the workers' waiting for the tally").say();
    }
}

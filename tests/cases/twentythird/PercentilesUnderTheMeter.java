import java.util.Arrays;
import java.util.Random;

/**
 * Eight requests (2 ms each) note how long they took, in a meter that everybody enters by its monitor.
 *
 * Problem: two scrapers ask the meter for its percentiles about ten times a second, and it sorts all that it has
 * while it is entered. Truth: requests wait for the monitor of Meter because of Meter.percentiles. Measured: sorting and
 * noting within the requests' waiting.
 */
final class PercentilesUnderTheMeter {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Meter {
        private final long[] values = new Random(7).longs(250_000).toArray();
        private int next;

        synchronized void note(long asked, long value) {
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            values[next++ % values.length] = value;
            DIARY.held(1, from, System.nanoTime());
        }

        synchronized long[] percentiles() {
            long from = System.nanoTime();
            long[] sorted = values.clone();
            Arrays.sort(sorted);
            DIARY.held(0, from, System.nanoTime());
            return new long[] {sorted[sorted.length / 2], sorted[sorted.length / 100 * 99]};
        }
    }

    public static void main(String[] arguments) {
        Meter meter = new Meter();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("request-" + i, () -> {
                long from = System.nanoTime();
                Truth.sleep(0.002);
                long to = System.nanoTime();
                meter.note(to, to - from);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("scraper-" + i, () -> {
                meter.percentiles();
                Thread.sleep(100);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("percentiles are computed inside the monitor that every request enters").object("Meter")
            .culprit("Meter.percentiles").thread("scraper-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for the meter").say();
    }
}

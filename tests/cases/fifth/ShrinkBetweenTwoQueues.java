import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Scanners put pages into a queue of four; two threads shrink each page, which takes 20 ms of a
 * processor, and pass it on to two that store it in no time.
 *
 * Problem: Shrinker.shrink is too slow for what the scanners bring. Truth: the scanners wait for room
 * before it. Measured: nothing but that.
 */
final class ShrinkBetweenTwoQueues {
    static final BlockingQueue<int[]> SCANNED = new ArrayBlockingQueue<>(4);
    static final BlockingQueue<int[]> SHRUNK = new ArrayBlockingQueue<>(64);

    static final class Scanner {
        void feed() throws InterruptedException {
            int[] page = new int[4096];
            for (int i = 0; i < page.length; i++) {
                page[i] = i * 31;
            }
            Thread.sleep(4);
            SCANNED.put(page);
        }
    }

    static final class Shrinker {
        void next() throws InterruptedException {
            SHRUNK.put(shrink(SCANNED.take()));
        }

        int[] shrink(int[] page) {
            long until = System.nanoTime() + 20_000_000;
            int[] small = new int[page.length / 4];
            while (System.nanoTime() < until) {
                for (int i = 0; i < small.length; i++) {
                    small[i] = (small[i] + page[4 * i] + page[4 * i + 3]) / 2;
                }
            }
            return small;
        }
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 3; i++) {
            Scanner scanner = new Scanner();
            Truth.repeat("scanner-" + i, scanner::feed);
        }
        Truth.repeat("shrink-1", new Shrinker()::next);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("store-" + i, () -> SHRUNK.take());
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("shrinking is slower than scanning, and the scanners wait for room")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("Shrinker.shrink")
            .thread("shrink-*").victims("scanner-*").noShare().say();
    }
}

import java.util.concurrent.Phaser;

/**
 * Six boats survey a bay in phases, by a Phaser: each registers, measures 4 ms, arrives, and awaits the others.
 *
 * Problem: the diver's boat measures as fast, but in every third phase lets the diver up slowly, Diver.decompress,
 * 110 ms. Truth: boats wait for the Phaser because of Diver.decompress. Measured: decompressing and measuring within
 * the boats' waiting, evenly divided.
 */
final class SurveyAwaitsTheDiver {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Diver {
        private int phase;

        void decompress() {
            long from = System.nanoTime();
            Truth.sleep(0.11);
            DIARY.held(0, from, System.nanoTime());
        }

        void work() {
            if (++phase % 3 == 0) {
                decompress();
            }
        }
    }

    record Boat(Phaser phaser, Diver diver, int[] depth) implements Truth.Step {
        private void measure() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            depth[0]++;
            DIARY.held(1, from, System.nanoTime());
        }

        @Override
        public void run() {
            measure();
            if (diver != null) {
                diver.work();
            }
            long from = System.nanoTime();
            phaser.awaitAdvance(phaser.arrive());
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        Phaser phaser = new Phaser(6);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("boat-" + i, new Boat(phaser, i == 4 ? new Diver() : null, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("measuring %.3f%n", DIARY.share(1));
        Truth.of("one of six parties does something slow in every third phase").object("Phaser", "QNode")
            .culprit("Diver.decompress").thread("boat-*").victims("boat-*")
            .share(DIARY.share(0), "the boats' waiting for the next phase").say();
    }
}

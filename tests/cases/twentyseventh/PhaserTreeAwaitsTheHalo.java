import java.util.concurrent.Phaser;

/**
 * Eight cells of a simulation step together, by a tree of phasers: two groups of four, each with a Phaser of its own
 * under a common root. A step takes a cell 4 ms.
 *
 * Problem: cell 6 exchanges its halo with another machine in each step, Halo.exchange, 38 ms. Truth: cells wait for the
 * Phaser because of Halo.exchange. Measured: exchanging and stepping within the cells' waiting, evenly divided.
 */
final class PhaserTreeAwaitsTheHalo {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Halo {
        double exchange(double value) {
            long from = System.nanoTime();
            Truth.sleep(0.038);
            DIARY.held(0, from, System.nanoTime());
            return value / 2;
        }
    }

    record Cell(int number, Phaser phaser, Halo halo, double[] value) implements Truth.Step {
        private void step() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            value[0] += number;
            DIARY.held(1, from, System.nanoTime());
        }

        @Override
        public void run() {
            step();
            if (number == 6) {
                value[0] = halo.exchange(value[0]);
            }
            long from = System.nanoTime();
            phaser.arriveAndAwaitAdvance();
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        Phaser root = new Phaser();
        Phaser[] groups = {new Phaser(root, 4), new Phaser(root, 4)};
        Halo halo = new Halo();
        for (int i = 0; i < 8; i++) {
            Truth.repeat("cell-" + i, new Cell(i, groups[i / 4], halo, new double[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("steps %.3f%n", DIARY.share(1));
        Truth.of("one of eight parties exchanges data with another machine in each phase").object("Phaser", "QNode")
            .culprit("Halo.exchange").thread("cell-*").victims("cell-*")
            .share(DIARY.share(0), "the cells' waiting for the next phase").say();
    }
}

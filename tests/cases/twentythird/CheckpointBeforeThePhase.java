import java.util.Arrays;
import java.util.concurrent.Phaser;

/**
 * Six solvers step through a simulation, with a Phaser between the steps; a step takes each about 3 ms.
 *
 * Problem: in every fourth step one of them, in turn, writes a checkpoint first, for 40 ms, and the others wait for it.
 * Truth: solvers wait for the Phaser because of Checkpoint.write. Measured: checkpoints and steps within the waiting
 * for the phase, evenly divided.
 */
final class CheckpointBeforeThePhase {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Checkpoint {
        private double[] last = {};

        void write(double[] cells) {
            last = Arrays.copyOf(cells, cells.length);
            Truth.sleep(0.04);
        }
    }

    record Solver(int number, double[] cells, Phaser phase, Checkpoint checkpoint) {
        void step() {
            long from = System.nanoTime();
            int step = phase.getPhase();
            boolean writes = step % 4 == 0 && step / 4 % 6 == number;
            if (writes) {
                checkpoint.write(cells);
            } else {
                relax();
            }
            long to = System.nanoTime();
            DIARY.held(writes ? 0 : 1, from, to);
            phase.arriveAndAwaitAdvance();
            DIARY.waited(to, System.nanoTime());
        }

        private void relax() {
            for (int i = 1; i < cells.length - 1; i++) {
                cells[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
            }
            Truth.sleep(0.003);
        }
    }

    public static void main(String[] arguments) {
        Phaser phase = new Phaser(6);
        Checkpoint checkpoint = new Checkpoint();
        for (int i = 0; i < 6; i++) {
            Truth.repeat("solver-" + i, new Solver(i, new double[2000], phase, checkpoint)::step);
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one party writes a checkpoint while all wait").object("Phaser", "QNode")
            .culprit("Checkpoint.write").thread("solver-*").victims("solver-*")
            .share(DIARY.share(0), "the solvers' waiting for the phase").say();
    }
}

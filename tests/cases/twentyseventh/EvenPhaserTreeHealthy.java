import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Eight cells of a simulation step together, by a tree of phasers: two groups of four under a common root. A clock starts
 * a step every 25 ms; a step takes every cell 4 ms.
 *
 * Problem: none; all cells do the same, and wait for the clock, which is their pace. Truth: healthy.
 */
final class EvenPhaserTreeHealthy {
    public static void main(String[] arguments) {
        Phaser root = new Phaser(1);
        Phaser[] groups = {new Phaser(root, 4), new Phaser(root, 4)};
        double[] values = new double[8];
        for (int i = 0; i < 8; i++) {
            int cell = i;
            Truth.repeat("cell-" + i, () -> {
                Truth.sleep(0.004);
                values[cell] += cell;
                groups[cell / 4].arriveAndAwaitAdvance();
            });
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            work -> Truth.daemon("clock", work));
        clock.scheduleAtFixedRate(root::arrive, 25, 25, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("steps are started by a clock").say();
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;

/**
 * A simulation of heat on five tiles, each with a thread; a Phaser makes them step together.
 *
 * Problem: tile 4 stops in TileSolver.relax, as it does not converge any more; its thread says so and ends
 * without deregistering. Truth: stuck; the others wait for the Phaser in the second second. Measured:
 * nothing else.
 */
final class TileStaysRegistered {
    static final class NotConvergent extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotConvergent(int tile) {
            super("tile " + tile);
        }
    }

    static final class Grid {
        final Phaser steps = new Phaser();
        final double[] heat = new double[5000];

        Grid() {
            for (int i = 0; i < heat.length; i++) {
                heat[i] = i % 97;
            }
        }
    }

    static final class TileSolver implements Runnable {
        private final Grid grid;
        private final int tile;

        TileSolver(Grid grid, int tile) {
            this.grid = grid;
            this.tile = tile;
            grid.steps.register();
        }

        @Override
        public void run() {
            try {
                for (int step = 0;; step++) {
                    relax(step);
                    grid.steps.arriveAndAwaitAdvance();
                }
            } catch (NotConvergent exception) {
                System.out.println("stopped: " + exception.getMessage());
            }
        }

        private void relax(int step) {
            Truth.sleep(0.010);
            double change = 0;
            for (int i = tile * 1000 + 1; i < tile * 1000 + 999; i++) {
                double heat = (grid.heat[i - 1] + grid.heat[i + 1]) / 2;
                change += Math.abs(heat - grid.heat[i]);
                grid.heat[i] = heat;
            }
            if (tile == 4 && step > 150 && change < 1e9) {
                throw new NotConvergent(tile);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Grid grid = new Grid();
        List<TileSolver> solvers = new ArrayList<>();
        for (int tile = 0; tile < 5; tile++) {
            solvers.add(new TileSolver(grid, tile));
        }
        List<Thread> others = new ArrayList<>();
        for (int tile = 0; tile < 5; tile++) {
            Thread thread = new Thread(solvers.get(tile), "tile-" + tile);
            thread.setDaemon(true);
            thread.start();
            if (tile != 4) {
                others.add(thread);
            }
        }
        Truth.hangsOnce(others);
        Truth.sayAndHalt(Truth.stuck("a party of a Phaser has ended and is still registered")
            .object("Phaser").culprit("TileSolver.relax", "TileSolver.run").thread("tile-*")
            .victims("tile-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}

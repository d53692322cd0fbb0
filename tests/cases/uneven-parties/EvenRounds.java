import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Four threads relax a grid in rounds and meet at a CyclicBarrier after each. Their parts are of
 * the same size and take 30 ms give or take one, so that nobody waits for long and no party is
 * the slow one.
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class EvenRounds {
    private final double[] grid = new double[4000];
    private final CyclicBarrier round = new CyclicBarrier(4, this::publish);
    private volatile double residue;

    public static void main(String[] arguments) {
        EvenRounds relaxation = new EvenRounds();
        Arrays.fill(relaxation.grid, 1);
        for (int i = 0; i < 4; i++) {
            Strip strip = relaxation.new Strip(i);
            strip.setDaemon(true);
            strip.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("the parties of the barrier have even parts, so their waits for each other "
            + "are short against their work")
            .object().culprit().thread().victims().noShare().say();
    }

    private void publish() {
        residue = grid[0] - grid[grid.length - 1];
    }

    private final class Strip extends Thread {
        private final int from;
        private final Random random;

        Strip(int number) {
            super("strip-" + number);
            from = number * 1000;
            random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (residue < 1e9) {
                    relax();
                    round.await();
                }
            } catch (InterruptedException | BrokenBarrierException exception) {
                throw new IllegalStateException(exception);
            }
        }

        private void relax() throws InterruptedException {
            for (int i = from + 1; i < from + 999; i++) {
                grid[i] = (grid[i - 1] + grid[i + 1]) / 2;
            }
            Thread.sleep(29 + random.nextInt(2), random.nextInt(900_000));
        }
    }
}

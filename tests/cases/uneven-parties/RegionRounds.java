import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A simulation of six regions runs in rounds: each region moves its cars, 8 to 14 ms, and awaits
 * the others at a CyclicBarrier. The south has a harbour, whose ships take it 70 to 110 ms more.
 *
 * Problem: SouthRegion.moveShips makes every round long. Truth: five regions wait at the barrier
 * for the sixth. Measured: when each region moved what, within the other regions' waits at the
 * barrier.
 */
final class RegionRounds {
    static final Truth.Diary diary = new Truth.Diary();
    static volatile boolean stopped, last;
    static long rounds;

    public static void main(String[] arguments) throws InterruptedException {
        CyclicBarrier round = new CyclicBarrier(6, RegionRounds::endRound);
        ScheduledThreadPoolExecutor chart = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "chart");
            thread.setDaemon(true);
            return thread;
        });
        chart.scheduleAtFixedRate(() -> System.getProperty("rounds", "" + rounds), 1, 1,
            TimeUnit.SECONDS);
        for (int i = 1; i <= 6; i++) {
            Region region = i == 4 ? new SouthRegion(round, i) : new Region(round, i);
            Thread thread = new Thread(region::simulate, "region-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Truth.run(arguments, () -> stopped = true, 0.6);
        Truth.of("in each round five regions wait at the barrier for the south, which moves ships "
            + "besides its cars")
            .object("CyclicBarrier", "ConditionObject", "ReentrantLock")
            .culprit("SouthRegion.moveShips", "SouthRegion.move", "SouthRegion.moveShip")
            .thread("region-4", "region-*").victims("region-*")
            .share(diary.share(0), "the regions' waiting at the barrier").say();
    }

    /** All regions end in the same round, so that none is left waiting. */
    static void endRound() {
        rounds++;
        last = stopped;
    }

    static class Region {
        private final CyclicBarrier round;
        protected final Random random;

        Region(CyclicBarrier round, int seed) {
            this.round = round;
            this.random = new Random(seed);
        }

        void simulate() {
            while (!last) {
                move();
                meet();
            }
        }

        void move() {
            long from = System.nanoTime();
            Truth.sleep(0.008 + 0.006 * random.nextDouble());
            diary.held(1, from, System.nanoTime());
        }

        private void meet() {
            long from = System.nanoTime();
            try {
                round.await();
            } catch (InterruptedException | BrokenBarrierException exception) {
                throw new IllegalStateException(exception);
            }
            diary.waited(from, System.nanoTime());
        }
    }

    static final class SouthRegion extends Region {
        SouthRegion(CyclicBarrier round, int seed) {
            super(round, seed);
        }

        @Override
        void move() {
            super.move();
            moveShips(7 + random.nextInt(4));
        }

        private void moveShips(int ships) {
            long from = System.nanoTime();
            for (int i = 0; i < ships; i++) {
                moveShip();
            }
            diary.held(0, from, System.nanoTime());
        }

        private void moveShip() {
            try {
                Thread.sleep(10);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

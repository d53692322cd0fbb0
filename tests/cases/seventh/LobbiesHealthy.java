import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Card tables for four: a player, virtual where there are such threads, sits down at a table and waits
 * until it is full; they play, and go for a walk of a second or so each.
 *
 * Problem: none. Who has come waits for people who have not, all alike, as the game wants it. Truth:
 * healthy. Measured: games.
 */
final class LobbiesHealthy {
    static final class Table {
        static final AtomicInteger GAMES = new AtomicInteger();
        private final CyclicBarrier seats = new CyclicBarrier(4, GAMES::incrementAndGet);

        void sit() throws InterruptedException, BrokenBarrierException {
            seats.await();
        }
    }

    static final class Player implements Runnable {
        private final Table table;
        private final Random random;

        Player(Table table, int seed) {
            this.table = table;
            random = new Random(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(300 + random.nextInt(1400));
                    table.sit();
                    Thread.sleep(100);
                }
            } catch (InterruptedException | BrokenBarrierException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int table = 1; table <= 6; table++) {
            Table seats = new Table();
            for (int seat = 1; seat <= 4; seat++) {
                Truth.virtual("player-" + table + "-" + seat, new Player(seats, table * 10 + seat));
            }
        }
        Truth.sleep(seconds);
        System.out.println(Table.GAMES.get() + " games");
        Truth.healthy("players wait for players").object().culprit().thread().victims().noShare().say();
    }
}

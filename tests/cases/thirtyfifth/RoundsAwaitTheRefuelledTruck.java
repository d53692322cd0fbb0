import java.util.concurrent.Phaser;

/**
 * Six trucks deliver in rounds, by a Phaser; a truck goes for service after each twelve rounds: it
 * deregisters, and joins again a round later.
 *
 * Problem: a delivery takes 3 ms, but each truck fills up in every sixth round, a different truck each
 * time (FuelStation.fill, 22 ms). Truth: trucks wait for the Phaser because of FuelStation.fill.
 * Measured: the part of the waiting for a round's end during which a truck fills up, evenly shared
 * with who delivers.
 */
final class RoundsAwaitTheRefuelledTruck {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class FuelStation {
        private double sold;

        void fill(int truck) {
            Truth.sleep(0.022);
            sold += 400.0 + truck;
        }
    }

    static final class Truck implements Runnable {
        private final Phaser rounds;
        private final FuelStation station;
        private final int number;

        Truck(Phaser rounds, FuelStation station, int number) {
            this.rounds = rounds;
            this.station = station;
            this.number = number;
        }

        @Override
        public void run() {
            int round = rounds.register();
            while (round >= 0) {
                prepare(round);
                deliver();
                long from = System.nanoTime();
                if (round % 12 == 2 * number - 2) {
                    rounds.arriveAndDeregister();
                    Truth.sleep(0.002);
                    round = rounds.register();
                } else {
                    round = rounds.arriveAndAwaitAdvance();
                    DIARY.waited(from, System.nanoTime());
                }
            }
        }

        private void prepare(int round) {
            if (round % 6 == number - 1) {
                long from = System.nanoTime();
                station.fill(number);
                DIARY.held(0, from, System.nanoTime());
            }
        }

        private void deliver() {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        Phaser rounds = new Phaser(1);
        FuelStation station = new FuelStation();
        for (int i = 1; i <= 6; i++) {
            Truth.start("truck-" + i, new Truck(rounds, station, i));
        }
        Truth.sleep(0.05);
        rounds.arriveAndDeregister();
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one truck fills up in each round").object("Phaser", "QNode").culprit("FuelStation.fill")
            .thread("truck-*").victims("truck-*").share(DIARY.share(0), "the trucks' waiting for a round's end").say();
    }
}

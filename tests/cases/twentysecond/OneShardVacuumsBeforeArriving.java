import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five shards import in steps, and meet at a Phaser after each: a step takes each of them 4 to 7 ms.
 *
 * Problem: one of them, the same thread always, clears what was deleted after every second step: Shard.vacuum, 45 ms.
 * Truth: shards wait for the Phaser because of Shard.vacuum, on shard-3. Measured: vacuum and importing within the
 * shards' waiting, evenly divided among those that have not arrived.
 */
final class OneShardVacuumsBeforeArriving {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Shard {
        private final int number;
        private final Phaser steps;
        private int step;

        Shard(int number, Phaser steps) {
            this.number = number;
            this.steps = steps;
            steps.register();
        }

        void next() {
            load(ThreadLocalRandom.current().nextDouble(0.004, 0.007));
            if (number == 3 && ++step % 2 == 0) {
                vacuum();
            }
            meet();
        }

        private void load(double seconds) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(1, from, System.nanoTime());
        }

        private void vacuum() {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            DIARY.held(0, from, System.nanoTime());
        }

        private void meet() {
            long from = System.nanoTime();
            steps.arriveAndAwaitAdvance();
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Phaser steps = new Phaser();
        AtomicInteger rounds = new AtomicInteger();
        Shard[] shards = new Shard[5];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard(i + 1, steps);
        }
        for (Shard shard : shards) {
            Truth.repeat("shard-" + shard.number, () -> {
                shard.next();
                rounds.incrementAndGet();
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d steps, waited %.2f s%n", rounds.get() / 5, DIARY.waitedSeconds());
        Truth.of("one party of a phaser does more than the others").object("Phaser").culprit("Shard.vacuum")
            .thread("shard-3").victims("shard-*").share(DIARY.share(0), "the shards' waiting at the phaser").say();
        Runtime.getRuntime().halt(0);
    }
}

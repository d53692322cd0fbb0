import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five shards of an index merge their segments in phases, with a Phaser. After two or three
 * seconds a segment of shard 3 is found corrupt: its merge throws, and the shard's thread ends
 * without leaving the phaser. The other four wait for it in the next phase.
 *
 * Problem: the exception of ShardWorker.merge ends the thread, which stays registered. Truth:
 * stuck at the Phaser. Measured: no share; HANG is said when the shard has ended and the others
 * do not move.
 */
final class ShardMerge {
    private static final AtomicInteger merged = new AtomicInteger();

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("a shard ended with an exception and never arrived at the "
            + "phaser again, so the other four wait for the phase to end")
            .object("Phaser", "QNode")
            .culprit("ShardWorker.merge", "ShardWorker.readSegment")
            .thread("shard-*").victims("shard-*").noShare(),
            Truth.seconds(arguments));
        Phaser phaser = new Phaser();
        ArrayBlockingQueue<Integer> optimise = new ArrayBlockingQueue<>(1000);
        new Thread(() -> optimise(optimise), "optimiser").start();
        for (int i = 1; i <= 5; i++) {
            phaser.register();
        }
        for (int i = 1; i <= 5; i++) {
            new Thread(new ShardWorker(phaser, i, optimise), "shard-" + i).start();
        }
        for (int seen = -1; seen != merged.get();) {
            seen = merged.get();
            Thread.sleep(1000);
        }
        Truth.hangs();
    }

    private static void optimise(ArrayBlockingQueue<Integer> segments) {
        try {
            while (true) {
                Thread.sleep(5 + segments.take());
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class ShardWorker implements Runnable {
        private final Phaser phaser;
        private final int shard;
        private final ArrayBlockingQueue<Integer> optimise;
        private final Random random;

        ShardWorker(Phaser phaser, int shard, ArrayBlockingQueue<Integer> optimise) {
            this.phaser = phaser;
            this.shard = shard;
            this.optimise = optimise;
            this.random = new Random(shard);
        }

        @Override
        public void run() {
            try {
                for (int phase = 0; phase >= 0; phase = endPhase()) {
                    merge(phase, List.of(1, 2, 3));
                }
            } catch (IllegalStateException exception) {
                System.err.println("shard " + shard + ": " + exception.getMessage());
            }
        }

        private void merge(int phase, List<Integer> segments) {
            for (int segment : segments) {
                optimise.offer(readSegment(phase, segment));
            }
            merged.incrementAndGet();
        }

        private int readSegment(int phase, int segment) {
            if (shard == 3 && phase == 70 && segment == 2) {
                throw new IllegalStateException("segment " + segment + " is corrupt");
            }
            Truth.sleep(0.008 + 0.004 * random.nextDouble());
            return segment;
        }

        private int endPhase() {
            return phaser.arriveAndAwaitAdvance();
        }
    }
}

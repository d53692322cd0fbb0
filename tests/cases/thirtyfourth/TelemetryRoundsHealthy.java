import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.StampedLock;

/**
 * Three collectors meet at a barrier after each round of 30 ms, a day's work for all three alike; a sampler and a
 * packer exchange buffers each 50 ms, by the clock; a phaser with two parties advances each 60 ms, by the clock. Four
 * readers look at a table by StampedLock's optimistic reads, and a writer changes it each 20 ms (next to nothing).
 *
 * Problem: none: all is even, or by the clock. Truth: healthy. Measured: nothing.
 */
final class TelemetryRoundsHealthy {
    static final class Table {
        private final StampedLock lock = new StampedLock();
        private double a, b;

        double sum() {
            long stamp = lock.tryOptimisticRead();
            double sum = a + b;
            if (!lock.validate(stamp)) {
                stamp = lock.readLock();
                try {
                    sum = a + b;
                } finally {
                    lock.unlockRead(stamp);
                }
            }
            return sum;
        }

        void set(double to) {
            long stamp = lock.writeLock();
            try {
                a = to;
                b = -to;
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    static final class Collector implements Truth.Step {
        private final CyclicBarrier round;

        Collector(CyclicBarrier round) {
            this.round = round;
        }

        @Override
        public void run() throws InterruptedException, BrokenBarrierException {
            Thread.sleep(30);
            round.await();
        }
    }

    static void untilNext(long millis) throws InterruptedException {
        Thread.sleep(millis - System.nanoTime() / 1_000_000 % millis);
    }

    public static void main(String[] arguments) {
        CyclicBarrier round = new CyclicBarrier(3);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("collector-" + i, new Collector(round));
        }
        Exchanger<StringBuilder> buffers = new Exchanger<>();
        for (String name : new String[] {"sampler", "packer"}) {
            Truth.repeat(name, () -> {
                untilNext(50);
                buffers.exchange(new StringBuilder());
            });
        }
        Phaser phases = new Phaser(2);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("phase-" + i, () -> {
                untilNext(60);
                phases.arriveAndAwaitAdvance();
            });
        }
        Table table = new Table();
        for (int i = 1; i <= 4; i++) {
            int own = i;
            Truth.repeat("reader-" + i, () -> {
                table.sum();
                Thread.sleep(3 + own);
            });
        }
        Truth.repeat("table-writer", () -> {
            table.set(System.nanoTime());
            Thread.sleep(20);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("who meets is even").object().culprit().thread().victims().noShare().say();
    }
}

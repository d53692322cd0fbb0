import java.util.concurrent.locks.StampedLock;

/**
 * Eight quoters read positions optimistically, and by the read lock if that failed.
 *
 * Problem: positions are rebuilt every 70 ms under the write lock, Positions.rebuild, for 42 ms; a booking writes for
 * 1 ms, every 8 ms. Truth: quoters wait for the StampedLock because of Positions.rebuild. Measured: rebuilding and
 * booking, within the quoters' waiting for the read lock.
 */
final class OptimisticReadsFallBack {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Positions {
        private final StampedLock lock = new StampedLock();
        private double total;
        private double margin;

        double exposure() {
            long stamp = lock.tryOptimisticRead();
            double exposure = total + margin;
            if (stamp != 0 && lock.validate(stamp)) {
                return exposure;
            }
            long from = System.nanoTime();
            stamp = lock.readLock();
            DIARY.waited(from, System.nanoTime());
            try {
                return total + margin;
            } finally {
                lock.unlockRead(stamp);
            }
        }

        void rebuild() {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                total = 0;
                Truth.sleep(0.042);
                total = margin * 2;
            } finally {
                DIARY.held(0, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }

        void book(double amount) {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.001);
                margin += amount;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }
    }

    public static void main(String[] arguments) {
        Positions positions = new Positions();
        double[] sums = new double[9];
        for (int i = 1; i <= 8; i++) {
            int quoter = i;
            Truth.repeat("quoter-" + i, () -> {
                sums[quoter] += positions.exposure();
                Thread.sleep(4);
            });
        }
        Truth.repeat("booking", () -> {
            positions.book(12.5);
            Thread.sleep(8);
        });
        Truth.repeat("rebuild", () -> {
            positions.rebuild();
            Thread.sleep(70);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("positions are rebuilt under the write lock").object("StampedLock").culprit("Positions.rebuild")
            .thread("rebuild").victims("quoter-*")
            .share(DIARY.share(0), "the quoters' waiting for the read lock").say();
    }
}

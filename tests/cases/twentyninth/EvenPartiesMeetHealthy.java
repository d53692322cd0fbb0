import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.StampedLock;

/**
 * Three cells meet at a CyclicBarrier, three at a Phaser, two exchange buffers: each works 25 ms, give or take one, and
 * then waits for the others. All count in one map by computeIfAbsent and merge, and read a table under a StampedLock
 * that is written every 100 ms, in no time.
 *
 * Problem: none; everybody has as much to do. Truth: healthy.
 */
final class EvenPartiesMeetHealthy {
    static final class Table {
        private final StampedLock lock = new StampedLock();
        private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
        private int version;

        int read() {
            long stamp = lock.readLock();
            try {
                return version;
            } finally {
                lock.unlockRead(stamp);
            }
        }

        void write() {
            long stamp = lock.writeLock();
            try {
                version++;
            } finally {
                lock.unlockWrite(stamp);
            }
        }

        void count(String who) {
            counts.computeIfAbsent(who, name -> name.length());
            counts.merge(who, read(), Integer::sum);
        }
    }

    static void work(Table table, int number, int[] turn) {
        Truth.sleep(0.025 + 0.001 * ((number + ++turn[0]) % 3 - 1));
        table.count(Thread.currentThread().getName());
    }

    public static void main(String[] arguments) {
        Table table = new Table();
        CyclicBarrier barrier = new CyclicBarrier(3);
        Phaser phaser = new Phaser(3);
        Exchanger<int[]> exchanger = new Exchanger<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            int[] turn = {0}, other = {0}, third = {0};
            Truth.repeat("cell-" + i, () -> {
                work(table, number, turn);
                barrier.await();
            });
            Truth.repeat("boat-" + i, () -> {
                work(table, number, other);
                phaser.arriveAndAwaitAdvance();
            });
            if (i < 2) {
                Truth.repeat("scribe-" + i, () -> {
                    work(table, number, third);
                    exchanger.exchange(third);
                });
            }
        }
        Truth.repeat("editor", () -> {
            table.write();
            Thread.sleep(100);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("all parties have the same to do").say();
    }
}

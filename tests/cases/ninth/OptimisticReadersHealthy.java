import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * Six routers read a table optimistically, some thousand times a second; a writer changes it two hundred times a
 * second, for twenty microseconds. Who reads in between falls back to the read lock.
 *
 * Problem: none: the waits are many and short. Truth: healthy. Measured: the time that routers need the read lock for.
 */
final class OptimisticReadersHealthy {
    static final class Table {
        private final StampedLock lock = new StampedLock();
        private final AtomicLong fallenBack = new AtomicLong(), waited = new AtomicLong();
        private int first, second;

        int sum() {
            long stamp = lock.tryOptimisticRead();
            int sum = first + second;
            if (!lock.validate(stamp)) {
                long from = System.nanoTime();
                stamp = lock.readLock();
                waited.addAndGet(System.nanoTime() - from);
                fallenBack.incrementAndGet();
                sum = first + second;
                lock.unlockRead(stamp);
            }
            return sum;
        }

        void change() {
            long stamp = lock.writeLock();
            long until = System.nanoTime() + 20_000;
            while (System.nanoTime() < until) {
                first += 1;
                second -= 1;
            }
            lock.unlockWrite(stamp);
        }
    }

    static final class Router {
        private final Table table;
        private long sum;

        Router(Table table) {
            this.table = table;
        }

        void route() throws InterruptedException {
            for (int i = 0; i < 200; i++) {
                sum += table.sum();
            }
            Thread.sleep(1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Table table = new Table();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("router-" + i, new Router(table)::route);
        }
        Truth.repeat("updates", () -> {
            table.change();
            Thread.sleep(5);
        });
        Truth.sleep(seconds);
        System.out.printf("fell back %d times, %.3f s%n", table.fallenBack.get(), table.waited.get() / 1e9);
        Truth.healthy("readers that seldom meet a writer").object().culprit().thread().victims().noShare().say();
    }
}

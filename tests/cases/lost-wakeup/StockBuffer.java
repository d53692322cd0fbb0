import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Suppliers put goods into a buffer with room for two, pickers take them out. Both kinds wait at
 * the same Condition, and each change wakes just one of them with signal. Sooner or later it
 * wakes one of its own kind, who cannot go on either, and then everybody waits.
 *
 * Problem: Shelf.wakeOne signals one waiter where two kinds wait. Truth: stuck at the
 * ConditionObject. Measured: no share; HANG is said when nothing has moved for a second.
 */
final class StockBuffer {
    static final AtomicLong moved = new AtomicLong();
    static final LinkedBlockingQueue<Integer> picked = new LinkedBlockingQueue<>();
    static volatile boolean rush;

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("suppliers and pickers wait at one condition and are woken by "
            + "signal instead of signalAll; the wake-up went to one that could not go on")
            .object("ConditionObject", "ReentrantLock")
            .culprit("Shelf.wakeOne", "Shelf.put", "Shelf.take")
            .thread().victims("supplier-*", "picker-*").noShare(),
            Truth.seconds(arguments));
        Shelf<Integer> shelf = new Shelf<>();
        new Thread(StockBuffer::invoice, "invoices").start();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            new Thread(() -> supply(shelf, random), "supplier-" + i).start();
            new Thread(() -> pick(shelf), "picker-" + i).start();
        }
        Truth.sleep(2);
        rush = true;
        for (long seen = -1; seen != moved.get();) {
            seen = moved.get();
            Thread.sleep(1000);
        }
        Truth.hangs();
    }

    static void supply(Shelf<Integer> shelf, Random random) {
        while (true) {
            if (!rush) { // while each comes alone, one wake-up is enough
                Truth.sleep(0.05 + random.nextDouble() * 0.02);
            }
            shelf.put(random.nextInt(100));
        }
    }

    static void pick(Shelf<Integer> shelf) {
        while (true) {
            picked.add(shelf.take());
        }
    }

    static void invoice() {
        try {
            while (picked.take() >= 0) {
                moved.incrementAndGet();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static final class Shelf<T> {
        private final Lock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final Object[] goods = new Object[2];
        private int count;

        void put(T good) {
            lock.lock();
            try {
                while (count == goods.length) {
                    await();
                }
                goods[count++] = good;
                wakeOne();
            } finally {
                lock.unlock();
            }
        }

        @SuppressWarnings("unchecked")
        T take() {
            lock.lock();
            try {
                while (count == 0) {
                    await();
                }
                wakeOne();
                return (T) goods[--count];
            } finally {
                lock.unlock();
            }
        }

        private void await() {
            changed.awaitUninterruptibly();
        }

        private void wakeOne() {
            changed.signal();
        }
    }
}

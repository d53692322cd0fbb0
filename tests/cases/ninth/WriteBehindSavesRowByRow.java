import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A cache that is written behind: orders change it, one thread saves what is dirty. At most two hundred rows are
 * dirty; who would dirty one more waits.
 *
 * Problem: rows are saved one by one, each with a round trip of 2.5 ms, less than come in. Truth: orders wait for
 * the condition `room` because of RowStore.save. Measured: the part of their waiting during which a row is saved.
 */
final class WriteBehindSavesRowByRow {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class RowStore {
        private long saved;

        void save(String key, int value) {
            long from = System.nanoTime();
            Truth.sleep(0.0025);
            saved += key.hashCode() + value;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class WriteBehind {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition room = lock.newCondition(), work = lock.newCondition();
        private final Map<String, Integer> dirty = new LinkedHashMap<>();
        private final RowStore store = new RowStore();

        void put(String key, int value) throws InterruptedException {
            lock.lock();
            try {
                long from = System.nanoTime();
                while (dirty.size() >= 200) {
                    room.await();
                }
                DIARY.waited(from, System.nanoTime());
                dirty.put(key, value);
                work.signal();
            } finally {
                lock.unlock();
            }
        }

        void flushNext() throws InterruptedException {
            Map.Entry<String, Integer> row = next();
            store.save(row.getKey(), row.getValue());
        }

        private Map.Entry<String, Integer> next() throws InterruptedException {
            lock.lock();
            try {
                while (dirty.isEmpty()) {
                    work.await();
                }
                Iterator<Map.Entry<String, Integer>> rows = dirty.entrySet().iterator();
                Map.Entry<String, Integer> row = rows.next();
                rows.remove();
                room.signal();
                return row;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Orders {
        private final WriteBehind cache;
        private final int desk;
        private int taken;

        Orders(WriteBehind cache, int desk) {
            this.cache = cache;
            this.desk = desk;
        }

        void take() throws InterruptedException {
            taken += 1;
            cache.put(desk + "-" + taken, taken);
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        WriteBehind cache = new WriteBehind();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("order-" + i, new Orders(cache, i)::take);
        }
        Truth.repeat("write-behind", cache::flushNext);
        DIARY.fill(seconds);
        Truth.of("a cache written behind saves row by row, slower than rows come")
            .object("ConditionObject", "WriteBehind")
            .culprit("RowStore.save").thread("write-behind").victims("order-*")
            .share(DIARY.share(0), "the orders' waiting for room").say();
    }
}

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A pool of ten connections checks one whenever it is lent, which takes 8 ms, and does so while it has
 * its lock. There are always connections enough.
 *
 * Problem: ConnectionPool.check is called with the pool locked. Truth: whoever lends or returns waits for
 * the lock. Measured: nothing but that.
 */
final class PoolChecksUnderItsLock {
    static final class Connection {
        boolean isValid() {
            Truth.sleep(0.008);
            return true;
        }
    }

    static final class ConnectionPool {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition returned = lock.newCondition();
        private final Deque<Connection> free = new ArrayDeque<>();

        ConnectionPool(int size) {
            for (int i = 0; i < size; i++) {
                free.add(new Connection());
            }
        }

        Connection lend() throws InterruptedException {
            lock.lock();
            try {
                while (true) {
                    while (free.isEmpty()) {
                        returned.await();
                    }
                    Connection connection = free.poll();
                    if (check(connection)) {
                        return connection;
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean check(Connection connection) {
            return connection.isValid();
        }

        void giveBack(Connection connection) {
            lock.lock();
            try {
                free.add(connection);
                returned.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        ConnectionPool pool = new ConnectionPool(10);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("query-" + i, () -> {
                Connection connection = pool.lend();
                Thread.sleep(10);
                pool.giveBack(connection);
                Thread.sleep(10);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the pool checks connections while it has its lock")
            .object("ReentrantLock", "NonfairSync")
            .culprit("ConnectionPool.check", "Connection.isValid", "ConnectionPool.lend")
            .thread("query-*").victims("query-*").noShare().say();
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Orders and stock have a ReentrantReadWriteLock each; four visitors read one after the other.
 *
 * Problem: from the third second on, Desk.reprice reads the orders and, with that lock held, wants to write the stock,
 * and Desk.recount reads the stock and wants to write the orders: each waits until the other has read. Truth: both and
 * the visitors, who come after a waiting writer, hang because of Desk.reprice and Desk.recount.
 */
final class OrdersAndStockReadAcross {
    static final class Desk {
        private final ReentrantReadWriteLock orders = new ReentrantReadWriteLock();
        private final ReentrantReadWriteLock stock = new ReentrantReadWriteLock();
        private long total;

        void reprice() throws InterruptedException {
            orders.readLock().lock();
            try {
                Thread.sleep(6);
                stock.writeLock().lock();
                try {
                    total++;
                } finally {
                    stock.writeLock().unlock();
                }
            } finally {
                orders.readLock().unlock();
            }
            Thread.sleep(3);
        }

        void recount() throws InterruptedException {
            stock.readLock().lock();
            try {
                Thread.sleep(6);
                orders.writeLock().lock();
                try {
                    total++;
                } finally {
                    orders.writeLock().unlock();
                }
            } finally {
                stock.readLock().unlock();
            }
            Thread.sleep(4);
        }

        void visit() throws InterruptedException {
            read(orders);
            read(stock);
            Thread.sleep(20);
        }

        private void read(ReentrantReadWriteLock lock) {
            lock.readLock().lock();
            try {
                total += 0;
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    static Thread thread(String name, double afterSeconds, Truth.Step step) {
        Thread thread = new Thread(() -> {
            Truth.sleep(afterSeconds);
            try {
                while (true) {
                    step.run();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Desk desk = new Desk();
        List<Thread> threads = new ArrayList<>();
        threads.add(thread("reprice", 0.1, desk::reprice));
        threads.add(thread("recount", 2, desk::recount));
        for (int i = 1; i <= 4; i++) {
            threads.add(thread("visitor-" + i, 0.1, desk::visit));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("two who read each a table want to write the other's")
            .object("ReentrantReadWriteLock").culprit("Desk.reprice", "Desk.recount").thread("reprice", "recount")
            .victims("visitor-*", "reprice", "recount").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * Orders go into a book with a ReentrantLock; who listens is told with the lock in hand. Limits (a monitor) listen, and
 * are set by a supervisor. Four desks place orders.
 *
 * Problem: after two fifths of the time the supervisor changes a limit, Limits.tighten, which cancels orders in the
 * book with the limits' monitor in hand, while Limits.onOrder, called by a desk with the book's lock, waits for that
 * monitor. Truth: stuck, a deadlock of a lock and a monitor, because of Limits.tighten (or onOrder).
 */
final class LimitsListenToTheBook {
    static final class Book {
        private final ReentrantLock lock = new ReentrantLock();
        private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();
        private int orders;

        void listen(IntConsumer listener) {
            listeners.add(listener);
        }

        void place(int amount) {
            lock.lock();
            try {
                orders++;
                Truth.sleep(0.0005);
                listeners.forEach(listener -> listener.accept(amount));
            } finally {
                lock.unlock();
            }
        }

        void cancel(int amount) {
            lock.lock();
            try {
                orders -= amount;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Limits {
        private final Book book;
        private int limit = 1000;

        Limits(Book book) {
            this.book = book;
            book.listen(this::onOrder);
        }

        private synchronized void onOrder(int amount) {
            limit -= amount / 1000;
        }

        synchronized void tighten() {
            limit -= 100;
            Truth.sleep(0.15);
            book.cancel(2);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Book book = new Book();
        Limits limits = new Limits(book);
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int amount = i;
            desks.add(Truth.repeat("desk-" + i, () -> {
                book.place(amount);
                Thread.sleep(9);
            }));
        }
        Truth.repeat("ticker", () -> Thread.sleep(40));
        Truth.hangsOnce(desks);
        Truth.sayAndHalt(Truth.stuck("a lock and a monitor are taken in both orders")
            .object("ReentrantLock", "NonfairSync", "Limits").culprit("Limits.tighten", "Limits.onOrder")
            .thread("supervisor", "desk-*").victims("desk-*", "supervisor").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        Truth.start("supervisor", limits::tighten);
        Truth.sleep(seconds + 2);
    }
}

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A ward's message board: messages are given out to all that listen, with the room's read lock; who comes or goes
 * takes its write lock. Six nurses post, ten visitors come and go; each is a virtual thread where the JDK has them.
 *
 * Problem: one listener in three is a pager, which is rung while the lock is held: Pager.deliver, 11 ms; a screen
 * has the message within 0.3 ms. Truth: visitors wait for the ReentrantReadWriteLock because of Pager.deliver.
 * Measured: the part of the visitors' and nurses' waiting for the lock during which somebody rings a pager, evenly
 * shared among all that hold the lock.
 */
final class PagersAreRungInsideTheRoom {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Listener {
        void deliver(String message);
    }

    static class Screen implements Listener {
        @Override
        public void deliver(String message) {
            long from = System.nanoTime();
            Truth.sleep(0.0003);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static class Pager extends Screen {
        @Override
        public void deliver(String message) {
            long from = System.nanoTime();
            Truth.sleep(0.011);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Room {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final List<Listener> listeners = new ArrayList<>();

        void post(String message) {
            locked(false, () -> listeners.forEach(listener -> listener.deliver(message)));
        }

        void enter(Listener listener) {
            locked(true, () -> listeners.add(listener));
        }

        void leave(Listener listener) {
            locked(true, () -> listeners.remove(listener));
        }

        private void locked(boolean write, Runnable work) {
            long from = System.nanoTime();
            var own = write ? lock.writeLock() : lock.readLock();
            own.lock();
            try {
                DIARY.waited(from, System.nanoTime());
                work.run();
            } finally {
                own.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Room room = new Room();
        room.enter(new Pager());
        room.enter(new Pager());
        for (int i = 1; i <= 4; i++) {
            room.enter(new Screen());
        }
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.virtual("nurse-" + i, () -> {
                while (true) {
                    Truth.sleep(0.05 + random.nextInt(60) / 1000.0);
                    room.post("to room " + random.nextInt(12));
                }
            });
        }
        for (int i = 1; i <= 10; i++) {
            Random random = new Random(100 + i);
            Truth.virtual("visitor-" + i, () -> {
                while (true) {
                    Listener screen = new Screen();
                    room.enter(screen);
                    Truth.sleep(0.02 + random.nextInt(30) / 1000.0);
                    room.leave(screen);
                    Truth.sleep(0.02);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("pagers are rung with the room's lock in hand")
            .object("ReentrantReadWriteLock", "NonfairSync").culprit("Pager.deliver").thread("nurse-*")
            .victims("visitor-*").share(DIARY.share(0), "the waiting for the room's lock").say();
    }
}

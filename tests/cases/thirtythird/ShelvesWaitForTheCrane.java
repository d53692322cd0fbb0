import java.util.Random;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A warehouse: each shelf is locked by who works at it (a template method of Place), and a crane, with a lock of its
 * own, is needed to put something back. Six pickers work at one shelf, two returners put back there.
 *
 * Problem: each 100 ms the inventory uses the crane for Inventory.walk, 42 ms, at other shelves; a returner waits for
 * the crane with the shelf locked, and the pickers behind it. Lifting takes Crane.lift, 4 ms, a pick Shelf.pick, 0.7
 * ms. Truth: pickers wait for the Shelf's monitor (or returners for the crane's ReentrantLock) because of
 * Inventory.walk. Measured: the part of the waiting for the shelf during which its owner waits for the inventory.
 */
final class ShelvesWaitForTheCrane {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Crane {
        private final Lock lock = new ReentrantLock();

        /** Answers how long was waited. */
        void use(boolean noted, Runnable work) {
            long from = System.nanoTime();
            lock.lock();
            try {
                if (noted) {
                    DIARY.held(0, from, System.nanoTime());
                }
                work.run();
            } finally {
                lock.unlock();
            }
        }

        void lift() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    abstract static class Place {
        private int changes;

        final synchronized void change(long asked) {
            DIARY.waited(asked, System.nanoTime());
            changes++;
            apply();
        }

        abstract void apply();

        synchronized void pick(long asked) {
            DIARY.waited(asked, System.nanoTime());
            long from = System.nanoTime();
            Truth.sleep(0.0007);
            DIARY.held(2, from, System.nanoTime());
        }
    }

    static final class Shelf extends Place {
        private final Crane crane;

        Shelf(Crane crane) {
            this.crane = crane;
        }

        @Override
        void apply() {
            crane.use(true, crane::lift);
        }
    }

    static final class Inventory {
        private final Crane crane;
        private int seen;

        Inventory(Crane crane) {
            this.crane = crane;
        }

        void count() {
            crane.use(false, this::walk);
        }

        private void walk() {
            for (int i = 0; i < 14; i++) {
                seen += i;
                Truth.sleep(0.003);
            }
        }
    }

    public static void main(String[] arguments) {
        Crane crane = new Crane();
        Shelf shelf = new Shelf(crane);
        Inventory inventory = new Inventory(crane);
        Truth.repeat("inventory", () -> {
            inventory.count();
            Thread.sleep(58);
        });
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(i);
            Truth.repeat("returner-" + i, () -> {
                shelf.change(System.nanoTime());
                Thread.sleep(20 + random.nextInt(30));
            });
        }
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(10 + i);
            Truth.repeat("picker-" + i, () -> {
                shelf.pick(System.nanoTime());
                Thread.sleep(12 + random.nextInt(8));
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who has the shelf locked waits for a crane that the inventory uses")
            .object("Shelf", "ReentrantLock", "NonfairSync").culprit("Inventory.walk", "Inventory.count")
            .thread("inventory").victims("picker-*", "returner-*")
            .share(DIARY.share(0), "the waiting for the shelf").say();
    }
}

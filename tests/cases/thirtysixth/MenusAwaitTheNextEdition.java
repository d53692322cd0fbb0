import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A kitchen's menu is made anew, edition by edition: a table that asks while it is being made waits
 * for that edition's CountDownLatch. Making it takes 3 ms with the pantry's lock.
 *
 * Problem: a cook counts the pantry with that lock, Inventory.count, 22 ms, after each 18 ms. Truth:
 * tables wait for a CountDownLatch, and the editor for the lock, because of Inventory.count. Measured:
 * the part of the tables' waiting during which the editor waits for the lock.
 */
final class MenusAwaitTheNextEdition {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Inventory {
        private int jars;

        void count() {
            for (int shelf = 0; shelf < 11; shelf++) {
                Truth.sleep(0.002);
                jars += shelf;
            }
        }
    }

    static final class Pantry {
        private final ReentrantLock lock = new ReentrantLock();
        private final Inventory inventory = new Inventory();

        void check() {
            lock.lock();
            try {
                inventory.count();
            } finally {
                lock.unlock();
            }
        }

        int dishes() {
            long asked = System.nanoTime();
            lock.lock();
            long from = System.nanoTime();
            DIARY.held(0, asked, from);
            try {
                Truth.sleep(0.003);
                return inventory.jars / 3;
            } finally {
                lock.unlock();
                DIARY.held(1, from, System.nanoTime());
            }
        }
    }

    static final class Edition {
        private final CountDownLatch made = new CountDownLatch(1);
        private volatile int dishes;

        int dishes() throws InterruptedException {
            made.await();
            return dishes;
        }

        void make(int count) {
            dishes = count;
            made.countDown();
        }
    }

    static final class Menu {
        private final AtomicReference<Edition> current = new AtomicReference<>(new Edition());
        private final Pantry pantry;

        Menu(Pantry pantry) {
            this.pantry = pantry;
        }

        int read() throws InterruptedException {
            return current.get().dishes();
        }

        void renew() {
            Edition next = new Edition();
            current.set(next);
            next.make(pantry.dishes());
        }
    }

    public static void main(String[] arguments) {
        Pantry pantry = new Pantry();
        Menu menu = new Menu(pantry);
        menu.current.get().make(1);
        Truth.repeat("cook", () -> {
            pantry.check();
            Thread.sleep(18);
        });
        Truth.repeat("menu editor", () -> {
            menu.renew();
            Thread.sleep(13);
        });
        DIARY.clients("table", 6, 4, () -> menu.read());
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the menu is not made while the pantry is counted")
            .object("CountDownLatch", "ReentrantLock", "NonfairSync").culprit("Inventory.count").thread("cook")
            .victims("table-*", "menu editor").share(DIARY.share(0), "the tables' waiting for the menu").say();
    }
}

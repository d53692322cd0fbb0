import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Twelve dispatchers order lifts for three ships, and wait for each. Every ship's orders are carried out in order, on
 * three threads that all ships share; there is one crane, a semaphore with one permit, and a lift takes 1.5 ms.
 *
 * Problem: the mechanic keeps the crane for 80 ms while its log is uploaded, four times a second. Truth: dispatchers
 * wait for a FutureTask because of Mechanic.upload. Measured: uploads and lifts, which exclude each other, within the
 * dispatchers' waiting.
 */
final class LiftsWaitForTheOverhaul {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** One after the other, in the order of their coming. */
    record InOrder(Executor threads, Deque<Runnable> orders) implements Executor {
        @Override
        public void execute(Runnable order) {
            synchronized (orders) {
                orders.add(order);
                if (orders.size() == 1) {
                    start(order);
                }
            }
        }

        private void start(Runnable order) {
            threads.execute(() -> {
                order.run();
                startNext();
            });
        }

        private void startNext() {
            synchronized (orders) {
                orders.remove();
                if (!orders.isEmpty()) {
                    start(orders.peek());
                }
            }
        }
    }

    static final class Crane {
        private final Semaphore free = new Semaphore(1);

        <T> T use(Callable<T> work, int who) throws Exception {
            free.acquire();
            long from = System.nanoTime();
            try {
                return work.call();
            } finally {
                DIARY.held(who, from, System.nanoTime());
                free.release();
            }
        }

        int lift(int container) {
            Truth.sleep(0.0015);
            return container;
        }
    }

    record Mechanic(Crane crane) implements Truth.Step {
        @Override
        public void run() throws Exception {
            crane.use(this::upload, 0);
            Thread.sleep(150);
        }

        private int upload() {
            int sent = 0;
            while (sent < 16) {
                Truth.sleep(0.005);
                sent++;
            }
            return sent;
        }
    }

    record Ship(InOrder orders, Crane crane) {
        int load(int container) throws InterruptedException, ExecutionException {
            FutureTask<Integer> order = new FutureTask<>(() -> crane.use(() -> crane.lift(container), 1));
            orders.execute(order);
            return order.get();
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        Executor deck = Executors.newFixedThreadPool(3,
            work -> Truth.daemon("deck-" + number.incrementAndGet(), work));
        Crane crane = new Crane();
        for (String name : new String[] {"anna", "berta", "clara"}) {
            Ship ship = new Ship(new InOrder(deck, new ArrayDeque<>()), crane);
            DIARY.clients("dispatcher-" + name, 4, 50, () -> ship.load(number.get()));
        }
        Truth.repeat("mechanic", new Mechanic(crane));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the crane is kept while its log is uploaded").object("FutureTask")
            .culprit("Mechanic.upload", "Mechanic.run").thread("mechanic")
            .victims("dispatcher-anna-*", "dispatcher-berta-*", "dispatcher-clara-*")
            .share(DIARY.share(0), "the dispatchers' waiting for their lifts").say();
    }
}

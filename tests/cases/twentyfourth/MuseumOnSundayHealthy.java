import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A museum's server on a Sunday. Eight tills read prices under a read lock that is written once a second, for a
 * moment; sell under one of twelve permits, and put the sale into a journal whose writer keeps up. Two guides ask
 * three exhibits at a time for their texts, on a pool with threads to spare, 4 ms each. The curator prints a report
 * from a copy.
 *
 * Problem: none. There is a permit, a thread and room for each, and what is waited for is the work itself.
 */
final class MuseumOnSundayHealthy {
    record Sale(int till, int cents) {}

    static final class PriceList {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private Map<String, Integer> cents = new HashMap<>(Map.of("adult", 1400, "child", 500));

        int of(String visitor) {
            lock.readLock().lock();
            try {
                return cents.get(visitor);
            } finally {
                lock.readLock().unlock();
            }
        }

        /** Worked out first, and put in place then. */
        void reprice(int percent) {
            Map<String, Integer> next = new HashMap<>();
            for (Map.Entry<String, Integer> entry : Map.of("adult", 1400, "child", 500).entrySet()) {
                Truth.sleep(0.004);
                next.put(entry.getKey(), entry.getValue() * percent / 100);
            }
            lock.writeLock().lock();
            try {
                cents = next;
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    static final class Journal {
        private final BlockingQueue<Sale> sales = new ArrayBlockingQueue<>(500);
        private final Map<Integer, Integer> byTill = new HashMap<>();

        void write() throws InterruptedException {
            Sale sale = sales.take();
            synchronized (byTill) {
                byTill.merge(sale.till(), sale.cents(), Integer::sum);
            }
        }

        int total() {
            Map<Integer, Integer> copy;
            synchronized (byTill) {
                copy = new HashMap<>(byTill);
            }
            Truth.sleep(0.05); // the printer
            return copy.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    record Till(int number, PriceList prices, Semaphore terminals, Journal journal) {
        void sell() throws InterruptedException {
            int cents = prices.of(System.nanoTime() % 3 == 0 ? "child" : "adult");
            terminals.acquire();
            try {
                Truth.sleep(0.005);
            } finally {
                terminals.release();
            }
            journal.sales.put(new Sale(number, cents));
            Thread.sleep(30);
        }
    }

    static String text(int exhibit) {
        Truth.sleep(0.004);
        return "exhibit " + exhibit;
    }

    public static void main(String[] arguments) {
        PriceList prices = new PriceList();
        Semaphore terminals = new Semaphore(12);
        Journal journal = new Journal();
        AtomicInteger threads = new AtomicInteger(), told = new AtomicInteger(), total = new AtomicInteger();
        ExecutorService exhibits = Executors.newFixedThreadPool(8,
            work -> Truth.daemon("exhibit-" + threads.incrementAndGet(), work));
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("till-" + i, new Till(i, prices, terminals, journal)::sell);
        }
        List<Callable<String>> room = List.of(() -> text(1), () -> text(2), () -> text(3));
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("guide-" + i, () -> {
                for (Future<String> text : exhibits.invokeAll(room)) {
                    told.addAndGet(text.get().length());
                }
                Thread.sleep(120);
            });
        }
        Truth.repeat("journal", journal::write);
        Truth.repeat("curator", () -> {
            total.set(journal.total());
            Thread.sleep(400);
        });
        Truth.repeat("pricing", () -> {
            Thread.sleep(1000);
            prices.reprice(90 + told.get() % 20);
        });
        Truth.sleep(Truth.seconds(arguments));
        System.out.printf("%d cents, %d signs told%n", total.get(), told.get());
        Truth.healthy("a museum with permits and threads to spare").object().culprit().thread().victims().noShare()
            .say();
    }
}

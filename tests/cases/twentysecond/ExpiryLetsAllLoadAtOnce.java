import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Eight pages show a menu that is kept for 600 ms, and ask for stock each time. The warehouse is asked by two at a
 * time (a Semaphore); stock takes 2 ms.
 *
 * Problem: nothing keeps pages from loading the same menu at once. Whenever it expires, all of them find it gone, and
 * each loads it for itself, for 90 ms, two at a time. Truth: pages wait for the warehouse's Semaphore because of
 * MenuCache.load. Measured: loads and looks at the stock within the pages' waiting for a permit, evenly divided.
 */
final class ExpiryLetsAllLoadAtOnce {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Warehouse {
        private final Semaphore seats = new Semaphore(2);

        <T> T ask(Supplier<T> question) {
            long from = System.nanoTime();
            seats.acquireUninterruptibly();
            DIARY.waited(from, System.nanoTime());
            try {
                return question.get();
            } finally {
                seats.release();
            }
        }
    }

    record Entry(String menu, long until) {}

    static final class MenuCache {
        private final Map<String, Entry> entries = new ConcurrentHashMap<>();
        private final Warehouse warehouse;
        final AtomicInteger loads = new AtomicInteger();

        MenuCache(Warehouse warehouse) {
            this.warehouse = warehouse;
        }

        String get(String name) {
            Entry entry = entries.get(name);
            if (entry == null || entry.until < System.nanoTime()) {
                String menu = warehouse.ask(() -> load(name));
                entries.put(name, new Entry(menu, System.nanoTime() + 600_000_000));
                return menu;
            }
            return entry.menu;
        }

        private String load(String name) {
            long from = System.nanoTime();
            for (int section = 0; section < 9; section++) {
                Truth.sleep(0.01);
            }
            DIARY.held(0, from, System.nanoTime());
            return name + loads.incrementAndGet();
        }
    }

    static final class Stock {
        private final Warehouse warehouse;

        Stock(Warehouse warehouse) {
            this.warehouse = warehouse;
        }

        int of(int article) {
            return warehouse.ask(() -> {
                long from = System.nanoTime();
                Truth.sleep(0.002);
                DIARY.held(1, from, System.nanoTime());
                return article * 3;
            });
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Warehouse warehouse = new Warehouse();
        MenuCache menus = new MenuCache(warehouse);
        Stock stock = new Stock(warehouse);
        for (int i = 1; i <= 8; i++) {
            int article = i;
            Truth.repeat("page-" + i, () -> {
                menus.get("lunch");
                stock.of(article);
                Thread.sleep(25);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d loads, waited %.2f s%n", menus.loads.get(), DIARY.waitedSeconds());
        Truth.of("an expired entry is loaded by everybody at once").object("Semaphore", "Warehouse")
            .culprit("MenuCache.load").thread("page-*").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for the warehouse").say();
        Runtime.getRuntime().halt(0);
    }
}

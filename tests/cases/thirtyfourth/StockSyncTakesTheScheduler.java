import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A scheduler of three threads. Four regions fetch their stock each 250 ms, one at a time (a lock, as two runs must
 * not overlap); settings are fetched each 200 ms. Five sessions renew their lease through the scheduler (1 ms), and
 * wait for that.
 *
 * Problem: all four are due at once, WarehouseApi.fetch takes 50 ms: one fetches, two wait for the lock, and no thread
 * is left. SettingsApi.fetch takes 12 ms. Truth: sessions wait for the ScheduledFutureTask because of
 * WarehouseApi.fetch. Measured: the part of the waiting for leases during which stock is fetched, shared with settings
 * and leases at the same time.
 */
final class StockSyncTakesTheScheduler {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class WarehouseApi {
        private int rows;

        void fetch(int region) {
            long from = System.nanoTime();
            Truth.sleep(0.050);
            rows += region;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class SettingsApi {
        private int rows;

        void fetch() {
            long from = System.nanoTime();
            Truth.sleep(0.012);
            rows++;
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class StockSync {
        private final ReentrantLock running = new ReentrantLock();
        private final WarehouseApi warehouse = new WarehouseApi();

        void run(int region) {
            running.lock();
            try {
                warehouse.fetch(region);
            } finally {
                running.unlock();
            }
        }
    }

    static final class Leases {
        private final ScheduledExecutorService scheduler;

        Leases(ScheduledExecutorService scheduler) {
            this.scheduler = scheduler;
        }

        void renew() throws Exception {
            scheduler.schedule(Leases::touch, 0, TimeUnit.MILLISECONDS).get();
        }

        private static void touch() {
            long from = System.nanoTime();
            Truth.sleep(0.001);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger numbers = new AtomicInteger();
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(3,
            work -> Truth.daemon("scheduler-" + numbers.incrementAndGet(), work));
        StockSync sync = new StockSync();
        SettingsApi settings = new SettingsApi();
        for (int region = 1; region <= 4; region++) {
            int own = region;
            scheduler.scheduleAtFixedRate(() -> sync.run(own), 100, 250, TimeUnit.MILLISECONDS);
        }
        scheduler.scheduleWithFixedDelay(settings::fetch, 50, 200, TimeUnit.MILLISECONDS);
        Leases leases = new Leases(scheduler);
        DIARY.clients("session", 5, 18, leases::renew);
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("jobs that exclude each other take all threads of a scheduler")
            .object("ScheduledFutureTask", "FutureTask").culprit("WarehouseApi.fetch").thread("scheduler-*")
            .victims("session-*").share(DIARY.share(0), "the sessions' waiting for leases").say();
    }
}

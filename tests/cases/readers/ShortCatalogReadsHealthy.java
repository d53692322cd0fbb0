import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The healthy twin of the long readers: ten http threads, two feeds and an export share one
 * ReentrantReadWriteLock. The export takes a copy under the read lock, which takes microseconds,
 * and does its slow part without it.
 *
 * Truth: nothing to be found. Feeds and http threads sleep between requests; that is all their
 * waiting.
 */
class ShortCatalogReadsHealthy {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Integer, String> titles = new HashMap<>();
    private volatile boolean open = true;

    String title(int number) {
        lock.readLock().lock();
        try {
            return titles.get(number);
        } finally {
            lock.readLock().unlock();
        }
    }

    void rename(int number, String title) {
        lock.writeLock().lock();
        try {
            titles.put(number, title);
        } finally {
            lock.writeLock().unlock();
        }
    }

    void export() throws InterruptedException {
        Map<Integer, String> copy = snapshot();
        for (int rows = 0; rows < copy.size(); rows += 100) {
            Thread.sleep(30);
        }
    }

    private Map<Integer, String> snapshot() {
        lock.readLock().lock();
        try {
            return new HashMap<>(titles);
        } finally {
            lock.readLock().unlock();
        }
    }

    private void browse(int seed) {
        Random random = new Random(seed);
        while (open) {
            title(random.nextInt(500));
            pause(5 + random.nextInt(15));
        }
    }

    private void feed(int seed) {
        Random random = new Random(seed);
        while (open) {
            rename(random.nextInt(500), "title " + random.nextInt());
            pause(20 + random.nextInt(40));
        }
    }

    private static void pause(int millis) {
        Truth.sleep(millis / 1e3);
    }

    public static void main(String[] args) {
        ShortCatalogReadsHealthy catalog = new ShortCatalogReadsHealthy();
        for (int i = 1; i <= 12; i++) {
            int seed = i;
            boolean http = i <= 10;
            Thread thread = new Thread(() -> {
                if (http) {
                    catalog.browse(seed);
                } else {
                    catalog.feed(seed);
                }
            }, (http ? "http-" : "feed-") + i);
            thread.start();
        }
        ScheduledExecutorService exports =
            Executors.newScheduledThreadPool(3, r -> new Thread(r, "export"));
        exports.scheduleWithFixedDelay(() -> {
            try {
                catalog.export();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, 50, 100, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(args));
        catalog.open = false;
        exports.shutdownNow();
        Truth.healthy("all threads hold the lock for microseconds; the export works on a copy")
            .object().culprit().thread().victims().noShare().say();
    }
}

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Eight request threads read settings under a read lock. After two seconds the settings are old, and
 * the first who sees it wants to load them anew.
 *
 * Problem: SettingsStore.get calls SettingsStore.refresh, which asks for the write lock, while its
 * own read lock is still held. Such a lock cannot be upgraded: the thread waits for itself, and all
 * others behind it. Truth: stuck at the ReentrantReadWriteLock. Measured: no share; HANG is said
 * when all wait.
 */
final class WriteLockWithinReadLock {
    static final class SettingsStore {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<String, String> settings = new HashMap<>();
        private long loaded = System.nanoTime();

        String get(String name) {
            lock.readLock().lock();
            try {
                if (System.nanoTime() - loaded > 2_000_000_000L) {
                    refresh();
                }
                return settings.get(name);
            } finally {
                lock.readLock().unlock();
            }
        }

        private void refresh() {
            lock.writeLock().lock();
            try {
                settings.put("currency", "EUR");
                loaded = System.nanoTime();
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        SettingsStore store = new SettingsStore();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            threads.add(new Thread(() -> {
                while (true) {
                    Truth.sleep(0.005 + random.nextDouble() * 0.03);
                    store.get("currency");
                }
            }, "request-" + i));
        }
        threads.forEach(Thread::start);
        Truth.sayAndHalt(Truth.stuck("the write lock is asked for with the own read lock held, which "
            + "waits for itself for ever")
            .object("ReentrantReadWriteLock")
            .culprit("SettingsStore.refresh", "SettingsStore.get")
            .thread("request-*").victims("request-*").noShare(), Truth.seconds(arguments));
        Truth.hangsOnce(threads);
    }
}

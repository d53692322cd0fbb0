import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * A cache with a ReentrantLock and a registry of listeners with synchronized methods. Sessions
 * read the cache and register themselves as listeners.
 *
 * Problem: CacheRegion.evict tells the listeners with the cache's lock held; registering replays
 * the cache's content to the new listener with the registry's monitor held. Once both happen at a
 * time, the lock's owner waits for the monitor and the monitor's owner for the lock.
 *
 * Truth: a deadlock of a ReentrantLock and a monitor, the two methods. Nothing to measure.
 */
class EvictionAgainstListeners {
    static class CacheRegion {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, String> entries = new HashMap<>();
        private final ListenerRegistry listeners;

        CacheRegion(ListenerRegistry listeners) {
            this.listeners = listeners;
        }

        String get(int key) {
            lock.lock();
            try {
                return entries.computeIfAbsent(key, k -> "value " + k);
            } finally {
                lock.unlock();
            }
        }

        void evict(int key) {
            lock.lock();
            try {
                entries.remove(key);
                Truth.sleep(0.002); // the second level is told
                listeners.fire(key);
            } finally {
                lock.unlock();
            }
        }
    }

    static class ListenerRegistry {
        private final List<IntConsumer> listeners = new ArrayList<>();

        synchronized void fire(int key) {
            for (IntConsumer listener : listeners) {
                listener.accept(key);
            }
        }

        synchronized void register(CacheRegion region, IntConsumer listener) {
            Truth.sleep(0.001);
            for (int key = 0; key < 10; key++) {
                region.get(key);
                listener.accept(key);
            }
            listeners.add(listener);
            if (listeners.size() > 20) {
                listeners.remove(0);
            }
        }
    }

    private final ListenerRegistry registry = new ListenerRegistry();
    private final CacheRegion region = new CacheRegion(registry);
    private volatile int seen;

    private void readForever(Random random) {
        while (true) {
            region.get(random.nextInt(500));
            rest(random, 10);
        }
    }

    private void openSessions(Random random) {
        while (true) {
            registry.register(region, key -> seen = key);
            rest(random, 60);
        }
    }

    private void evictForever(Random random) {
        Truth.sleep(1); // nothing is old before
        while (true) {
            region.evict(random.nextInt(500));
            rest(random, 40);
        }
    }

    private static void rest(Random random, int millis) {
        Truth.sleep((millis + random.nextInt(millis)) / 1e3);
    }

    public static void main(String[] args) {
        EvictionAgainstListeners service = new EvictionAgainstListeners();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            all.add(new Thread(() -> service.readForever(random), "session-" + i));
        }
        all.add(new Thread(() -> service.openSessions(new Random(8)), "login-1"));
        all.add(new Thread(() -> service.evictForever(new Random(9)), "evictor-1"));
        String here = "EvictionAgainstListeners$";
        Truth.sayAndHalt(Truth.stuck("deadlock: CacheRegion.evict holds the cache's lock and "
                + "waits for the listeners' monitor, ListenerRegistry.register holds that and "
                + "waits for the lock")
            .object("ReentrantLock", "ListenerRegistry", here + "ListenerRegistry")
            .culprit("CacheRegion.evict", "ListenerRegistry.register", here + "CacheRegion.evict",
                here + "ListenerRegistry.register")
            .thread("evictor-*", "login-*")
            .victims("session-*", "evictor-*", "login-*")
            .noShare(), Truth.seconds(args));
        all.forEach(Thread::start);
        Truth.hangsOnce(all);
    }
}

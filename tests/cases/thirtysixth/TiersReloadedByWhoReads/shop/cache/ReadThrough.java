package shop.cache;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;

/** Keeps what was loaded for some time. */
public final class ReadThrough<K, V> {
    /** Is told who waited for a lock. */
    public interface Probe {
        void waited(long from, long to);
    }

    private static final class Entry<V> {
        private final V value;
        private final long since = System.nanoTime();

        private Entry(V value) {
            this.value = value;
        }

        private boolean isYoungerThan(long nanos) {
            return System.nanoTime() - since < nanos;
        }
    }

    private final ReadWriteLock lock;
    private final Function<K, V> loader;
    private final long lifetime;
    private final Probe probe;
    private final Map<K, Entry<V>> entries = new HashMap<>();

    public ReadThrough(ReadWriteLock lock, Function<K, V> loader, long lifetime, Probe probe) {
        this.lock = lock;
        this.loader = loader;
        this.lifetime = lifetime;
        this.probe = probe;
    }

    public V get(K key) {
        enter(lock.readLock());
        try {
            Entry<V> entry = entries.get(key);
            if (entry != null && entry.isYoungerThan(lifetime)) {
                return entry.value;
            }
        } finally {
            lock.readLock().unlock();
        }
        enter(lock.writeLock());
        try {
            Entry<V> entry = entries.get(key);
            if (entry == null || !entry.isYoungerThan(lifetime)) {
                entry = new Entry<>(loader.apply(key));
                entries.put(key, entry);
            }
            return entry.value;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void enter(Lock one) {
        long asked = System.nanoTime();
        one.lock();
        probe.waited(asked, System.nanoTime());
    }
}

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.CacheWriter;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cache of Caffeine with room for 500 tiles; what is evicted is spilled to disk.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: Caffeine calls its writer while it holds the eviction lock, and Spill.delete takes 2 ms a tile; once
 * the cache's write buffer is full, whoever puts a tile waits for that lock. Truth: for the eviction lock,
 * because of Spill.delete. Measured: the part of the waiting (puts, until they spill themselves, if they take more
 * than 1 ms) during which it ran.
 */
final class EvictionSpillsToDisk {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Spill implements CacheWriter<Integer, byte[]> {
        final ThreadLocal<Long> first = ThreadLocal.withInitial(() -> 0L); // since it put

        @Override
        public void write(Integer key, byte[] tile) {
        }

        @Override
        public void delete(Integer key, byte[] tile, RemovalCause cause) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            if (first.get() == 0) {
                first.set(from);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Tiles {
        private final Cache<Integer, byte[]> cache;
        private final Spill spill;

        Tiles(Cache<Integer, byte[]> cache, Spill spill) {
            this.cache = cache;
            this.spill = spill;
        }

        void draw() throws InterruptedException {
            int number = ThreadLocalRandom.current().nextInt(100_000);
            spill.first.set(0L);
            long from = System.nanoTime();
            cache.put(number, new byte[200]);
            long to = spill.first.get() == 0 ? System.nanoTime() : spill.first.get();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Spill spill = new Spill();
        Cache<Integer, byte[]> cache = Caffeine.newBuilder().maximumSize(500).executor(Runnable::run)
            .writer(spill).build();
        Tiles tiles = new Tiles(cache, spill);
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("tile-" + i, tiles::draw);
        }
        Truth.sleep(seconds);
        System.out.printf("waited %.1f s%n", DIARY.waitedSeconds());
        Truth.of("what a cache evicts is spilled to disk under its eviction lock")
            .object("NonReentrantLock", "Sync", "ReentrantLock", "NonfairSync", "BoundedLocalCache")
            .culprit("Spill.delete").thread("tile-*").victims("tile-*")
            .share(DIARY.share(0), "the waiting to put").say();
    }
}

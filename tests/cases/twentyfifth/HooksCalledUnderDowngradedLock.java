import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A catalogue behind a read-write lock: three editors change it, five shops read it, which takes next to no time, and
 * a publisher gives out a new version, then copies it for the archive.
 *
 * Problem: to publish, the write lock is taken, and kept as a read lock while Webhook.deliver tells four partners, 22
 * ms each. Readers would not mind, but an editor who waits for the write lock keeps them out. The archive's copy (35
 * ms) is the lesser fault. Truth: editors and shops wait for the lock because of Catalogue.publish, Webhook.deliver.
 * Measured: hooks, copies, edits and reads within the waiting for the lock.
 */
final class HooksCalledUnderDowngradedLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Webhook(String partner) {
        void deliver(int version) {
            long from = System.nanoTime();
            Truth.sleep(version < 0 ? 0 : 0.022);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Catalogue {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, String> articles = new HashMap<>();
        private final List<Webhook> hooks = new ArrayList<>();
        private int version;

        void publish() {
            long from = System.nanoTime();
            lock.writeLock().lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            version++;
            lock.readLock().lock();
            lock.writeLock().unlock();
            try {
                hooks.forEach(hook -> hook.deliver(version));
            } finally {
                lock.readLock().unlock();
            }
        }

        void edit(int article, String text) {
            long from = System.nanoTime();
            lock.writeLock().lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                articles.put(article, text);
                Truth.sleep(0.001);
                DIARY.held(1, got, System.nanoTime());
            } finally {
                lock.writeLock().unlock();
            }
        }

        String read(int article) {
            long from = System.nanoTime();
            lock.readLock().lock();
            DIARY.waited(from, System.nanoTime());
            try {
                return articles.getOrDefault(article, "none");
            } finally {
                lock.readLock().unlock();
            }
        }

        Map<Integer, String> copied() {
            long from = System.nanoTime();
            lock.readLock().lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                Truth.sleep(0.035);
                return Map.copyOf(articles);
            } finally {
                DIARY.held(2, got, System.nanoTime());
                lock.readLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Catalogue catalogue = new Catalogue();
        for (String partner : List.of("north", "south", "east", "west")) {
            catalogue.hooks.add(new Webhook(partner));
        }
        for (int i = 1; i <= 3; i++) {
            int article = i;
            Truth.repeat("editor-" + i, () -> {
                catalogue.edit(article, "new");
                Thread.sleep(25);
            });
        }
        for (int i = 1; i <= 5; i++) {
            int article = i;
            Truth.repeat("shop-" + i, () -> {
                catalogue.read(article);
                Thread.sleep(10);
            });
        }
        Truth.repeat("publisher", () -> {
            catalogue.publish();
            Thread.sleep(90);
            catalogue.copied();
            Thread.sleep(50);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("partners are told of a version under the write lock's rest, a read lock")
            .object("ReentrantReadWriteLock", "NonfairSync", "Catalogue")
            .culprit("Catalogue.publish", "Webhook.deliver")
            .thread("publisher").victims("shop-*", "editor-*")
            .share(DIARY.share(0), "the waiting for the catalogue's lock").say();
    }
}

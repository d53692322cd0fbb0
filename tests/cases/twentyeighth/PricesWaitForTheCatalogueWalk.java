import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Three feeds set prices under the write lock, 0.2 ms each; six lookups read under the read lock, 0.3 ms.
 *
 * Problem: two exports walk the whole catalogue under the read lock, Export.walk, 80 ms each, every 140 ms. Truth: feeds
 * and lookups, which queue behind the feeds, wait for the ReentrantReadWriteLock because of Export.walk. Measured:
 * walking, setting and looking up within the waiting for the lock, evenly divided.
 */
final class PricesWaitForTheCatalogueWalk {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Catalogue {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private long price;

        void set(long cents) {
            long from = System.nanoTime();
            lock.writeLock().lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                Truth.sleep(0.0002);
                price = cents;
            } finally {
                DIARY.held(1, got, System.nanoTime());
                lock.writeLock().unlock();
            }
        }

        long read(int who, Runnable work) {
            long from = System.nanoTime();
            lock.readLock().lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                work.run();
                return price;
            } finally {
                DIARY.held(who, got, System.nanoTime());
                lock.readLock().unlock();
            }
        }
    }

    record Export(Catalogue catalogue) implements Truth.Step {
        private void walk() {
            Truth.sleep(0.08);
        }

        @Override
        public void run() throws InterruptedException {
            catalogue.read(0, this::walk);
            Thread.sleep(140);
        }
    }

    public static void main(String[] arguments) {
        Catalogue catalogue = new Catalogue();
        for (int i = 1; i <= 3; i++) {
            int cents = i;
            Truth.repeat("feed-" + i, () -> {
                catalogue.set(cents);
                Thread.sleep(25);
            });
        }
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("lookup-" + i, () -> {
                catalogue.read(2, () -> Truth.sleep(0.0003));
                Thread.sleep(12);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("export-" + i, new Export(catalogue));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("setting %.3f looking up %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("exports walk a catalogue under its read lock").object("ReentrantReadWriteLock", "NonfairSync")
            .culprit("Export.walk", "Export.run").thread("export-*").victims("lookup-*", "feed-*")
            .share(DIARY.share(0), "the waiting for the catalogue's lock").say();
    }
}

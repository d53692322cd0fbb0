import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Nine pages read a catalogue through a lazy value: a volatile field, and a ReentrantLock when it is empty, checked twice.
 *
 * Problem: an editor saves an article every 130 ms, which empties the value; the next page reads the whole catalogue
 * again, Catalogue.read, 70 ms, with the lock. Truth: pages wait for the ReentrantLock because of Catalogue.read.
 * Measured: reading, within the waiting of pages for the lock.
 */
final class CatalogueIsReadOnceMore {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Lazy<T> {
        private final ReentrantLock lock = new ReentrantLock();
        private final Supplier<T> source;
        private volatile T value;

        Lazy(Supplier<T> source) {
            this.source = source;
        }

        T get() {
            T now = value;
            if (now != null) {
                return now;
            }
            long from = System.nanoTime();
            lock.lock();
            DIARY.waited(from, System.nanoTime());
            try {
                if (value == null) {
                    value = source.get();
                }
                return value;
            } finally {
                lock.unlock();
            }
        }

        void clear() {
            value = null;
        }
    }

    static final class Catalogue {
        int[] read() {
            long from = System.nanoTime();
            Truth.sleep(0.07);
            DIARY.held(0, from, System.nanoTime());
            return new int[400];
        }
    }

    record Page(Lazy<int[]> articles, int[] sum) implements Truth.Step {
        private void render() {
            int[] all = articles.get();
            sum[0] = all == null ? 0 : all.length;
        }

        @Override
        public void run() throws InterruptedException {
            render();
            Thread.sleep(9);
        }
    }

    public static void main(String[] arguments) {
        Catalogue catalogue = new Catalogue();
        Lazy<int[]> articles = new Lazy<>(catalogue::read);
        for (int i = 1; i <= 9; i++) {
            Truth.repeat("page-" + i, new Page(articles, new int[1]));
        }
        Truth.repeat("editor", () -> {
            Thread.sleep(130);
            articles.clear();
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a lazy value is computed under its lock after each change").object("ReentrantLock", "NonfairSync")
            .culprit("Catalogue.read").thread("page-*").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for the lock").say();
    }
}

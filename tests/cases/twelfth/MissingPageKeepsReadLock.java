import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A wiki's pages are behind a read-write lock: six visitors read, an editor writes each 30 ms, a crawler follows links.
 *
 * Problem: Wiki.linksOf throws if there is no such page, as happens to the crawler since the second second, and does so
 * before it gives the read lock back. The crawler goes on, since who has a read lock may take it again; the editor
 * waits for that lock for good, and visitors behind the editor. Truth: stuck, visitors wait for the
 * ReentrantReadWriteLock because of Wiki.linksOf.
 */
final class MissingPageKeepsReadLock {
    static final class Wiki {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, String> pages = new HashMap<>();

        Wiki() {
            for (int number = 0; number < 200; number++) {
                pages.put(number, "see " + (number + 7) % 200);
            }
        }

        String read(int number) {
            lock.readLock().lock();
            try {
                return pages.get(number);
            } finally {
                lock.readLock().unlock();
            }
        }

        void write(int number, String text) {
            lock.writeLock().lock();
            try {
                pages.put(number, text);
            } finally {
                lock.writeLock().unlock();
            }
        }

        int linksOf(int number) throws InterruptedException {
            lock.readLock().lock();
            String text = pages.get(number);
            if (text == null) {
                throw new NoSuchElementException("page " + number);
            }
            Thread.sleep(1);
            int link = Integer.parseInt(text.substring(4));
            lock.readLock().unlock();
            return link;
        }
    }

    static final class Crawler {
        private final Wiki wiki;
        private int number;
        private int missing;

        Crawler(Wiki wiki) {
            this.wiki = wiki;
        }

        void visit() throws InterruptedException {
            try {
                number = wiki.linksOf(number);
            } catch (NoSuchElementException exception) {
                missing++;
                number = 0;
            }
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Wiki wiki = new Wiki();
        long later = System.nanoTime() + 1_300_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int page = i * 11;
            threads.add(Truth.repeat("visitor-" + i, () -> {
                wiki.read(page);
                Thread.sleep(6);
            }));
        }
        threads.add(Truth.repeat("editor", () -> {
            boolean gone = System.nanoTime() > later;
            wiki.write((int) (Math.random() * 200), "see " + (gone ? 200 : (int) (Math.random() * 200)));
            Thread.sleep(30);
        }));
        Truth.repeat("crawler", new Crawler(wiki)::visit);
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a read lock is kept by who found no page under it")
            .object("ReentrantReadWriteLock", "NonfairSync", "ReadLock", "WriteLock").culprit("Wiki.linksOf")
            .thread("crawler").victims("visitor-*", "editor").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A search index with one unfair ReentrantLock. Eight search threads need it for a moment. A
 * rebuilder goes through the segments of the index; considerately, it gives the lock back after
 * each segment.
 *
 * Problem: IndexRebuilder.rebuild takes the lock again at once, before any thread that it has
 * woken can get it. So its 80 segments of 5 ms are like one hold of 400 ms.
 *
 * Truth: the lock, the rebuilder's loop. Measured: who holds the lock from when to when, and the
 * waits of the search threads.
 */
class RebuilderBargesInLoop {
    public static void main(String[] args) {
        SearchIndex index = new SearchIndex(80);
        IndexRebuilder rebuilder = new IndexRebuilder(index);
        run("index-rebuilder", () -> {
            while (true) {
                rebuilder.rebuild();
                TimeUnit.MILLISECONDS.sleep(150);
            }
        });
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            run("search-" + i, () -> {
                while (true) {
                    index.search(random.nextInt(80));
                    TimeUnit.MILLISECONDS.sleep(5 + random.nextInt(15));
                }
            });
        }
        Truth.sleep(Truth.seconds(args));
        Truth.of("IndexRebuilder.rebuild gives the index lock back after each segment, but takes "
                + "it again at once, so that searches starve for 400 ms")
            .object("ReentrantLock")
            .culprit("IndexRebuilder.rebuild", "IndexRebuilder.rebuildSegment")
            .thread("index-rebuilder")
            .victims("search-*")
            .share(index.diary.share(0), "the search threads' waiting for the lock")
            .say();
    }

    interface Body {
        void run() throws InterruptedException;
    }

    private static void run(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}

class SearchIndex {
    final Truth.Diary diary = new Truth.Diary();
    final ReentrantLock lock = new ReentrantLock();
    final int[] segments;

    SearchIndex(int size) {
        segments = new int[size];
    }

    int search(int segment) throws InterruptedException {
        long asked = System.nanoTime();
        lock.lock();
        long got = System.nanoTime();
        diary.waited(asked, got);
        try {
            return segments[segment];
        } finally {
            diary.held(1, got, System.nanoTime());
            lock.unlock();
        }
    }
}

class IndexRebuilder {
    private final SearchIndex index;
    private final Random disk = new Random(12);

    IndexRebuilder(SearchIndex index) {
        this.index = index;
    }

    void rebuild() throws InterruptedException {
        for (int segment = 0; segment < index.segments.length; segment++) {
            rebuildSegment(segment);
        }
    }

    private void rebuildSegment(int segment) throws InterruptedException {
        index.lock.lock();
        long got = System.nanoTime();
        try {
            Thread.sleep(4 + disk.nextInt(3));
            index.segments[segment]++;
        } finally {
            index.diary.held(0, got, System.nanoTime());
            index.lock.unlock();
        }
    }
}

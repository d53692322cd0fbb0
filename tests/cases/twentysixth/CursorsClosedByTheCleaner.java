import java.lang.ref.Cleaner;
import java.util.concurrent.Semaphore;

/**
 * Five readers page through a remote archive by cursors, of which the server grants six at a time. Another thread
 * parses a feed, and makes the garbage that is usual.
 *
 * FLAGS: -XX:+UseG1GC -Xmn8m
 *
 * Problem: readers never close a cursor; they rely on its Cleaner. A cursor is released once the collector has found
 * it, by the Cleaner's only thread, and Release.run tells the server, for 20 ms. Truth: readers wait for the Semaphore
 * of Archive because of Release.run. Measured: releasing within the readers' waiting; for the rest of it nothing has
 * been found to release yet.
 */
final class CursorsClosedByTheCleaner {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** What is left to do for a cursor that nobody has any more. */
    record Release(Semaphore granted, long handle) implements Runnable {
        @Override
        public void run() {
            long from = System.nanoTime();
            Truth.sleep(0.02);
            DIARY.held(0, from, System.nanoTime());
            granted.release();
        }
    }

    static final class Cursor {
        private final long handle;
        private int row;

        Cursor(long handle) {
            this.handle = handle;
        }

        long next() {
            return handle * 1000 + row++;
        }
    }

    static final class Archive {
        private final Cleaner cleaner = Cleaner.create();
        private final Semaphore granted = new Semaphore(6);
        private long handles;

        Cursor open() throws InterruptedException {
            long from = System.nanoTime();
            granted.acquire();
            DIARY.waited(from, System.nanoTime());
            Cursor cursor;
            synchronized (this) {
                cursor = new Cursor(++handles);
            }
            cleaner.register(cursor, new Release(granted, cursor.handle));
            return cursor;
        }
    }

    record Reader(Archive archive, long[] sum) implements Truth.Step {
        private void page() throws InterruptedException {
            Cursor cursor = archive.open();
            for (int i = 0; i < 4; i++) {
                sum[0] += cursor.next();
            }
            Thread.sleep(1);
        }

        @Override
        public void run() throws InterruptedException {
            page();
            Thread.sleep(5);
        }
    }

    static final class Feed implements Truth.Step {
        private final byte[][] window = new byte[8][];
        private int at;

        @Override
        public void run() throws InterruptedException {
            for (int i = 0; i < 8; i++) {
                window[at++ % window.length] = new byte[32 << 10];
            }
            Thread.sleep(1);
        }
    }

    public static void main(String[] arguments) {
        Archive archive = new Archive();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("reader-" + i, new Reader(archive, new long[1]));
        }
        Truth.repeat("feed", new Feed());
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("cursors are closed by the Cleaner alone, one after the other").object("Semaphore", "NonfairSync")
            .culprit("Release.run").thread("Cleaner-*").victims("reader-*")
            .share(DIARY.share(0), "the readers' waiting for a cursor").say();
    }
}

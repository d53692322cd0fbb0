import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Cursors of a database in an ArrayDeque, guarded by its own monitor: who finds it empty waits,
 * who gives a cursor back notifies. Eight lookups need a cursor for 2 ms at a time.
 *
 * Problem: FileImport.importFile borrows a cursor, then reads and parses a file (120 to 200 ms),
 * then inserts; there are two import threads and three cursors, so that all lookups share what is
 * left, and when a cleaner has that (30 ms, sometimes), there is none.
 *
 * Truth: the deque that is waited on, the import. Measured: each cursor's borrower from when to
 * when, the instants of waiting shared evenly among the borrowers.
 */
class ImportKeepsCursorInMonitorPool {
    static final class Cursor {
        long borrowed;
    }

    static final class Cursors {
        private final Deque<Cursor> free = new ArrayDeque<>();
        private final Truth.Diary diary = new Truth.Diary();

        Cursors(int size) {
            for (int i = 0; i < size; i++) {
                free.push(new Cursor());
            }
        }

        Cursor borrow(boolean noteWait) throws InterruptedException {
            long asked = System.nanoTime();
            Cursor cursor;
            synchronized (free) {
                while (free.isEmpty()) {
                    free.wait();
                }
                cursor = free.pop();
            }
            cursor.borrowed = System.nanoTime();
            if (noteWait) {
                diary.waited(asked, cursor.borrowed);
            }
            return cursor;
        }

        void giveBack(Cursor cursor, int who) {
            diary.held(who, cursor.borrowed, System.nanoTime());
            synchronized (free) {
                free.push(cursor);
                free.notify();
            }
        }
    }

    private static final Cursors cursors = new Cursors(3);

    public static void main(String[] args) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            threads.add(new Lookup("lookup-" + i, i));
        }
        for (int i = 1; i <= 2; i++) {
            threads.add(new FileImport("import-" + i, i));
        }
        threads.add(new Cleaner());
        for (Thread thread : threads) {
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep((long) (1000 * Truth.seconds(args)));
        Truth.of("FileImport.importFile borrows a cursor before it parses its file and keeps it "
                + "for 200 ms, twice at a time, so that lookups wait for the rest of three cursors")
            .object("ArrayDeque")
            .culprit("FileImport.importFile",
                "ImportKeepsCursorInMonitorPool$FileImport.importFile",
                "FileImport.parse", "ImportKeepsCursorInMonitorPool$FileImport.parse")
            .thread("import-*")
            .victims("lookup-*")
            .share(cursors.diary.share(0), "the lookups' waiting for a cursor")
            .say();
    }

    abstract static class Loop extends Thread {
        final Random random;

        Loop(String name, int seed) {
            super(name);
            random = new Random(seed);
        }

        abstract void turn() throws InterruptedException;

        @Override
        public void run() {
            try {
                while (!isInterrupted()) {
                    turn();
                }
            } catch (InterruptedException e) {
                interrupt();
            }
        }
    }

    static final class Lookup extends Loop {
        Lookup(String name, int seed) {
            super(name, seed);
        }

        @Override
        void turn() throws InterruptedException {
            findCustomer();
            sleep(5 + random.nextInt(15));
        }

        private void findCustomer() throws InterruptedException {
            Cursor cursor = cursors.borrow(true);
            try {
                sleep(2);
            } finally {
                cursors.giveBack(cursor, 1);
            }
        }
    }

    static final class FileImport extends Loop {
        FileImport(String name, int seed) {
            super(name, 30 + seed);
        }

        @Override
        void turn() throws InterruptedException {
            importFile();
            sleep(10);
        }

        private void importFile() throws InterruptedException {
            Cursor cursor = cursors.borrow(false);
            try {
                int rows = parse();
                sleep(rows / 20);
            } finally {
                cursors.giveBack(cursor, 0);
            }
        }

        private int parse() throws InterruptedException {
            sleep(120 + random.nextInt(80));
            return 100;
        }
    }

    static final class Cleaner extends Loop {
        Cleaner() {
            super("cleaner", 9);
        }

        @Override
        void turn() throws InterruptedException {
            sleep(200);
            Cursor cursor = cursors.borrow(false);
            try {
                sleep(30);
            } finally {
                cursors.giveBack(cursor, 1);
            }
        }
    }
}

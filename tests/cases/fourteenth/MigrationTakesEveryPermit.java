import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ten visitors (virtual threads where the JDK has them) open documents; a fair semaphore of five permits limits how
 * many are open, for 3 ms each.
 *
 * Problem: every 160 ms a migration wants the folder for itself and acquires all five permits, and FolderMigration.move
 * keeps them while it copies, 70 ms. Truth: visitors wait for a Semaphore because of FolderMigration.move or
 * ObjectStore.copy. Measured: who has permits, evenly shared among all who have any, while visitors wait; what takes
 * less than 1 ms is no waiting.
 */
final class MigrationTakesEveryPermit {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int MIGRATION = 0, VISITOR = 1, PERMITS = 5;

    static final class ObjectStore {
        private long copied;

        void copy(int folder) {
            for (int part = 0; part < 7; part++) {
                Truth.sleep(0.01);
                copied += folder;
            }
        }
    }

    static final class Folder {
        private final Semaphore open = new Semaphore(PERMITS, true);

        void read() throws InterruptedException {
            long from = System.nanoTime();
            open.acquire();
            long to = System.nanoTime();
            try {
                if (to - from > 1_000_000) {
                    DIARY.waited(from, to);
                }
                Thread.sleep(3);
            } finally {
                DIARY.held(VISITOR, to, System.nanoTime());
                open.release();
            }
        }
    }

    static final class FolderMigration {
        private final ObjectStore store = new ObjectStore();
        private final Folder folder;

        FolderMigration(Folder folder) {
            this.folder = folder;
        }

        void move() throws InterruptedException {
            folder.open.acquire(PERMITS);
            long from = System.nanoTime();
            try {
                store.copy(3);
            } finally {
                DIARY.held(MIGRATION, from, System.nanoTime());
                folder.open.release(PERMITS);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Folder folder = new Folder();
        FolderMigration migration = new FolderMigration(folder);
        Truth.repeat("migration", () -> {
            migration.move();
            Thread.sleep(90);
        });
        for (int i = 1; i <= 10; i++) {
            Truth.virtual("visitor-" + i, () -> {
                try {
                    while (true) {
                        folder.read();
                        Thread.sleep(10 + ThreadLocalRandom.current().nextInt(20));
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        DIARY.fill(seconds);
        Truth.of("one has all permits while it copies").object("Semaphore")
            .culprit("FolderMigration.move", "ObjectStore.copy").thread("migration").victims("visitor-*")
            .share(DIARY.share(MIGRATION), "the visitors' waiting for permits, evenly among who has any").say();
    }
}

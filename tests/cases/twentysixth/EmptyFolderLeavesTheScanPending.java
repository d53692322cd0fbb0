import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountedCompleter;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Four backups scan a tree of folders each again and again, in a ForkJoinPool of two threads, by CountedCompleter: a
 * task for each folder, which is complete once its folders are.
 *
 * Problem: FolderScan.compute returns at once for a folder without anything in it, and does not call tryComplete; the
 * folder above it counts on that, so the whole scan is pending for ever, while the pool has nothing to do. After two
 * fifths of the time such a folder is made. Truth: backups wait for ever for their FolderScan because of
 * FolderScan.compute; nobody holds anything.
 */
final class EmptyFolderLeavesTheScanPending {
    static final class Folder {
        final List<Folder> folders = new ArrayList<>();
        volatile int files;

        static Folder tree(int depth) {
            Folder folder = new Folder();
            folder.files = depth + 1;
            for (int i = 0; depth > 0 && i < 3; i++) {
                folder.folders.add(tree(depth - 1));
            }
            return folder;
        }
    }

    static final class FolderScan extends CountedCompleter<Void> {
        private static final long serialVersionUID = 1;
        private final transient Folder folder;
        private final transient AtomicLong files;

        FolderScan(FolderScan parent, Folder folder, AtomicLong files) {
            super(parent);
            this.folder = folder;
            this.files = files;
        }

        @Override
        public void compute() {
            if (folder.files == 0) {
                return;
            }
            setPendingCount(folder.folders.size());
            for (Folder child : folder.folders) {
                new FolderScan(this, child, files).fork();
            }
            Truth.sleep(0.0005);
            files.addAndGet(folder.files);
            tryComplete();
        }
    }

    record Backup(ForkJoinPool pool, Folder root) implements Truth.Step {
        private long scan() {
            AtomicLong files = new AtomicLong();
            FolderScan scan = new FolderScan(null, root, files);
            pool.execute(scan);
            scan.join();
            return files.get();
        }

        @Override
        public void run() throws InterruptedException {
            if (scan() == 0) {
                throw new IllegalStateException("an empty tree");
            }
            Thread.sleep(60);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ForkJoinPool pool = new ForkJoinPool(2);
        Folder root = Folder.tree(2);
        List<Thread> backups = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            backups.add(Truth.repeat("backup-" + i, new Backup(pool, root)));
        }
        Truth.hangsOnce(backups);
        Truth.sayAndHalt(Truth.stuck("an empty folder's task never completes, and so none above it does")
            .object("FolderScan", "CountedCompleter", "ForkJoinTask")
            .culprit("FolderScan.compute", "Backup.scan", "Backup.run").thread("backup-*").victims("backup-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        root.folders.get(1).folders.get(2).files = 0;
        Truth.sleep(seconds + 2);
    }
}

import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An editor of documents. A tracker of leaks and a reaper of temporary files wait at reference queues, the reaper for a
 * second at a time; a cleaner has a thread, too. Whatever is changed is saved once nothing has been changed for 150 ms.
 *
 * Problem: none: nothing leaks, a temporary file goes now and then, and who saves waits for writers to pause. Truth:
 * healthy.
 */
final class ReferenceQueuesAtRestHealthy {
    static final class TemporaryFiles {
        private final ReferenceQueue<Object> unused = new ReferenceQueue<>();
        private final Set<PhantomReference<Object>> files = ConcurrentHashMap.newKeySet();
        private final AtomicInteger deleted = new AtomicInteger();

        TemporaryFiles() {
            Truth.repeat("file-reaper", this::reap);
        }

        PhantomReference<Object> create() {
            PhantomReference<Object> file = new PhantomReference<>(new Object(), unused);
            files.add(file);
            return file;
        }

        private void reap() throws InterruptedException {
            Object reference = unused.remove(1000);
            if (reference != null && files.remove(reference)) {
                deleted.incrementAndGet();
            }
        }
    }

    static final class AutoSave {
        private long changed;
        private boolean dirty;
        private int saves;

        AutoSave() {
            Truth.repeat("auto-save", this::save);
        }

        synchronized void change() {
            changed = System.nanoTime();
            dirty = true;
            notifyAll();
        }

        private void save() throws InterruptedException {
            synchronized (this) {
                while (!dirty) {
                    wait();
                }
                for (long left = 150; left > 0; left = 150 - (System.nanoTime() - changed) / 1_000_000) {
                    wait(left);
                }
                dirty = false;
            }
            Thread.sleep(12);
            saves++;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        TemporaryFiles files = new TemporaryFiles();
        AutoSave autoSave = new AutoSave();
        Cleaner cleaner = Cleaner.create();
        Map<Object, Cleaner.Cleanable> handles = new ConcurrentHashMap<>();
        ReferenceQueue<Object> leaks = new ReferenceQueue<>();
        CountDownLatch closed = new CountDownLatch(1);
        Truth.repeat("leak-tracker", () -> System.out.println("leaked: " + leaks.remove()));
        Truth.repeat("window", closed::await);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("writer-" + i, () -> {
                Object document = new Object();
                handles.put(document, cleaner.register(document, () -> { }));
                for (int key = 0; key < 12; key++) {
                    autoSave.change();
                    Thread.sleep(25);
                }
                PhantomReference<Object> file = files.create();
                handles.remove(document).clean();
                Thread.sleep(700);
                file.enqueue();
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.printf("%d files deleted, %d saves%n", files.deleted.get(), autoSave.saves);
        Truth.healthy("references are seldom enqueued, and changes are saved when writers pause").object().culprit()
            .thread().victims().noShare().say();
    }
}

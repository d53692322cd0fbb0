import java.io.File;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * Three writers keep notes in a file by H2's MVStore, which stores them each 200 ms in a thread of its own, and two
 * readers look them up; each second an archivist sees to it that all is stored.
 *
 * NEEDS: libh2-java (h2.jar)
 *
 * Problem: none; a note takes some microseconds, each 30 ms, and storing a few milliseconds. Truth: healthy. Measured:
 * how long the slowest note took.
 */
final class NotesKeptInMVStoreHealthy {
    static final AtomicInteger WRITTEN = new AtomicInteger(), READ = new AtomicInteger();
    static final AtomicLong SLOWEST = new AtomicLong();

    static final class Notes {
        private final MVStore store;
        private final MVMap<Integer, String> notes;

        Notes(String file) {
            store = new MVStore.Builder().fileName(file).open();
            store.setAutoCommitDelay(200);
            notes = store.openMap("notes");
        }

        void write(int number) {
            notes.put(number % 5000, "note " + number);
        }

        String read(int number) {
            return notes.get(number % 5000);
        }

        void keep() {
            store.commit();
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        File file = File.createTempFile("notes", ".mv");
        file.delete();
        file.deleteOnExit();
        Notes notes = new Notes(file.getPath());
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("writer-" + i, () -> {
                long from = System.nanoTime();
                notes.write(WRITTEN.incrementAndGet());
                SLOWEST.accumulateAndGet(System.nanoTime() - from, Math::max);
                Thread.sleep(30);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("reader-" + i, () -> {
                READ.addAndGet(notes.read(WRITTEN.get()) != null ? 1 : 0);
                Thread.sleep(20);
            });
        }
        Truth.repeat("archivist", () -> {
            notes.keep();
            Thread.sleep(1000);
        });
        Truth.sleep(seconds);
        System.out.printf("%d written, %d read, slowest %.2f ms%n", WRITTEN.get(), READ.get(), SLOWEST.get() / 1e6);
        Truth.healthy("notes take some microseconds, and are stored aside").object().culprit().thread().victims()
            .noShare().say();
        file.delete();
        Runtime.getRuntime().halt(0);
    }
}
